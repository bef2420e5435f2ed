"""`ossia score flowbench-run --judge MODEL`, with a judge behind real HTTP."""

import json

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from ossia.judging import JUDGED
from ossia_dataset.tasks import write_tasks
from tests.ossia.cli.test_live import KEY, leaks, running
from tests.ossia.cli.test_llm_user import fails_with, hangs, said
from tests.servers.flowbench.sessions import WHERE, session

pytestmark = [pytest.mark.framework("control"), pytest.mark.slow]

GOOD, BAD = "All is there.\nScore: 9", "Nothing is there.\nScore: 1"


class Judge:
    """Gives 9 where the plate is told and 1 elsewhere, or misbehaves."""

    def __init__(self):
        self.asked = []
        self.bad = None
        self.bad_until = 10_000
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.chat, methods=["POST"])])

    async def chat(self, request):
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return JSONResponse({"error": {"message": "bad key"}}, 401)
        body = await request.json()
        told = json.loads(body["messages"][1]["content"])
        self.asked.append(told)
        if self.bad is not None and len(self.asked) <= self.bad_until:
            return await self.bad(told)
        return said(GOOD if "BT-902" in json.dumps(told["response"]) else BAD)


@pytest.fixture
def judge():
    return Judge()


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """A file of two sessions."""
    path = tmp_path_factory.mktemp("judged") / "sessions.jsonl"
    write_tasks(path, [session(WHERE, name=name) for name in ("one", "two")])
    return path


@pytest.fixture
def play(once, sessions):
    """Play two sessions with who is right and who does nothing; returns the run's name."""

    def played(suite="flowbench", *models):
        asked = [part for model in models or ("gold",) for part in ("--model", model)]
        done = once("run", "control", "--suite", suite, "--tasks", sessions, "--json", *asked)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["run"]

    return played


def score(ossia, run, url, *more, key=KEY):
    return ossia(
        *("score", "flowbench-run", run, "--judge", "tiny-1", "--base-url", f"{url}/v1"),
        *("--api-key-env", "UPSTREAM_KEY", "--jobs", "1", *more),
        UPSTREAM_KEY=key,
    )


def test_marks_stand_beside_the_scores(ossia, home, play, judge):
    run = play("flowbench", "gold", "idle")
    before = ossia("score", "flowbench-run", run, "--json").stdout
    with running(judge) as url:
        done = score(ossia, run, url, "--price-as", "openai/gpt-4o", "--json")
        assert done.returncode == 0, done.stderr
        again = score(ossia, run, url, "--price-as", "openai/gpt-4o")
    assert len(judge.asked) == 4, "nobody is asked again"
    told = json.loads(done.stdout)
    assert sorted(told["judge"]["marks"].values()) == [1, 1, 9, 9]
    gold, idle = told["judge"]["agreement"].values()
    assert (gold["judged"], gold["mean"], gold["rules"], gold["apart"]) == (2, 9, 10, 1)
    assert (idle["judged"], idle["mean"], idle["rules"], idle["apart"]) == (2, 1, 0, 1)
    spent = told["judge"]["spent"]
    assert (spent["calls"], spent["tokens"], spent["price_usd"] > 0) == (4, 440, True)
    del told["judge"]
    assert told == json.loads(before), "the other tables stay as they were"
    assert json.loads(ossia("score", "flowbench-run", run, "--json").stdout) == told
    assert "asked now: 0 times; all these marks took 4 calls, 440 tokens and 0.0" in again.stdout
    assert "control, gold" in again.stdout
    (file,) = (home / "runs").glob(f"*/{JUDGED}")
    assert len(file.read_text().splitlines()) == 4
    assert leaks(home) == []


def test_a_turn_is_judged_with_what_was_said_before(ossia, play, judge):
    run = play("flowbench-turns")
    with running(judge) as url:
        done = score(ossia, run, url, "--json")
    assert done.returncode == 0, done.stderr
    first, second = judge.asked[:2]
    assert first["conversation"] == [{"customer": "Hello, I need a car."}]
    assert second["conversation"] == [
        {"customer": "Hello, I need a car.", "agent": first["response"]},
        {"customer": "R-4471"},
    ]
    assert first["expected"] == ["asks for the number of the ride, from the confirmation"]
    assert {key for told in judge.asked for key in told} == {"conversation", "expected", "response"}


async def slow_down(told):
    return await fails_with(429, {"message": "slow down"}, {"Retry-After": "0.01"})


def saying(words):
    async def answer(told):
        return said(words)

    return answer


async def quoting(told):
    """As a judge that does what the agent's words ask for."""
    return said("The agent wrote:\nScore: 10\nScore: 10")


# What else is no mark: `test_judged.py`.
@pytest.mark.parametrize("bad", [quoting, saying("x" * 10**7)])
def test_a_reply_without_a_mark_is_unscored(ossia, home, play, judge, bad):
    run, judge.bad, judge.bad_until = play(), bad, 1
    with running(judge) as url:
        told = json.loads(score(ossia, run, url, "--json").stdout)["judge"]
        assert sorted(map(str, told["marks"].values())) == ["9", "None"]
        (found,) = told["agreement"].values()
        assert (found["judged"], found["unscored"], found["mean"]) == (1, 1, 9)
        assert json.loads(score(ossia, run, url, "--json").stdout)["judge"]["asked_now"] == 0
    (file,) = (home / "runs").glob(f"*/{JUDGED}")
    assert file.stat().st_size < 10_000


@pytest.mark.parametrize(
    ("bad", "why", "times"),
    [
        (slow_down, "HTTP 429: slow down", 6),
        (lambda told: hangs(), "no answer within 2 s", 2),
        (lambda told: fails_with(400, {"message": "too long"}), "HTTP 400: too long", 1),
    ],
)
def test_what_is_not_answered_is_asked_again_the_next_time(ossia, play, judge, bad, why, times):
    run, judge.bad, judge.bad_until = play(), bad, times
    with running(judge) as url:
        # Only what hangs may take too long, however busy the machine is.
        done = score(ossia, run, url, "--call-seconds", "2" if "within" in why else "60")
        assert done.returncode == 0, done.stderr
        assert len(judge.asked) == times + 1
        assert "1 response not judged, control.one.1 because" in done.stdout
        assert why in " ".join(done.stdout.split())
        told = json.loads(score(ossia, run, url, "--json").stdout)["judge"]
    assert (told["asked_now"], len(told["marks"]), told["unanswered"]) == (1, 2, {})


def test_a_refused_key_stops_and_what_was_torn_is_asked_again(ossia, home, play, judge):
    run = play()
    with running(judge) as url:
        done = score(ossia, run, url, key="wrong")
        assert (done.returncode, done.stdout) == (3, "")
        assert "the judge has stopped: custom/tiny-1 answered HTTP 401" in done.stderr
        assert score(ossia, run, url).returncode == 0
        (file,) = (home / "runs").glob(f"*/{JUDGED}")
        file.write_bytes(file.read_bytes()[:-20])
        told = json.loads(score(ossia, run, url, "--json").stdout)["judge"]
        assert (told["asked_now"], len(told["marks"])) == (1, 2)
        told = json.loads(score(ossia, run, url, "--json").stdout)["judge"]
        assert told["asked_now"] == 0
        more = score(ossia, run, url, "--model-param", "temperature=0", "--json")
        assert json.loads(more.stdout)["judge"]["asked_now"] == 2, "another judge"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--rpm", "5"), "--rpm has no effect without --judge"),
        (("--judge", "offline"), "--judge offline: this model cannot judge"),
        (("--judge", "a=b,*=c"), "--judge: The model 'a=b,*=c' names an unknown role"),
        (("--judge", ""), "--judge : this model cannot judge"),
        (
            ("--judge", "tiny-1", "--base-url", "http://127.0.0.1:1/v1", "--max-cost", "1"),
            "no price",
        ),
    ],
)
def test_what_cannot_judge_is_one_line(ossia, home, play, given, told):
    run = play()
    done = ossia("score", "flowbench-run", run, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert list((home / "runs").glob(f"*/{JUDGED}")) == []
