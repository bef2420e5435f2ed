"""Runs that go on only to fail are stopped, and the same command goes on."""

import pytest

from ossia.errors import AllInvalid, RunStopped
from ossia.runner.stopping import STOP_AFTER, STOP_WAITING_AFTER
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import (
    EndpointClosed,
    ModelFailure,
    ModelSpec,
    RequestRefused,
    ScriptedModel,
)

from .test_run import run, scores


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


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("offline: 6 attempts failed: HTTP 429: basta", "--rpm"),
        ("offline: 2 attempts failed: no answer within 90 s", "--call-seconds"),
    ],
)
def test_waiting_in_vain_stops_the_run_after_few_episodes(
    words, hint, make_session, greeting, tmp_path
):
    tasks = [greeting(f"a-{n:02}", "hello") for n in range(STOP_AFTER)]
    offline, asked = open_offline(ModelSpec("offline")), set()

    class Waiting:
        name = "offline"

        async def complete(self, call):
            asked.add(call.episode)
            if len(asked) > 4:
                raise ModelFailure(f"{words}.")
            return await offline.complete(call)

    session = make_session(tasks, answers=Waiting())
    with pytest.raises(RunStopped, match=rf"5 episodes in a row waited in vain.* {words} \({hint}"):
        run(session, tmp_path / "run")
    assert len(scores(tmp_path / "run")) < 4 + STOP_WAITING_AFTER + 2 * session.jobs
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
