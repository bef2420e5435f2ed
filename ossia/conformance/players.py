"""Models for scenes: one that follows a script, one that waits for company, one that is strict."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ossia_servers.gateway import Completion, Model, ModelCall, RequestRefused
from ossia_servers.gateway.models import completion_of
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.envelope import present
from ossia_servers.wire.planning import manage
from ossia_servers.wire.routing import present_choice
from ossia_workflows import Team

__all__ = [
    "MANAGER",
    "Altered",
    "Meeting",
    "ScriptedTeam",
    "StrictModel",
    "Together",
    "fault_in_order",
]

MANAGER = "manager"
FINISH = "finish"


class _Plan(Planner):
    """What a manager that plans ahead is to plan."""

    def __init__(self, order: Sequence[str]) -> None:
        self._order = tuple(order)

    def roles(self, conversation: Conversation) -> Sequence[str]:
        """Return the roles that are to work, in their order."""
        return self._order

    def accepts(self, role: str | None, result: str) -> bool:
        """Take every result."""
        return True


class ScriptedTeam:
    """Plays one episode by a script: the manager's order of roles, and each member's words.

    Attributes:
        name: The model's name in records.
    """

    def __init__(
        self,
        team: Team,
        order: Sequence[str],
        words: Mapping[str, str] | Model,
        *,
        task: str | None = None,
    ) -> None:
        """Make the model.

        Args:
            team: The team that plays.
            order: The roles that the manager lets work, one after the other.
            words: What each of them says, or what answers as each of them.
            task: What the manager tells each of them, where its choice carries it; by default all
                that it knows.
        """
        self.name = "conformance:scripted"
        self._team = [role.name for role in team.members]
        self._order = tuple(order)
        self._words = words
        self._task = task
        self._asked = 0

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the script wants it, in the form that the framework asks for.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: As the members' model raises it.
        """
        conversation = read_conversation(call.request, self._team)
        if conversation.role != MANAGER:
            if not isinstance(self._words, Mapping):
                return await self._words.complete(call)
            words = self._words.get(conversation.role, "I have nothing to say.")
            return completion_of(present(conversation, words))
        planned = manage(conversation, _Plan(self._order))
        if planned is not None:
            return completion_of({"content": planned})
        turn = self._asked
        self._asked += 1
        choice = self._order[turn] if turn < len(self._order) else FINISH
        return completion_of(present_choice(conversation, choice, task=self._task))


class Altered:
    """Answers well, with the messages of one role changed.

    Attributes:
        name: The model's name in records.
    """

    def __init__(
        self, base: Model, role: str, change: Callable[[ModelCall, dict[str, Any]], dict[str, Any]]
    ) -> None:
        """Make the model.

        Args:
            base: What answers well.
            role: The role.
            change: Returns what it says instead of a message to a call.
        """
        self.name = f"conformance:{base.name}"
        self._base = base
        self._role = role
        self._change = change

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: As the base model raises it.
        """
        completion = await self._base.complete(call)
        if call.role != self._role:
            return completion
        return replace(completion, message=self._change(call, completion.message))


class Together:
    """Where the same role's calls of several episodes wait for each other.

    Attributes:
        alone: The first role whose calls never were under way at the same time; empty so far.
    """

    def __init__(self, episodes: int, seconds: float) -> None:
        """Prepare.

        Args:
            episodes: How many wait for each other.
            seconds: How long a call waits before it goes on alone.
        """
        self._episodes = episodes
        self._seconds = seconds
        self._arrived: Counter[str] = Counter()
        self._met: dict[str, asyncio.Event] = {}
        self.alone = ""

    async def wait(self, role: str) -> None:
        """Wait until every episode has a first call of this role under way."""
        if self.alone:
            return
        met = self._met.setdefault(role, asyncio.Event())
        self._arrived[role] += 1
        if self._arrived[role] >= self._episodes:
            met.set()
        try:
            async with asyncio.timeout(self._seconds):
                await met.wait()
        except TimeoutError:
            self.alone = self.alone or role


class Meeting:
    """Answers well once the other episodes ask the same role; for one episode.

    Attributes:
        name: The model's name in records.
    """

    def __init__(self, base: Model, together: Together) -> None:
        """Make the model.

        Args:
            base: What answers well.
            together: Where to meet.
        """
        self.name = f"conformance:{base.name}"
        self._base = base
        self._together = together
        self._heard: set[str] = set()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call; the first of each role waits for the other episodes.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: As the base model raises it.
        """
        if call.role not in self._heard:
            self._heard.add(call.role)
            await self._together.wait(call.role)
        return await self._base.complete(call)


class StrictModel:
    """Refuses what chat templates of real servers refuse, and otherwise answers well.

    Attributes:
        name: The model's name in records.
    """

    def __init__(self, base: Model) -> None:
        """Make the model.

        Args:
            base: What answers well.
        """
        self.name = f"conformance:{base.name}"
        self._base = base

    async def complete(self, call: ModelCall) -> Completion:
        """Answer a call.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            RequestRefused: The order of the messages is not what such servers take.
        """
        fault = fault_in_order(call.request)
        if fault is not None:
            raise RequestRefused(fault)
        return await self._base.complete(call)


def fault_in_order(request: Mapping[str, Any]) -> str | None:
    """Return what a strict server has against the order of a request's messages; None for nothing.

    Args:
        request: The body of the request.
    """
    messages = request["messages"]
    kinds = [message.get("role") for message in messages]
    if "system" in kinds[1:]:
        return "a system message is not the first message"
    if kinds[-2:] == ["assistant", "assistant"]:
        return "two assistant messages at the end"
    called: set[str] = set()
    for message in messages:
        called |= {str(call.get("id")) for call in message.get("tool_calls") or ()}
        if message.get("role") == "tool" and message.get("tool_call_id") not in called:
            return "a tool message answers no tool call"
    return None
