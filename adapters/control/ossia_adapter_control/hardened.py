"""The plain loop, in which every call that came to nothing is made again."""

from collections.abc import Sequence
from typing import Any

from ossia_adapter import Role
from ossia_adapter_control.common import Message, ModelError, Play, RoutingError, Tool
from ossia_adapter_control.router import ControlAdapter, choose

__all__ = ["ADAPTER", "HardenedAdapter"]

ATTEMPTS = 3


class HardenedPlay(Play):
    """Asks again where there is an error, or an answer of no words and no calls."""

    def complete(
        self, role: Role, talk: Sequence[Message], tools: Sequence[Tool] = (), **options: Any
    ) -> Message:
        """Ask a role's model, three times at most; the last attempt counts."""
        for _ in range(ATTEMPTS - 1):
            try:
                said = super().complete(role, talk, tools, **options)
            except (ModelError, OSError):
                continue
            if said.get("tool_calls") or str(said.get("content") or "").strip():
                return said
        return super().complete(role, talk, tools, **options)


class HardenedAdapter(ControlAdapter):
    """Plays the team as the router does, with calls that are made again."""

    play_type = HardenedPlay

    def next_role(self, play: Play) -> Role | None:
        """Ask the manager, three times at most, until it names a role or the end."""
        for _ in range(ATTEMPTS - 1):
            try:
                return choose(play)
            except RoutingError:
                continue
        return choose(play)


ADAPTER = HardenedAdapter()
