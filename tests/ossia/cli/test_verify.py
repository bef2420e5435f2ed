"""`ossia attribute --verify` against a real HTTP upstream, steady and unsteady."""

import asyncio
import json
import re
import shutil
import signal
import threading
import time
from contextlib import contextmanager
from functools import cache
from random import Random

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from ossia_evaluation.attribution import Arm, Verification
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.http.serving import serve

from .conftest import done_by, environment_of

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
WRONG = '{ "time_slots":{"date": "2026-03-14" ,"time":"19:30"} }'
"""With blanks that nothing but a copy would have."""
LATE = '{"url": "/alarm?intent=alarm_set&time=21%3A00&date=2026-03-14"}'

offline = cache(OfflineModel.load)


class Upstream:
    """Answers as the offline model does, but where it is told to say something else."""

    def __init__(self):
        self.model = offline()
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.chat, methods=["POST"])])
        self.begin()

    def begin(self):
        """Forget what it was told and asked."""
        self.calls = 0
        self.turns = {}
        self.slips = {"time": lambda turn: WRONG}
        self.answers_left = None
        self.seconds = 0.0
        self.asked = []

    async def chat(self, request):
        self.calls += 1
        if self.answers_left is not None and self.calls > self.answers_left:
            return JSONResponse({"error": {"message": "down"}}, 401)
        await asyncio.sleep(self.seconds)
        body = await request.json()
        text = json.dumps(body["messages"][0])
        role = next((r for r in ROLES if f"You are the {r} agent" in text), "manager")
        self.asked.append((role, json.dumps(body["messages"])))
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


@pytest.fixture(scope="module")
def served():
    """The upstream of all tests, at one address."""
    made = Upstream()
    with running(made) as url:
        made.url = url
        yield made


@pytest.fixture
def upstream(served):
    served.begin()
    return served


def recorded(ossia, tmp_path, upstream, tasks=(TASK,), *options):
    """A live run of tasks that the time role gets wrong, attributed; returns an episode's calls."""
    lines = "".join(json.dumps(task) + "\n" for task in tasks)
    (tmp_path / "tasks.jsonl").write_text(lines, "utf-8")
    live = ("--model", "tiny-1", "--base-url", f"{upstream.url}/v1", *options)
    done = ossia("run", "control", "--tasks", "tasks.jsonl", *live)
    assert done.returncode == 0, done.stderr
    before = upstream.calls
    found = json.loads(ossia("attribute", "--json").stdout)
    assert [item["families"] for item in found["attributions"]] == [[["time#1"]]] * len(tasks)
    assert upstream.calls == before, "attribution itself asks no model"
    upstream.begin()
    return before // len(tasks)


@pytest.fixture(scope="module")
def attributed(command, environments, served, tmp_path_factory):
    """The runs with a live one of one failed task, attributed, and an episode's calls."""
    folder = tmp_path_factory.mktemp("attributed")
    (folder / "home").mkdir()
    (folder / "home" / "envs").symlink_to(environments)
    environ = environment_of(folder / "home")

    def ossia(*arguments):
        return done_by(command, arguments, environ, folder)

    return folder / "home" / "runs", recorded(ossia, folder, served)


@pytest.fixture
def failed(ossia, home, attributed, upstream):
    """The command with a copy of those runs in its home."""
    shutil.copytree(attributed[0], home / "runs")
    return ossia


def verify_all(ossia, *arguments, code=0):
    done = ossia("attribute", "--verify", "--json", "--jobs", "1", *arguments)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)["verifications"], done.stderr


def verify(ossia, *arguments, code=0):
    (found,), said = verify_all(ossia, *arguments, code=code)
    assert Verification.model_validate({name: found[name] for name in Verification.model_fields})
    counts = [found["arms"][arm.value] for arm in Arm]
    return found, [(each["count"], each["of"]) for each in counts], said


def recurrence(found):
    return found["recurrence"]["count"], found["recurrence"]["of"]


def test_a_persistent_fault_is_decided_by_five_pairs(failed, attributed, upstream):
    found, arms, said = verify(failed)
    check_account(said, attributed[1], upstream.calls)
    assert (found["conclusion"], arms) == ("helps", [(5, 5), (0, 5), (0, 5)])
    assert recurrence(found) == (5, 5)
    assert found["spent"]["calls"] == upstream.calls > 100
    assert found["spent"]["tokens"] == 110 * upstream.calls
    assert found["spent"]["price_usd"] is None
    assert found["words"][0] == (
        "repairing time#1 raises success: 5 of 5 [0.57, 1.00] succeeded repaired,"
        " 0 of 5 [0.00, 0.43] with the fault held"
    )
    assert found["words"][1] == (
        "asked anew: the fault recurred in 5 of 5 [0.57, 1.00], 5 of 5 [0.57, 1.00] failed"
    )

    spent = upstream.calls
    again, _, said = verify(failed)
    assert (again, upstream.calls) == (found, spent), "it is kept, and nothing is asked twice"
    assert said == "repairs to verify with the live model: 0\n"
    shown = failed("attribute").stdout
    for line in found["words"]:
        assert line in shown
    assert "helps 1, no large effect 0, undecided 0; spent:" in shown
    assert json.loads(failed("attribute", "--json").stdout)["verifications"] == [found]


def test_a_transient_fault_is_no_evidence_against_the_attribution(failed, upstream):
    upstream.slips.clear()
    found, arms, _ = verify(failed)
    assert (found["conclusion"], arms) == ("helps", [(5, 5), (0, 5), (5, 5)])
    assert recurrence(found) == (0, 5)
    # What is held is what was recorded, byte for byte.
    after = [text for role, text in upstream.asked if role == "url"]
    assert len(after) == 15, "the url role is asked in every sample"
    assert sum(json.dumps(WRONG)[1:-1] in text for text in after) == 5


def test_an_error_at_random_is_told_with_its_interval(failed, upstream):
    draw = Random(3)
    upstream.slips["time"] = lambda turn: WRONG if draw.random() < 0.5 else None
    found, arms, _ = verify(failed)
    assert (found["conclusion"], arms[:2]) == ("helps", [(5, 5), (0, 5)])
    count, of = recurrence(found)
    assert 0 < count < of == 5
    assert found["recurrence"]["low"] < count / of < found["recurrence"]["high"]
    assert arms[2] == (of - count, of), "an episode fails where the fault recurs"


def test_a_repair_that_does_not_help_has_no_large_effect(failed, upstream):
    upstream.slips["url"] = lambda turn: LATE
    found, arms, _ = verify(failed)
    assert (found["conclusion"], arms[:2]) == ("no large effect", [(0, 5), (0, 5)])
    assert "raises success by less than 50 percentage points, if at all" in found["words"][0]


def check_account(said, one, calls):
    """The estimate is the run's own account, of as many calls an episode; the calls are told."""
    least, most = 3 * 5 * one, 3 * 15 * one
    first, estimate, limit, spent = said.splitlines()
    assert first == "repairs to verify with the live model: 1"
    assert estimate == (
        f"estimate, by the run's own account: {least} to {most} model calls,"
        f" {110 * least:,} to {110 * most:,} tokens, price unknown"
    )
    assert limit == "no more than 5,000 model calls are made"
    assert spent == (f"spent: {calls} model calls, {110 * calls:,} tokens, price unknown")
    # In two of three arms the repaired step is not asked: two calls, of which one asks for the day.
    assert least - 2 * 2 * 5 <= calls < least


def test_a_price_that_is_known_is_told(ossia, tmp_path, upstream):
    one = recorded(ossia, tmp_path, upstream, (TASK,), "--price-as", "openai/gpt-4o")
    found, _, said = verify(ossia)
    price = 100 * 2.5e-6 + 10 * 10e-6
    told = re.search(r"price ([0-9.]+) to ([0-9.]+) USD", said)
    assert float(told[1]) == pytest.approx(15 * one * price, abs=1e-4)
    assert float(told[2]) == pytest.approx(45 * one * price, abs=1e-4)
    assert found["spent"]["price_usd"] == pytest.approx(upstream.calls * price)
    assert f"price {upstream.calls * price:.4f} USD" in said.splitlines()[-1]


def test_the_calls_go_round_over_the_failures(ossia, tmp_path, upstream):
    tasks = [{**TASK, "id": f"wake-{number}"} for number in (1, 2)]
    one = recorded(ossia, tmp_path, upstream, tasks)
    found, said = verify_all(ossia, "--max-calls", 2 * 2 * one)
    assert upstream.calls <= 2 * 2 * one
    assert [item["pairs"] for item in found] == [1, 1]
    assert {item["conclusion"] for item in found} == {"undecided"}
    assert "not finished: 2 (the allowed model calls were not enough)" in said

    spent = upstream.calls
    found, said = verify_all(ossia)
    assert [item["conclusion"] for item in found] == ["helps"] * 2
    assert [item["pairs"] for item in found] == [5, 5], "what was sampled is kept"
    assert sum(item["spent"]["calls"] for item in found) == upstream.calls
    assert f"spent: {upstream.calls - spent} model calls" in said


def test_many_calls_are_made_only_where_their_number_is_named(ossia, tmp_path, upstream):
    tasks = [{**TASK, "id": f"wake-{number}"} for number in range(10)]
    one = recorded(ossia, tmp_path, upstream, tasks)
    done = ossia("attribute", "--verify")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"--max-calls {10 * 45 * one}")
    done = ossia("attribute", "--verify", "--max-calls", one - 1)
    assert (done.returncode, done.stderr) == (
        2,
        f"ossia: --max-calls {one - 1} is not enough for one sample, which takes about {one}\n",
    )
    assert upstream.calls == 0, "nothing is asked of the model"


def test_a_model_that_is_down_says_nothing(failed, upstream):
    upstream.answers_left = 0
    done = failed("attribute", "--verify", "--json", "--jobs", "1")
    (found,) = json.loads(done.stdout)["verifications"]
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ossia: the last 9 samples were lost")
    assert "HTTP 401: down; what is verified" in done.stderr.splitlines()[-1]
    assert (found["conclusion"], found["lost"], found["pairs"]) == ("undecided", 9, 0)


def test_what_was_sampled_before_the_model_died_is_kept(failed, upstream):
    upstream.answers_left = 70
    found, _, said = verify(failed, code=1)
    assert (found["conclusion"], found["lost"]) == ("undecided", 9)
    kept = found["repaired"], found["held"]
    assert len(kept[0]) in (2, 3)
    assert "samples lost: 9, the last because" in said
    upstream.answers_left = None
    found, arms, _ = verify(failed)
    assert (found["conclusion"], arms[:2]) == ("helps", [(5, 5), (0, 5)])
    assert (found["repaired"][:2], found["held"][:2]) == (kept[0][:2], kept[1][:2])


def test_an_interrupted_verification_goes_on(failed, upstream, begin, environ, tmp_path):
    upstream.seconds = 0.05
    out, err = tmp_path / "out", tmp_path / "err"
    command = ("attribute", "--verify", "--jobs", "1")
    running = begin(command, environ=environ, folder=tmp_path, out=out, err=err)
    while upstream.calls < 40:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    assert running.wait() == 130
    assert "run the same command again" in err.read_text()
    (before,) = json.loads(failed("attribute", "--json").stdout)["verifications"]
    assert 40 - 15 <= before["spent"]["calls"] <= upstream.calls
    assert before["repaired"]
    upstream.seconds = 0.0
    found, arms, _ = verify(failed)
    assert arms[:2] == [(5, 5), (0, 5)]
    assert found["repaired"][: len(before["repaired"])] == before["repaired"]


def test_a_model_too_slow_for_the_episodes_time_says_nothing(ossia, tmp_path, upstream):
    recorded(ossia, tmp_path, upstream, (TASK,), "--max-seconds", "2")
    upstream.seconds = 0.5
    found, _, said = verify(ossia, "--jobs", "3", code=1)
    assert (found["conclusion"], found["pairs"], found["lost"]) == ("undecided", 0, 9)
    assert "the time of the episode ran out" in said


def test_a_slow_model_is_waited_for(failed, upstream):
    upstream.seconds = 0.03
    found, arms, _ = verify(failed, "--jobs", "8")
    assert (found["conclusion"], arms[:2]) == ("helps", [(5, 5), (0, 5)])


def test_a_run_without_a_live_model_is_refused(ossia, tmp_path):
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n", "utf-8")
    done = ossia("run", "control", "--tasks", "tasks.jsonl")
    assert done.returncode == 0, done.stderr
    done = ossia("attribute", "--verify")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--verify is for runs made with a live model" in done.stderr
    assert not list(tmp_path.rglob("attribution.sqlite")), "nothing was attributed before"
    done = ossia("attribute", "--max-calls", "3")
    assert (done.returncode, done.stderr) == (2, "ossia: --max-calls needs --verify\n")
