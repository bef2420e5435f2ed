"""What a fault may know of a call: the request, who asks, and who is in the team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from ossia_servers.wire.conversation import Conversation, read_conversation

Message: TypeAlias = Mapping[str, Any]
"""An assistant message."""


@dataclass(frozen=True)
class Asked:
    """A call of the model, and the episode's answers before it."""

    role: str
    """Who asks."""
    request: Mapping[str, Any]
    """The body of the chat completion request."""
    manager: str
    """The role that leads the team; empty for a team without one."""
    members: Sequence[str]
    """The other roles."""
    earlier: Sequence[tuple[str, Message]] = ()
    """The answers before it, each with the role that had asked."""

    @cached_property
    def conversation(self) -> Conversation:
        """The request, read."""
        return read_conversation(self.request, self.members)
