"""Errors that nobody injected, and changes that are none: noise and placebos."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.attribution.injection import FINISH, InjectedFault, Unchanged, scene_of
from benchmarks.attribution.repeated_faults import WrongOutput
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_servers.assistant.offline.faults import FaultMaker, FaultType, Scene, fault_types
from ossia_servers.assistant.offline.noise import Noise
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation


@dataclass(frozen=True, slots=True)
class ModelError:
    """An error of the noisy model: the moment, and the fault that it amounts to.

    Attributes:
        situation: the moment.
        fault: the same error as a fault that can be injected.
        wrong: what was said, and what should have been.
    """

    situation: str
    fault: InjectedFault
    wrong: WrongOutput


@dataclass
class NoiseErrors(Unchanged):
    """The noisy offline model's errors, noted as they are made.

    Attributes:
        fault_maker: knows what each type of fault can make.
        noise: what errs.
        errors: the errors of first turns, by moment.
        later: moments of errors in later turns of a role, which no fault can be injected into.
    """

    fault_maker: FaultMaker
    noise: Noise
    errors: dict[str, ModelError] = field(default_factory=dict)
    later: set[str] = field(default_factory=set)

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return what the noisy model says; see `ResponseHook.perform`."""
        done = self.noise.perform(conversation, right, tools)
        received = self.received
        if received is not None and done != right:
            before = received.url if received.role == "request" else right
            self._note(received, _words(before), _words(done), scene_of(received))
        return done

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Return the noisy manager's choice; see `ResponseHook.choose`."""
        choice = self.noise.choose(conversation, right, intent, done, offered)
        said = FINISH if choice is None else choice
        if self.received is not None and said != right:
            scene = Scene(conversation.utterance, intent, done=tuple(done))
            self._note(self.received, right, said, scene)
        return choice

    def _note(self, received: Heard, right: str | None, wrong: str | None, scene: Scene) -> None:
        situation, role = received.turn.situation, received.role
        routing = role == "manager"
        if right is not None and wrong is not None and (routing or situation.endswith("#1")):
            fault = self._type(role, right, wrong, scene)
            if fault is not None:
                done = scene.done if routing else ()
                error = ModelError(
                    situation,
                    InjectedFault(role, fault, len(done)),
                    WrongOutput(right, wrong, done),
                )
                self.errors.setdefault(situation, error)
                return
        self.later.add(situation)

    def _type(self, role: str, right: str, wrong: str, scene: Scene) -> FaultType | None:
        """Return a type of fault that makes this of it; the same call again is a duplicate."""
        if role == "request" and wrong == right:
            return FaultType.REQUEST_DUPLICATE_CALL
        for fault in fault_types(role):
            if wrong in self.fault_maker.options(fault, right, scene):
                return fault
        return None


@dataclass
class Placebo(Unchanged):
    """Says the same in other words, in one role's first turn: a change that is no fault.

    Attributes:
        role: whose words are changed.
        applied: the moment, once it has come.
    """

    role: str
    applied: str | None = None

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return the role's work, reworded; see `ResponseHook.perform`."""
        if self.received is None or self.received.role != self.role or isinstance(right, Call):
            return right
        if not self.received.turn.situation.endswith("#1"):
            return right
        self.applied = self.received.turn.situation
        return reworded(right)


def reworded(text: str) -> str:
    """Return the same content in other bytes: JSON in another order and layout, or a polite word.

    Args:
        text: what a role says.
    """
    try:
        value = json.loads(text)
    except ValueError:
        return f"{text.rstrip()} I hope that helps."
    return json.dumps(_turned(value), ensure_ascii=False, separators=(",", " : "))


def _turned(value: object) -> object:
    if isinstance(value, dict):
        return {name: _turned(item) for name, item in reversed(value.items())}
    return value


def _words(done: str | Call | None) -> str | None:
    if not isinstance(done, Call):
        return done
    return str(done.arguments.get("url", "")) if done.tool == HTTP_TOOL else None
