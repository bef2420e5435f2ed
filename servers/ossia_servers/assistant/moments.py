"""Comparing stored dates and times, kept as normal forms, with what a request asks for."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from ossia_dataset.normalise.values import (
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)

_LONGEST_LOOK_DAYS = 366
"""How many days of a range a recurrence is looked for in; every recurrence comes within a year."""


def date_fits(stored: str, wanted: DateValue) -> bool:
    """Return whether something dated `stored` is meant by `wanted`.

    Two dates fit where they have a day in common: a day lies in a range or a recurrence falls on
    it, and something of several days is meant by each of them. Two recurrences must be the same.

    Args:
        stored: a date in normal form, or the empty string for something undated (never fits).
        wanted: the request's date.
    """
    if not stored:
        return False
    if stored == str(wanted):
        return True
    have = parse_date_value(stored)
    if have.single is not None:
        return wanted.contains(have.single)
    if wanted.single is not None:
        return have.contains(wanted.single)
    if have.recurrence is not None:
        return _recurs_within(have, wanted)
    if wanted.recurrence is not None:
        return _recurs_within(wanted, have)
    return _overlap(have, wanted)


def _recurs_within(recurrence: DateValue, days: DateValue) -> bool:
    """Return whether a recurrence falls on a day of a range with two ends."""
    if days.start is None or days.end is None:
        return False
    number = min((days.end - days.start).days, _LONGEST_LOOK_DAYS) + 1
    return any(recurrence.contains(days.start + timedelta(days=n)) for n in range(number))


def _overlap(first: DateValue, second: DateValue) -> bool:
    """Return whether two ranges of days, each perhaps without an end, have a day in common."""
    starts = [value.start for value in (first, second) if value.start is not None]
    ends = [value.end for value in (first, second) if value.end is not None]
    return not starts or not ends or max(starts) <= min(ends)


def time_fits(stored: str, wanted: TimeValue) -> bool:
    """Return whether something at the time `stored` is meant by `wanted`.

    Something that lasts from one time to another is meant by every time within, its end excepted.

    Args:
        stored: a time in normal form, or the empty string for something untimed (never fits).
        wanted: the request's time.
    """
    if not stored:
        return False
    if stored == str(wanted):
        return True
    have = parse_time_value(stored)
    if have.start is None:
        return False
    if wanted.contains(have.start):
        return True
    # What begins before the wanted time and ends after its start is going on then.
    begin = wanted.start
    return begin is not None and have.is_range and begin != have.end and have.contains(begin)


def next_day_at(now: datetime, time: TimeValue) -> date:
    """Return the day on which a clock time comes next after `now`."""
    start = time.start
    later_today = start is not None and start > now.time()
    return now.date() + timedelta(days=0 if later_today else 1)
