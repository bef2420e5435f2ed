"""What a manager's request is for: the next role, or what one does who plans ahead."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from ossia_servers.wire import ledgers
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.reading import without_utterances


class Duty(StrEnum):
    """What a manager's request is for."""

    ROUTE = "route"
    PLAN = "plan"
    ASSIGN = "assign"
    CHECK = "check"
    MEND = "mend"
    FACTS = "facts"
    OUTLINE = "outline"
    """A plan in prose, which binds nobody."""


def duty_of(conversation: Conversation) -> Duty:
    """Return what a manager's request is for, known by the words of its prompt."""
    # The user's sentence may hold any words.
    prompt = without_utterances(conversation.prompt)
    if "ISSUE TYPE: Task Failure" in prompt:
        return Duty.MEND
    if "ISSUE TYPE: Quality Evaluation" in prompt or "quality_score" in prompt:
        return Duty.CHECK
    if "assignments" in prompt and "assignee_id" in prompt:
        return Duty.ASSIGN
    if "<tasks>" in prompt and "<task>" in prompt:
        return Duty.PLAN
    if ledgers.asks_for_facts(prompt):
        return Duty.FACTS
    return Duty.OUTLINE if ledgers.asks_for_plan(prompt) else Duty.ROUTE


class Planner(Protocol):
    """Decides what is not a matter of form: who is to work, and whether a result will do."""

    def roles(self, conversation: Conversation) -> Sequence[str]:
        """Return the roles that are to work, in their order.

        Args:
            conversation: The manager's request.
        """
        ...

    @property
    def retries(self) -> int:
        """How often a result that will not do is asked for again."""
        return 1

    def accepts(self, role: str | None, result: str) -> bool:
        """Say whether a worker's result has the form that its role owes.

        Args:
            role: The worker's role; None where it cannot be told.
            result: What it gave.
        """
        ...
