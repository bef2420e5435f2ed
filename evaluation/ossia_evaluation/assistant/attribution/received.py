"""What a role of the assistant was given: the other roles' answers, as they were passed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.contract import Frame
from ossia_evaluation.attribution.received import Received, without_echo
from ossia_evaluation.attribution.recording import RecordedStep
from ossia_servers.wire.names import MANAGER
from ossia_workflows import json_objects, text_slots
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS


@dataclass(frozen=True, slots=True)
class Heard(Received):
    """The input of one model call of the assistant's team."""

    @property
    def frame(self) -> Frame | None:
        """The intent role's answer as it was passed on; None where there is none to be read."""
        given = self.conversation.results.intent
        if given is None:
            return None
        slots = text_slots(given.get("slots"))
        return Frame(str(given.get("domain") or ""), str(given.get("intent") or ""), slots)

    @property
    def times(self) -> dict[str, str] | None:
        """The time role's answer as it was passed on."""
        given = self.conversation.results.time_slots
        return None if given is None else text_slots(given)

    @property
    def places(self) -> dict[str, str] | None:
        """The location role's answer as it was passed on."""
        given = self.conversation.results.place_slots
        return None if given is None else text_slots(given)

    @property
    def url(self) -> str | None:
        """The url role's answer as it was passed on."""
        return self.conversation.results.url

    def _relevant(self) -> object:
        if self.role == MANAGER:
            # Not by `super()`, which a dataclass with slots does not have.
            return Received._relevant(self)
        results = self.conversation.results
        if self.role == "intent":
            return self.conversation.utterance
        frame = self.frame
        if self.role in ("time", "location"):
            names = TIME_SLOTS if self.role == "time" else PLACE_SLOTS
            return None if frame is None else _only(frame.slots, names)
        if self.role == "url":
            spoken = None if frame is None else [frame.domain, frame.intent, dict(frame.slots)]
            return [spoken, self.times, self.places]
        if self.role == "request":
            # The order of parameters and keys means nothing.
            return [None if self.url is None else _unordered(self.url), self._tool_values]
        chat = None if frame is None else [frame.domain, frame.intent]
        return chat if results.answer is None else without_echo(results.answer)

    @property
    def _tool_values(self) -> list[object]:
        return [next(iter(json_objects(text)), text) for text in self.tool_answers]


def heard_in(step: RecordedStep) -> tuple[Heard, ...]:
    """Return the inputs of a step's calls."""
    return tuple(each for each in step.received if isinstance(each, Heard))


def supported(task: WorldTask) -> bool:
    """Say whether a task has one frame, so that each role's contract has one oracle."""
    return not task.gold.parts and len(task.gold.gold_requests()) <= 1


def _unordered(url: str) -> object:
    """An address up to the order of its parameters; any other byte of it may matter."""
    path, mark, query = url.partition("?")
    return [path, mark, sorted(query.split("&"))]


def _only(slots: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in slots.items() if name in names}
