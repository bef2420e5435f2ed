"""Failures that are a service's: no role is blamed for what a service did wrong."""

from __future__ import annotations

from typing import Final

from ossia_evaluation.grade import SERVICE, Fault, Grade, Verdict
from ossia_evaluation.words import shortened
from ossia_servers.stress.injected import Injected
from ossia_servers.stress.instruction import is_marked
from ossia_servers.stress.kinds import KINDS
from ossia_servers.trace import Trace

__all__ = ["of_service", "struck"]

_HARMLESS: Final = "service-slow"
"""Its answers come whole: what an episode then fails by is another matter, unless time ran out."""
_REQUEST: Final = 200


def struck(trace: Trace) -> tuple[Injected, ...]:
    """Return the faults of services that may have made an episode fail, in order."""
    late = trace.ending.kind == "timeout" or trace.gateway.budget_spent is not None
    return tuple(
        each
        for each in trace.injected
        if each.where == "service" and (late or each.kind != _HARMLESS)
    )


def of_service(grade: Grade, trace: Trace) -> Grade:
    """Return a failure's grade with the service to blame, where a fault struck one.

    What the roles then did is measured by the verdict; who caused it is no question.

    Args:
        grade: what a grader says.
        trace: the episode.
    """
    found = struck(trace)
    if grade.verdict is not Verdict.FAILURE or not found:
        return grade
    faults = tuple(Fault(role=SERVICE, reason=_reason(each, trace)) for each in found)
    return grade.model_copy(update={"faults": faults})


def _reason(hit: Injected, trace: Trace) -> str:
    obeyed = ""
    if hit.mark:
        obeyed = ", which was " + (
            "followed" if is_marked(trace.diff, hit.mark) else "not followed"
        )
    return f"{KINDS[hit.kind].what}{obeyed}: {shortened(hit.request, _REQUEST)}"
