"""Lengths of time, and moments that lie such a length from another."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from ossia_dataset.normalise.numbers import small_number
from ossia_dataset.normalise.words import Scanner

_FEW: Final = 3
_DAY: Final = (0, 1, 0)
_DECIMAL = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})?")
# Months, days and minutes of one unit.
_UNITS: Final = {
    word: measure
    for words, measure in (
        ("minute minutes min mins", (0, 0, 1)),
        ("hour hours hr hrs h", (0, 0, 60)),
        ("day days night nights", _DAY),
        ("week weeks", (0, 7, 0)),
        ("fortnight fortnights", (0, 14, 0)),
        ("month months", (1, 0, 0)),
        ("year years", (12, 0, 0)),
    )
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time.

    Attributes:
        months: Whole months; years count twelve.
        days: Whole days; weeks count seven.
        minutes: Minutes; hours count sixty.
    """

    months: int = 0
    days: int = 0
    minutes: int = 0

    @property
    def fine(self) -> bool:
        """Whether it is said to the minute or hour, so that a clock time results."""
        return self.minutes != 0

    def after(self, moment: datetime, count: int = 1) -> datetime:
        """Move a moment by this length.

        Args:
            moment: Where to start.
            count: How many times to move; -1 moves back.

        Returns:
            The moment. In a shorter month the last day stands for a missing one.

        Raises:
            ValueError: If it lies outside the calendar.
            OverflowError: Likewise.
        """
        moved = datetime.combine(add_months(moment.date(), count * self.months), moment.time())
        return moved + timedelta(days=count * self.days, minutes=count * self.minutes)


def add_months(day: date, count: int) -> date:
    """Move a day by whole months.

    Args:
        day: The day to start from.
        count: How many months; negative moves back.

    Returns:
        The same day of that month, or the month's last day where it is shorter.

    Raises:
        ValueError: If the month lies outside the calendar.
    """
    years, month = divmod(day.month - 1 + count, 12)
    year = day.year + years
    if not date.min.year <= year <= date.max.year:
        raise ValueError(f"The year {year} is outside the calendar.")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def duration(words: Scanner) -> Duration | None:
    """Read a length of time such as ``two hours``, ``half an hour`` or ``a week and a day``.

    Args:
        words: Where to read; moves on only if a length is there.

    Returns:
        The length, or ``None``.
    """
    first = words.attempt(_one)
    if first is None:
        return None
    start = words.pos
    words.take("and")
    second = words.attempt(_one)
    # "Two hours and ten minutes" goes on with a smaller unit; "two hours, three days" does not.
    if second is None or _size(second) >= _size(first):
        words.pos = start
        return first
    return Duration(
        first.months + second.months, first.days + second.days, first.minutes + second.minutes
    )


def _size(length: Duration) -> tuple[int, int, int]:
    return (length.months, length.days, length.minutes)


def _one(words: Scanner) -> Duration | None:
    if words.take("half a", "half an", "a half", "one half", "half"):
        return _measure(words, 0.5)
    if words.take("three quarters of an", "three quarters of a"):
        return _measure(words, 0.75)
    if words.take("quarter of an", "a quarter of an", "quarter"):
        return _measure(words, 0.25)
    count = _count(words)
    if count is None:
        return None
    if words.take("and a half"):
        return _measure(words, count + 0.5)
    measured = _measure(words, count)
    if measured is not None and words.take("and a half"):
        words.pos -= 3
        unit = words.words[words.pos - 1]
        words.pos += 3
        return _scaled(unit, count + 0.5)
    return measured


def _count(words: Scanner) -> float | None:
    if words.take("a couple of", "a couple", "couple of", "couple"):
        return 2
    if words.take("a few", "few"):
        return _FEW
    if words.take("a", "an"):
        return 1
    number = small_number(words)
    if number is not None:
        return number
    digits = words.take_match(_DECIMAL)
    return float(digits[0]) if digits else None


def _measure(words: Scanner, count: float) -> Duration | None:
    unit = words.peek()
    if unit not in _UNITS:
        return None
    words.pos += 1
    return _scaled(unit, count)


def _scaled(unit: str, count: float) -> Duration | None:
    months, days, minutes = (count * part for part in _UNITS[unit])
    if months != int(months):
        return None
    if _UNITS[unit] != _DAY:
        # Half a week is three days; half a day is twelve hours.
        days = int(days)
    minutes += (days - int(days)) * 24 * 60
    scaled = Duration(int(months), int(days), round(minutes))
    return scaled if scaled != Duration() else None
