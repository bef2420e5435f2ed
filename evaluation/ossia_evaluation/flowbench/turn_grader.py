"""Grades single turns of gold runs, with the turns before given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ossia_dataset.flowbench.sessions import TurnTask
from ossia_evaluation.flowbench.goals import demanded, shown
from ossia_evaluation.flowbench.gold import GoldRuns, shipped_golds
from ossia_evaluation.flowbench.grades import TurnGrade
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.measures.corrected import Matched, Tally, match_calls
from ossia_evaluation.flowbench.published import published_calls
from ossia_evaluation.flowbench.trajectory import (
    COMPARED,
    gold_call,
    is_served,
    trajectory_of,
)
from ossia_evaluation.grade import Verdict
from ossia_servers.flowbench.asked import asked_slots
from ossia_servers.flowbench.walk import Visit
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

__all__ = ["TurnGrader", "turn_grader"]


class TurnGrader:
    """Grades turns.

    A success answers, makes the gold turn's calls and no others, tells its facts and asks for its
    slots. A reading call of an earlier turn may be made again: the given turns tell no results.
    """

    def __init__(self, golds: GoldRuns) -> None:
        """Set up.

        Args:
            golds: The gold runs of the sessions.
        """
        self._golds = golds

    def check(self, task: TurnTask) -> None:
        """Make sure that a turn can be graded.

        Raises:
            TaskError: its session has no gold run.
        """
        self._golds.visits(task)

    def score(self, task: TurnTask, trace: Trace) -> TurnGrade:
        """Grade one episode of a turn.

        Raises:
            TaskError: its session has no gold run.
        """
        failure = trace.infrastructure_failure
        if failure is not None:
            return TurnGrade(verdict=Verdict.INVALID, reason=failure)
        gold = self._golds.visits(task)
        here = [visit for visit in gold if visit.turn == task.turn]
        tools = self._golds.tools(task)
        wanted = [gold_call(visit.call) for visit in here if visit.call is not None]
        before = [gold_call(visit.call) for visit in gold if visit.turn < task.turn and visit.call]
        known = [call for call in before if not tools[call.name].changes and call not in wanted]
        calls = trajectory_of(trace, tools).calls
        made = [each.call for each in calls if not any(is_served(call, each) for call in known)]
        matched = match_calls(wanted, made, COMPARED)
        due = (*self._untold(task, here, trace.answer), *self._unasked(task, gold, trace.answer))
        wrong = _what_is_wrong(trace, wanted, matched, [each for each in due if each])
        return TurnGrade(
            verdict=Verdict.SUCCESS if wrong is None else Verdict.FAILURE,
            reason=wrong or "the turn is as in the gold run",
            calls=matched.calls,
            in_order=matched.in_order,
            parameters=matched.parameters,
            published=published_calls(wanted, made),
            nodes=self._nodes(task, here, made, trace.answer),
            response=Tally(len(due), len(due), sum(each is None for each in due)),
        )

    def _untold(self, task: TurnTask, here: Sequence[Visit], answer: str) -> Iterator[str | None]:
        """For each fact of the turn what is wrong, or None."""
        tells = self._golds.tells(task)
        for visit in here:
            for fact, value in demanded(visit).items():
                name = fact.partition(".")[2].replace("_", " ")
                said = f"step {visit.step}: the user was not told the {name} {shown(value)}"
                yield None if tells(answer, fact, value) else said

    def _unasked(self, task: TurnTask, gold: Sequence[Visit], answer: str) -> Iterator[str | None]:
        """For each slot to ask for what is wrong, or None."""
        for visit in slots_due(task, gold):
            slots = self._golds.scenario(task, visit.wish).slots
            asked = asked_slots(answer, slots, visit.asks)
            for slot in visit.asks:
                said = f"step {visit.step}: {slots[slot].about} was not asked for"
                yield None if slot in asked else said

    def _nodes(
        self, task: TurnTask, here: Sequence[Visit], made: Sequence[Call], answer: str
    ) -> Tally:
        """Steps that leave a trace: by their tools, or by all of their facts."""
        tells = self._golds.tells(task)
        wanted = Counter(visit.call.tool for visit in here if visit.call is not None)
        came = Counter(call.name for call in made)
        told = [
            all(tells(answer, fact, value) for fact, value in demanded(visit).items())
            for visit in here
            if visit.call is None and demanded(visit)
        ]
        return Tally(
            wanted.total() + len(told),
            came.total() + sum(told),
            (wanted & came).total() + sum(told),
        )


def slots_due(task: TurnTask, gold: Sequence[Visit]) -> tuple[Visit, ...]:
    """Return the steps whose slots are to be asked for in a turn.

    That is the turn before theirs; where the user leads away in between, in each of those.

    Args:
        task: The turn.
        gold: The gold run of its session.
    """
    asides = {aside.turn for aside in task.asides}

    def begin(visit: Visit) -> int:
        found = visit.turn - 1
        while found in asides:
            found -= 1
        return found

    return tuple(visit for visit in gold if visit.asks and begin(visit) <= task.turn < visit.turn)


def _what_is_wrong(
    trace: Trace, wanted: Sequence[Call], matched: Matched, untold: Sequence[str]
) -> str | None:
    if trace.ending.kind != "answered":
        return f"it ended in {trace.ending.kind}"
    calls = matched.in_order
    if calls.right < calls.gold:
        named = ", ".join(call.name for call in wanted)
        return f"{calls.right} of {calls.gold} calls are right and in order: {named}"
    if calls.predicted > calls.gold:
        besides = calls.predicted - calls.gold
        made = "a call was" if besides == 1 else f"{besides} calls were"
        return f"{made} made that the turn does not want"
    if untold:
        return untold[0]
    return None if trace.answer.strip() else "nothing was answered"


def turn_grader(domains: Sequence[Domain]) -> TurnGrader:
    """Return the grader of sessions with the scenarios that ship with Ossia."""
    return TurnGrader(shipped_golds())
