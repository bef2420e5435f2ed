"""Episodes in which a service misbehaves: real workers, servers and grades."""

import asyncio
from dataclasses import replace

import pytest

from ossia.attribution.attributor import Attributor
from ossia.runner.run import run_missing
from ossia.runner.store import RunStore
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_evaluation.attribution import Status
from ossia_evaluation.grade import SERVICE, Verdict
from ossia_evaluation.service_signs import service_signs
from ossia_evaluation.steps import read_steps
from ossia_servers.stress.plan import FaultPlan, read_fault

FAULTS = (
    "service-error",
    "service-hang",
    "service-empty:always",
    "lost-answer",
    "delivered-twice",
    "hidden-instruction",
    "service-slow",
)
TASKS = ("calendar-003", "iot-055")
"""Both write, so that a second time shows."""


@pytest.fixture
def played(make_session, tmp_path):
    """Play tasks under faults in a fresh run; returns traces and grades by episode."""

    def play(name, faults=FAULTS):
        tasks = [task for task in assistant_tasks("test") if task.id in TASKS]
        session = make_session(tasks)
        limits = session.config.limits.model_copy(update={"call_seconds": 0.5})
        plan = FaultPlan(name="test", faults=tuple(map(read_fault, faults)), slow_seconds=0.05)
        config = session.config.model_copy(update={"stress": plan, "limits": limits})
        with RunStore(tmp_path / name, write=True) as store:
            store.set_meta("config", config.model_dump_json())
            asyncio.run(run_missing(replace(session, config=config), store, lambda done: None))
            return {trace.episode.id: (trace, grade) for trace, grade in store.readable_episodes()}

    return play


def test_a_fault_is_the_services_and_its_effects_are_graded(played):
    found = played("run")
    assert len(found) == len(TASKS) * (1 + len(FAULTS))
    for task in TASKS:
        calm, _ = found[f"moody.{task}.1"]
        assert calm.injected == service_signs(calm) == ()
        for fault in FAULTS:
            trace, grade = found[f"moody.{task}.1~{fault}"]
            (hit, *_) = trace.injected
            assert (hit.fault, hit.where) == (fault, "service")
            assert trace.infrastructure_failure is None
            expected = Verdict.FAILURE
            if fault in ("service-slow", "hidden-instruction"):
                expected = Verdict.SUCCESS
            assert grade.verdict is expected, fault
            assert grade.failed_roles == ({SERVICE} if grade.verdict is Verdict.FAILURE else set())
            doubled = len(trace.diff.changes) == 2 * len(calm.diff.changes)
            assert doubled == (fault == "delivered-twice"), fault
            assert grade.side_effects == doubled
            kinds = [] if fault == "service-slow" else [hit.kind]
            signs = service_signs(trace)
            assert [sign.kind for sign in signs[:1]] == kinds
            shown = [read_steps(trace)[at].role for sign in signs if (at := sign.step) is not None]
            assert {*shown} <= {"request"}
            carried = fault not in ("service-error", "service-hang")
            assert bool(trace.requests) == carried
    blames_no_role(*found["moody.iot-055.1~delivered-twice"])


def blames_no_role(trace, grade):
    (task,) = (task for task in assistant_tasks("test") if task.id == trace.episode.task)
    # Whoever replays nothing needs nothing to replay with.
    told = asyncio.run(Attributor(None, None, None).attribute(task, trace, grade))
    assert told.status is Status.SERVICE
    assert told.causes == ()
    assert told.rules == (SERVICE,)
    assert "the request is carried out twice: GET /iot?" in told.evidence
    assert "looks like `delivered-twice`" in told.evidence


def test_two_runs_meet_the_same(played):
    faults = ["hidden-instruction", "service-error:sometimes=0.5"]
    first, second = (played(name, faults) for name in ("one", "two"))
    assert {name: trace.injected for name, (trace, _) in first.items()} == {
        name: trace.injected for name, (trace, _) in second.items()
    }
    assert any(trace.injected for trace, _ in first.values())
