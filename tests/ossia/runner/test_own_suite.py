"""A suite with a grade and metrics of its own, from its stored run to its comparison."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ossia.errors import UserError
from ossia.runner import figures, results, store
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.figures import metrics_of
from ossia.runner.results import (
    comparison_of,
    detail_of,
    note_grader,
    outdated_text,
    rescore,
    scorer_versions,
)
from ossia.runner.store import RunStore
from ossia.suite import Suite
from ossia_dataset.tasks import Task, dataset_hash
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.metrics import Metric
from ossia_servers.gateway import Budget
from tests.evaluation.support import WAKE, gold_play

TASKS = {name: Task(id=name, suite="puzzles", utterance="fix it") for name in ("a", "b")}


class Solved(Grade):
    """A grade that tells more than others."""

    version: int = 3
    tests: tuple[str, ...] = ()

    def detail_lines(self, *, wanted=False):
        yield from (f"fails: {name}" for name in self.tests)


METRICS = (
    Metric(name="broken", title="broken tests", better="lower", read=lambda t, e, g: len(g.tests)),
    Metric(name="green", title="green", better="higher", aggregate="share"),
)


def unused(*_):
    raise AssertionError("nothing of this test runs or grades")


def suite(metrics: Callable = lambda: METRICS, grade: Callable = lambda: Solved):
    return Suite(
        name="puzzles",
        tasks=unused,
        team=unused,
        grader=unused,
        limits=unused,
        grade=grade,
        metrics=metrics,
        success="every test passes",
    )


@pytest.fixture
def known(monkeypatch):
    """Make a suite the one that every name finds."""

    def know(found):
        for module in (store, results, figures):
            monkeypatch.setattr(module, "find_suite", lambda name: found)

    know(suite())
    return know


@pytest.fixture
def run(tmp_path, known):
    config = RunConfig(
        suite="puzzles",
        tasks="by hand",
        dataset_hash=dataset_hash(TASKS.values()),
        task_ids=tuple(TASKS),
        frameworks=(FrameworkVersion(name="hand", source="0"),),
        models=("by-hand",),
        budget=Budget(calls=1, tokens=1, seconds=1),
    )
    grades = {
        "a": Solved(verdict="success", reason="told", metrics={"green": True}),
        "b": Solved(verdict="failure", reason="told", tests=("one", "two")),
    }
    trace = gold_play(WAKE).trace()
    with RunStore(tmp_path, write=True) as opened:
        opened.set_meta("config", config.model_dump_json())
        for name, grade in grades.items():
            names = {"id": f"hand.{name}.1", "task": name}
            key = trace.episode.model_copy(update=names)
            opened.put(trace.model_copy(update={"episode": key}), grade)
    with RunStore(tmp_path) as opened:
        yield opened


def test_a_stored_grade_is_of_its_suites_type(run):
    grade = run.score("hand.b.1")
    assert isinstance(grade, Solved)
    assert grade.tests == ("one", "two")
    assert scorer_versions(run) == (3,)
    assert [type(grade) for _, grade in run.readable_episodes()] == [Solved, Solved]
    assert run.counts()["hand"] == {Verdict.SUCCESS: 1, Verdict.FAILURE: 1}


def test_a_grade_of_another_type_cannot_be_read(run, known):
    known(suite(grade=lambda: Grade))
    with pytest.raises(UserError, match=r"'hand\.b\.1' is damaged or of another format"):
        run.score("hand.b.1")
    assert run.readable_score("hand.b.1") is None
    assert run.damaged == ("hand.b.1",)


def test_the_comparison_has_what_the_suite_declares(run):
    result = comparison_of(run, TASKS)
    (line,) = result.frameworks
    assert line.metrics["broken"].mean == 1.0
    assert (line.metrics["green"].count, line.metrics["green"].of) == (1, 1)
    assert result.success == "every test passes"
    assert result.facts["scorer"] == "version 3"
    assert (result.group, result.groups) == ("", ())
    (detail,), left_out = detail_of(run, TASKS)
    assert left_out == 0
    assert detail.outcome == ("fails: one", "fails: two")


def test_metrics_that_tables_cannot_hold_are_told_in_one_line(run, known):
    known(suite(lambda: (Metric(name="task", title="x"),)))
    with pytest.raises(UserError, match="suite 'puzzles': there is more than one column 'task'"):
        metrics_of("puzzles")
    known(suite(lambda: (Metric(name="x", title="x", aggregate="share", read=lambda *_: 7),)))
    with pytest.raises(UserError, match="suite 'puzzles': the metric 'x' is a share"):
        comparison_of(run, TASKS)


def test_verdicts_of_another_release_of_the_suite_are_told_until_it_grades_again(
    run, known, monkeypatch
):
    def release(name):
        monkeypatch.setattr(results, "suite_version", lambda suite: name)

    grades = {key: run.score(key) for key in run.episodes()}
    grader = SimpleNamespace(score=lambda task, trace: grades[trace.episode.id])
    known(replace(suite(), grader=lambda domains: grader))
    release("puzzles 1+aa")
    assert outdated_text(run) is None, "stored before releases were noted"
    note_grader(run)
    assert outdated_text(run) is None
    release("puzzles 1+bb")
    told = "verdicts were given by the suite of puzzles 1+aa, now puzzles 1+bb: see `ossia rescore`"
    assert outdated_text(run) == comparison_of(run, TASKS).facts["outdated"] == told
    note_grader(run)
    assert "of puzzles 1+aa and puzzles 1+bb, now" in outdated_text(run), "the same run went on"
    rescore(run, TASKS, ())
    assert outdated_text(run) is None
