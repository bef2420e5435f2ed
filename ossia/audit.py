"""How often the verdicts of suites are right: on labelled behaviours, and on sweeps of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites import find_suite, suite_names, usable_suites
from ossia.tasks import find_world_tasks, sets_of
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.audit.behaviours import Behaviour, BehaviourError, Judged, Should, judge
from ossia_evaluation.audit.sweeps import (
    MOST_FALSELY_ACCEPTED,
    MOST_FALSELY_REFUSED,
    SWEEPS,
    Sweep,
)
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.worlds.score import WorldScorer


@dataclass(frozen=True)
class Swept:
    """A sweep over one task set, with the verdicts."""

    sweep: Sweep
    tasks: str
    """The suite and its task set, such as `workbench/test`."""
    judged: Sequence[Judged]

    @property
    def accepts(self) -> bool:
        """Whether its behaviours should be accepted."""
        return self.sweep.should is Should.SUCCESS

    @property
    def limit(self) -> float:
        """The greatest share of wrong verdicts."""
        return MOST_FALSELY_REFUSED if self.accepts else MOST_FALSELY_ACCEPTED

    @property
    def wrong(self) -> tuple[Judged, ...]:
        """The behaviours whose verdict is wrong."""
        return tuple(one for one in self.judged if not one.agrees)

    @property
    def sound(self) -> bool:
        """Whether no more verdicts are wrong than may be."""
        return len(self.wrong) <= self.limit * len(self.judged)


def sweeps() -> Iterator[Swept]:
    """Yield what every sweep gives on the built-in test sets of all suites that can be audited.

    A set that suites share is swept once.
    """
    done = set()
    for name, suite in usable_suites()[0].items():
        for source in suite.sets:
            scorer = suite.grader(suite.domains(source))
            if (
                (suite.data, source) in done
                or source == "train"
                or not isinstance(scorer, WorldScorer)
            ):
                continue
            done.add((suite.data, source))
            tasks = find_world_tasks(source, name)
            for sweep in SWEEPS:
                judged = [
                    judge(behaviour, task, scorer)
                    for task in tasks
                    for behaviour in sweep.behaviours(task, scorer.runner)
                ]
                if judged:
                    yield Swept(sweep, f"{name}/{source}", judged)


def sweeps_table(found: Iterable[Swept]) -> RenderableType:
    """Return how many verdicts of each sweep are wrong, and how many may be."""
    table = word_table("sweep", "should be", "suite", "n", "wrong verdicts", "limit")
    for each in found:
        bad, total = len(each.wrong), len(each.judged)
        table.add_row(
            each.sweep.name,
            "accepted" if each.accepts else "refused",
            each.tasks,
            str(total),
            f"{bad} ({100 * bad / total:.1f} %)",
            f"{100 * each.limit:.0f} %" + ("" if each.sound else ", exceeded"),
        )
    return table


def judge_all(behaviours: Sequence[Behaviour], source: str | None) -> list[Judged]:
    """Judge behaviours, each in a task of its suite.

    Args:
        behaviours: what is done in which task.
        source: the tasks; None for the built-in sets.

    Raises:
        BehaviourError: a suite or a task is unknown, or a behaviour cannot be played.
        UserError: a suite's verdicts cannot be audited.
    """
    known: dict[str, tuple[Mapping[str, WorldTask], Mapping[str, WorldScorer]]] = {}
    judged = []
    for behaviour in behaviours:
        if behaviour.suite not in known:
            if behaviour.suite not in suite_names():
                raise BehaviourError(f"no suite is called '{behaviour.suite}'")
            known[behaviour.suite] = _load(find_suite(behaviour.suite), source)
        tasks, scorers = known[behaviour.suite]
        task = tasks.get(behaviour.task)
        if task is None:
            raise BehaviourError(f"the suite {behaviour.suite} has no task '{behaviour.task}'")
        judged.append(judge(behaviour, task, scorers[behaviour.task]))
    return judged


def _load(
    suite: Suite[Any], source: str | None
) -> tuple[Mapping[str, WorldTask], Mapping[str, WorldScorer]]:
    """Every task of a suite by its id, and the scorer of its set."""
    tasks: dict[str, WorldTask] = {}
    scorers: dict[str, WorldScorer] = {}
    for name in sets_of(suite.name) if source is None else (source,):
        scorer = suite.grader(suite.domains(name))
        if not isinstance(scorer, WorldScorer):
            raise UserError(f"the verdicts of the suite '{suite.name}' cannot be audited")
        for task in find_world_tasks(name, suite.name):
            tasks.setdefault(task.id, task)
            scorers.setdefault(task.id, scorer)
    return tasks, scorers
