"""From a marked-up utterance to the tasks that it could be: frame, clock, home and start state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ossia.assistant.training_set.beginnings import beginnings
from ossia_dataset.assistant.auto_slurp.asking import asks_back
from ossia_dataset.assistant.auto_slurp.catalogue import CHANGING
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.normalise import (
    PLACE_SLOTS,
    TIME_SLOTS,
    normalise_place,
    normalise_time_slots,
)
from ossia_dataset.similarity import plain_text
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW
from ossia_dataset.world_tasks import CHAT_DOMAIN, Gold, GoldKind, WorldTask
from ossia_servers.assistant.offline.understanding.markup import Example, Span

HOMES: Final = (
    "New York, New York",
    "Austin, Texas",
    "Chicago, Illinois",
    "Seattle, Washington",
    "Portland, Oregon",
    "Denver, Colorado",
    "Boston, Massachusetts",
    "Atlanta, Georgia",
    "San Diego, California",
    "Toronto, Canada",
    "London, United Kingdom",
    "Dublin, Ireland",
)
"""Where the users of the training tasks live."""

FIRST_DAY: Final = datetime(2025, 1, 6)
"""The first day of the training tasks' clocks; they go on for `DAYS` days."""

DAYS: Final = 3 * 364
TRIES: Final = 3
"""With how many clocks and homes an utterance is tried before the default ones."""

ALSO_ASKED: Final = frozenset({"phone_notification"})
"""Intents that change something, but are also said to ask: "any missed calls"."""

_FIRST_MINUTE, _LAST_MINUTE, _STEP = 6 * 60 + 30, 22 * 60 + 30, 5
_BETWEEN: Final = frozenset({"and", ",", ", and", "or", "&"})


class NoFrame(ValueError):
    """An utterance has no single frame; the message says why."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where something is said."""

    now: datetime
    home: str


DEFAULT_MOMENT: Final = Moment(DEFAULT_NOW, DEFAULT_HOME)


def drafts(example: Example) -> Iterator[WorldTask]:
    """Yield the tasks that an utterance could be, the preferred one first.

    The same utterance gives the same tasks, whatever others there are. Their facts are not yet
    known, and their id is `draft`.

    Raises:
        NoFrame: the marked values are not one value for each slot.
    """
    slots = frame_slots(example.text, example.spans)
    for moment in moments(example.text):
        plain = _draft(example, slots, moment)
        yield plain
        if example.intent in ALSO_ASKED and plain.gold.kind is GoldKind.CHANGE:
            asked = plain.gold.model_copy(update={"kind": GoldKind.ANSWER})
            yield plain.model_copy(update={"gold": asked})
        if plain.gold.kind in (GoldKind.CHANGE, GoldKind.ANSWER):
            (request,) = plain.gold.gold_requests()
            for setup in beginnings(request, moment.now):
                yield plain.model_copy(update={"setup": setup})


def frame_slots(text: str, spans: Sequence[Span]) -> dict[str, str]:
    """Return the raw slots of an utterance.

    Args:
        text: the utterance.
        spans: its marked values; several of one slot have to stand beside one another, joined by
            "and", "or" or a comma, and are one value together.

    Raises:
        NoFrame: two values of one slot stand apart.
    """
    found: dict[str, tuple[int, int]] = {}
    for span in spans:
        start = span.start
        if span.slot in found:
            start, end = found[span.slot]
            if text[end : span.start].strip() not in _BETWEEN:
                raise NoFrame(f"the slot '{span.slot}' has two values that stand apart")
        found[span.slot] = start, span.end
    return {slot: text[start:end] for slot, (start, end) in found.items()}


def moments(text: str) -> Iterator[Moment]:
    """Yield when and where an utterance is said: spread by its words, then the default."""
    for attempt in range(TRIES):
        number = _number(text, attempt)
        # One in four is said on the day and in the place that tasks have by default.
        if number % 4 == 0:
            yield DEFAULT_MOMENT
            continue
        day = FIRST_DAY + timedelta(days=number // 4 % DAYS)
        steps = (_LAST_MINUTE - _FIRST_MINUTE) // _STEP
        minute = _FIRST_MINUTE + _STEP * (number // 10_000 % (steps + 1))
        home = HOMES[number // 10_000_000 % len(HOMES)]
        yield Moment(day + timedelta(minutes=minute), home)
    yield DEFAULT_MOMENT


def by_words(example: Example) -> int:
    """A number that orders utterances in a way that has nothing to do with how they are filed."""
    return _number(example.text, -1)


def _number(text: str, salt: int) -> int:
    digest = hashlib.sha256(f"{salt} {plain_text(text)}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def _draft(example: Example, slots: dict[str, str], moment: Moment) -> WorldTask:
    times = normalise_time_slots(slots, moment.now)
    gold = Gold(
        domain=example.domain,
        intent=example.intent,
        slots=slots,
        time=times,
        place={
            name: normalise_place(slots[name], moment.home) for name in PLACE_SLOTS if name in slots
        },
        kind=GoldKind.CHANGE if example.intent in CHANGING else GoldKind.ANSWER,
        dropped=tuple(name for name in slots if name in TIME_SLOTS and name not in times),
    )
    if example.domain == CHAT_DOMAIN:
        gold = gold.model_copy(update={"kind": GoldKind.CHAT})
    elif any(map(asks_back, gold.gold_requests())):
        gold = gold.model_copy(update={"kind": GoldKind.CLARIFICATION})
    return AssistantTask(
        id="draft", utterance=example.text, now=moment.now, home=moment.home, gold=gold
    )
