"""Who talks with a team: a simulated user, which a suite may bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ossia_servers.trace import UserTurn

__all__ = ["User"]


@runtime_checkable
class User(Protocol):
    """Talks with a team in one attempt at one episode; the task's utterance are its first words.

    It alone decides when a conversation ends, so it must end every one: the budget of the episode
    ends what it does not.
    """

    async def reply(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next, or None at the end of the conversation.

        Args:
            turns: The conversation so far, at least one turn; turns that the task gave come first.

        Raises:
            Unanswered: A model speaks for the user, and said nothing that could be used.
        """
        ...
