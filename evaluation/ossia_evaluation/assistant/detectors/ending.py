"""MAST's third category: how the work ends, and whether anybody looks at what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from ossia_evaluation.assistant.case import ROLES, Case
from ossia_evaluation.assistant.detectors.found import (
    Sign,
    claims_success,
    needs_server,
    works_in_rounds,
)
from ossia_evaluation.steps import Step
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows.assistant import FINISH


def premature_termination(case: Case) -> Iterator[Sign]:
    """3.1: the episode ends by itself while a role is still due."""
    if case.trace.ending.kind != "answered" or case.trace.gateway.budget_spent is not None:
        return
    if not case.steps:
        return
    last, done = case.steps[-1], [s.role for s in case.steps if s.role in ROLES and s.answered]
    if works_in_rounds(case):
        wanted, made = len(case.task.gold.gold_requests()), done.count("request")
        if made < wanted or "response" not in done:
            left = f"{made} of {wanted} requests" if made < wanted else "no response"
            yield last, f"was the last to work, with {left} made"
        return
    due = _due(case, done)
    if due:
        verb = "was" if len(due) == 1 else "were"
        yield last, f"was the last to work where {' and '.join(due)} {verb} still due"


def no_verification(case: Case) -> Iterator[Sign]:
    """3.2: the user is told of success although no server has answered anything."""
    step = _claim(case)
    if step is not None and needs_server(case) and not case.trace.requests:
        yield step, "told the user of success although no server had been asked"


def incorrect_verification(case: Case) -> Iterator[Sign]:
    """3.3: the user is told of success although a server's last word was an error or a question."""
    step = _claim(case)
    if step is None:
        return
    for request in _unmended(case):
        said = f"refused with {request.status}" if request.status >= 400 else "asked back"
        yield step, f"told the user of success although the {request.domain} server {said}"


def _due(case: Case, done: list[str]) -> list[str]:
    """The roles that are still due, in order: skipped ones that never worked included."""
    left: list[str] = []
    seen = list(done) if "response" not in done else [r for r in done if r != "response"]
    while True:
        allowed = case.allowed(seen, None)
        if allowed is None:
            # Without a frame that can be read nobody knows the order, but the user is waiting.
            return left if "response" in done else [*left, "response"]
        if FINISH in allowed:
            return left
        role = min(allowed)
        if role == "response" and "response" in done:
            return left
        left.append(role)
        if role == "intent":
            return left
        seen.append(role)


def _claim(case: Case) -> Step | None:
    """The response role's last step, where what the user was told claims success."""
    step = case.worked("response")
    return step if step is not None and claims_success(case.trace.answer) else None


def _unmended(case: Case) -> Iterator[ServerRequest]:
    """Refusals and questions of a server that no later request to it made good."""
    requests = case.trace.requests
    latest = {request.domain: request for request in requests}
    for request in latest.values():
        if request.status >= 400 or request.code == "CLARIFICATION":
            yield request
