"""Changing the model's answer for one step of one episode, at the gateway."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.attribution.wild.messages import Message
from ossia_evaluation.attribution import Received, Turns
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import OfflineModel

Place = tuple[str, int]
"""A step by its moment, and a model call within it, from 0."""

Rewritten = Callable[[Message], Message | None]
"""What is made of a message; None where nothing can be made of it."""


@dataclass(frozen=True)
class Said:
    """One answer of the model.

    Attributes:
        place: the step and the call.
        role: who was asked.
        message: the answer.
    """

    place: Place
    role: str
    message: Message


@dataclass(frozen=True)
class Altered:
    """An answer that was changed: what the model said, and what the framework got."""

    right: Message
    wrong: Message


@dataclass
class Altering:
    """The script of an episode of the offline model, some of whose answers are changed.

    The model answers what it was asked, so a step before which nothing was changed answers as in
    the clean episode, byte for byte.

    Attributes:
        model: answers every call.
        changes: what is made of its answers, by place.
        said: every answer of the model, before it was changed.
        met: the places of changes that came.
        applied: the answers that were changed.
    """

    model: OfflineModel
    changes: Mapping[Place, Rewritten] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    met: set[Place] = field(default_factory=set)
    applied: dict[Place, Altered] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin the episode."""
        # Only the names of the moments come from the attributor's code: both have to mean the
        # same step by the same name.
        self._turns = Turns(MEMBERS)

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call."""
        turn = Received.of(role, request, self._turns).turn
        place = turn.situation, turn.call
        right = self.model.complete(request)
        self.said.append(Said(place, role, right))
        change = self.changes.get(place)
        if change is None:
            return right
        self.met.add(place)
        wrong = change(right)
        if wrong is None or wrong == right:
            return right
        self.applied[place] = Altered(right, wrong)
        return wrong


def fixed(message: Message) -> Rewritten:
    """Return what says a message whatever it is asked for."""
    return lambda right: message
