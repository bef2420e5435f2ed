"""What ended a run before its time, told by the records alone, so alike for every framework.

At the limit of turns one framework raises an exception and another one just stops. So the limit is
read from the turns that were taken, and an exception counts as one only where no limit was met.
"""

from __future__ import annotations

from ossia_evaluation.attribution.received import Received, Turns
from ossia_evaluation.workbench.categories import Category, outgrew
from ossia_servers.trace import Trace
from ossia_servers.wire.names import MANAGER
from ossia_workflows.workbench import RESPONSE


def cut_short(trace: Trace, turns: int) -> Category | None:
    """Return what ended a run, or None where the team came to its own end.

    Args:
        trace: the run.
        turns: the most turns of roles that it was given.

    Returns:
        The context window, where a model or the framework told so; the limit, where the time or
        the gateway's budget was spent, or all turns were taken and `response` has not spoken last;
        an error of the framework, where it raised one for another reason or ended its own process.
    """
    raised = trace.ending.kind in ("framework_error", "worker_died")
    if any(exchange.error and outgrew(exchange.error) for exchange in trace.gateway.exchanges):
        return Category.CONTEXT
    if raised and outgrew(trace.ending.detail):
        return Category.CONTEXT
    if trace.ending.kind == "timeout" or trace.gateway.budget_spent is not None:
        return Category.LIMIT
    taken = _turns_taken(trace)
    if len(taken) >= turns and (raised or taken[-1] != RESPONSE):
        return Category.LIMIT
    return Category.FRAMEWORK if raised else None


def _turns_taken(trace: Trace) -> list[str]:
    """The roles that had a turn, the manager left out, in order."""
    members = {exchange.role for exchange in trace.gateway.exchanges} - {MANAGER}
    turns, taken = Turns(sorted(members)), dict[str, str]()
    for exchange in trace.gateway.exchanges:
        if exchange.response is None or exchange.role == MANAGER:
            continue
        received = Received.of(exchange.role, exchange.request, turns)
        taken[received.turn.situation] = exchange.role
    return list(taken.values())
