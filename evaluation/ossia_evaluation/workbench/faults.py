"""Which role of an office's team is at fault for a failed episode, by what its records show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ossia_evaluation.chosen import names_nobody
from ossia_evaluation.grade import Fault
from ossia_evaluation.reply.judgement import TOLD_NOTHING, Judgement
from ossia_evaluation.steps import Step, read_steps
from ossia_evaluation.workbench.answers import Telling
from ossia_evaluation.worlds.outcome import Outcome
from ossia_servers.trace import Trace
from ossia_servers.wire.names import MANAGER
from ossia_workflows.workbench import AGENT, RESPONSE

FRAMEWORK = "framework"
_NOBODY = "named no role where somebody had to go on or finish"


def faults_of(
    trace: Trace,
    outcome: Outcome,
    told: Telling,
    reply: Judgement,
    kits: Collection[str],
    *,
    retold: bool = False,
) -> Iterator[Fault]:
    """Name the role whose toolkit holds what went wrong; a role that had no turn did nothing.

    In a team of specialists a wrong row is the fault of the one who has the tools for its table,
    and a row that nobody was asked for is the manager's. A framework that breaks off before anybody
    could be asked is at fault itself, unless the manager's answer named nobody.

    Args:
        trace: the failed episode.
        outcome: what differs in the state.
        told: what the answer to a question tells.
        reply: what the reply is worth.
        kits: the names of all toolkits.
        retold: whether the manager told the user that reply in the place of a right one.
    """
    steps = read_steps(trace)
    worked = dict.fromkeys(step.role for step in steps)
    broken = trace.ending.kind == "framework_error"
    members = {*kits, AGENT, RESPONSE}
    if broken and steps and names_nobody(steps[-1], members):
        yield Fault(role=MANAGER, reason=_NOBODY)
        return
    named: set[str] = set()
    for text in (*outcome.missing, *outcome.unexpected):
        kit = text.partition(".")[0]
        role = kit if kit in worked else AGENT if AGENT in worked else MANAGER
        if role in worked and role not in named and not (broken and role == MANAGER):
            named.add(role)
            said = f"its table differs: {text}" if role != MANAGER else f"nobody did: {text}"
            yield Fault(role=role, reason=said)
    if not named and retold:
        yield Fault(role=MANAGER, reason=reply.reason)
    elif not named:
        fault = _fault_of_words(trace, steps, told, reply)
        chosen = [step for step in steps if step.role == MANAGER and step.answered]
        # Some frameworks take a role by themselves where the manager names none, until turns end.
        if fault.role == FRAMEWORK and chosen and names_nobody(chosen[-1], members):
            fault = Fault(role=MANAGER, reason=_NOBODY)
        yield fault


def _fault_of_words(trace: Trace, steps: Sequence[Step], told: Telling, reply: Judgement) -> Fault:
    """Who is at fault where the state is right, or where nobody could be asked to change it."""
    worked = {step.role for step in steps}
    ended = trace.ending.kind == "answered" and trace.gateway.budget_spent is None
    led = MANAGER in worked and RESPONSE not in worked
    if ended and led and steps[-1].answered:
        return Fault(role=MANAGER, reason=f"stopped before {RESPONSE} was called")
    # Who plays alone answers the user itself.
    last = next((role for role in (RESPONSE, AGENT) if role in worked), None)
    silent = not any(step.role == last and step.text.strip() for step in steps)
    if last is None:
        return Fault(role=FRAMEWORK, reason=f"the run ended otherwise: {trace.ending.kind}")
    if ended and silent:
        return Fault(role=last, reason=TOLD_NOTHING)
    if told.untold:
        return Fault(role=last, reason=f"the answer does not tell {', '.join(told.untold)}")
    if told.contested:
        return Fault(role=last, reason=f"the answer also tells {', '.join(told.rivals)}")
    if trace.answer.strip() and not reply.accepted:
        return Fault(role=last, reason=reply.reason)
    return Fault(role=FRAMEWORK, reason=f"the run ended otherwise: {trace.ending.kind}")
