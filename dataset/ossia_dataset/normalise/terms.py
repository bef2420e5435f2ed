"""The terms that name days and periods, and the words they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final

from ossia_dataset.normalise.values import WEEKDAYS, DateValue

_WEEKDAY_SHORT: Final = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3,
    "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
WEEKDAY_WORDS: Final = {word: index for index, word in enumerate(WEEKDAYS)} | _WEEKDAY_SHORT
MONTH_WORDS: Final = {
    word: month
    for month, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sep sept", "october oct", "november nov",
            "december dec",
        ),
        start=1,
    )
    for word in names.split()
}  # fmt: skip
SHIFTS: Final = {
    "this": 0, "current": 0, "present": 0, "next": 1, "following": 1, "last": -1, "past": -1,
    "previous": -1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Term:
    """A day or period that was read.

    Attributes:
        value: What it means today.
        again: What it means when counted from another day, for names that come round, such as
            days of the week; ``None`` for those that do not.
        past: The nearest one before today, for the same names.
    """

    value: DateValue
    again: Callable[[date], DateValue] | None = None
    past: DateValue | None = None


def one_day(day: date) -> DateValue:
    """Return the value of a single day."""
    return DateValue(day, day)
