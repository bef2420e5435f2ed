"""`ossia attribute --verify` against a real HTTP upstream, steady and unsteady."""

import asyncio
import json
import threading
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from ossia_servers.offline import OfflineModel
from ossia_servers.serving import serve

ROLES = ("intent", "time", "location", "url", "request", "response")
EPISODE = "control.wake.1"
TASK = {
    "schema": 1,
    "id": "wake",
    "utterance": "wake me up at half past seven tomorrow",
    "gold": {
        "domain": "alarm",
        "intent": "alarm_set",
        "kind": "change",
        "slots": {"time": "half past seven", "date": "tomorrow"},
        "time": {"time": "07:30", "date": "2026-03-14"},
    },
}
WRONG = '{"time_slots": {"time": "19:30", "date": "2026-03-14"}}'
LATE = '{"url": "/alarm?intent=alarm_set&time=21%3A00&date=2026-03-14"}'


class Upstream:
    """Answers as the offline model does, but where it is told to say something else."""

    def __init__(self):
        self.model = OfflineModel.load()
        self.calls = 0
        self.turns = {}
        self.slips = {"time": lambda turn: WRONG}
        self.failing = False
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.chat, methods=["POST"])])

    async def chat(self, request):
        self.calls += 1
        if self.failing:
            return JSONResponse({"error": {"message": "down"}}, 401)
        body = await request.json()
        text = json.dumps(body["messages"][0])
        role = next((r for r in ROLES if f"You are the {r} agent" in text), "manager")
        message = self.model.complete({**body, "model": f"ossia-{role}"})
        if role in self.slips and not message.get("tool_calls"):
            turn = self.turns[role] = self.turns.get(role, 0) + 1
            slip = self.slips[role](turn)
            message = {"role": "assistant", "content": slip} if slip else message
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return JSONResponse({"id": "x", "choices": [choice], "usage": usage, "model": "tiny-1"})


@contextmanager
def running(upstream):
    ready, stop, found = threading.Event(), threading.Event(), []

    async def run():
        async with serve(upstream.app) as url:
            found.append(url)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        assert ready.wait(20)
        yield found[0]
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def upstream():
    made = Upstream()
    with running(made) as url:
        made.url = url
        yield made


@pytest.fixture
def failed(ossia, tmp_path, upstream):
    """A live run of one task that the time role gets wrong, attributed."""
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n", "utf-8")
    live = ("--model", "tiny-1", "--base-url", f"{upstream.url}/v1")
    done = ossia("run", "control", "--tasks", "tasks.jsonl", *live)
    assert done.returncode == 0, done.stderr
    before = upstream.calls
    found = json.loads(ossia("attribute", "--json").stdout)
    assert [item["families"] for item in found["attributions"]] == [[["time#1"]]]
    assert upstream.calls == before, "attribution itself asks no model"
    upstream.calls = 0
    upstream.turns.clear()
    return ossia


def verify(ossia, *arguments):
    done = ossia("attribute", "--verify", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["verifications"]
    told = ("tendency", "successes", "samples")
    arms = {arm["arm"]: tuple(arm[name] for name in told) for arm in found["arms"]}
    return found, arms, done.stderr


def test_a_steady_model_confirms_the_repair_with_three_samples_each(failed, upstream):
    found, arms, said = verify(failed)
    assert found["proof"] == "confirmed"
    assert arms == {
        "repaired": ("often", 3, 3),
        "nothing repaired": ("rarely", 0, 3),
        "placebo": ("rarely", 0, 3),
    }
    assert found["calls"] == upstream.calls
    assert upstream.calls > 30, "all other steps are really asked of the model"
    most = 1 * 3 * 17 * 60
    assert said == f"repairs to verify with the live model: 1, at most {most} model calls\n"

    spent = upstream.calls
    again, _, said = verify(failed)
    assert (again, upstream.calls) == (found, spent), "it is kept, and nothing is asked twice"
    assert ": 0, at most 0 model calls" in said
    assert "confirmed" in failed("attribute").stdout
    assert json.loads(failed("attribute", "--json").stdout)["verifications"] == [found]


def test_a_model_that_errs_now_and_then_makes_the_failure_unspecific(failed, upstream):
    upstream.slips["time"] = lambda turn: WRONG if turn % 4 == 0 else None
    found, arms, _ = verify(failed)
    assert found["proof"] == "unspecific"
    assert arms["nothing repaired"][0] == "often"
    assert arms["placebo"][0] == "rarely"


def test_a_repair_that_another_error_spoils_half_the_time_stays_undetermined(failed, upstream):
    upstream.slips["url"] = lambda turn: LATE if turn % 2 else None
    found, arms, _ = verify(failed)
    assert found["proof"] == "undetermined"
    assert arms["repaired"] == ("undetermined", 7, 15)


def test_a_repair_that_does_not_help_is_refuted(failed, upstream):
    upstream.slips["url"] = lambda turn: LATE
    found, arms, _ = verify(failed)
    assert found["proof"] == "refuted"
    assert arms["repaired"] == ("rarely", 0, 3)


def test_no_more_calls_are_made_than_allowed_and_more_may_be_allowed_later(failed, upstream):
    found, _, said = verify(failed, "--max-calls", "20")
    assert "at most 20 model calls" in said
    assert upstream.calls == found["calls"] == 20
    assert (found["proof"], found["cut"]) == ("undetermined", True)
    found, _, _ = verify(failed)
    assert (found["proof"], found["cut"]) == ("confirmed", False)


def test_many_calls_are_made_only_where_their_number_is_named(ossia, tmp_path, upstream):
    tasks = [json.dumps({**TASK, "id": f"wake-{number}"}) + "\n" for number in (1, 2)]
    (tmp_path / "tasks.jsonl").write_text("".join(tasks), "utf-8")
    live = ("--model", "tiny-1", "--base-url", f"{upstream.url}/v1")
    assert ossia("run", "control", "--tasks", "tasks.jsonl", *live).returncode == 0
    before, needed = upstream.calls, 2 * 3 * 17 * 60
    done = ossia("attribute", "--verify")
    assert done.returncode == 2
    assert f"--max-calls {needed}" in done.stderr.splitlines()[-1]
    assert upstream.calls == before, "nothing is asked of the model"
    done = ossia("attribute", "--verify", "--max-calls", "5", "--json")
    assert done.returncode == 0, done.stderr
    assert upstream.calls == before + 5


def test_a_model_that_is_down_says_nothing(failed, upstream):
    upstream.failing = True
    found, arms, _ = verify(failed)
    assert found["proof"] == "undetermined"
    assert [arm["invalid"] for arm in found["arms"]] == [3, 3, 3]
    assert set(arms.values()) == {("undetermined", 0, 0)}


def test_a_run_without_a_live_model_is_refused(ossia, tmp_path):
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n", "utf-8")
    done = ossia("run", "control", "--tasks", "tasks.jsonl")
    assert done.returncode == 0, done.stderr
    done = ossia("attribute", "--verify")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--verify is for runs made with a live model" in done.stderr
    assert not list(tmp_path.rglob("attribution.sqlite")), "nothing was attributed before"
    done = ossia("attribute", "--max-calls", "3")
    assert (done.returncode, done.stderr) == (2, "ossia: --max-calls goes with --verify\n")
