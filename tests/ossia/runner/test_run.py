"""Runs with real workers, a real gateway and real servers."""

import asyncio

import pytest

from ossia.errors import AllInvalid, RunStopped, UserError
from ossia.runner import play as play_module
from ossia.runner.plan import plan
from ossia.runner.results import rows_of
from ossia.runner.run import run_missing
from ossia.runner.stopping import STOP_AFTER, STOP_LIMITED_AFTER
from ossia.runner.store import RunStore
from ossia.worker import WorkerStartError
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import (
    EndpointClosed,
    ModelFailure,
    ModelSpec,
    RequestRefused,
    ScriptedModel,
)


def run(session, folder, seen=None):
    with RunStore(folder, write=True) as store:
        store.set_meta("config", session.config.model_dump_json())
        return asyncio.run(run_missing(session, store, (seen if seen is not None else []).append))


def scores(folder):
    with RunStore(folder) as store:
        return {episode: store.score(episode) for episode in store.episodes()}


def test_every_episode_is_stored_before_it_is_shown(make_session, tmp_path):
    tasks = assistant_tasks("test")[:6]
    session = make_session(tasks, repeats=2)

    with RunStore(tmp_path / "run", write=True) as store:
        store.set_meta("config", session.config.model_dump_json())

        def observe(event):
            with RunStore(tmp_path / "run") as reader:
                assert reader.score(event.trace.episode.id) == event.score

        assert asyncio.run(run_missing(session, store, observe)) == 12
        assert asyncio.run(run_missing(session, store, observe)) == 0
    assert len(scores(tmp_path / "run")) == 12


def test_a_crash_costs_only_the_episode_that_crashed(make_session, greeting, tmp_path):
    tasks = [greeting(f"hello-{n}", f"hello number {n}") for n in range(6)]
    tasks.insert(2, greeting("boom", "hello crash"))
    assert run(make_session(tasks), tmp_path / "run") == 7
    found = scores(tmp_path / "run")
    assert found["moody.boom.1"].verdict is Verdict.FAILURE
    (fault,) = found["moody.boom.1"].faults
    assert (fault.role, fault.reason) == (
        "framework",
        "ended in worker died: the worker's process ended with status 9",
    )
    others = [score for name, score in found.items() if "boom" not in name]
    assert [score.verdict for score in others] == [Verdict.SUCCESS] * 6


@pytest.mark.parametrize(
    ("utterance", "kind", "verdict"),
    [
        ("hello segfault", "worker_died", Verdict.FAILURE),
        ("hello flood", "worker_died", Verdict.FAILURE),
        ("hello kill", "worker_killed", Verdict.INVALID),
        ("hello terminate", "worker_killed", Verdict.INVALID),
    ],
)
def test_who_ended_the_worker_decides(make_session, greeting, tmp_path, utterance, kind, verdict):
    run(make_session([greeting("a", utterance)]), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.trace("moody.a.1").ending.kind == kind
        assert store.score("moody.a.1").verdict is verdict
        if verdict is Verdict.INVALID:
            assert "killed from outside" in store.score("moody.a.1").reason


@pytest.mark.parametrize("error", [LookupError, ZeroDivisionError])
def test_what_an_observer_raises_is_raised_and_what_is_finished_is_kept(
    make_session, greeting, tmp_path, error
):
    session = make_session([greeting(f"hello-{n}", "hello") for n in range(8)])

    def observe(event):
        raise error("my own")

    with RunStore(tmp_path / "run", write=True) as store:
        store.set_meta("config", session.config.model_dump_json())
        with pytest.raises(error, match="my own") as raised:
            asyncio.run(run_missing(session, store, observe))
        assert raised.value.__context__ is None
        assert 1 <= len(store.finished()) < 8
        left = 8 - len(store.finished())
        assert asyncio.run(run_missing(session, store, lambda event: None)) == left


def test_a_death_beside_trouble_of_the_model_is_invalid(make_session, greeting, tmp_path):
    def broken(call):
        raise ModelFailure("the upstream answers 500", attempts=3)

    session = make_session([greeting("a", "hello late crash")], answers=ScriptedModel(broken))
    run(session, tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.trace("moody.a.1").ending.kind == "worker_died"
        assert store.score("moody.a.1").verdict is Verdict.INVALID
        assert "the upstream answers 500" in store.score("moody.a.1").reason


def test_what_the_neighbours_of_a_crash_had_spent_is_kept(make_session, greeting, tmp_path):
    """The neighbour has had one answer when the worker dies, and the second is on its way."""
    seen = []

    async def answer(call):
        seen.append(call.episode)
        if call.episode == "moody.neighbour.1" and len(set(seen)) == 1 and len(seen) == 2:
            await asyncio.sleep(20)
        return await open_offline(ModelSpec("offline")).complete(call)

    tasks = [greeting("neighbour", "hello"), greeting("boom", "hello slow crash")]
    run(make_session(tasks, answers=ScriptedModel(answer)), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        trace = store.trace("moody.neighbour.1")
        assert store.score("moody.neighbour.1").verdict is Verdict.SUCCESS
        assert trace.dropped.calls + trace.gateway.calls == len(seen)
        assert trace.dropped.estimated
        assert 0 < trace.dropped.calls < trace.gateway.calls
        assert 0 < trace.dropped.tokens < trace.gateway.total_tokens
        assert trace.dropped.price_usd is None
        boom = store.trace("moody.boom.1")
        assert boom.dropped is None, "it has asked no model"
        assert boom.timing.cpu_s is None
        (_, row) = rows_of(store, {task.id: task for task in tasks})
        (neighbour,) = (row for row in rows_of(store, {tasks[0].id: tasks[0]}))
        assert (neighbour.dropped_calls, row.cpu_s) == (trace.dropped.calls, None)


def test_a_hang_is_cut_and_is_the_frameworks_failure(make_session, greeting, tmp_path, monkeypatch):
    monkeypatch.setattr(play_module, "GRACE_SECONDS", 0.5)
    tasks = [greeting(f"hello-{n}", f"hello number {n}") for n in range(4)]
    tasks.insert(1, greeting("stuck", "hello hang"))
    run(make_session(tasks, seconds=5.0), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.trace("moody.stuck.1").ending.kind == "timeout"
        assert store.trace("moody.stuck.1").timing.cpu_s is None
        assert store.score("moody.stuck.1").verdict is Verdict.FAILURE
        assert [f.role for f in store.score("moody.stuck.1").faults] == ["framework"]
        verdicts = [store.score(f"moody.hello-{n}.1").verdict for n in range(4)]
    assert verdicts == [Verdict.SUCCESS] * 4


def test_hanging_threads_do_not_take_the_places_of_others(
    make_session, greeting, tmp_path, monkeypatch
):
    monkeypatch.setattr(play_module, "GRACE_SECONDS", 0.5)
    stuck = [greeting(f"stuck-{n}", "hello hang") for n in range(2)]
    others = [greeting(f"hello-{n}", f"hello number {n}") for n in range(4)]
    run(make_session([*stuck, *others], seconds=4.0, jobs=2), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        verdicts = [store.score(f"moody.hello-{n}.1").verdict for n in range(4)]
    assert verdicts == [Verdict.SUCCESS] * 4


def test_an_exception_of_the_framework_is_its_failure(make_session, greeting, tmp_path):
    run(make_session([greeting("oops", "hello raise")]), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        ending = store.trace("moody.oops.1").ending
        assert ending.kind == "framework_error"
        assert "lost a message" in ending.detail
        assert store.score("moody.oops.1").verdict is Verdict.FAILURE


def test_a_failing_model_makes_invalid_episodes_which_run_again(make_session, greeting, tmp_path):
    tasks = [greeting("a", "hello"), greeting("b", "good morning")]

    def broken(call):
        raise ModelFailure("the upstream answers 500", attempts=3)

    assert run(make_session(tasks, answers=ScriptedModel(broken)), tmp_path / "run") == 2
    found = scores(tmp_path / "run")
    assert {score.verdict for score in found.values()} == {Verdict.INVALID}
    assert all("500" in score.reason for score in found.values())
    assert run(make_session(tasks), tmp_path / "run") == 2
    assert {s.verdict for s in scores(tmp_path / "run").values()} == {Verdict.SUCCESS}
    assert run(make_session(tasks), tmp_path / "run") == 0


def test_a_session_that_can_only_be_invalid_is_stopped(make_session, greeting, tmp_path):
    tasks = [greeting(f"a-{n}", "hello") for n in range(STOP_AFTER + 20)]

    def refused(call):
        raise ModelFailure("the upstream answers 401", attempts=1)

    session = make_session(tasks, answers=ScriptedModel(refused))
    with pytest.raises(RunStopped, match=r"20 episodes in a row are invalid, .* 401"):
        run(session, tmp_path / "run")
    assert STOP_AFTER <= len(scores(tmp_path / "run")) < STOP_AFTER + session.jobs


def test_a_run_of_invalid_episodes_is_stopped_at_any_point(make_session, greeting, tmp_path):
    tasks = [greeting(f"a-{n:02}", "hello") for n in range(3 * STOP_AFTER)]
    offline, asked = open_offline(ModelSpec("offline")), set()

    class Dying:
        name = "offline"

        async def complete(self, call):
            asked.add(call.episode)
            if len(asked) > 8:
                raise ModelFailure("the upstream answers 500", attempts=1)
            return await offline.complete(call)

    session = make_session(tasks, answers=Dying())
    with pytest.raises(RunStopped, match=r"20 episodes in a row are invalid, .* 500"):
        run(session, tmp_path / "run")
    assert len(scores(tmp_path / "run")) < 8 + STOP_AFTER + 2 * session.jobs
    # The same command goes on.
    assert run(make_session(tasks), tmp_path / "run") >= 2 * STOP_AFTER
    assert {s.verdict for s in scores(tmp_path / "run").values()} == {Verdict.SUCCESS}


def test_limits_in_unknown_words_stop_the_run_after_few_episodes(make_session, greeting, tmp_path):
    tasks = [greeting(f"a-{n:02}", "hello") for n in range(STOP_AFTER)]
    offline, asked = open_offline(ModelSpec("offline")), set()

    class Limited:
        name = "offline"

        async def complete(self, call):
            asked.add(call.episode)
            if len(asked) > 4:
                raise ModelFailure("offline: 6 attempts failed: HTTP 429: basta.")
            return await offline.complete(call)

    session = make_session(tasks, answers=Limited())
    with pytest.raises(RunStopped, match=r"5 episodes in a row ended at limits.* basta \(--rpm"):
        run(session, tmp_path / "run")
    assert len(scores(tmp_path / "run")) < 4 + STOP_LIMITED_AFTER + 2 * session.jobs
    assert run(make_session(tasks), tmp_path / "run") > 0, "the same command goes on"


def test_a_key_that_ends_stops_the_run_at_once(make_session, greeting, tmp_path):
    tasks = [greeting(f"a-{n:02}", "hello") for n in range(3 * STOP_AFTER)]
    offline, asked = open_offline(ModelSpec("offline")), set()

    class Ending:
        name = "offline"

        async def complete(self, call):
            asked.add(call.episode)
            if len(asked) > 8:
                raise EndpointClosed("the upstream answered HTTP 401: no such key.")
            return await offline.complete(call)

    session = make_session(tasks, answers=Ending())
    with pytest.raises(RunStopped, match=r"stopped: the upstream answered HTTP 401: no such key;"):
        run(session, tmp_path / "run")
    assert len(scores(tmp_path / "run")) <= 8 + session.jobs
    assert run(make_session(tasks), tmp_path / "run") > 0
    assert {s.verdict for s in scores(tmp_path / "run").values()} == {Verdict.SUCCESS}


def test_a_model_that_refuses_every_call_stops_the_run(make_session, greeting, tmp_path):
    tasks = [greeting(f"a-{n}", "hello") for n in range(STOP_AFTER + 20)]

    def refused(call):
        raise RequestRefused("HTTP 400: temperature is not supported")

    session = make_session(tasks, answers=ScriptedModel(refused))
    with pytest.raises(AllInvalid, match=r"refused every request.*temperature is not supported"):
        run(session, tmp_path / "run")
    assert {score.verdict for score in scores(tmp_path / "run").values()} == {Verdict.FAILURE}
    # Whoever wants the failures of a framework that the endpoint never takes gets them all.
    assert run(session, tmp_path / "run") > 0
    assert len(scores(tmp_path / "run")) == STOP_AFTER + 20


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_a_refusal_is_a_failure_whenever_it_comes(make_session, greeting, tmp_path, answered):
    made = []

    def grown(call):
        made.append(call.role)
        if len(made) > answered:
            raise RequestRefused("HTTP 400: the prompt is too long")
        return "response" if call.role == "manager" else "hello"

    run(make_session([greeting("a", "hello")], answers=ScriptedModel(grown)), tmp_path / "run")
    score = scores(tmp_path / "run")["moody.a.1"]
    assert score.verdict is Verdict.FAILURE
    assert len(made) > answered, "the refused request was made"
    assert score.reason.startswith("refused: the endpoint did not take a request of ")
    assert "the prompt is too long" in score.reason
    assert score.faults[-1].role == "framework"


def test_the_runner_waits_as_long_as_trouble_of_the_model_took(
    make_session, greeting, tmp_path, monkeypatch
):
    monkeypatch.setattr(play_module, "GRACE_SECONDS", 0.5)
    session = make_session([greeting("a", "hello")], answers=Hiccup(), seconds=6.0)
    run(session, tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.score("moody.a.1").verdict is Verdict.SUCCESS
        assert store.trace("moody.a.1").timing.wall_s > 6.5


class Hiccup:
    """The offline model behind an endpoint whose first answer takes two attempts."""

    name = "offline"

    def __init__(self):
        self._model, self._failed = open_offline(ModelSpec("offline")), False

    async def complete(self, call):
        if not self._failed:
            self._failed = True
            for attempt in (1, 2):
                call.on_attempt(3.4)
                await asyncio.sleep(3.3)
                call.on_failed_attempt(attempt, "no answer")
        call.on_attempt(3.4)
        return await self._model.complete(call)


def test_a_loop_ends_at_the_budget_and_is_a_failure(make_session, greeting, tmp_path):
    session = make_session(
        [greeting("loop", "hello")], answers=ScriptedModel(lambda call: "intent")
    )
    tight = session.config.budget.model_copy(update={"calls": 5})
    limits = session.config.limits.model_copy(update={"turns": 500})
    config = session.config.model_copy(update={"budget": tight, "limits": limits})
    session = type(session)(**{**vars(session), "config": config})
    run(session, tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        trace = store.trace("moody.loop.1")
        assert trace.gateway.budget_spent == "calls"
        assert trace.gateway.calls == 5
        assert store.score("moody.loop.1").verdict is Verdict.FAILURE


def test_a_worker_that_cannot_start_ends_the_run_with_the_reason(make_session, greeting, tmp_path):
    session = make_session([greeting("a", "hello")])
    spec = session.workers["moody"]
    session.workers["moody"] = type(spec)(spec.python, "no_such_module:ADAPTER", spec.switches)
    with pytest.raises(WorkerStartError, match="no_such_module"):
        run(session, tmp_path / "run")


def test_the_same_run_twice_gives_the_same_bytes(make_session, tmp_path):
    """All but the timings: answers, requests, tokens, diffs and scores."""
    tasks = assistant_tasks("test")[::25]

    def content(folder):
        run(make_session(tasks, jobs=3), folder)
        with RunStore(folder) as store:
            return [
                (
                    _untimed(trace.model_dump(mode="json")),
                    store.score(trace.episode.id).model_dump(),
                )
                for trace in store.traces()
            ]

    assert content(tmp_path / "one") == content(tmp_path / "two")


def _untimed(value):
    if isinstance(value, dict):
        return {name: _untimed(item) for name, item in value.items() if name != "timing"}
    return [_untimed(item) for item in value] if isinstance(value, list) else value


def test_two_processes_cannot_write_one_run(tmp_path):
    with RunStore(tmp_path / "run", write=True), pytest.raises(UserError, match="another process"):
        RunStore(tmp_path / "run", write=True)


def test_frameworks_take_turns(make_session, greeting):
    session = make_session([greeting("a", "x"), greeting("b", "x")], repeats=2)
    ids = [key.id for key in plan(session.config)]
    assert ids == ["moody.a.1", "moody.b.1", "moody.a.2", "moody.b.2"]


def test_verdicts_are_counted_by_framework_and_invalid_ones_left_out(
    make_session, greeting, tmp_path
):
    run(make_session([greeting("a", "hello"), greeting("b", "hi there")]), tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert store.counts() == {"moody": {Verdict.SUCCESS: 2}}

    def broken(call):
        raise ModelFailure("the upstream answers 500", attempts=3)

    run(make_session([greeting("c", "hey")], answers=ScriptedModel(broken)), tmp_path / "other")
    with RunStore(tmp_path / "other") as store:
        assert store.counts() == {}
