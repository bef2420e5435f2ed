"""Text protocols: whoever is asked writes its action in words, and ends its turn in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.protocols import action_lines, code_blocks, react_lines
from ossia_servers.wire.protocols.executed import Executed

__all__ = ["PROTOCOLS", "Executed", "TextProtocol", "protocol_of"]


class TextProtocol(Protocol):
    """How tools and agents are called in words. Each module of this package is one."""

    def applies(self, conversation: Conversation) -> bool:
        """Say whether the request follows this protocol."""
        ...

    def offered(self, conversation: Conversation) -> list[str]:
        """Return the names of the tools or agents on offer."""
        ...

    def executed(self, conversation: Conversation) -> list[Executed]:
        """Return the actions that were carried out so far, with what came of each."""
        ...

    def call_text(self, conversation: Conversation, name: str, arguments: Mapping[str, Any]) -> str:
        """Return what calls a tool."""
        ...

    def hand_text(self, conversation: Conversation, name: str, task: str) -> str:
        """Return what gives an agent a task."""
        ...

    def finish_text(self, conversation: Conversation, text: str) -> str:
        """Return what ends the turn with a text."""
        ...

    def read_call(self, content: str) -> tuple[str, dict[str, Any]] | None:
        """Return name and arguments of the action in a content; None where it has none."""
        ...

    def is_end(self, content: str) -> bool:
        """Say whether a content ends the turn."""
        ...


PROTOCOLS: tuple[TextProtocol, ...] = (action_lines, react_lines, code_blocks)


def protocol_of(conversation: Conversation) -> TextProtocol | None:
    """Return the text protocol that a request follows; None where it follows none."""
    return next((each for each in PROTOCOLS if each.applies(conversation)), None)
