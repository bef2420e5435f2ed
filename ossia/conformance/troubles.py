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
    """Passes one episode's calls on to a model that answers well, except where trouble is wanted.

    Attributes:
        name: The model's name in records.
        reached: Set when the first call in trouble arrives.
        calls: How many calls have arrived.
    """

    def __init__(self, base: Model, troubles: Mapping[str, Trouble]) -> None:
        """Make the model.

        Args:
            base: What answers well.
            troubles: The trouble of each role that gets any.
        """
        self.name = f"conformance:{base.name}"
        self.reached = asyncio.Event()
        self.calls = 0
        self._base = base
        self._troubles = dict(troubles)
        self._first: dict[str, Completion] = {}
        self._repeated: Counter[str] = Counter()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: As wanted, or as the base model raises it.
        """
        self.calls += 1
        trouble = self._troubles.get(call.role)
        if trouble is None:
            return await self._base.complete(call)
        self.reached.set()
        if trouble is Trouble.FAIL:
            raise ModelFailure("The scene wants HTTP 500.")
        if trouble is Trouble.HANG:
            await asyncio.Event().wait()
        return await self._repeat(call)

    async def _repeat(self, call: ModelCall) -> Completion:
        if call.role not in self._first:
            self._first[call.role] = await self._base.complete(call)
        self._repeated[call.role] += 1
        first = self._first[call.role]
        return replace(first, message=_with_new_ids(first.message, self._repeated[call.role]))


def _with_new_ids(message: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Number the ids of tool calls: two calls of one conversation may not share one."""
    calls = message.get("tool_calls")
    if not calls:
        return dict(message)
    return {**message, "tool_calls": [{**each, "id": f"{each['id']}_{number}"} for each in calls]}
