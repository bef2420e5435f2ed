"""What a reply may say: the values and words of the user, the servers and what was changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.reply.mentions import Mention, read_mentions
from ossia_evaluation.reply.stems import FUNCTION_WORDS, alike, stem, stems, tokens
from ossia_evaluation.reply.told import ABOUT, NEARLY, Reading


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
        times=sure | {hour for hour in bare if _other_half(hour) not in sure},
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
        addresses=frozenset(_addresses(text.casefold())),
        labels=frozenset(
            (figure, label)
            for mention in read.numbers
            if (label := label_before(text, mention))
            for figure in mention.values
        ),
        hours=frozenset(_hours_and_minutes(clocks)),
        is_clock=is_clock,
    )


def _other_half(moment: str) -> str:
    """The same time in the other half of the day."""
    return f"{(int(moment[:2]) + 12) % 24:02d}{moment[2:]}"


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def unsupported_values(reading: Reading, support: Support) -> tuple[str, ...]:
    """Return the days, times and numbers that a reply names and nothing stands behind.

    Args:
        reading: the reply's own words.
        support: what the user and the servers have said.

    Returns:
        As the reply has them, in lower case; a number whose unit is wrong as well.
    """
    said = reading.mentions
    stray = [
        m
        for m in said.numbers
        if not m.pronoun
        and not _number_stands(m, support)
        and not _is_about(reading, m, support)
        and not _counts_days(reading, m, support)
        and not _is_converted(reading, m, support)
        and not _is_over_an_hour(reading, m, support)
    ]
    stray += [
        m
        for m in said.numbers
        if _has_other_unit(reading, m, support) or _has_other_label(reading, m, support)
    ]
    return (*unsupported_moments(reading, support), *_as_said(stray, reading))


def unsupported_moments(reading: Reading, support: Support) -> tuple[str, ...]:
    """Return the days and times that a reply names and nothing stands behind, in lower case.

    Args:
        reading: the reply's own words.
        support: what the user and the servers have said.
    """
    said = reading.mentions
    stray = [m for m in said.dates if not _date_stands(m, reading, support)]
    stray += [m for m in (*said.times, *said.ends) if not _time_stands(m, support)]
    known = support.times | support.hours | support.numbers
    hours = (hours for hours in reading.bare_hours if not hours & known)
    return (*_as_said(stray, reading), *(min(values) for values in hours))


def _as_said(mentions: Iterable[Mention], reading: Reading) -> tuple[str, ...]:
    return tuple(reading.lower[m.start : m.end].strip() for m in mentions)


def unknown_addresses(reading: Reading, support: Support) -> tuple[str, ...]:
    """Return the mail addresses and phone numbers that a reply names and nothing stands behind.

    Args:
        reading: the reply's own words.
        support: what the user and the servers have said.
    """
    return tuple(found for found in _addresses(reading.lower) if found not in support.addresses)


def unit_after(text: str, mention: Mention) -> str | None:
    """Return the unit that follows a number, by the name of its kind, or None.

    Args:
        text: what was said.
        mention: the number in it.
    """
    after = text.casefold()[mention.end : mention.end + 30]
    found = _UNIT_AFTER.match(after)
    return None if found is None else _UNIT_OF[found[1]]


def label_before(text: str, mention: Mention) -> str | None:
    """Return the content word right before a number, as in "level four", or None.

    Args:
        text: what was said.
        mention: the number in it.
    """
    found = _WORD_BEFORE.search(text.casefold()[: mention.start])
    return None if found is None or found[1] in FUNCTION_WORDS else found[1]


_WORD_BEFORE: Final = re.compile(r"\b([a-z]+) $")


def _date_stands(mention: Mention, reading: Reading, support: Support) -> bool:
    if mention.values & support.dates or _names_a_weekday(mention, reading, support):
        return True
    # "7.5" is a rating as well as a day.
    said = reading.lower[mention.start : mention.end].strip(" .")
    if said in ("today", "tomorrow") and _COUNTED_FROM.search(reading.lower[: mention.start]):
        return True
    if said in support.numbers:
        return True
    return said in ("today", "tonight") and not support.dates


_COUNTED_FROM: Final = re.compile(r"\b(?:days?|weeks?|months?|years?) from $")


def _is_converted(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether a figure is one of the servers in another unit, as far as two percent."""
    unit = unit_after(reading.lower, mention)
    if _CENTS.match(reading.lower[mention.end :]):
        return any(
            _is_rounded(f"{float(v) / 100:.4f}", n) for v in mention.values for n in support.numbers
        )
    if unit is None or any(unit == other for _, other in support.units):
        return False
    known = [float(figure) for figure, _ in support.units]
    return any(
        abs(float(value) - figure * factor) <= 0.02 * figure * factor
        for value in mention.values
        for figure in known
        for factor in _FACTORS
    )


def _is_over_an_hour(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether "an hour and four minutes" tells the 64 minutes of the servers."""
    found = _HOURS_AND.search(reading.lower[: mention.start])
    if found is None or unit_after(reading.lower, mention) != "minute":
        return False
    hours = 1 if found[1] in ("an", "one") else _SMALL.get(found[1]) or int(found[1])
    return any(
        value.isdigit() and str(60 * hours + int(value)) in support.numbers
        for value in mention.values
    )


_SMALL: Final = {"two": 2, "three": 3, "four": 4, "five": 5}
_HOURS_AND: Final = re.compile(r"\b(an|one|two|three|four|five|\d{1,2}) hours?(?: and)? $")


def _has_other_label(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether "level five" is told where only "level four" was spoken of."""
    label = label_before(reading.lower, mention)
    known = {figure for figure, other in support.labels if other == label}
    return bool(known) and not mention.values & (known | {"1"} if mention.pronoun else known)


def _has_other_unit(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether a figure of the servers is told in a unit that it has not."""
    unit = unit_after(reading.lower, mention)
    known = {other for figure, other in support.units if figure in mention.values}
    return unit is not None and bool(known) and unit not in known


_ADDRESS: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE: Final = re.compile(r"\(?\b(\d{3})\)?[-. ](\d{3})[-. ](\d{4})\b")


def _addresses(text: str) -> list[str]:
    return _ADDRESS.findall(text) + ["-".join(match.groups()) for match in _PHONE.finditer(text)]


_UNITS: Final = (
    "feet foot ft",
    "meter meters metre metres m",
    "mile miles mi",
    "kilometer kilometers kilometre kilometres km",
    "minute minutes min",
    "hour hours",
    "second seconds",
    "day days",
    "week weeks",
    "euro euros",
    "dollar dollars bucks",
    "pound pounds",
    "yen",
    "franc francs",
    "peso pesos",
    "rupee rupees",
    "krona kronor",
    "percent",
    "degrees",
    "celsius",
)
_UNIT_OF: Final = {word: group.split()[0] for group in _UNITS for word in group.split()}
_UNIT_AFTER: Final = re.compile(
    r" ?(?:(?:us|u\.s\.|american|canadian|australian|british|japanese|swiss|swedish|mexican"
    rf"|indian) )?({'|'.join(sorted(_UNIT_OF, key=len, reverse=True))})\b"
)
_CENTS: Final = re.compile(r" ?(?:\w+ )?(?:cents?|pence)\b")
_FACTORS: Final = (
    *(0.3048, 1 / 0.3048, 1.609, 1 / 1.609, 2.54, 1 / 2.54, 0.4536, 2.2046),
    *(60.0, 1 / 60, 7.0, 1 / 7, 24.0, 1 / 24, 1000.0, 1 / 1000),
)


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


def _names_a_weekday(mention: Mention, reading: Reading, support: Support) -> bool:
    """Whether a weekday is named as the servers name it, as in "every Monday"."""
    said = reading.lower[mention.start : mention.end]
    if "weekday" in support.words and re.search(r"\b(?:mon|tues|wednes|thurs|fri)day", said):
        return True
    if "weekend" in support.words and re.search(r"\b(?:satur|sun)day", said):
        return True
    return any(
        word in support.words
        for word in tokens(reading.lower[mention.start : mention.end])
        if word not in ("today", "tomorrow", "yesterday", "tonight")
        and not word.isdigit()
        and word.endswith("day")
    )


def _time_stands(mention: Mention, support: Support) -> bool:
    if mention.values & support.times:
        return True
    # What begins at ten and lasts thirty minutes ends at half past ten.
    lengths = [float(figure) * _MINUTES[unit] for figure, unit in support.units if unit in _MINUTES]
    ends = {(_minute(start) + length) % 1440 for start in support.times for length in lengths}
    if any(_minute(value) in ends for value in mention.values):
        return True
    # "At seven" may be told by the user as a number alone.
    return any(
        value.endswith(":00")
        and str(int(value[:2]) % 12 or 12) in support.numbers
        and not any(_other_half(other) in support.times for other in mention.values)
        for value in mention.values
    )


def _number_stands(mention: Mention, support: Support) -> bool:
    for value in mention.values:
        if value in support.numbers or value in support.words:
            return True
        if value in support.hours:
            return True
        if any(value in map(_bare, day.split("-")) for day in support.dates):
            return True
        if any(_is_rounded(value, known) for known in support.numbers):
            return True
    return False


def _is_about(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether "about two" tells a figure that rounds to two."""
    if not ABOUT.search(reading.lower[max(0, mention.start - 25) : mention.start]):
        return False
    known = {str(round(float(n))) for n in support.numbers if "." in n and _is_float(n)}
    return bool(mention.values & known)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counts_days(reading: Reading, mention: Mention, support: Support) -> bool:
    """Whether a number of days is how far a supported day is from now."""
    if unit_after(reading.lower, mention) != "day":
        return False
    away = {abs((date.fromisoformat(day) - reading.now.date()).days) for day in support.dates}
    return any(value.isdigit() and int(value) in away for value in mention.values)


_STORED_CLOCK: Final = re.compile(r"(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d(?::\d\d)?")
_MINUTES: Final = {"minute": 1, "hour": 60}


def _minute(moment: str) -> int:
    return 60 * int(moment[:2]) + int(moment[3:])


def _bare(figure: str) -> str:
    return figure.lstrip("0")


def _is_rounded(said: str, known: str) -> bool:
    try:
        value, whole = abs(Decimal(said)), abs(Decimal(known))
    except InvalidOperation:
        return False
    is_round = whole % 1 != 0 or (value % 100 == 0 and value > 0)
    return is_round and abs(value - whole) <= NEARLY * whole
