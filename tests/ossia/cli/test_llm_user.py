"""`--user MODEL`: a real HTTP endpoint that speaks for the user of FlowBench's sessions."""

import asyncio
import json
import re

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ossia.runner.store import RunStore
from ossia_dataset.tasks import write_tasks
from ossia_servers.flowbench.user import AgendaUser
from ossia_servers.trace import UserTurn
from tests.ossia.cli.test_live import KEY, leaks, running
from tests.servers.flowbench.sessions import OPENING, SCENARIOS, gold, session

pytestmark = [pytest.mark.framework("control"), pytest.mark.slow]

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


class Customer:
    """Says what the scripted user of the session would say, or misbehaves."""

    def __init__(self):
        self.calls = 0
        self.bad = None
        self.bad_from = 0
        self.bad_until = 10_000
        self.sent = []
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.chat, methods=["POST"])])

    async def chat(self, request):
        self.calls += 1
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return JSONResponse({"error": {"message": "bad key"}}, 401)
        body = await request.json()
        self.sent.append(body)
        if self.bad is not None and self.bad_from < self.calls <= self.bad_until:
            return await self.bad()
        return said(words_of(body["messages"]))


def said(words):
    choice = {"index": 0, "message": {"role": "assistant", "content": words}}
    choice["finish_reason"] = "stop"
    return JSONResponse({"id": "x", "choices": [choice], "usage": USAGE, "model": "tiny-1"})


def words_of(messages):
    """What the scripted user says to the conversation in a request."""
    talk = [message["content"] for message in messages[2:]]
    assert talk[0] == OPENING
    task = session()
    user, turns, words = AgendaUser(task, SCENARIOS, gold(task)), [], None
    for asked, answer in zip(talk[::2], talk[1::2], strict=True):
        turns.append(UserTurn(user=asked, answer=answer))
        words = user.next_words(turns)
    return "Thank you! [END]" if words is None else words


async def fails_with(status, error, headers=None):
    return JSONResponse({"error": error}, status, headers=headers)


async def hangs():
    await asyncio.sleep(30)


async def garbage():
    return Response(b"\x00 no JSON", media_type="application/json")


async def says(words):
    return said(words)


@pytest.fixture
def customer():
    return Customer()


@pytest.fixture
def sessions(tmp_path):
    """A file of two sessions that open alike."""
    path = tmp_path / "sessions.jsonl"
    write_tasks(path, [session(name="one"), session(name="two")])
    return path


def played(ossia, sessions, url, *more, key=KEY, **variables):
    return ossia(
        *("compare", "-f", "control", "--suite", "flowbench", "--tasks", sessions, "--json"),
        *("--model", "gold", "--user", "tiny-1", "--base-url", f"{url}/v1", "--jobs", "1"),
        *("--api-key-env", "UPSTREAM_KEY", *more),
        UPSTREAM_KEY=key,
        **variables,
    )


def traces(home):
    found = []
    for folder in (home / "runs").iterdir():
        with RunStore(folder) as store:
            found += [trace for trace in store.traces() if trace.user_account is not None]
    return found


def test_a_model_speaks_for_the_user_in_an_account_of_its_own(ossia, home, sessions, customer):
    with running(customer) as url:
        done = played(ossia, sessions, url, "--price-as", "openai/gpt-4o")
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        (line,) = result["frameworks"]
        assert (line["success"]["count"], line["episodes"], line["invalid"]) == (2, 2, 0)
        assert "tiny-1: no spending limit is set" in done.stderr
        sent = customer.calls
        assert played(ossia, sessions, url, "--price-as", "openai/gpt-4o").returncode == 0
        assert customer.calls == sent, "a finished session is not asked about again"
        shown = ossia("show", "control.one.1")
    assert (result["user"]["calls"], result["user"]["tokens"]) == (sent, 110 * sent)
    assert 0 < result["user"]["price_usd"] < 1
    assert result["facts"]["simulated user"] == "tiny-1"
    one, two = traces(home)
    assert one.user_account.calls + two.user_account.calls == sent
    assert {call.model for call in one.gateway.exchanges} == {"gold"}
    assert len(one.turns) == one.user_account.calls == sent // 2, "the last call ends the session"
    assert "the simulated user's model, apart from the team: " in shown.stdout
    assert all(body["messages"][0]["role"] == "system" for body in customer.sent)
    assert leaks(home) == []


def test_a_key_that_is_refused_stops_the_run_which_resumes(ossia, home, sessions, customer):
    with running(customer) as url:
        done = played(ossia, sessions, url, key="wrong")
        assert (done.returncode, customer.calls) == (3, 1)
        assert "custom/tiny-1 answered HTTP 401" in done.stderr
        again = ossia("resume", "--jobs", "1", "--api-key-env", "UPSTREAM_KEY", UPSTREAM_KEY=KEY)
    assert again.returncode == 0, again.stderr
    assert [trace.ending.kind for trace in traces(home)] == ["answered", "answered"]


def slow_down():
    return fails_with(429, {"message": "slow down"}, {"Retry-After": "0.01"})


@pytest.mark.parametrize("bad", [slow_down, garbage, lambda: says(""), lambda: says("x" * 10**7)])
def test_what_passes_is_asked_again(ossia, sessions, customer, bad):
    customer.bad, customer.bad_from, customer.bad_until = bad, 1, 3
    with running(customer) as url:
        done = played(ossia, sessions, url)
    assert done.returncode == 0, done.stderr
    (line,) = json.loads(done.stdout)["frameworks"]
    assert (line["success"]["count"], line["invalid"]) == (2, 0)


@pytest.mark.parametrize(
    ("bad", "why", "times"),
    [
        (slow_down, "6 attempts failed: HTTP 429", 6),
        (hangs, "no answer within 2 s", 2),
        (lambda: fails_with(400, {"message": "too long"}), "HTTP 400: too long", 1),
        (lambda: says(""), "3 times nothing that could be used; Your last try was empty.", 3),
        (lambda: says("x" * 10**7), "Your last try had more than 4000 characters", 3),
        (lambda: says(OPENING), "Your last try repeated what was said", 3),
    ],
)
def test_a_user_without_words_is_nobodys_failure(ossia, home, sessions, customer, bad, why, times):
    customer.bad = bad
    with running(customer) as url:
        # Only what hangs may take too long, however busy the machine is.
        seconds = "2" if bad is hangs else "60"
        done = played(ossia, sessions, url, "--task", "one", "--call-seconds", seconds)
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["frameworks"][0]["invalid"] == 1
    (reason,) = result["invalid"].values()
    assert reason.startswith("the episode broke off: the model of the simulated user: ")
    assert why in reason
    assert customer.calls == times
    (trace,) = traces(home)
    assert (len(trace.turns), trace.turns[0].user) == (1, OPENING)


def test_an_estimate_counts_the_user(ossia, sessions, customer):
    with running(customer) as url:
        done = played(ossia, sessions, url, "--estimate", "--price-as", "openai/gpt-4o")
    assert done.returncode == 0, done.stderr
    told = re.search(r"custom/tiny-1: (\d+) model calls, ~([\d,]+) tokens, price", done.stderr)
    assert int(told[1]) == customer.calls
    assert int(told[2].replace(",", "")) > 1000


def test_the_limit_of_cost_holds_for_the_user(ossia, sessions, customer):
    limits = ("--price-as", "openai/gpt-4o", "--max-cost", "0.1")
    with running(customer) as url:
        done = played(ossia, sessions, url, *limits)
        assert done.returncode == 3, done.stderr
        assert "more than --max-cost 0.1" in done.stderr
        assert customer.calls == 0, "an answer without a limit could cost more"
        more = ("--model-param", "max_tokens=100")
        assert played(ossia, sessions, url, *limits, *more).returncode == 0
    assert {body["max_tokens"] for body in customer.sent} == {100}


def test_a_limit_of_cost_asks_for_the_prices_of_whom_it_pays(ossia, sessions):
    told = {}
    for user in ("tiny-1", "openai/gpt-5-mini"):
        done = ossia(
            *("run", "control", "--suite", "flowbench", "--tasks", sessions, "--model", "gold"),
            *("--user", user, "--max-cost", "1"),
        )
        assert done.returncode == 2
        told[user] = done.stderr
    assert "no price is known for the model 'tiny-1'" in told["tiny-1"]
    assert "openai/gpt-5-mini needs a key" in told["openai/gpt-5-mini"]


def test_a_run_is_replayed_from_its_tape(ossia, home, sessions, customer, tmp_path):
    with running(customer) as url:
        assert played(ossia, sessions, url, "--cache").returncode == 0
        assert customer.calls == traces(home)[0].user_account.calls, "sessions that are alike"
    tape = tmp_path / "tape.jsonl"
    assert ossia("tape", "--out", tape).returncode == 0
    again = ossia(
        *("compare", "-f", "control", "--suite", "flowbench", "--tasks", sessions, "--json"),
        *("--model", f"replay:{tape}", "--user", f"replay:{tape}"),
    )
    assert again.returncode == 0, again.stderr
    result = json.loads(again.stdout)
    assert result["frameworks"][0]["success"]["count"] == 2
    assert result["user"]["calls"] > 0


@pytest.mark.parametrize(
    ("more", "variables", "code", "told"),
    [
        (("--user", "tiny-1"), {}, 2, "--user tiny-1 has no effect: the suite 'assistant'"),
        ((), {"OSSIA_USER": "tiny-1"}, 0, ""),
        (("--suite", "flowbench-turns", "--user", "tiny-1"), {}, 2, "the suite 'flowbench-turns'"),
    ],
)
def test_a_user_is_for_suites_that_have_one(ossia, more, variables, code, told):
    done = ossia("run", "control", "--limit", "1", *more, **variables)
    assert done.returncode == code, done.stderr
    assert told in done.stderr


def test_the_report_tells_of_the_user(ossia, home, sessions, customer, tmp_path):
    with running(customer) as url:
        assert played(ossia, sessions, url).returncode == 0
    assert ossia("report", "--out", tmp_path / "report").returncode == 0
    told = f"speaks for the simulated user: {customer.calls} calls, {110 * customer.calls:,} known"
    (page,) = (tmp_path / "report").glob("*.html")
    assert told in page.read_text()
    (rows,) = (tmp_path / "report").glob("episodes.csv")
    assert "user_calls" in rows.read_text().splitlines()[0]
