"""A manager who lets members work in a given order, in whatever form a framework asks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ossia_servers.wire import planning
from ossia_servers.wire.answers import said
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.routing import present_choice

NEXT = "It is your turn: do your part of the work."
"""What a member is told where the choice carries words."""

DONE = "It is done."


class Turns:
    """Knows of each episode whose turn it is. One instance serves one run."""

    def __init__(self) -> None:
        """Begin with nobody asked."""
        self._asked: Counter[tuple[str, str]] = Counter()

    def manage(
        self, episode: str, conversation: Conversation, order: Sequence[str], answer: str = DONE
    ) -> dict[str, Any]:
        """Return what the manager answers: the next role, or the end after the last.

        Args:
            episode: the episode's name at the gateway.
            conversation: what the manager is asked.
            order: the roles that are to work, each once.
            answer: what the user is told, where it is the manager who ends the work with an answer.
        """
        staffed = staffing(conversation, order)
        if staffed is not None:
            return staffed
        # Steps of a workflow may be done at once, each by a run of the team.
        asked = (episode, conversation.step)
        turn = self._asked[asked]
        self._asked[asked] += 1
        return choosing(conversation, order[turn] if turn < len(order) else None, answer)


def choosing(conversation: Conversation, role: str | None, answer: str = DONE) -> dict[str, Any]:
    """Return a manager's choice in the form that the framework asks for.

    Args:
        conversation: what the manager is asked.
        role: who works next; None ends the work.
        answer: what the user is told, where it is the manager who ends the work with an answer.
    """
    step = f"Step {conversation.step} of a workflow: " if conversation.step else ""
    return present_choice(conversation, role, task=f"{step}{NEXT}", answer=answer)


def staffing(conversation: Conversation, order: Sequence[str]) -> dict[str, Any] | None:
    """Return what a manager says who cuts a task up, hands it out or judges it; else None.

    Args:
        conversation: what the manager is asked.
        order: the roles that are to work.
    """
    staffed = planning.manage(conversation, _Staff(tuple(order)))
    return None if staffed is None else said(staffed)


@dataclass(frozen=True, slots=True)
class _Staff(Planner):
    """Plans with given roles and accepts whatever they give."""

    order: tuple[str, ...]

    def roles(self, conversation: Conversation) -> Sequence[str]:
        return self.order

    def accepts(self, role: str | None, result: str) -> bool:
        return True
