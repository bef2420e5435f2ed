"""The time slots of a frame in normal form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from ossia_dataset.normalise.clock import Span
from ossia_dataset.normalise.reading import Reading, read

TIME_SLOTS: Final = ("date", "time", "time2", "from_time", "to_time")
"""The slots of a time kind, in the order of their reading."""

PLACE_SLOTS: Final = ("place_name", "from_place_name", "to_place_name")
"""The slots of a place kind."""

_PAIRS: Final = (("time", "time2"), ("from_time", "to_time"))
_CLOCK = datetime(2026, 3, 13, 10, 0)


def normalise_time_slots(slots: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Bring the time slots of a frame to normal form, each in the light of the others.

    A date slot may say a time ("tomorrow morning") and a time slot a date ("in two days"); what
    one slot says fills a slot that is missing. A part of the day said in one slot decides the half
    of the day of a clock time in another.

    Args:
        slots: The raw slots, words of a user; slots of other kinds are passed over.
        now: The current time.

    Returns:
        The normal forms by slot name, without those that have none.
    """
    readings = {
        name: read(slots[name], now, "date" if name == "date" else "time")
        for name in TIME_SLOTS
        if slots.get(name)
    }
    part = next((reading.part for reading in readings.values() if reading.part), None)
    result: dict[str, str] = {}
    day = next((reading.date for reading in readings.values() if reading.date), None)
    if day is not None:
        result["date"] = str(day)
    for first, second in _PAIRS:
        result.update(_pair(first, second, readings, part))
    for name, reading in readings.items():
        if name != "date" and name not in result:
            moment = reading.time(part)
            if moment is not None:
                result[name] = str(moment)
    said_with_date = readings["date"].time() if "date" in readings else None
    if said_with_date is not None and not result.keys() & {"time", "from_time"}:
        result["time"] = str(said_with_date)
    return {name: result[name] for name in TIME_SLOTS if name in result}


def normalise_date(text: str, now: datetime) -> str | None:
    """Bring a date to normal form.

    Args:
        text: Words of a user, or a normal form.
        now: The current time.

    Returns:
        The normal form, or ``None`` if the words name no date.
    """
    day = read(text, now, "date").date
    return str(day) if day is not None else None


def normalise_time(text: str, now: datetime) -> str | None:
    """Bring a time of the day to normal form.

    Args:
        text: Words of a user, or a normal form.
        now: The current time.

    Returns:
        The normal form, or ``None`` if the words name no time of the day.
    """
    moment = read(text, now, "time").time()
    return str(moment) if moment is not None else None


def half_day_free(text: str) -> bool:
    """Say whether a clock time leaves open which half of the day it is in.

    Args:
        text: Words of a user, or a normal form.

    Returns:
        True if an hour is said without am, pm, a part of the day or a clock of 24 hours.
    """
    # The current time plays no part in how a clock time is said.
    reading = read(text, _CLOCK, "time")
    return reading.clock is not None and reading.clock.free and reading.part is None


def _pair(
    first: str, second: str, readings: Mapping[str, Reading], part: str | None
) -> dict[str, str]:
    """Place two clock times that belong together as a range is placed."""
    begin, end = readings.get(first), readings.get(second)
    if begin is None or end is None or begin.clock is None or end.clock is None or part:
        return {}
    start, stop = begin.clock.start, end.clock.end
    if begin.clock.start != begin.clock.end or end.clock.start != end.clock.end:
        return {}
    placed = Span(start, stop).at()
    if placed.start is None or placed.end is None:
        return {}
    return {first: placed.start.strftime("%H:%M"), second: placed.end.strftime("%H:%M")}
