"""The days of holidays, by year."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from ossia_dataset.normalise.words import Scanner

DayOfYear = Callable[[int], date]


def nth_weekday(year: int, month: int, weekday: int, count: int) -> date:
    """Find such a day as the second monday of a month.

    Args:
        year: The year.
        month: The month, 1 to 12.
        weekday: The day of the week, 0 for monday.
        count: 1 for the first, 2 for the second and so on; -1 for the last.

    Returns:
        The day.

    Raises:
        ValueError: If the month has no such day.
    """
    if count > 0:
        first = date(year, month, 1)
        day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
        if day.month != month:
            raise ValueError(f"The month {year}-{month:02d} has no such day.")
        return day
    following = date(year + month // 12, month % 12 + 1, 1)
    last = following - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def easter(year: int) -> date:
    """Compute Easter Sunday of the Gregorian calendar.

    Args:
        year: The year.

    Returns:
        The day.
    """
    # The paschal moon by the golden number and the century's corrections, then the next sunday.
    golden = year % 19
    century = year // 100
    correction = century - century // 4 - (8 * century + 13) // 25
    moon = (19 * golden + correction + 15) % 30
    moon -= moon // 28 * (1 - moon // 28 * (29 // (moon + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(days=moon - weekday)


def _fixed(month: int, day: int) -> DayOfYear:
    return lambda year: date(year, month, day)


def _nth(month: int, weekday: int, count: int, offset: int = 0) -> DayOfYear:
    return lambda year: nth_weekday(year, month, weekday, count) + timedelta(days=offset)


def _easter(offset: int) -> DayOfYear:
    return lambda year: easter(year) + timedelta(days=offset)


_NAMES: Final[dict[str, DayOfYear]] = {
    "new year eve": _fixed(12, 31),
    "new year day": _fixed(1, 1),
    "new year": _fixed(1, 1),
    "martin luther king day": _nth(1, 0, 3),
    "groundhog day": _fixed(2, 2),
    "valentine day": _fixed(2, 14),
    "valentine": _fixed(2, 14),
    "president day": _nth(2, 0, 3),
    "saint patrick day": _fixed(3, 17),
    "st patrick day": _fixed(3, 17),
    "april fool day": _fixed(4, 1),
    "april fool": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "good friday": _easter(-2),
    "easter monday": _easter(1),
    "easter sunday": _easter(0),
    "easter": _easter(0),
    "cinco de mayo": _fixed(5, 5),
    "mother day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "father day": _nth(6, 6, 3),
    "juneteenth": _fixed(6, 19),
    "independence day": _fixed(7, 4),
    "labor day": _nth(9, 0, 1),
    "labour day": _nth(9, 0, 1),
    "columbus day": _nth(10, 0, 2),
    "halloween": _fixed(10, 31),
    "veteran day": _fixed(11, 11),
    "thanksgiving day": _nth(11, 3, 4),
    "thanksgiving": _nth(11, 3, 4),
    "black friday": _nth(11, 3, 4, 1),
    "cyber monday": _nth(11, 3, 4, 4),
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 25),
    "xmas eve": _fixed(12, 24),
    "xmas day": _fixed(12, 25),
    "xmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
}


def _stem(word: str) -> str:
    return word.rstrip("s")


# Longer names first, so that "new year eve" is not read as "new year".
_HOLIDAYS: Final = sorted(
    ((tuple(map(_stem, name.split())), day) for name, day in _NAMES.items()),
    key=lambda entry: -len(entry[0]),
)


def holiday(words: Scanner) -> DayOfYear | None:
    """Read the name of a holiday.

    Args:
        words: Where to read; moves on only if a name is there.

    Returns:
        What gives the day of the holiday in a year, or ``None``.
    """
    for name, day in _HOLIDAYS:
        following = words.words[words.pos : words.pos + len(name)]
        if tuple(map(_stem, following)) == name:
            words.pos += len(name)
            return day
    return None
