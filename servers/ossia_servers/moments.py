"""Comparing stored dates and times, kept as normal forms, with what a request asks for."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from ossia_dataset.normalise.values import (
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)


def date_fits(stored: str, wanted: DateValue) -> bool:
    """Return whether something dated `stored` is meant by `wanted`.

    A single day fits a recurrence that falls on it and a range that holds it; otherwise the two
    must be the same.

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
    if have.recurrence is not None and wanted.start is not None and wanted.end is not None:
        days = min((wanted.end - wanted.start).days, 366)
        return any(have.contains(wanted.start + timedelta(days=n)) for n in range(days + 1))
    return False


def time_fits(stored: str, wanted: TimeValue) -> bool:
    """Return whether something at the time `stored` is meant by `wanted`.

    Args:
        stored: a time in normal form, or the empty string for something untimed (never fits).
        wanted: the request's time.
    """
    if not stored:
        return False
    if stored == str(wanted):
        return True
    have = parse_time_value(stored)
    return have.start is not None and wanted.contains(have.start)


def next_day_at(now: datetime, time: TimeValue) -> date:
    """Return the day on which a clock time comes next after `now`."""
    start = time.start
    later_today = start is not None and start > now.time()
    return now.date() + timedelta(days=0 if later_today else 1)
