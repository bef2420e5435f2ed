"""A model that errs: each role independently, in realistic ways, and always alike."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from ossia_dataset.randomness import seeded_random
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline.faults import (
    Catalogue,
    FaultMaker,
    FaultType,
    Scene,
    fault_types,
)
from ossia_servers.assistant.offline.hook import ResponseHook
from ossia_servers.assistant.offline.tool_state import ToolState
from ossia_servers.wire.calls import HTTP_TOOL, Call
from ossia_servers.wire.conversation import Conversation

FINISH = "finish"
"""How a fault names the end of the work."""


class Noise(ResponseHook):
    """Puts faults into the roles' work with a fixed probability for each turn.

    Whether a turn errs, and how, follows from the seed, the user's sentence, the role and how
    often it has worked. How a framework phrases its requests plays no part, so every framework
    meets the same errors wherever it gets into the same situation.
    """

    def __init__(self, faults: FaultMaker, probability: float, seed: int) -> None:
        """Set up.

        Args:
            faults: Makes wrong outputs of right ones.
            probability: With which a turn errs, 0 to 1.
            seed: Another seed gives other errors.

        Raises:
            ValueError: If the probability is none.
        """
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"The noise {probability:g} is not a probability between 0 and 1.")
        self._faults = faults
        self._probability = probability
        self._seed = seed

    def perform(
        self, conversation: Conversation, right: str | Call, tools: ToolState
    ) -> str | Call:
        """Return a member's work, wrong where this turn errs; see `ResponseHook.perform`."""
        role = conversation.role
        draw = self._turn(conversation.utterance, role, _occurrence(conversation, tools))
        if draw is None:
            return right
        if role == "request":
            return self._request(conversation, right, tools, draw)
        if isinstance(right, Call):
            return right
        wrong = self._wrong(role, right, _scene(conversation), draw)
        return right if wrong is None else wrong

    def choose(
        self,
        conversation: Conversation,
        right: str,
        intent: Mapping[str, Any] | None,
        done: Sequence[str],
        offered: Collection[str] | None,
    ) -> str | None:
        """Return the manager's choice, wrong where this turn errs; see `ResponseHook.choose`."""
        draw = self._turn(conversation.utterance, "manager", str(len(done) + 1))
        if draw is None:
            return right
        scene = Scene(conversation.utterance, intent, done=tuple(done))
        wrong = self._wrong("manager", right, scene, draw, offered)
        if wrong is None:
            return right
        return None if wrong == FINISH else wrong

    def _turn(self, utterance: str, role: str, occurrence: str) -> Random | None:
        """Return what decides on the error of a turn; None for a turn that goes right."""
        draw = seeded_random("noise", self._seed, utterance, role, occurrence)
        return draw if draw.random() < self._probability else None

    def _wrong(
        self,
        role: str,
        right: str,
        scene: Scene,
        draw: Random,
        offered: Collection[str] | None = None,
    ) -> str | None:
        """Return what a fault makes of a right output; None where no fault can happen."""
        types = list(fault_types(role))
        # Shuffled whole, so that a type that cannot happen here does not change the others' turn.
        draw.shuffle(types)
        for fault in types:
            options = self._faults.options(fault, right, scene)
            if offered is not None:
                options = tuple(option for option in options if option in offered)
            if options:
                return draw.choice(options)
        return None

    def _request(
        self, conversation: Conversation, right: str | Call, tools: ToolState, draw: Random
    ) -> str | Call:
        """Err in a turn that spans several calls: the same fault is drawn at each of them."""
        url = conversation.results.url
        if url is None or HTTP_TOOL not in tools.offered:
            return right
        call = Call(HTTP_TOOL, {"method": "GET", "url": url})
        types = list(fault_types("request"))
        draw.shuffle(types)
        scene = _scene(conversation)
        for fault in types:
            wrong = self._faults.make(fault, url, scene, draw)
            if wrong is None:
                continue
            if fault is FaultType.REQUEST_DUPLICATE_CALL:
                return call if tools.calls < 2 else right
            if not isinstance(right, Call):
                return right
            if fault is FaultType.REQUEST_NO_CALL:
                return wrong
            return Call(HTTP_TOOL, {**right.arguments, "url": wrong})
        return right


def _occurrence(conversation: Conversation, tools: ToolState) -> str:
    """Return the number of the role's turn, as far as the request tells of earlier ones."""
    role, results = conversation.role, conversation.results
    # A team that works in rounds is heard in every one of them; the results are the last one's.
    single = conversation.rounds is None
    heard = sum(speech.role == role for speech in conversation.speeches) if single else 0
    known = {
        "intent": results.intent,
        "time": results.time_slots,
        "location": results.place_slots,
        "url": results.url,
        # What the tool has answered in this very turn is no earlier turn.
        "request": None if tools.calls else results.answer,
    }
    return _in_round(conversation, 1 + max(heard, known.get(role) is not None))


def _in_round(conversation: Conversation, number: int) -> str:
    """Return the number of a turn, with that of the round where a team works in rounds."""
    if conversation.rounds is None:
        return str(number)
    return f"{len(conversation.rounds)}.{number}"


def _scene(conversation: Conversation) -> Scene:
    results = conversation.results
    return Scene(
        conversation.utterance,
        results.intent,
        _texts(results.time_slots),
        _texts(results.place_slots),
        tuple(role for role in MEMBERS if role in conversation.spoke),
    )


def _texts(slots: Mapping[str, Any] | None) -> dict[str, str] | None:
    if slots is None:
        return None
    return {
        str(name): value if isinstance(value, str) else json.dumps(value)
        for name, value in slots.items()
    }


def noise_of(probability: float, seed: int) -> Noise:
    """Return what errs about the assistant's domains.

    Args:
        probability: With which a turn errs, 0 to 1.
        seed: Another seed gives other errors.

    Raises:
        ValueError: If the probability is none.
    """
    return Noise(FaultMaker(Catalogue.of(load_domains())), probability, seed)
