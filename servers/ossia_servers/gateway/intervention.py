"""A model that answers for replayed episodes: each has a script of its own.

The scripts decide what is said; the model only finds the script by the episode. So the gateway
and everything behind it is the same in a replay as in any other run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ossia_servers.gateway.models import Completion, ModelCall, TapeMiss, completion_of


class Script(Protocol):
    """Answers the model calls of one replayed episode, in the order in which they come."""

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message.

        Args:
            role: the role that asks.
            request: the body of the chat completion request; not to be changed.
        """
        ...


class InterveningModel:
    """Answers each episode by its script, and asks no other model."""

    name = "intervention"

    def __init__(self) -> None:
        """Make a model without scripts."""
        self._scripts: dict[str, Script] = {}

    def play(self, episode: str, script: Script) -> None:
        """Let a script answer for an episode from now on.

        Args:
            episode: the episode's id.
            script: what answers; it keeps the state of this one episode.
        """
        self._scripts[episode] = script

    def forget(self, episode: str) -> None:
        """Drop the script of an episode that has ended."""
        self._scripts.pop(episode, None)

    async def complete(self, call: ModelCall) -> Completion:
        """Answer by the episode's script.

        Args:
            call: the request.

        Returns:
            The script's message; the tokens are left to be estimated.

        Raises:
            TapeMiss: if the episode has no script.
        """
        script = self._scripts.get(call.episode)
        if script is None:
            raise TapeMiss(f"There is no script for the episode {call.episode}.")
        return completion_of(script.answer(call.role, call.request))
