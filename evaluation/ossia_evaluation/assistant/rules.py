"""Rule-based attribution: which roles failed, by Auto-SLURP's published criteria.

Several roles may be named for one episode. The criteria are those of arXiv 2504.18373, appendix B,
judged after the whole run. What they leave to a judge's opinion is decided by role contracts: a
role is at fault when its output is not what its input demanded. The published judge's leniencies
hold first; only where they leave nobody are the same rules read to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.case import ROLES, Address, Case
from ossia_evaluation.assistant.contract import (
    Frame,
    differing_parameters,
    differing_slots,
    expected_parameters,
    expected_places,
    expected_times,
    unlike_intents,
)
from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.assistant.rounds import Rounds, match_rounds
from ossia_evaluation.chosen import goes_on, names_nobody
from ossia_evaluation.grade import FRAMEWORK, Fault
from ossia_evaluation.steps import Step
from ossia_evaluation.worlds.match import plain
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain
from ossia_workflows import json_objects
from ossia_workflows.assistant import FINISH, PLACE_SLOTS, TIME_SLOTS

FUNCTION_CALL = "function call"
"""The published name for a wrong executed request; the request role makes it."""


def attribute_by_rules(
    task: WorldTask,
    trace: Trace,
    steps: Sequence[Step],
    domains: Mapping[str, Domain],
    *,
    false_reply: Fault | None = None,
) -> tuple[Fault, ...]:
    """Name the roles that failed in an episode whose verdict is failure.

    Args:
        task: the task with its gold frame.
        trace: the failed episode.
        steps: its steps.
        domains: declarations of the domain servers, for the match rules.
        false_reply: where everything was done right, who told the user what is not so; then no
            role that led to the outcome is asked.

    Returns:
        Faults in the order in which the roles work; `framework` alone when no role deviates.
    """
    for lenient in (True, False):
        case = Case(task, trace, steps, domains, lenient)
        if case.has_rounds:
            faults = tuple(_faults_in_rounds(case, false_reply))
        else:
            # A right address: whatever went wrong before it was put right, and did no harm.
            rules = _AFTER_URL if false_reply or case.address_is_right else _RULES
            faults = tuple(fault for rule in rules for fault in rule(case))
        faults = faults or tuple(_said_wrong(case, false_reply))
        if faults:
            return faults
    return (Fault(role=FRAMEWORK, reason=_framework_reason(trace, steps)),)


def _said_wrong(case: Case, false_reply: Fault | None) -> Iterator[Fault]:
    """Who told the user what is not so; response only where the user was told words at all."""
    if false_reply is None or not case.worked("response"):
        return
    if false_reply.role != "response" or case.trace.answer.strip():
        yield false_reply


def _faults_in_rounds(case: Case, false_reply: Fault | None) -> Iterator[Fault]:
    """The same rules, round by round, each held against its part of the gold run."""
    rounds = match_rounds(case.task, case.trace, case.steps, case.domains, lenient=case.lenient)
    if false_reply is None:
        for one in rounds.matched:
            if not one.address_is_right:
                yield from (fault for rule in _BEFORE_REQUEST for fault in rule(one))
        yield from _wrong_rounds(rounds)
    yield from _manager(case)
    for one in (*rounds.matched, *rounds.surplus):
        yield from _function_call(one)
    yield from _response(case)


def _wrong_rounds(rounds: Rounds) -> Iterator[Fault]:
    """What the intent role named too much, and what it passed over when it ended the rounds."""
    for one in rounds.surplus:
        frame, address = one.frame(), one.address()
        done = address is not None and any(
            bool(request.changes) and one.asks(request, address) for request in one.trace.requests
        )
        if frame is not None and (done or one.task.gold.kind is GoldKind.ANSWER):
            yield Fault(role="intent", reason=f"predicted {frame.intent}, which was not asked for")
    if rounds.concluded:
        for frame in rounds.left_out:
            reason = f"reported that nothing is left, expected {frame.intent}"
            yield Fault(role="intent", reason=reason)


def _intent(case: Case) -> Iterator[Fault]:
    if case.worked("intent") is None:
        return
    gold, frame = Frame.of(case.task.gold), case.frame(case.worked("url")) or case.frame()
    if frame is None:
        yield Fault(role="intent", reason="gave no intent that can be read")
    elif (frame.domain, frame.intent) != (gold.domain, gold.intent):
        yield Fault(role="intent", reason=f"predicted {unlike_intents(frame, gold)}")
    elif wrong := differing_slots(
        case.domains.get(gold.domain), case.task, frame.slots, lenient=case.lenient
    ):
        reason = _deviations(wrong, gold.slots, frame.slots)
        yield Fault(role="intent", reason=f"{gold.intent}: {reason}")


def _time(case: Case) -> Iterator[Fault]:
    step = case.worked("time")
    frame = case.frame(step)
    if step is None or frame is None:
        return
    wanted = expected_times(frame.slots, case.task)
    got = case.values("time", "time_slots")
    yield from _values("time", case, frame, wanted, got, case.task.gold.time)


def _location(case: Case) -> Iterator[Fault]:
    step = case.worked("location")
    frame = case.frame(step)
    if step is None or frame is None:
        return
    wanted = expected_places(frame.slots, case.task)
    got = case.values("location", "place_slots")
    yield from _values("location", case, frame, wanted, got, case.task.gold.place)


def _values(
    role: str,
    case: Case,
    frame: Frame,
    wanted: Mapping[str, str],
    got: Mapping[str, str] | None,
    gold: Mapping[str, str],
) -> Iterator[Fault]:
    """Normal forms against those of the slots that the role received."""
    if got is None:
        if wanted:
            yield Fault(role=role, reason=f"gave no {role} slots that can be read")
        return
    # Where words have two readings, the task's own reading is right as well.
    known = {
        name: value
        for name, value in gold.items()
        if name in got and plain(frame.slots.get(name, "")) == plain(_words(case.task, name))
    }
    domain = case.domains.get(frame.domain)
    unlike = differing_parameters(domain, wanted, got, lenient=case.lenient)
    unlike_known = differing_parameters(domain, {**wanted, **known}, got, lenient=case.lenient)
    if wrong := [name for name in unlike if name in unlike_known]:
        yield Fault(role=role, reason=_deviations(wrong, wanted, got))


def _words(task: WorldTask, name: str) -> str:
    return task.gold.slots.get(name, "")


def _deviations(names: Sequence[str], wanted: Mapping[str, str], got: Mapping[str, str]) -> str:
    return "; ".join(_deviation(name, wanted.get(name), got.get(name)) for name in names)


def _deviation(name: str, wanted: str | None, got: str | None) -> str:
    if got is None:
        return f"left out {name}={wanted}"
    if wanted is None:
        return f"invented {name}={got}"
    return f"gave {name}={got}, expected {wanted}"


def _url(case: Case) -> Iterator[Fault]:
    step = case.worked("url")
    frame = case.frame(step)
    if step is None or frame is None:
        return
    address = case.address()
    if address is None:
        yield Fault(role="url", reason="gave no address that can be read")
        return
    if not address.is_path and not any(case.asks(r, address) for r in case.trace.requests):
        yield Fault(role="url", reason=f"gave {address.text!r}, which is no path of the servers")
        return
    gold = Frame.of(case.task.gold)
    known = {(frame.domain, frame.intent), (gold.domain, gold.intent)}
    if case.is_gold(address):
        return
    if (address.domain, address.intent) not in known:
        asked = f"{address.domain or 'no domain'} {address.intent}".strip()
        yield Fault(role="url", reason=f"addressed {asked}, expected {frame.intent}")
        return
    wanted = _wanted_parameters(case, step, frame)
    wrong = differing_parameters(
        case.domains.get(address.domain), wanted, address.params, lenient=case.lenient
    )
    if judged := [name for name in wrong if name not in _open_names(case, step, frame)]:
        yield Fault(role="url", reason=_deviations(judged, wanted, address.params))


def _wanted_parameters(case: Case, step: Step, frame: Frame) -> dict[str, str]:
    times = case.values("time", "time_slots", step) or {}
    places = case.values("location", "place_slots", step) or {}
    return expected_parameters(frame, times, places)


def _open_names(case: Case, step: Step, frame: Frame) -> frozenset[str]:
    """Slots of roles that were left out, or could not be read: the url role is free in them."""
    found: frozenset[str] = frozenset()
    if TIME_SLOTS & frame.slots.keys() and case.values("time", "time_slots", step) is None:
        found |= TIME_SLOTS
    if PLACE_SLOTS & frame.slots.keys() and case.values("location", "place_slots", step) is None:
        found |= PLACE_SLOTS
    return found


def _manager(case: Case) -> Iterator[Fault]:
    turns = [step for step in case.steps if step.role == "manager"]
    if not turns:
        return
    done: list[str] = []
    refused: list[str] = []
    finished = case.worked("response") is not None
    for step in case.steps:
        if step.role not in ROLES:
            continue
        allowed = case.allowed(done, step, refused)
        if allowed is None:
            return
        if step.role in allowed:
            if step.role == "intent" and case.has_rounds:
                done, refused = [], []
            (done if step.answered else refused).append(step.role)
        elif not (
            (finished and _harmless(case, step))
            or _asked_again(case, step)
            or _next_request(case, step)
        ):
            wanted = " or ".join(sorted(allowed))
            yield Fault(role="manager", reason=f"called {step.role}, expected {wanted}")
            return
    allowed = case.allowed(done, None, refused)
    if allowed is None or case.trace.gateway.budget_spent is not None:
        return
    wanted, last, ending = " or ".join(sorted(allowed)), case.steps[-1], case.trace.ending.kind
    if ending == "framework_error" and names_nobody(last, ROLES):
        # Whatever a framework makes of it, and whether or not the work was done by then.
        yield Fault(role="manager", reason=f"named no role, expected {wanted}")
        return
    # A framework that gives a member up, or that runs out of turns, ends the work by itself.
    worked = [step for step in case.steps if step.role in ROLES]
    given_up = _is_unusable(last) or bool(worked and not worked[-1].answered)
    ended = ending == "answered" and turns[-1].answered and not goes_on(turns[-1], ROLES)
    if FINISH not in allowed and ended and not given_up:
        yield Fault(role="manager", reason=f"stopped, expected {wanted}")


def _asked_again(case: Case, step: Step) -> bool:
    """Whether a role was called once more because its last turn gave nothing, or said the same."""
    before = [s for s in case.steps if s.role == step.role and s.index < step.index]
    if not before:
        return False
    same = step.role == "response" and before[-1].text == step.text
    return same or _is_unusable(before[-1])


def _is_unusable(step: Step) -> bool:
    """Whether a member's turn gave nothing that the others could go on with."""
    if step.role not in ROLES or not step.answered:
        return False
    return not _says_something(step.text) if step.role == "response" else output_of(step) is None


def _harmless(case: Case, step: Step) -> bool:
    """Whether a turn that was not due changed nothing: an empty answer, or the same once more."""
    output = output_of(step)
    if case.has_rounds and _is_idle(output):
        return True
    if output is None or step.role == "request":
        return False
    earlier = [output_of(s) for s in case.steps if s.role == step.role and s.index < step.index]
    return output in earlier or output in ({"time_slots": {}}, {"place_slots": {}})


def _is_idle(output: Mapping[str, Any] | None) -> bool:
    """Whether url or request role said, in a round that a plan made for nothing, just that."""
    return output is not None and (output.get("url") == "" or output.get("status") == 204)


def _next_request(case: Case, step: Step) -> bool:
    """Whether a turn may serve a further request of a task that needs several."""
    if case.has_rounds:
        return False
    return step.role in ("url", "request") and len(case.task.gold.gold_requests()) > 1


def _function_call(case: Case) -> Iterator[Fault]:
    step = case.worked("request")
    address = case.address(step)
    if step is None or address is None or not address.text:
        return
    requests = case.trace.requests
    told = case.addresses_of_episode()
    fitting = [request for request in requests if case.asks(request, address)]
    strange = [r for r in requests if not any(case.asks(r, one) for one in told)]
    if strange:
        asked = f"{strange[0].domain} {strange[0].intent}".strip()
        also = "also " if fitting else ""
        yield Fault(
            role=FUNCTION_CALL,
            reason=f"{also}requested {asked}, expected {address.text}",
        )
    elif not fitting and not _was_called(case, address):
        yield Fault(role=FUNCTION_CALL, reason=f"did not request {address.text}")
    elif sum(bool(request.changes) for request in fitting) > _turns(case, "request"):
        yield Fault(role=FUNCTION_CALL, reason="made the same request more than once")


def _was_called(case: Case, address: Address) -> bool:
    """Whether the tool was called with an address that no server took."""
    for step in case.steps:
        if step.role != "request":
            continue
        calls = [str(call.get("arguments", "")) for call in step.tool_calls]
        calls += [s for s in _texts(step) if "http_request" in s]
        quoted = json.dumps(address.text, ensure_ascii=False)[1:-1]
        if any(address.text in call or quoted in call for call in calls):
            return True
    return False


def _texts(step: Step) -> Iterator[str]:
    for exchange in step.exchanges:
        content = (exchange.response or {}).get("content")
        if isinstance(content, str):
            yield content


def _turns(case: Case, role: str) -> int:
    return sum(step.role == role for step in case.episode or case.steps)


def _response(case: Case) -> Iterator[Fault]:
    step = case.worked("response")
    if step is not None and not case.trace.answer.strip() and not _says_something(step.text):
        yield Fault(role="response", reason="told the user nothing")


def _says_something(text: str) -> bool:
    """Whether words are in a text or, where it is an envelope, in the envelope."""
    envelopes = list(json_objects(text))
    if not envelopes:
        return bool(text.strip())
    return any(isinstance(v, str) and v.strip() for item in envelopes for v in item.values())


def _framework_reason(trace: Trace, steps: Sequence[Step]) -> str:
    if trace.gateway.budget_spent is not None:
        return f"the episode's budget of {trace.gateway.budget_spent} was spent"
    if trace.ending.kind != "answered":
        detail = f": {trace.ending.detail}" if trace.ending.detail else ""
        return f"ended in {trace.ending.kind.replace('_', ' ')}{detail}"
    if steps and not steps[-1].answered:
        return f"ended after a call of {steps[-1].role} that its model did not answer"
    said = any(step.role == "response" and _says_something(step.text) for step in steps)
    if said and not trace.answer.strip():
        return "lost the answer of the response role"
    return "no role deviates from its contract"


_AFTER_URL = (_manager, _function_call, _response)
_BEFORE_REQUEST = (_intent, _time, _location, _url)
_RULES = (*_BEFORE_REQUEST, *_AFTER_URL)
