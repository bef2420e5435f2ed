"""What a reply names and nothing stands behind: days, times, numbers, units and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from ossia_evaluation.reply.mentions import Mention
from ossia_evaluation.reply.stems import tokens
from ossia_evaluation.reply.support import Support, other_half
from ossia_evaluation.reply.told import ABOUT, NEARLY, Reading
from ossia_evaluation.reply.units import addresses_in, label_before, unit_after


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
    return tuple(found for found in addresses_in(reading.lower) if found not in support.addresses)


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


_CENTS: Final = re.compile(r" ?(?:\w+ )?(?:cents?|pence)\b")


_FACTORS: Final = (
    *(0.3048, 1 / 0.3048, 1.609, 1 / 1.609, 2.54, 1 / 2.54, 0.4536, 2.2046),
    *(60.0, 1 / 60, 7.0, 1 / 7, 24.0, 1 / 24, 1000.0, 1 / 1000),
)


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
        and not any(other_half(other) in support.times for other in mention.values)
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
