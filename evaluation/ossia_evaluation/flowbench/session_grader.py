"""Grades sessions: by the state of the services, by what the user was told, and by the workflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.conformance import Alignment, align
from ossia_evaluation.flowbench.goals import Goal, demanded, goals_of, shown, side_effects
from ossia_evaluation.flowbench.grades import SessionGrade
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.measures.corrected import Tally, match_calls
from ossia_evaluation.flowbench.published import published_calls
from ossia_evaluation.flowbench.told import tells
from ossia_evaluation.flowbench.trajectory import COMPARED, Trajectory, gold_call, trajectory_of
from ossia_evaluation.grade import Verdict
from ossia_servers.flowbench.walk import Visit, WalkError
from ossia_servers.trace import Trace
from ossia_workflows.scenario import Scenario, Tool

__all__ = ["MOST_TURNS", "GoldRun", "SessionGrader"]

GoldRun = Callable[[SessionTask], Sequence[Visit]]
"""The gold run of a session; raises `WalkError` where there is none."""

MOST_TURNS: Final[Mapping[bool, int]] = {False: 15, True: 20}
"""The most turns of the user's, as published, by whether a session goes across scenarios."""


class SessionGrader:
    """Grades sessions.

    A success ends well and within the most turns, writes the rows of the gold run and no others,
    and tells the user every fact of it.
    """

    def __init__(self, scenarios: Mapping[str, Scenario], gold: GoldRun) -> None:
        """Know no session yet.

        Args:
            scenarios: The scenarios by name.
            gold: Walks a session.
        """
        self._scenarios = scenarios
        self._walk = gold
        self._golds: dict[str, tuple[SessionTask, tuple[Visit, ...]]] = {}

    def gold(self, session: SessionTask) -> tuple[Visit, ...]:
        """Return a session's gold run.

        Raises:
            TaskError: it has none.
        """
        known = self._golds.get(session.id)
        if known is None or known[0] != session:
            try:
                known = self._golds[session.id] = session, tuple(self._walk(session))
            except WalkError as error:
                raise TaskError(str(error)) from None
        return known[1]

    def check(self, session: SessionTask) -> None:
        """Make sure that a session can be graded.

        Raises:
            TaskError: it has no gold run, or one that neither changes nor tells anything.
        """
        tools = self.tools(session)
        gold = self.gold(session)
        if not any(
            demanded(visit) or (visit.call is not None and tools[visit.call.tool].changes)
            for visit in gold
        ):
            raise TaskError("its gold run changes nothing and tells nothing, so it has no goal")

    def tools(self, session: SessionTask) -> Mapping[str, Tool]:
        """Return the tools of a session's service, by name.

        Raises:
            TaskError: there is no scenario of its role.
        """
        played = [each for each in self._scenarios.values() if each.role == session.role]
        if not played:
            raise TaskError(f"there is no scenario of the role {session.role}")
        return {name: tool for scenario in played for name, tool in scenario.tools.items()}

    def score(self, session: SessionTask, trace: Trace) -> SessionGrade:
        """Grade one episode of a session.

        Raises:
            TaskError: it has no gold run.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return SessionGrade(verdict=Verdict.INVALID, reason=failure)
        tools, gold = self.tools(session), self.gold(session)
        done = trajectory_of(trace, tools)
        told = self._tells(session)
        aligned = align(session, self._scenarios, gold, done, told)
        goals = goals_of(gold, done, tools, aligned.starts, told)
        besides = [_call_text(row) for row in side_effects(gold, done, tools)]
        wrong = _what_is_wrong(session, trace, gold, goals, besides)
        wanted = [gold_call(visit.call) for visit in gold if visit.call is not None]
        made = [each.call for each in done.calls]
        matched = match_calls(wanted, made, COMPARED)
        reached = sum(goal.wrong is None for goal in goals)
        return SessionGrade(
            verdict=Verdict.SUCCESS if wrong is None else Verdict.FAILURE,
            reason=wrong or "all goals are reached and nothing else is changed",
            calls=matched.calls,
            in_order=matched.in_order,
            parameters=matched.parameters,
            published=published_calls(wanted, made),
            nodes=_nodes(aligned),
            goals=Tally(len(goals), len(goals), reached),
            turns=len(done.answers),
            side_effects=tuple(besides),
            fitness=_fitness(aligned, gold, done),
            deviations=aligned.deviations,
        )

    def _tells(self, session: SessionTask) -> Callable[[str, str, JsonValue], bool]:
        kinds = {
            fact: kind
            for scenario in self._scenarios.values()
            if scenario.role == session.role
            for fact, kind in scenario.kinds.items()
        }
        return lambda answer, fact, value: tells(answer, value, kinds[fact], session.now)


def _what_is_wrong(
    session: SessionTask,
    trace: Trace,
    gold: Sequence[Visit],
    goals: Sequence[Goal],
    besides: Sequence[str],
) -> str | None:
    missed = _first_missed(gold, goals)
    if trace.ending.kind != "answered":
        return f"it ended in {trace.ending.kind}" + (f"; {missed}" if missed else "")
    if missed is not None:
        return missed
    if besides:
        return f"side effect: {besides[0]}"
    most = MOST_TURNS[session.is_cross]
    return f"it took more than {most} turns" if len(trace.turns) > most else None


def _first_missed(gold: Sequence[Visit], goals: Sequence[Goal]) -> str | None:
    for goal in goals:
        if goal.wrong is not None:
            visit = gold[goal.visit]
            return f"step {visit.step} (turn {visit.turn + 1}): {goal.wrong}"
    return None


def _nodes(aligned: Alignment) -> Tally:
    came = sum(node.done for node in aligned.nodes)
    due = sum(node.due for node in aligned.nodes)
    return Tally(due, came, sum(node.right for node in aligned.nodes))


def _fitness(aligned: Alignment, gold: Sequence[Visit], done: Trajectory) -> float:
    """As published for alignments: the cost over that of one that shares nothing."""
    steps = sum(visit.call is not None or bool(demanded(visit)) for visit in gold)
    worst = steps + len(done.calls)
    return max(0.0, 1 - aligned.cost / worst) if worst else 1.0


def _call_text(call: Call) -> str:
    given = ", ".join(f"{name} {shown(value)}" for name, value in (call.parameters or {}).items())
    return f"{call.name} ({given})"
