"""Where the offline model's work may be replaced before an envelope is put around it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation


class ResponseHook(Protocol):
    """Decides what a role says in place of what it would have said.

    Both methods are pure: equal arguments have equal answers.
    """

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return what a role but the manager does.

        Args:
            conversation: What it is told.
            right: What it would do: its answer, or the tool that it would call.
            tools: The tools, and what came of them in this turn.
        """
        ...

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Return the role that the manager calls, or None if it ends the work.

        Args:
            conversation: What it is told.
            right: The role that is due.
            intent: The intent role's object as far as the manager knows it.
            done: The roles that have worked, in order, in all rounds; a role that worked twice
                twice.
            offered: The roles to choose from; None where every role and the end can be chosen.
        """
        ...
