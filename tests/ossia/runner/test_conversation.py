"""Episodes in which a simulated user goes on talking."""

import asyncio
import sqlite3
from dataclasses import replace

import pytest

from ossia.attribution.replayer import open_runner
from ossia.runner import episode as episode_module
from ossia.runner.plan import plan
from ossia.runner.run import run_missing
from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia_servers.gateway import Unanswered, completion_of
from ossia_servers.trace import Trace, UserTurn

GREETINGS = ("good morning", "hello again", "hi there")


class Talker:
    """Says the greetings one after another, whatever it is told."""

    def __init__(self, heard, words=GREETINGS):
        self._heard = heard
        self._words = words

    async def reply(self, turns):
        self._heard.append(tuple(turn.user for turn in turns))
        return self._words[len(turns)] if len(turns) < len(self._words) else None


@pytest.fixture
def talk(monkeypatch, make_session, greeting, tmp_path):
    """Play one task whose user goes on talking; returns the trace."""

    def played(user, utterance=GREETINGS[0], user_model=None, **settings):
        suite = replace(find_suite("assistant"), user=lambda task, domains: user, **settings)
        monkeypatch.setattr(episode_module, "find_suite", lambda name: suite)
        session = make_session([greeting("hello-1", utterance)])
        session = replace(session, user_model=user_model)
        with RunStore(tmp_path / f"run-{len(list(tmp_path.iterdir()))}", write=True) as store:
            store.set_meta("config", session.config.model_dump_json())
            asyncio.run(run_missing(session, store, lambda event: None))
            (trace,) = store.traces()
        return trace

    return played


def test_the_turns_are_played_on_one_world_with_one_account(talk):
    heard = []
    trace = talk(Talker(heard))
    assert heard == [GREETINGS[:1], GREETINGS[:2], GREETINGS]
    assert trace.ending.kind == "answered"
    assert tuple(turn.user for turn in trace.turns) == GREETINGS
    assert [bool(turn.answer) for turn in trace.turns] == [True] * 3
    assert trace.answer == trace.turns[-1].answer
    assert [turn.calls > 0 for turn in trace.turns] == [True] * 3
    assert sum(turn.calls for turn in trace.turns) == len(trace.gateway.exchanges)
    assert sum(turn.requests for turn in trace.turns) == len(trace.requests)
    assert len(trace.timing.turns_s) == 3
    assert trace.reported.calls == trace.gateway.calls, "of all turns together"
    last = trace.gateway.exchanges[-1].request["messages"]
    assert any('The user said: "good morning"' in message["content"] for message in last)


def test_turns_that_a_task_gives_come_first(talk):
    heard = []
    given = UserTurn(user="who are you?", answer="Your assistant.")
    trace = talk(Talker(heard, ("", GREETINGS[0])), history=lambda task: (given,))
    assert heard == [("who are you?", GREETINGS[0])]
    assert [turn.user for turn in trace.turns] == [GREETINGS[0]]
    assert "Your assistant." in str(trace.gateway.exchanges[0].request["messages"])


def test_a_turn_that_fails_is_the_last(talk):
    trace = talk(Talker([], (GREETINGS[0], "raise", "hello")))
    assert trace.ending.kind == "framework_error"
    assert [turn.user for turn in trace.turns] == [GREETINGS[0], "raise"]
    assert trace.answer == ""


@pytest.mark.parametrize("error", [ValueError("no words"), sqlite3.OperationalError("no words")])
def test_a_user_that_raises_makes_the_episode_invalid_and_keeps_its_record(talk, error):
    class Broken:
        async def reply(self, turns):
            if len(turns) > 1:
                raise error
            return GREETINGS[1]

    trace = talk(Broken())
    assert (
        trace.infrastructure_failure == f"the episode broke off: {type(error).__name__}: no words"
    )
    assert tuple(turn.user for turn in trace.turns) == GREETINGS[:2]
    assert sum(turn.calls for turn in trace.turns) == len(trace.gateway.exchanges) > 0


@pytest.mark.parametrize(
    ("word", "ending"), [("late crash", "worker_died"), ("kill", "worker_killed")]
)
def test_the_turns_before_a_death_of_the_worker_are_kept(talk, word, ending):
    trace = talk(Talker([], (GREETINGS[0], word, "hello")))
    assert trace.ending.kind == ending
    assert [turn.user for turn in trace.turns] == [GREETINGS[0], word]
    assert [bool(turn.answer) for turn in trace.turns] == [True, False]
    assert sum(turn.calls for turn in trace.turns) == len(trace.gateway.exchanges) > 0
    assert trace.answer == ""
    assert trace.dropped.calls > 0, "of the attempt before"


def test_half_a_character_of_a_framework_or_a_user_ends_no_run(talk):
    trace = talk(Talker([], (GREETINGS[0], "half an answer", "a\ud83d b", "half raise")))
    said = [turn.user for turn in trace.turns]
    assert said == [GREETINGS[0], "half an answer", "a\ufffd b", "half raise"]
    assert trace.turns[1].answer == "a? b", "the worker mends its own"
    assert trace.ending.kind == "framework_error"
    mended = Trace(**{**dict(trace), "answer": "a\ud83d b"})
    assert mended.answer == "a\ufffd b"


def test_a_user_that_never_ends_is_ended_by_the_budget(talk):
    class Endless:
        async def reply(self, turns):
            return "hello"

    trace = talk(Endless())
    assert trace.ending.kind == "framework_error"
    assert trace.gateway.budget_spent == "calls"


class Model:
    """Answers for a user, and takes its time."""

    name = "talker"

    def __init__(self, *words):
        self._words = iter(words)

    async def complete(self, call):
        assert (call.role, call.request["messages"][0]["role"]) == ("user", "user")
        await asyncio.sleep(0.3)
        return completion_of({"content": next(self._words)})


def asking(task, domains, ask):
    """A user that says what its model says, until that is `end`."""

    class Asking:
        async def reply(self, turns):
            words = await ask([{"role": "user", "content": turns[-1].answer}])
            if not words:
                raise Unanswered("nothing")
            return None if words == "end" else words

    return Asking()


def test_a_model_that_speaks_for_the_user_has_an_account_of_its_own(talk):
    alone = talk(Talker([]))
    trace = talk(None, user_model=Model(*GREETINGS[1:], "end"), llm_user=asking)
    assert tuple(turn.user for turn in trace.turns) == GREETINGS
    assert trace.ending.kind == "answered"
    assert (trace.user_account.calls, trace.gateway.calls) == (3, alone.gateway.calls)
    assert trace.gateway.total_tokens == alone.gateway.total_tokens
    assert {one.model for one in trace.gateway.exchanges} == {"offline"}
    assert trace.gateway.waited_s > 0.85 > 0.6 > trace.timing.wall_s - alone.timing.wall_s
    assert alone.user_account is None


def test_a_model_that_says_nothing_makes_the_episode_invalid(talk):
    trace = talk(None, user_model=Model(GREETINGS[1], ""), llm_user=asking)
    assert (
        trace.infrastructure_failure
        == "the episode broke off: the model of the simulated user: nothing"
    )
    assert len(trace.turns) == 2
    assert (trace.user_account.calls, len(trace.user_account.exchanges)) == (2, 2)


def test_the_account_of_a_user_holds_what_a_dead_attempt_asked(talk):
    words = ("late crash", "late crash", "end")
    trace = talk(None, user_model=Model(*words), llm_user=asking)
    assert trace.ending.kind == "worker_died"
    assert trace.user_account.calls == 2


def test_a_trace_without_conversations_is_read():
    old = {
        "version": 3,
        "episode": {"id": "a.b.1", "task": "b", "framework": "a", "model": "m", "repeat": 1},
        "ending": {"kind": "answered"},
        "answer": "yes",
        "gateway": {"episode": "a.b.1"},
        "timing": {"wall_s": 1.0, "cpu_s": None},
    }
    assert Trace.model_validate(old).turns == ()


def test_an_episode_may_have_a_user_of_its_own(make_session, greeting, monkeypatch):
    of_suite, own = [], []
    suite = replace(find_suite("assistant"), user=lambda task, domains: Talker(of_suite))
    monkeypatch.setattr(episode_module, "find_suite", lambda name: suite)
    session = make_session([greeting("hello-1", GREETINGS[0])])
    trace = asyncio.run(play_alone(session, Talker(own, GREETINGS[:2])))
    assert [turn.user for turn in trace.turns] == [*GREETINGS[:2]]
    assert (of_suite, own) == ([], [GREETINGS[:1], GREETINGS[:2]])
    plain = replace(suite, user=None)
    monkeypatch.setattr(episode_module, "find_suite", lambda name: plain)
    assert asyncio.run(play_alone(session, Talker(own))).turns == (), "the suite has no user"


async def play_alone(session, user):
    """Play the session's only task with a user of its own; returns the trace."""
    model = session.models["offline"]
    async with open_runner(
        session.config, session.tasks, session.domains, session.workers, model, jobs=1
    ) as (runner, _):
        return await runner.run(plan(session.config)[0], user)
