"""When dated things happen: what alarms and calendar events share.

The rows looked at have the columns `date`, `time` (normal forms, may be empty) and `skipped` (the
days, in normal form, on which a recurring thing was taken out).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta

from ossia_dataset.normalise.values import (
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)
from ossia_servers.assistant.moments import date_fits
from ossia_servers.assistant.positions import amount_after, position
from ossia_servers.worlds.lookup import meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Row
from ossia_servers.worlds.world import World

_ALL = frozenset({"all", "every", "everything"})
_NEXT = frozenset({"next", "first", "upcoming", "earliest", "soonest", "nearest"})
_LAST = frozenset({"last", "latest", "final"})
# A recurrence comes round within a week, and any of seven days may have been skipped.
_HORIZON_DAYS = 14
_LONGEST_RANGE_DAYS = 366


def stretch(first: TimeValue | None, last: TimeValue | None) -> TimeValue | None:
    """Return the time from one to another, either of which may be left out or be a range itself.

    The start alone is taken as it is: something from three o'clock on starts at three o'clock.
    """
    if first is None or last is None:
        return first if last is None else TimeValue(None, last.end or last.start)
    return TimeValue(first.start or first.end, last.end or last.start)


def time_meant(params: Params) -> TimeValue | None:
    """Return the time of a request, whichever of its parameters tell it.

    That is `time`, a stretch from `time` or `from_time` to `to_time`, or what is left of these.
    """
    at, first, last = params.time(), params.time("from_time"), params.time("to_time")
    if at is None:
        return stretch(first, last)
    if at.single is not None and first is None and last is not None and last.single is not None:
        return stretch(at, last)
    return at


def time_asked(params: Params) -> TimeValue | None:
    """Return the time that a question is about: as `time_meant`, but a start alone is open."""
    first = params.time("from_time")
    if first is not None and "time" not in params and "to_time" not in params:
        return TimeValue(first.start or first.end, None)
    return time_meant(params)


def is_all(descriptor: str | None) -> bool:
    """Return whether a descriptor means everything, such as "all" or "all of them"."""
    return descriptor is not None and bool(_ALL & set(descriptor.casefold().split()))


def happens(row: Row, wanted: DateValue) -> bool:
    """Return whether a row falls on the date that a request names, skipped days left out."""
    days = _days(row, wanted)
    if days and all(day in row["skipped"] for day in days):
        return False
    return date_fits(row["date"], wanted)


def next_start(row: Row, now: datetime) -> datetime | None:
    """Return when a row starts next, `now` included, or None where it is over or undated.

    Something without a time of its own lasts the whole day.
    """
    if not row["date"]:
        return None
    when = parse_date_value(row["date"])
    clock = _clock(row["time"])
    first, last = now.date(), now.date() + timedelta(days=_HORIZON_DAYS)
    if when.recurrence is None:
        first = max(first, when.start or first)
        last = min(when.end or last, first + timedelta(days=_HORIZON_DAYS))
    day = first
    while day <= last:
        start = datetime.combine(day, clock or time())
        over = day == now.date() and clock is not None and start < now
        if when.contains(day) and day.isoformat() not in row["skipped"] and not over:
            return start
        day += timedelta(days=1)
    return None


def upcoming(rows: Iterable[Row], now: datetime) -> list[Row]:
    """Return the rows that are not over, soonest first."""
    dated = [(start, row) for row in rows if (start := next_start(row, now)) is not None]
    return [row for _, row in sorted(dated, key=lambda pair: pair[0])]


def picked(rows: Sequence[Row], descriptor: str | None, now: datetime) -> list[Row]:
    """Return the rows that a descriptor such as "next" or "last" points at.

    A descriptor in the plural ("upcoming events") or without a position leaves all of them, those
    that are over excepted where it asks for what is to come.
    """
    if descriptor is None:
        return list(rows)
    said = meanings(descriptor)
    if (count := amount_after(descriptor, *_NEXT)) is not None:
        return upcoming(rows, now)[:count]
    number = position(descriptor)
    if number is not None and number > 1:
        return upcoming(rows, now)[number - 1 : number]
    if said & _NEXT:
        ahead = upcoming(rows, now)
        return ahead if "upcoming" in said else ahead[:1]
    if said & _LAST:
        return upcoming(rows, now)[-1:] or list(rows)[-1:]
    return list(rows)


def take_out(world: World, table: str, rows: Iterable[Row], wanted: DateValue | None) -> list[Row]:
    """Remove rows; where some days of a recurring row are meant, skip those days alone.

    Returns:
        The removed rows as they were and the skipping rows as they are now.
    """
    gone = []
    for row in rows:
        days = _days(row, wanted) if wanted is not None else []
        if days:
            skipped = sorted({*row["skipped"], *days})
            gone.append(world.change(table, row["id"], skipped=skipped))
        else:
            gone.append(world.remove(table, row["id"]))
    return gone


def _days(row: Row, wanted: DateValue) -> list[str]:
    """The days of a date or of a range with two ends on which a recurring row falls."""
    when = parse_date_value(row["date"]) if row["date"] else None
    if when is None or when.recurrence is None or wanted.start is None or wanted.end is None:
        return []
    number = min((wanted.end - wanted.start).days, _LONGEST_RANGE_DAYS) + 1
    days = (wanted.start + timedelta(days=offset) for offset in range(number))
    return [day.isoformat() for day in days if when.contains(day)]


def _clock(text: str) -> time | None:
    """The time at which something starts, or None where it has no time."""
    return parse_time_value(text).start if text else None
