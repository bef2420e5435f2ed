"""Rule-based attribution: which roles failed, by Auto-SLURP's published criteria.

Several roles may be named for one episode. The criteria are those of arXiv 2504.18373, appendix B,
judged after the whole run. What they leave to a judge's opinion is decided by role contracts: a
role is at fault when its output is not what its input demanded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from ossia_dataset.tasks import Task
from ossia_evaluation.contract import (
    Frame,
    differing_parameters,
    differing_slots,
    expected_parameters,
    expected_places,
    expected_times,
    read_url,
)
from ossia_evaluation.steps import Step, last_output, last_step
from ossia_servers.domain import Domain
from ossia_servers.trace import Trace
from ossia_workflows import FINISH, allowed_next, text_slots

FUNCTION_CALL = "function call"
"""The published name for a wrong executed request; the request role makes it."""

FRAMEWORK = "framework"
"""Blamed when the framework gave up although no role deviates."""


class Fault(BaseModel):
    """One role that the rules name for a failed episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    reason: str
    """One readable sentence."""


@dataclass(frozen=True)
class _Case:
    """A failed episode, laid out for the rules."""

    task: Task
    trace: Trace
    steps: Sequence[Step]
    domains: Mapping[str, Domain]
    frame: Frame | None
    """What the intent role answered, or None when it gave no frame."""

    def worked(self, role: str) -> bool:
        return last_step(self.steps, role) is not None

    def slots_of(self, role: str, key: str) -> dict[str, str]:
        return text_slots((last_output(self.steps, role) or {}).get(key))


def attribute_by_rules(
    task: Task, trace: Trace, steps: Sequence[Step], domains: Mapping[str, Domain]
) -> tuple[Fault, ...]:
    """Name the roles that failed in an episode whose verdict is failure.

    Args:
        task: the task with its gold frame.
        trace: the failed episode.
        steps: its steps.
        domains: declarations of the domain servers, for the match rules.

    Returns:
        Faults in the order in which the roles work; `framework` alone when no role deviates.
    """
    output = last_output(steps, "intent")
    frame = None
    if output is not None:
        frame = Frame(
            str(output.get("domain", "")),
            str(output.get("intent", "")),
            text_slots(output.get("slots")),
        )
    case = _Case(task, trace, steps, domains, frame)
    faults = tuple(fault for rule in _RULES for fault in rule(case))
    return faults or (Fault(role=FRAMEWORK, reason=_framework_reason(trace)),)


def _intent(case: _Case) -> Iterator[Fault]:
    gold = Frame.of(case.task.gold)
    if not case.worked("intent"):
        return
    if case.frame is None:
        yield Fault(role="intent", reason="gave no intent that can be read")
    elif (case.frame.domain, case.frame.intent) != (gold.domain, gold.intent):
        yield Fault(
            role="intent", reason=f"said {case.frame.intent or 'nothing'} for {gold.intent}"
        )
    elif wrong := differing_slots(case.domains.get(gold.domain), gold.slots, case.frame.slots):
        yield Fault(role="intent", reason=f"{gold.intent}: wrong slots {', '.join(wrong)}")


def _time(case: _Case) -> Iterator[Fault]:
    if case.frame is None or not case.worked("time"):
        return
    wanted = expected_times(case.frame.slots, case.task)
    got = case.slots_of("time", "time_slots")
    yield from _values("time", case, wanted, got)


def _location(case: _Case) -> Iterator[Fault]:
    if case.frame is None or not case.worked("location"):
        return
    wanted = expected_places(case.frame.slots, case.task)
    got = case.slots_of("location", "place_slots")
    yield from _values("location", case, wanted, got)


def _values(
    role: str, case: _Case, wanted: Mapping[str, str], got: Mapping[str, str]
) -> Iterator[Fault]:
    domain = case.domains.get(case.frame.domain) if case.frame is not None else None
    for name in differing_parameters(domain, wanted, got):
        said, right = got.get(name, "nothing"), wanted.get(name, "nothing")
        yield Fault(role=role, reason=f"{name} is {said} where {right} was meant")
        return


def _url(case: _Case) -> Iterator[Fault]:
    if case.frame is None or not case.worked("url"):
        return
    output = last_output(case.steps, "url")
    if output is None:
        yield Fault(role="url", reason="gave no address that can be read")
        return
    domain, params = read_url(str(output["url"]))
    gold = Frame.of(case.task.gold)
    if (domain, params.get("intent")) not in {
        (case.frame.domain, case.frame.intent),
        (gold.domain, gold.intent),
    }:
        asked = params.get("intent", "nothing")
        yield Fault(role="url", reason=f"asks {domain or 'nobody'} for {asked}")
        return
    wanted = expected_parameters(
        case.frame,
        case.slots_of("time", "time_slots"),
        case.slots_of("location", "place_slots"),
    )
    if wrong := differing_parameters(case.domains.get(domain), wanted, params):
        yield Fault(role="url", reason=f"wrong parameters {', '.join(wrong)}")


def _function_call(case: _Case) -> Iterator[Fault]:
    if not case.worked("request"):
        return
    output = last_output(case.steps, "url")
    if output is None:
        return
    domain, params = read_url(str(output["url"]))
    made = [(request.domain, request.params) for request in case.trace.requests]
    if (domain, params) not in made:
        reason = "made no request" if not made else "requested something else than the address"
        yield Fault(role=FUNCTION_CALL, reason=reason)
    elif made.count((domain, params)) > 1:
        yield Fault(role=FUNCTION_CALL, reason="made the same request more than once")


def _manager(case: _Case) -> Iterator[Fault]:
    done: list[str] = []
    for step in case.steps:
        if step.role not in _ROLES:
            continue
        allowed = _allowed(case, done)
        if allowed is None:
            return
        if step.role not in allowed:
            wanted = " or ".join(sorted(allowed))
            yield Fault(role="manager", reason=f"called {step.role} where {wanted} was next")
            return
        done.append(step.role)
    allowed = _allowed(case, done)
    if allowed is None or FINISH in allowed or case.trace.ending.kind != "answered":
        return
    yield Fault(role="manager", reason=f"stopped where {' or '.join(sorted(allowed))} was next")


def _allowed(case: _Case, done: Sequence[str]) -> frozenset[str] | None:
    """The roles that may follow, or None where no order can be told without a frame."""
    if "intent" not in done:
        return allowed_next(None, {}, done)
    if case.frame is None:
        return None
    return allowed_next(case.frame.domain, case.frame.slots, done)


def _response(case: _Case) -> Iterator[Fault]:
    if case.worked("response") and not case.trace.answer.strip():
        yield Fault(role="response", reason="told the user nothing")


def _framework_reason(trace: Trace) -> str:
    if trace.gateway.budget_spent is not None:
        return f"the episode's budget of {trace.gateway.budget_spent} was spent"
    if trace.ending.kind == "answered":
        return "no role deviates from its contract"
    return f"{trace.ending.kind.replace('_', ' ')}: {trace.ending.detail}"


_ROLES = frozenset({"intent", "time", "location", "url", "request", "response"})
_RULES = (_intent, _time, _location, _url, _manager, _function_call, _response)
