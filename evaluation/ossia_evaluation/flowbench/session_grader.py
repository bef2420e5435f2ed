"""Grades sessions: by the state of the services, by what the user was told, and by the workflow."""

from __future__ import annotations

from collections.abc import Sequence

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.conformance import Alignment, align
from ossia_evaluation.flowbench.first_cause import first_cause
from ossia_evaluation.flowbench.goals import Goal, demanded, goals_of, shown, side_effects
from ossia_evaluation.flowbench.gold import GoldRuns, shipped_golds
from ossia_evaluation.flowbench.grades import SessionGrade
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.measures.corrected import Tally, match_calls
from ossia_evaluation.flowbench.published import published_calls
from ossia_evaluation.flowbench.trajectory import COMPARED, Trajectory, gold_call, trajectory_of
from ossia_evaluation.grade import Verdict
from ossia_servers.flowbench.walk import Visit
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

__all__ = ["SessionGrader", "session_grader"]


class SessionGrader:
    """Grades sessions.

    A success ends well and within the most turns, writes the rows of the gold run and no others,
    and tells the user every fact of it.
    """

    def __init__(self, golds: GoldRuns) -> None:
        """Set up.

        Args:
            golds: The gold runs of the sessions.
        """
        self._golds = golds

    def check(self, session: SessionTask) -> None:
        """Make sure that a session can be graded.

        Raises:
            TaskError: it has no gold run, or one that neither changes nor tells anything.
        """
        tools = self._golds.tools(session)
        gold = self._golds.visits(session)
        if not any(
            demanded(visit) or (visit.call is not None and tools[visit.call.tool].changes)
            for visit in gold
        ):
            raise TaskError("its gold run changes nothing and tells nothing, so it has no goal")

    def score(self, session: SessionTask, trace: Trace) -> SessionGrade:
        """Grade one episode of a session.

        Raises:
            TaskError: it has no gold run.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return SessionGrade(verdict=Verdict.INVALID, reason=failure)
        tools, gold = self._golds.tools(session), self._golds.visits(session)
        done = trajectory_of(trace, tools)
        told = self._golds.tells(session)
        aligned = align(session, self._golds.scenarios, gold, done, told)
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
            cause=None if wrong is None else first_cause(aligned, gold, trace),
        )


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
    most = session.most_turns
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


def session_grader(domains: Sequence[Domain]) -> SessionGrader:
    """Return the grader of sessions with the scenarios that ship with Ossia."""
    return SessionGrader(shipped_golds())
