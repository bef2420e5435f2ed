"""The normal forms of dates and times as values.

A date is ``2026-03-14``, a range ``2026-03-16..2026-03-22`` (one end may be empty) or a recurrence
such as ``every monday``. A time is ``18:30`` or a range ``06:00..12:00`` (one end may be empty).
The parsers here are strict: they accept a normal form and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from typing import Final

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""The days of the week, in the order of ``date.weekday()``."""

RECURRENCES: Final = frozenset(
    f"every {unit}"
    for unit in ("hour", "day", "weekday", "weekend", "week", "month", "year", *WEEKDAYS)
)
"""Every recurrence that is a normal form."""

RANGE_MARK: Final = ".."

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})")


@dataclass(frozen=True, slots=True)
class DateValue:
    """A date, a range of dates or a recurrence.

    A single date has equal ends; an open range has one end that is ``None``; a recurrence has no
    ends.

    Attributes:
        start: The first day, or ``None`` where the range is open or a recurrence is meant.
        end: The last day, or ``None`` likewise.
        recurrence: One of `RECURRENCES`, or ``None``.

    Raises:
        ValueError: If the ends are in the wrong order, the recurrence is unknown, or there is
            neither an end nor a recurrence (or both).
    """

    start: date | None = None
    end: date | None = None
    recurrence: str | None = None

    def __post_init__(self) -> None:
        has_end = self.start is not None or self.end is not None
        if self.recurrence is not None:
            if has_end:
                raise ValueError(f"A recurrence such as '{self.recurrence}' has no dates.")
            if self.recurrence not in RECURRENCES:
                raise ValueError(f"'{self.recurrence}' is not a recurrence.")
        elif not has_end:
            raise ValueError("A date value needs a date or a recurrence.")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"The range {self} ends before it starts.")

    @property
    def is_range(self) -> bool:
        """Whether this is a range of dates, open or closed."""
        return self.recurrence is None and self.start != self.end

    @property
    def single(self) -> date | None:
        """The one day that is meant, or ``None`` for a range or a recurrence."""
        return self.start if self.start == self.end else None

    def contains(self, day: date) -> bool:
        """Say whether a day is meant by this value.

        Args:
            day: The day to look at. The ends of a range belong to it.

        Returns:
            True if the day is in the range, is the date, or is one the recurrence falls on
            (``every week``, ``every month``, ``every year`` and ``every hour`` name no day and so
            contain each).
        """
        if self.recurrence is not None:
            return _recurs_on(self.recurrence.removeprefix("every "), day)
        after_start = self.start is None or self.start <= day
        return after_start and (self.end is None or day <= self.end)

    def __str__(self) -> str:
        if self.recurrence is not None:
            return self.recurrence
        return _join(
            self.start.isoformat() if self.start else "", self.end.isoformat() if self.end else ""
        )


@dataclass(frozen=True, slots=True)
class TimeValue:
    """A time of the day or a range of times, in minutes.

    A single time has equal ends; an open range has one end that is ``None``. A range whose end is
    before its start runs over midnight.

    Attributes:
        start: The first minute, or ``None`` where the range is open.
        end: The last minute, or ``None`` likewise.

    Raises:
        ValueError: If there is no end at all, or a time carries seconds or a time zone.
    """

    start: time | None = None
    end: time | None = None

    def __post_init__(self) -> None:
        if self.start is None and self.end is None:
            raise ValueError("A time value needs a time.")
        for moment in (self.start, self.end):
            if moment is not None and (moment.second or moment.microsecond or moment.tzinfo):
                raise ValueError(f"The time {moment} is not one of hours and minutes alone.")

    @property
    def is_range(self) -> bool:
        """Whether this is a range of times, open or closed."""
        return self.start != self.end

    @property
    def single(self) -> time | None:
        """The one time that is meant, or ``None`` for a range."""
        return None if self.is_range else self.start

    def contains(self, moment: time) -> bool:
        """Say whether a time of the day is meant by this value.

        Args:
            moment: The time to look at. The ends of a range belong to it.

        Returns:
            True if it is the time or is in the range, which may run over midnight.
        """
        after_start = self.start is None or self.start <= moment
        before_end = self.end is None or moment <= self.end
        if self.start is not None and self.end is not None and self.end < self.start:
            return after_start or before_end
        return after_start and before_end

    def __str__(self) -> str:
        return _join(
            self.start.strftime("%H:%M") if self.start else "",
            self.end.strftime("%H:%M") if self.end else "",
        )


@lru_cache(maxsize=4096)
def parse_date_value(text: str) -> DateValue:
    """Read a date in normal form.

    Args:
        text: A date, a range or a recurrence in normal form, with nothing around it.

    Returns:
        The value; ``str()`` of it is the text again (a range of one day becomes that day).

    Raises:
        ValueError: If the text is not a normal form or names a day that does not exist.
    """
    if text in RECURRENCES:
        return DateValue(recurrence=text)
    first, mark, last = text.partition(RANGE_MARK)
    if not mark:
        day = _date(text, text)
        return DateValue(day, day)
    if not first and not last:
        raise ValueError(f"'{text}' is a range without an end.")
    return DateValue(_date(first, text) if first else None, _date(last, text) if last else None)


@lru_cache(maxsize=4096)
def parse_time_value(text: str) -> TimeValue:
    """Read a time in normal form.

    Args:
        text: A time of 24 hours or a range of times in normal form, with nothing around it.

    Returns:
        The value; ``str()`` of it is the text again (a range of one minute becomes that minute).

    Raises:
        ValueError: If the text is not a normal form or names a time that does not exist.
    """
    first, mark, last = text.partition(RANGE_MARK)
    if not mark:
        moment = _time(text, text)
        return TimeValue(moment, moment)
    if not first and not last:
        raise ValueError(f"'{text}' is a range without an end.")
    return TimeValue(_time(first, text) if first else None, _time(last, text) if last else None)


def _recurs_on(unit: str, day: date) -> bool:
    if unit in WEEKDAYS:
        return WEEKDAYS[day.weekday()] == unit
    if unit == "weekday":
        return day.weekday() < 5
    if unit == "weekend":
        return day.weekday() >= 5
    return True


def _join(first: str, last: str) -> str:
    return first if first == last else f"{first}{RANGE_MARK}{last}"


def _date(part: str, whole: str) -> date:
    match = _DATE.fullmatch(part)
    if match is None:
        raise ValueError(
            f"'{whole}' is not a date such as 2026-03-14, 2026-03-16..2026-03-22 or every monday."
        )
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise ValueError(f"'{part}' is not a day of the calendar.") from None


def _time(part: str, whole: str) -> time:
    match = _TIME.fullmatch(part)
    if match is None:
        raise ValueError(f"'{whole}' is not a time such as 18:30 or 06:00..12:00.")
    try:
        return time(int(match[1]), int(match[2]))
    except ValueError:
        raise ValueError(f"'{part}' is not a time of the day.") from None
