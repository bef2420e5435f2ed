"""One plan carried out in one order on a world of its own: what each step does, and what fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import JsonValue

from ossia_dataset.tasks import Task, TaskError
from ossia_dataset.worfbench.tasks import Environment, GoalChange, PlanTask
from ossia_evaluation.worlds.evidence import rows_of
from ossia_evaluation.worlds.gold import prepare
from ossia_evaluation.worlds.outcome import Outcome, compare_changes
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.diff import Diff, RowChange
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Match, Row, Table
from ossia_servers.worlds.world import World
from ossia_workflows.graph import Node, WorkflowGraph
from ossia_workflows.graph.calls import REFERENCE

__all__ = ["Carried", "FaultKind", "StepFault", "Worlds", "rows_read"]

_LONGEST: Final = 2000
"""Most characters of an argument: what no server takes, results must not grow to."""


_HALF: Final = re.compile("[\ud800-\udfff]")
"""What an escape may leave of a character, and no world can keep."""


class FaultKind(StrEnum):
    """Why a step was not carried out."""

    NO_CALL = "no call"
    UNKNOWN_TOOL = "unknown tool"
    BAD_ARGUMENT = "bad argument"
    UNBOUND = "unbound reference"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class StepFault:
    """A step that could not be carried out.

    Attributes:
        step: Its name.
        kind: Why.
        reason: Why, in a sentence for a person.
    """

    step: str
    kind: FaultKind
    reason: str


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of the world in one order.

    Attributes:
        order: The steps in the order in which they were done.
        faults: Steps that failed; what comes after them in the plan was not tried.
        outcome: The changes that were wanted, missing and unexpected.
        unread: What should have been read and was not.
        end: The world's end, equal for equal ends whatever ids new rows have.
    """

    order: tuple[str, ...]
    faults: tuple[StepFault, ...]
    outcome: Outcome
    unread: tuple[str, ...]
    end: tuple[str, ...]
    share: float
    """How much of the goal was reached."""

    @property
    def reached(self) -> bool:
        """Whether every step was done, all of the goal is there, and nothing else was changed."""
        return not self.faults and self.share == 1 and not self.outcome.unexpected

    @property
    def wrong(self) -> str | None:
        """What was found wrong first, in a sentence."""
        if self.faults:
            return f"step {self.faults[0].step}: {self.faults[0].reason}"
        if self.outcome.missing:
            return f"missing: {self.outcome.missing[0]}"
        if self.unread:
            return f"not read: {self.unread[0]}"
        if self.outcome.unexpected:
            return f"side effect: {self.outcome.unexpected[0]}"
        return None


class _Failed(Exception):
    """A step cannot be carried out."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Worlds:
    """Worlds of one suite's domain servers, in memory. Not thread-safe."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Hold no world yet.

        Args:
            domains: the domain servers.
        """
        self.domains: Mapping[str, Domain] = {domain.name: domain for domain in domains}
        self._store = WorldStore(domains)
        self._number = 0

    def carry_out(self, task: PlanTask, plan: WorkflowGraph, order: Sequence[str]) -> Carried:
        """Carry a plan out in one of its orders on a fresh world, and hold it against the goal.

        Args:
            task: whose world it is; it has an environment.
            plan: what is done. Conditions of edges are not judged: every way is taken.
            order: the names of its steps.

        Raises:
            TaskError: the task's setup is refused, or its goal names a row that is not there.
        """
        if task.environment is None:
            raise TaskError("it has no world")
        with self._world(task) as world:
            goal = tuple(self._goal(world, change) for change in task.environment.changes)
            run = self._done(world, task, plan, order)
            return self._told(tuple(order), run, task.environment, Diff(changes=goal), world.diff())

    def effect(
        self, task: PlanTask, plan: WorkflowGraph, order: Sequence[str]
    ) -> tuple[Diff, Mapping[str, ServerRequest]]:
        """Carry a plan out, and return what it changes and what each step was answered.

        Args:
            task: whose world it is; its goal is not looked at.
            plan: what is done.
            order: the names of its steps.

        Raises:
            TaskError: the task's setup is refused, or a step fails.
        """
        with self._world(task) as world:
            run = self._done(world, task, plan, order)
            if run.faults:
                raise TaskError(f"step {run.faults[0].step}: {run.faults[0].reason}")
            return world.diff(), run.given

    def rows(self, task: Task, table: str) -> Sequence[Row]:
        """Return the rows of a table at a task's start.

        Raises:
            TaskError: the task's setup is refused, or there is no such table.
        """
        if table not in self._store.tables:
            raise TaskError(f"no server has the table '{table}'")
        with self._world(task) as world:
            return world.rows(table)

    @contextmanager
    def _world(self, task: Task) -> Iterator[World]:
        self._number += 1
        world = self._store.create(
            f"plan-{self._number}", seed=task.seed, now=task.now, home=task.home
        )
        try:
            prepare(self._store, world, task, self.domains)
            yield world
        finally:
            self._store.delete(world.id)

    def _done(
        self, world: World, task: PlanTask, plan: WorkflowGraph, order: Sequence[str]
    ) -> _Run:
        run = _Run(self._store, world, self.domains, task, plan)
        for name in order:
            run.step(name)
        return run

    def _goal(self, world: World, change: GoalChange) -> RowChange:
        table = self._store.tables.get(change.table)
        if table is None:
            raise TaskError(f"no server has the table '{change.table}'")
        before = None if change.kind == "added" else world.get(change.table, change.id)
        if change.kind != "added" and before is None:
            raise TaskError(f"{change.table} has no row '{change.id}' at the start")
        after = {**(before or {"id": ""}), **change.values}
        if after.keys() != {"id", *table.columns}:
            raise TaskError(f"the goal's row of {change.table} has other columns than the table")
        return RowChange(
            kind=change.kind,
            table=change.table,
            id=change.id,
            before=None if before is None else dict(before),
            after=None if change.kind == "removed" else after,
        )

    def _told(
        self, order: tuple[str, ...], run: _Run, wanted: Environment, goal: Diff, actual: Diff
    ) -> Carried:
        outcome = compare_changes(goal, actual, self._store.tables)
        seen = [_read(rows_read(record)) for record in run.given.values() if not record.changes]
        unread = tuple(
            json.dumps(rows, ensure_ascii=False) for rows in wanted.reads if _read(rows) not in seen
        )
        whole = len(goal.changes) + len(wanted.reads)
        lacking = len(outcome.missing) + len(unread)
        share = (whole - lacking) / whole if whole else 1.0
        end = _end(actual, self._store.tables)
        return Carried(order, tuple(run.faults), outcome, unread, end, share)


def rows_read(record: ServerRequest) -> tuple[dict[str, JsonValue], ...]:
    """Return what an answer tells: the plain values of its rows, without the ids of a world."""
    return tuple(
        {n: v for n, v in row.items() if n != "id" and not isinstance(v, list | dict)}
        for row in rows_of(record.result)
    )


def _read(rows: Iterable[Mapping[str, JsonValue]]) -> list[str]:
    """Rows in one order, whatever that of an answer."""
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def _end(diff: Diff, tables: Mapping[str, Table]) -> tuple[str, ...]:
    """The end of a world as texts in one order, without the ids that follow the order of work."""

    def told(change: RowChange) -> str:
        rules = tables[change.table].columns
        after = {
            # Lists are compared whatever their order, as by the match rules.
            name: sorted(value, key=str) if isinstance(value, list) else value
            for name, value in (change.after or {}).items()
            if rules.get(name, Match.IGNORABLE) is not Match.IGNORABLE
        }
        known = "" if change.kind == "added" else change.id
        return json.dumps([change.table, change.kind, known, after], sort_keys=True)

    return tuple(sorted(map(told, diff.changes)))


class _Run:
    """The steps of one order as they are done."""

    def __init__(
        self,
        store: WorldStore,
        world: World,
        domains: Mapping[str, Domain],
        task: PlanTask,
        plan: WorkflowGraph,
    ) -> None:
        self._store, self._world, self._domains = store, world, domains
        self._actions = {action.name: action for action in task.actions}
        self._nodes = plan.by_id
        self._before: dict[str, list[str]] = {}
        for source, target in plan.edges_between():
            self._before.setdefault(target, []).append(source)
        self.given: dict[str, ServerRequest] = {}
        """What the steps that were done were answered."""
        self.faults: list[StepFault] = []

    def step(self, name: str) -> None:
        """Do a step, unless one that had to come before it was not done."""
        if not all(each in self.given for each in self._before.get(name, ())):
            return
        try:
            self.given[name] = self._call(self._nodes[name])
        except _Failed as failed:
            self.faults.append(StepFault(name, failed.kind, failed.reason))

    def _call(self, node: Node) -> ServerRequest:
        if node.tool is None:
            raise _Failed(FaultKind.NO_CALL, "it names no tool to call")
        action = self._actions.get(node.tool)
        name, _, intent = node.tool.partition(".")
        domain = self._domains.get(name)
        if action is None or domain is None or domain.intent(intent) is None:
            raise _Failed(FaultKind.UNKNOWN_TOOL, f"there is no action {node.tool}")
        params = {"intent": intent}
        for argument, value in node.arguments.items():
            if argument not in action.parameters:
                raise _Failed(
                    FaultKind.BAD_ARGUMENT, f"{node.tool} has no parameter '{argument[:60]}'"
                )
            params[argument] = self._text(value, argument)
        record = execute(self._store, self._world, domain, params).record
        if record.code != "SUCCESS":
            raise _Failed(FaultKind.REFUSED, f"{node.tool} refuses it: {record.response}")
        return record

    def _text(self, value: JsonValue, argument: str) -> str:
        """An argument as a server takes it, with what earlier steps gave in its place."""
        if isinstance(value, str):
            text = REFERENCE.sub(self._bound, value)
        elif isinstance(value, bool | int | float):
            text = json.dumps(value)
        else:
            raise _Failed(
                FaultKind.BAD_ARGUMENT, f"'{argument[:60]}' is neither a string nor a number"
            )
        if len(text) > _LONGEST:
            raise _Failed(FaultKind.BAD_ARGUMENT, f"'{argument[:60]}' is too long")
        if _HALF.search(text):
            raise _Failed(FaultKind.BAD_ARGUMENT, f"'{argument[:60]}' holds a lone surrogate")
        return text

    def _bound(self, found: re.Match[str]) -> str:
        dollar, step, way = found.groups()
        if dollar is not None:
            return "$"
        record = self.given.get(step)
        if record is None:
            raise _Failed(FaultKind.UNBOUND, f"{found[0]} names no step that is done before it")
        value = record.result
        for part in way.split(".")[1:]:
            value = _part(value, part)
        if not way and (value is None or isinstance(value, list | dict)):
            return record.response
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            value = ", ".join(value) or None
        if value is None or isinstance(value, list | dict):
            raise _Failed(FaultKind.UNBOUND, f"{found[0]} is not in what step {step} gave")
        return value if isinstance(value, str) else json.dumps(value)


def _part(value: Any, name: str) -> Any:
    """A part of a result: a field, of the first row where there are rows, or one of the rows."""
    if isinstance(value, list) and name.isdecimal():
        return value[int(name)] if int(name) < len(value) else None
    if isinstance(value, list):
        value = value[0] if value else None
    return value.get(name) if isinstance(value, dict) else None
