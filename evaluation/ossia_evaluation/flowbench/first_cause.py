"""What a failed session deviates in first; interventions are to confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ossia_evaluation.flowbench.conformance import Alignment
from ossia_evaluation.flowbench.deviations import Cause, FailureType
from ossia_evaluation.flowbench.goals import demanded
from ossia_servers.flowbench.walk import Visit
from ossia_servers.trace import Trace

__all__ = ["first_cause"]


def first_cause(aligned: Alignment, gold: Sequence[Visit], trace: Trace) -> Cause | None:
    """Return what was done wrong first in a session that failed; None where nothing was.

    A needless call is it only where there is nothing else. It is the user who left where all was
    right up to a step that the gold run comes to in a later turn.

    Args:
        aligned: The alignment of what the agent did.
        gold: The gold run.
        trace: The episode.
    """
    found = aligned.deviations
    first = next((each for each in found if each.cause is not Cause.NEEDLESS_CALL), None)
    if first is None:
        return found[0].cause if found else None
    if first.kind is FailureType.MISSING_STEP:
        right = sum(1 for _ in takewhile(lambda node: node.right, aligned.nodes))
        missed = [visit for visit in gold if visit.call is not None or demanded(visit)][right:]
        if missed and missed[0].turn >= max(1, len(trace.turns)):
            # Where the episode broke off, nobody left.
            return Cause.USER if trace.ending.kind == "answered" else None
    return first.cause
