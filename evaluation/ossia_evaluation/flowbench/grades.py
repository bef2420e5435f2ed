"""What grades of sessions and of turns hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ossia_evaluation.flowbench.deviations import Cause, Deviation, FailureType
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.grade import Grade

__all__ = ["FlowGrade", "SessionGrade", "TurnGrade", "node_accuracy"]

GRADE_VERSION = 1
"""Raised whenever a change may alter a verdict; stored with every grade."""


class FlowGrade(Grade):
    """What the grades of sessions and of turns have in common; nothing for an invalid episode."""

    version: int = GRADE_VERSION
    calls: Tally = Tally()
    """Calls with the gold run's name and arguments, one to one."""
    in_order: Tally = Tally()
    """The same, of calls in the gold order."""
    parameters: Tally = Tally()
    """Arguments of calls that are paired by tool."""
    published: Tally = Tally()
    """Calls as the published code counts them."""
    nodes: Tally = Tally()
    """Steps that were due, those to which the agent came, and those that are both."""


class SessionGrade(FlowGrade):
    """The grade of a session."""

    goals: Tally = Tally()
    """What the gold run changes and tells; `predicted` is as many."""
    turns: int = 0
    """Turns of the user's."""
    side_effects: tuple[str, ...] = ()
    """What was changed besides."""
    fitness: float | None = None
    """1 for a trajectory as the workflow has it, 0 for one that shares nothing with it."""
    deviations: tuple[Deviation, ...] = ()
    """In the order of the trajectory."""
    cause: Cause | None = None
    """Of a failure: what was done wrong first; None where nothing was, as after a time-out."""

    @property
    def failures(self) -> Counter[FailureType]:
        """The deviations, counted by their kind."""
        return Counter(each.kind for each in self.deviations)

    def detail_lines(self, *, wanted: bool = False) -> Iterator[str]:
        """Yield what was done wrong first, the deviations, and what was changed besides."""
        if self.cause is not None:
            yield f"first wrong: {self.cause}"
        for each in self.deviations:
            place = f"{each.step} (turn {each.turn + 1})" if each.step else f"turn {each.turn + 1}"
            yield f"{each.kind}: {place}: {each.told}"
        yield from (f"side effect: {each}" for each in self.side_effects)


class TurnGrade(FlowGrade):
    """The grade of one turn."""

    response: Tally = Tally()
    """Facts to tell and slots to ask for, and those that were; `predicted` is as many."""


def node_accuracy(nodes: Tally) -> float | None:
    """Return the share of steps that were due and done, of those that were either; None of none."""
    either = nodes.gold + nodes.predicted - nodes.right
    return nodes.right / either if either else None
