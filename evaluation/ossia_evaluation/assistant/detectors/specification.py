"""MAST's first category: what the task, the role and the end of the work demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.assistant.case import ROLES, Case
from ossia_evaluation.assistant.detectors.found import (
    MANAGER,
    Sign,
    is_idle,
    member_before,
    works_in_rounds,
)
from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.steps import Step
from ossia_evaluation.urls import calls_of
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import DATE_TOOL, HTTP_TOOL
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.results import Results, result_in
from ossia_servers.wire.routing import read_choice
from ossia_workflows import json_objects, text_slots
from ossia_workflows.assistant import NOTHING_LEFT, ROLE_KEYS, role_output

_OWNERS: Final = {DATE_TOOL: "time", HTTP_TOOL: "request"}
"""Who has each tool, by the contracts."""

_PASSED_ON: Final[Mapping[str, Callable[[Results], object]]] = {
    "intent": lambda results: results.intent,
    "time": lambda results: results.time_slots,
    "location": lambda results: results.place_slots,
    "url": lambda results: results.url,
    "request": lambda results: results.answer,
}
_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "time": ("intent",),
    "location": ("intent",),
    "url": ("intent", "time", "location"),
    "request": ("url",),
    "response": ("request",),
}
"""Whose results a role's contract builds on."""


def disobey_task(case: Case) -> Iterator[Sign]:
    """1.1: an answer that does not have the form that the task's contracts demand."""
    for step in case.steps:
        if step.role not in ROLE_KEYS or not step.text or is_idle(case, step):
            continue
        output = output_of(step)
        if output is None and (_was_cut(step) or _had_nothing_to_do(case, step)):
            continue
        if output is None:
            yield step, f"gave no answer that has {' and '.join(sorted(ROLE_KEYS[step.role]))}"
        elif step.role == "time":
            for name, value in text_slots(output.get("time_slots")).items():
                if not _is_normal(value):
                    yield step, f"gave {name} as '{value}', which is no normal form"
        elif step.role == "url" and not str(output["url"]).startswith("/"):
            yield step, f"gave '{output['url']}', which is no path of the servers"
    spoken = case.worked("response")
    if spoken is not None:
        if "intent=" in case.trace.answer:
            yield spoken, "told the user an address"
        elif any(json_objects(case.trace.answer)):
            yield spoken, "told the user a JSON object"


def disobey_role(case: Case) -> Iterator[Sign]:
    """1.2: a role calls another's tool, or gives another's result in place of its own."""
    for step in case.steps:
        for name, _ in calls_of(step):
            owner = _OWNERS.get(name)
            if owner is not None and owner != step.role:
                yield step, f"called {name}, which is a tool of {owner}"
        if step.role in ROLE_KEYS and output_of(step) is None:
            yield from ((step, f"gave the result of {other}") for other in _others_work(step))
        elif step.role == MANAGER and not read_choice(
            step.exchanges[-1].response or {}, team=MEMBERS
        ):
            yield from (
                (step, f"did the work of {other} itself and named no role")
                for other in _others_work(step)
            )


def step_repetition(case: Case) -> Iterator[Sign]:
    """1.3: a role says what it has said already, or asks the servers the same again.

    In a task of several wishes each wish is a round of its own, begun by another intent.
    """
    said: dict[tuple[str, str, str], Step] = {}
    for step in case.steps:
        if step.role not in ROLES or not step.answered or is_idle(case, step):
            continue
        if step.role == "intent" and works_in_rounds(case) and _says_nothing_left(step):
            continue
        frame = "" if step.role == "intent" else str(case.frame(step))
        calls = [str(call) for call in calls_of(step) if call[0] == HTTP_TOOL]
        if len(calls) > len(set(calls)):
            yield step, "called http_request with the same address again in one turn"
        output = output_of(step)
        words = step.text if output is None else str(output)
        key = (step.role, frame, words or "; ".join(calls))
        earlier = said.setdefault(key, step)
        if earlier is not step and (words or calls):
            yield step, f"said the same as in step {earlier.index}"


def loss_of_history(case: Case) -> Iterator[Sign]:
    """1.4: a role's request to its model holds nothing of a result that it builds on."""
    for step in case.steps:
        for source in _lost(case, step):
            yield step, f"was told nothing of what {source} had found"


def lost_sources(case: Case, step: Step) -> frozenset[str]:
    """Return the roles whose results a step builds on but was not told."""
    return frozenset(_lost(case, step))


def unaware_of_termination(case: Case) -> Iterator[Sign]:
    """1.5: a role works although the response role has answered the user."""
    finished: Step | None = None
    for step in case.steps:
        if finished is not None and step.role in ROLES:
            yield step, f"worked on although the user was answered in step {finished.index}"
        elif step.role == "response" and step.answered and step.text:
            finished = step
    spent = case.trace.gateway.budget_spent
    last = case.steps[-1] if case.steps else None
    if finished is not None and spent is not None and last is not None and last is not finished:
        yield last, f"went on until the budget of {spent} was spent, with the user answered before"


def _was_cut(step: Step) -> bool:
    """Whether a turn ends in a tool's call, so that the role could not answer."""
    return bool(read_calls(step.exchanges[-1].response or {}))


def _had_nothing_to_do(case: Case, step: Step) -> bool:
    """Whether what a role's contract builds on is missing, so that no answer has its form."""
    if step.role == "request":
        return case.address(step) is None
    return step.role != "intent" and case.frame(step) is None


def _says_nothing_left(step: Step) -> bool:
    output = output_of(step) or {}
    return NOTHING_LEFT in (output.get("domain"), output.get("intent"))


def _is_normal(value: str) -> bool:
    return _reads(parse_date_value, value) or _reads(parse_time_value, value)


def _reads(parse: Callable[[str], object], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


def _others_work(step: Step) -> Iterator[str]:
    for other in ROLE_KEYS:
        if other != step.role and role_output(other, step.text) is not None:
            yield other
            return


def _lost(case: Case, step: Step) -> Iterator[str]:
    due = [
        source
        for source in _NEEDS.get(step.role, ())
        if (member := member_before(case.steps, step, source)) is not None
        and result_in(output_of(member) or {})
    ]
    if not due:
        return
    heard = read_conversation(step.exchanges[0].request, MEMBERS)
    if works_in_rounds(case) and heard.rounds is not None:
        # What an earlier round came to stands in the rounds, and the current one may be empty.
        return
    yield from (source for source in due if _PASSED_ON[source](heard.results) is None)
