"""How answers say counts, dates and times."""

from __future__ import annotations

import re
from datetime import datetime

from ossia_dataset.normalise.values import parse_date_value


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "one email", "3 emails"."""
    if number == 1:
        return f"one {noun}"
    plural = re.sub(r"(?<![aeiou])y$", "ie", noun) + "s"
    return f"{number or 'no'} {plural}"


def spoken_date(text: str, now: datetime) -> str:
    """Return a date in normal form as people say it: "tomorrow", "Tuesday, March 17"."""
    when = parse_date_value(text)
    if when.recurrence is not None:
        return when.recurrence
    if when.single is None:
        first, last = (f"{day:%B} {day.day}" if day else "" for day in (when.start, when.end))
        if first and last:
            return f"{first} to {last}"
        return f"from {first} on" if first else f"until {last}"
    day = when.single
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}.get((day - now.date()).days)
    year = f" {day.year}" if day.year != now.year else ""
    return near or f"{day:%A}, {day:%B} {day.day}{year}"


def spoken_time(text: str) -> str:
    """Return a time in normal form as people read it: "from 06:00 to 12:00"."""
    first, mark, last = text.partition("..")
    if not mark:
        return first
    if first and last:
        return f"from {first} to {last}"
    return f"after {first}" if first else f"before {last}"
