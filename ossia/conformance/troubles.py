"""A model that makes trouble where a scene wants it, and otherwise answers well."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from ossia_servers.gateway import Completion, Model, ModelCall, ModelFailure

__all__ = ["Trouble", "TroubleModel"]


class Trouble(Enum):
    """What a model does instead of answering well."""

    FAIL = "fail"
    """Every call fails, as when a provider answers HTTP 500 for ever."""
    HANG = "hang"
    """No call is ever answered."""
    REPEAT = "repeat"
    """Every call gets the role's first answer again, tool calls included."""


class TroubleModel:
    """Passes calls on to a model that answers well, except where trouble is wanted.

    Attributes:
        name: The model's name in records.
    """

    def __init__(self, base: Model) -> None:
        """Make the model without any trouble.

        Args:
            base: What answers well.
        """
        self.name = f"conformance:{base.name}"
        self._base = base
        self._troubles: dict[str, Mapping[str, Trouble]] = {}
        self._first: dict[tuple[str, str], Completion] = {}
        self._repeated: Counter[tuple[str, str]] = Counter()
        self._reached: dict[str, asyncio.Event] = {}

    def make(self, episode: str, troubles: Mapping[str, Trouble]) -> asyncio.Event:
        """Want trouble in an episode.

        Args:
            episode: The episode's id.
            troubles: The trouble of each role that gets any.

        Returns:
            An event that is set when the first call in trouble arrives.
        """
        self._troubles[episode] = dict(troubles)
        self._reached[episode] = asyncio.Event()
        return self._reached[episode]

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: As wanted, or as the base model raises it.
        """
        trouble = self._troubles.get(call.episode, {}).get(call.role)
        if trouble is None:
            return await self._base.complete(call)
        self._reached[call.episode].set()
        if trouble is Trouble.FAIL:
            raise ModelFailure("The scene wants HTTP 500.")
        if trouble is Trouble.HANG:
            await asyncio.Event().wait()
        return await self._repeat(call)

    async def _repeat(self, call: ModelCall) -> Completion:
        place = (call.episode, call.role)
        if place not in self._first:
            self._first[place] = await self._base.complete(call)
        self._repeated[place] += 1
        first = self._first[place]
        return replace(first, message=_with_new_ids(first.message, self._repeated[place]))


def _with_new_ids(message: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Number the ids of tool calls: two calls of one conversation may not share one."""
    calls = message.get("tool_calls")
    if not calls:
        return dict(message)
    return {**message, "tool_calls": [{**each, "id": f"{each['id']}_{number}"} for each in calls]}
