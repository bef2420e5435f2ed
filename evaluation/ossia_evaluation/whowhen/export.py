"""Our own failed episodes as logs of the published shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ossia_dataset.who_and_when import Collection, Log, Message, Origin
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.attribution.records import Attribution
from ossia_evaluation.grade import FRAMEWORK, SERVICE, Fault
from ossia_evaluation.steps import Step, last_step, read_steps
from ossia_servers.trace import Trace
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import tool_answers
from ossia_servers.wire.names import MANAGER

Blamed: TypeAlias = Callable[[Sequence[Step], str], Step | None]
"""Tells the step by which a role failed, from the answered steps of its episode."""

_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class NamedCause:
    """The one role and step that a log's label names.

    Attributes:
        role: The role.
        step: The step's position among the answered steps, from 0.
        reason: What it did, in one sentence.
        source: What named it.
    """

    role: str
    step: int
    reason: str
    source: Literal["intervention", "rules"]


def answered_steps(trace: Trace) -> tuple[Step, ...]:
    """Return the steps of a trace, made of the calls that got an answer.

    Attribution counts steps like this; a call that was refused or cut says nothing about a role.
    """
    answered = tuple(e for e in trace.gateway.exchanges if e.response is not None)
    gateway = trace.gateway.model_copy(update={"exchanges": answered})
    return read_steps(trace.model_copy(update={"gateway": gateway}))


def cause_of(attribution: Attribution) -> NamedCause | None:
    """Return the cause that a label names, or None where no recorded step is one.

    It is the decisive step (the earliest whose repair alone turns the failure), as Who&When defines
    it; where no single repair does, the earliest of the steps with most responsibility.
    """
    recorded = [cause for cause in attribution.causes if cause.step >= 0]
    decisive = [cause for cause in recorded if cause.situation == attribution.decisive]
    if not recorded:
        return None
    chosen = min(decisive or recorded, key=lambda cause: (-cause.responsibility, cause.step))
    return NamedCause(chosen.role, chosen.step, f"{chosen.role} {chosen.fault}", "intervention")


def cause_by_rules(
    steps: Sequence[Step], faults: Iterable[Fault], blamed: Blamed = last_step
) -> NamedCause | None:
    """Return the earliest step among the roles that the rules name, or None.

    Args:
        steps: the answered steps of the failed episode.
        faults: what the rules say; a fault of the framework or of a service names no agent.
        blamed: tells the step by which a role failed; by default its last one.
    """
    named = []
    for fault in faults:
        step = None if fault.role in (FRAMEWORK, SERVICE) else blamed(steps, fault.role)
        if step is not None:
            named.append(NamedCause(step.role, step.index, f"{step.role} {fault.reason}", "rules"))
    return min(named, key=lambda cause: cause.step, default=None)


def as_log(task: WorldTask, trace: Trace, cause: NamedCause) -> Log:
    """Return a failed episode as a log in the layout of the algorithm-generated collection.

    Each step is one message, so that the label's step is its place in the history. What a step's
    tools were asked and answered is part of its message.

    Args:
        task: the task.
        trace: the episode.
        cause: what the label names.

    Raises:
        ValueError: the cause names a step that the trace does not have, or another role's.
    """
    steps = answered_steps(trace)
    if not 0 <= cause.step < len(steps) or steps[cause.step].role != cause.role:
        raise ValueError(f"{trace.episode.id} has no step {cause.step} of the role {cause.role}")
    key = trace.episode
    asked = dict.fromkeys(exchange.role for exchange in trace.gateway.exchanges)
    team = [role for role in asked if role != MANAGER]
    return Log(
        collection=Collection.ALGORITHM,
        name=f"{_UNSAFE.sub('_', key.id)}.json",
        question=task.utterance,
        question_id=task.id,
        ground_truth=_gold(task),
        history=tuple(Message(speaker=step.role, content=_content(step, team)) for step in steps),
        mistake_agent=cause.role,
        mistake_step=cause.step,
        mistake_reason=cause.reason,
        system_prompts=_prompts(steps),
        origin=Origin(
            episode=key.id, framework=key.framework, model=key.model, source=cause.source
        ),
    )


def _gold(task: WorldTask) -> str:
    requests = task.gold.gold_requests()
    return "\n".join(request.url for request in requests) or "a reply, and no request"


def _content(step: Step, team: Sequence[str]) -> str:
    return "\n".join(line for line in _lines(step, team) if line)


def _lines(step: Step, team: Sequence[str]) -> Iterator[str]:
    """What the role said, the native calls that it made, and what its tools answered."""
    told = 0
    for exchange in step.exchanges:
        answers = tool_answers(read_conversation(exchange.request, team))
        yield from (f"-> {answer}" for answer in answers[told:])
        told = max(told, len(answers))
        response = exchange.response or {}
        content = response.get("content")
        if isinstance(content, str):
            yield content.strip()
        for call in response.get("tool_calls") or ():
            function = call.get("function") or {}
            yield f"{function.get('name', '')}({_arguments(function.get('arguments'))})"


def _arguments(given: object) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _prompts(steps: Sequence[Step]) -> dict[str, str]:
    """The system message by which the framework made each role's agent, where it sent one."""
    found: dict[str, str] = {}
    for step in steps:
        messages = step.exchanges[0].request.get("messages") or [None]
        first = messages[0]
        if isinstance(first, dict) and first.get("role") in ("system", "developer"):
            text = first.get("content")
            if isinstance(text, str):
                found.setdefault(step.role, text)
    return found
