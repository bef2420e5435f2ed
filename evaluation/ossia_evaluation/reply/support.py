"""What a reply may say: the values and words of the user, the servers and what was changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.reply.mentions import Mention, read_mentions
from ossia_evaluation.reply.stems import alike, stem, stems, tokens
from ossia_evaluation.reply.told import Reading
from ossia_evaluation.reply.units import addresses_in, label_before, unit_after


@dataclass(frozen=True)
class Support:
    """Values and words that stand behind a reply.

    Attributes:
        dates: days in normal form.
        times: clock times in normal form.
        numbers: figures without sign.
        stems: stems of content words.
        words: all words, in lower case.
    """

    dates: frozenset[str]
    times: frozenset[str]
    numbers: frozenset[str]
    stems: frozenset[str]
    words: frozenset[str]
    units: frozenset[tuple[str, str]] = frozenset()
    """Figures with the unit that follows them."""
    addresses: frozenset[str] = frozenset()
    """Mail addresses and phone numbers."""
    labels: frozenset[tuple[str, str]] = frozenset()
    """Figures with the content word right before them, as in "level four"."""
    hours: frozenset[str] = frozenset()
    """Hours and minutes of the clock times that were spoken of, which may be told alone."""

    def holds_word(self, word: str) -> bool:
        """Return whether a word, or one that means the same, stands behind the reply."""
        return word in self.words or bool(alike(stem(word)) & self.stems)


NO_SUPPORT: Final = Support(*(frozenset[str](),) * 5)
"""For a reply without words of its own."""


def support_of(
    texts: Iterable[str], values: Iterable[Any], now: datetime, counts: Iterable[int] = ()
) -> Support:
    """Collect what stands behind a reply.

    Args:
        texts: what the user and the servers said.
        values: rows and facts, JSON values.
        now: the task's frozen clock.
        counts: how many rows there are, which a reply may tell as well.
    """
    spoken = [_read(text, now) for text in texts]
    stored = [_read(str(leaf), now) for value in values for leaf in leaves(value)]
    every = (*spoken, *stored)
    sure = _union(read.times for read in every)
    bare = _union(read.bare for read in every)
    # Of what is stored only plain clock times may be told by their hour alone.
    clocks = [read for read in every if read.is_clock] + spoken
    return Support(
        dates=_union(read.dates for read in every),
        times=sure | {hour for hour in bare if other_half(hour) not in sure},
        numbers=_union(read.numbers for read in every) | {str(n) for n in counts},
        stems=_union(read.stems for read in every),
        words=_union(read.words for read in every),
        units=frozenset(unit for read in every for unit in read.units),
        addresses=_union(read.addresses for read in every),
        labels=frozenset(label for read in every for label in read.labels),
        hours=_union(read.hours for read in clocks),
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """What one text holds; the fields are those of `Support`, and hours without am or pm."""

    dates: frozenset[str]
    times: frozenset[str]
    bare: frozenset[str]
    numbers: frozenset[str]
    stems: frozenset[str]
    words: frozenset[str]
    units: frozenset[tuple[str, str]]
    addresses: frozenset[str]
    labels: frozenset[tuple[str, str]]
    hours: frozenset[str]
    is_clock: bool


@lru_cache(maxsize=32768)
def _read(text: str, now: datetime) -> _Read:
    """Read one text; the servers say the same in many episodes."""
    read = read_mentions(text, now, shares=True)
    clocks = _values((*read.times, *read.ends))
    dates, times = _values(read.dates), set(clocks)
    _add_normal_forms(text, dates, times)
    is_clock = _STORED_CLOCK.fullmatch(text) is not None
    return _Read(
        dates=frozenset(dates),
        times=frozenset(times),
        bare=Reading(text, now).hours,
        numbers=frozenset(_values(read.numbers)),
        stems=stems(text),
        words=frozenset(tokens(text)),
        units=frozenset(
            (figure, unit)
            for mention in read.numbers
            if (unit := unit_after(text, mention))
            for figure in mention.values
        ),
        addresses=frozenset(addresses_in(text.casefold())),
        labels=frozenset(
            (figure, label)
            for mention in read.numbers
            if (label := label_before(text, mention))
            for figure in mention.values
        ),
        hours=frozenset(_hours_and_minutes(clocks)),
        is_clock=is_clock,
    )


def other_half(moment: str) -> str:
    """The same time in the other half of the day."""
    return f"{(int(moment[:2]) + 12) % 24:02d}{moment[2:]}"


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def leaves(value: Any) -> Iterator[str | float]:
    """Yield the texts and numbers within a JSON value."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name != "id":
                yield from leaves(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
        yield value


def _values(mentions: Iterable[Mention]) -> set[str]:
    return {value for mention in mentions for value in mention.values}


def _hours_and_minutes(times: Iterable[str]) -> set[str]:
    """The hours of both clocks and the minutes of some times."""
    found = set[str]()
    for moment in times:
        hour, minute = int(moment[:2]), int(moment[3:])
        found |= {str(hour), str(hour % 12 or 12), str(minute)}
    return found


def _add_normal_forms(text: str, dates: set[str], times: set[str]) -> None:
    try:
        day = parse_date_value(text)
        dates |= {end.isoformat() for end in (day.start, day.end) if end is not None}
    except ValueError:
        pass
    try:
        clock = parse_time_value(text)
        times |= {f"{end:%H:%M}" for end in (clock.start, clock.end) if end is not None}
    except ValueError:
        pass


_STORED_CLOCK: Final = re.compile(r"(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d(?::\d\d)?")
