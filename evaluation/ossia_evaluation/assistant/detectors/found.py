"""What a detector finds, and what several detectors look up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ossia_evaluation.assistant.case import Case
from ossia_evaluation.assistant.outputs import output_of
from ossia_evaluation.steps import Step
from ossia_evaluation.urls import read_url
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows.assistant import NOTHING_LEFT

MANAGER: Final = "manager"

_TROUBLE: Final = re.compile(
    r"\bnot\b|n't|\?|sorry|unable|error|fail|problem|unfortunately|no such|unknown|invalid"
    r"|missing|need",
    re.IGNORECASE,
)


Sign = tuple[Step, str]
"""A step, and what its role did: a clause with the role as its subject."""

Detector = Callable[[Case], Iterator[Sign]]
"""Finds the signs of one mode."""


def served(case: Case, url: str) -> ServerRequest | None:
    """Return the last record of the servers of an address; None where none took it."""
    domain, params = read_url(url)
    fitting = (r for r in reversed(case.trace.requests) if (r.domain, r.params) == (domain, params))
    return next(fitting, None)


def works_in_rounds(case: Case) -> bool:
    """Return whether the task needs several requests, so that roles work once for each."""
    return bool(case.task.gold.parts) or len(case.task.gold.gold_requests()) > 1


def needs_server(case: Case) -> bool:
    """Return whether a domain server is to be asked, by the gold frame."""
    return bool(case.task.gold.gold_requests())


def claims_success(text: str) -> bool:
    """Return whether words for the user speak of no trouble and ask nothing."""
    return bool(text.strip()) and _TROUBLE.search(text) is None


def is_idle(case: Case, step: Step) -> bool:
    """Return whether a step works on a round in which, by the intent role, nothing is left to do.

    A framework that plans ahead calls the roles all the same; the contracts let them answer with
    nothing.
    """
    frame = case.frame(step)
    return (
        step.role != "intent"
        and frame is not None
        and NOTHING_LEFT
        in (
            frame.domain,
            frame.intent,
        )
    )


def of_round(case: Case, step: Step) -> Case:
    """Return the episode as far as a step builds on it: from the last answer of intent on."""
    earlier = [s for s in case.steps if s.index < step.index]
    begun = next((s.index for s in reversed(earlier) if s.role == "intent" and output_of(s)), 0)
    return replace(case, steps=[s for s in case.steps if s.index >= begun])


def member_before(steps: Sequence[Step], step: Step, role: str) -> Step | None:
    """Return the last answered step of a role before another step, or None."""
    earlier = (s for s in reversed(steps) if s.index < step.index)
    return next((s for s in earlier if s.role == role and s.answered), None)
