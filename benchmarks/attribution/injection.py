"""Faults put into episodes at the gateway, to test the attributor.

The frameworks, the servers and the attributor see ordinary bytes: the offline model answers, and
what one of its roles says is replaced before the framework's envelope is put around it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmarks.attribution.repeated_faults import WrongOutput, repeated
from ossia_dataset.randomness import seeded_random
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution import Turns
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.faults import FaultMaker, FaultType, Scene, fault_types
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation

FINISH = "finish"
_CLAIMS = (FaultType.REQUEST_NO_CALL,)


@dataclass(frozen=True, order=True)
class InjectedFault:
    """One fault to be put into an episode.

    Attributes:
        role: who errs.
        type: how.
        at: for the manager, how many roles have worked by then; else 0, the role's first turn.
        seed: decides between the outputs that the fault can make.
    """

    role: str
    type: FaultType
    at: int = 0
    seed: int = 0


def drawn(fault: InjectedFault, options: Sequence[str]) -> str:
    """Return the one of some wrong outputs that a fault is.

    Args:
        fault: the fault.
        options: what its type can make, one at least.
    """
    parts = (fault.role, fault.type.value, fault.at, fault.seed)
    return seeded_random("plant", *parts).choice(options)


@dataclass(frozen=True, slots=True)
class Applied:
    """A fault that was put in: the moment, and the output before and after."""

    situation: str
    wrong: WrongOutput


@dataclass
class Unchanged:
    """Lets every role do what it would do.

    Attributes:
        received: what the role that is asked was given.
    """

    received: Heard | None = field(default=None, init=False)

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return a member's work as it is; see `ResponseHook.perform`."""
        return right

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Return the manager's choice as it is; see `ResponseHook.choose`."""
        return right


@dataclass
class Survey(Unchanged):
    """Notes which faults an episode offers a place for, and changes nothing."""

    fault_maker: FaultMaker
    places: dict[tuple[str, int], tuple[FaultType, ...]] = field(default_factory=dict)

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Note what a member could get wrong; see `ResponseHook.perform`."""
        output = _output(right)
        if output is not None and self.received is not None:
            scene = scene_of(self.received)
            possible = self.fault_maker.possible(conversation.role, output, scene)
            self.places.setdefault((conversation.role, 0), possible)
        return right

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Note what the manager could get wrong; see `ResponseHook.choose`."""
        scene = Scene(conversation.utterance, intent, done=tuple(done))
        possible = tuple(
            fault
            for fault in fault_types("manager")
            if _offered(self.fault_maker.options(fault, right, scene), offered)
        )
        self.places.setdefault(("manager", len(done)), possible)
        return right


@dataclass
class FaultInjector(Unchanged):
    """Replaces the work of roles where a fault is injected.

    Attributes:
        fault_maker: makes wrong outputs of right ones.
        faults: the faults to be put in.
        like: what faults made in another run of the episode; the same fault is put in again.
        looping: whether a manager that repeats does so from then on, to the limit.
        applied: the faults that found their place.
    """

    fault_maker: FaultMaker
    faults: Sequence[InjectedFault]
    like: Mapping[InjectedFault, WrongOutput] = field(default_factory=dict)
    looping: bool = True
    applied: dict[InjectedFault, Applied] = field(default_factory=dict)

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return a member's work, wrong where a fault is injected; see `ResponseHook.perform`."""
        received = self.received
        if received is None or not received.turn.situation.endswith("#1"):
            return right
        for fault in self.faults:
            if fault.role == conversation.role:
                wrong = self._wrong(fault, received, right, tools)
                right = right if wrong is None else wrong
        return right

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Return the manager's choice, wrong where a fault is; see `ResponseHook.choose`."""
        for fault in self.faults:
            if fault.role != "manager" or not self._comes(fault, right, done):
                continue
            known = self.like.get(fault)
            if known is None:
                scene = Scene(conversation.utterance, intent, done=tuple(done))
                options = self.fault_maker.options(fault.type, right, scene)
            else:
                # The same fault is the same choice, also where it is right by now.
                options = (known.wrong,)
            options = _offered(options, offered)
            if options:
                wrong = drawn(fault, options)
                self._note(fault, right, wrong, done)
                return None if wrong == FINISH else wrong
        return right

    def _comes(self, fault: InjectedFault, right: str, done: Sequence[str]) -> bool:
        """Whether it is the manager's moment to err."""
        if fault in self.applied:
            return self.looping and fault.type is FaultType.MANAGER_REPEAT
        known = self.like.get(fault)
        return len(done) == fault.at if known is None else known.comes(right, done)

    def _wrong(
        self, fault: InjectedFault, received: Heard, right: str | Call, tools: ToolState
    ) -> str | Call | None:
        if fault.role == "request":
            return self._request(fault, received, right, tools)
        if isinstance(right, Call):
            return None
        wrong = self._made(fault, right, received)
        if wrong is not None:
            self._note(fault, right, wrong)
        return wrong

    def _made(self, fault: InjectedFault, right: str, received: Heard) -> str | None:
        known = self.like.get(fault)
        options = self.fault_maker.options(fault.type, right, scene_of(received))
        if known is not None:
            return repeated(fault.type, known, right, options)
        return drawn(fault, options) if options else None

    def _request(
        self, fault: InjectedFault, received: Heard, right: str | Call, tools: ToolState
    ) -> str | Call | None:
        url = received.url
        if url is None or HTTP_TOOL not in tools.offered:
            return None
        wrong = self._made(fault, url, received)
        if wrong is None:
            return None
        made = len(received.tool_answers)
        if fault.type is FaultType.REQUEST_DUPLICATE_CALL:
            if made != 1:
                return None
            self._note(fault, url, f"{url}, twice")
            return Call(HTTP_TOOL, {"method": "GET", "url": url})
        if made:
            return None
        self._note(fault, url, wrong)
        if fault.type in _CLAIMS:
            return wrong
        return Call(HTTP_TOOL, {"method": "GET", "url": wrong})

    def _note(self, fault: InjectedFault, right: str, wrong: str, done: Sequence[str] = ()) -> None:
        if self.received is not None:
            situation = self.received.turn.situation
            self.applied.setdefault(
                fault, Applied(situation, WrongOutput(right, wrong, tuple(done)))
            )


class Observer(ResponseHook, Protocol):
    """A response hook that is told what the role that is asked was given."""

    received: Heard | None


@dataclass
class InjectionScript:
    """The script of an episode of the offline model with faults, or with a survey of them."""

    model: OfflineModel
    hook: Observer

    def __post_init__(self) -> None:
        """Begin the episode."""
        self._turns = Turns(MEMBERS)
        self._answers = self.model.with_hook(self.hook)

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the assistant's message for the next call."""
        self.hook.received = Heard.of(role, request, self._turns)
        return self._answers.complete(request)


def scene_of(received: Heard) -> Scene:
    """Return what a role knew, as a fault is made from it."""
    return Scene(
        received.conversation.utterance,
        received.conversation.results.intent,
        received.times,
        received.places,
        received.turn.done,
    )


def _output(right: str | Call) -> str | None:
    """What a fault is made from: an answer, or the address of a call."""
    if isinstance(right, str):
        return right
    return str(right.arguments["url"]) if right.tool == HTTP_TOOL else None


def _offered(options: Sequence[str], offered: Collection[str] | None) -> tuple[str, ...]:
    return tuple(option for option in options if offered is None or option in offered)
