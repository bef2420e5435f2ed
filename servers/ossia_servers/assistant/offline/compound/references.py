"""Words that point to an earlier answer, and the values that they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ossia_dataset.normalise import parse_time_value, spoken_number
from ossia_servers.assistant.offline.understanding.frames import Frame

Row = Mapping[str, Any]

_POINTER = re.compile(
    r"^(?:it|that|this|them|those|there|one|"
    r"(?:the|that|this|its|his|her|their)(?: \w+){0,2}|"
    r"(?:it|that|them|this) (?:there|one)|(?:his|her|their|its) \w+)$",
    re.I,
)
_SHIFT = re.compile(
    r"\b(?P<count>a|an|one|half an|\w+(?:[ -](?:one|two|three|four|five))?) "
    r"(?P<unit>minutes?|hours?) (?P<way>before|earlier|after|later|prior)\b",
    re.I,
)
_SAME_DAY = re.compile(r"\b(?:that|the same|this|the) (?:day|date)\b", re.I)
_SAME_TIME = re.compile(
    r"\b(?:that|the same) time\b|\bwhen (?:it|that) (?:starts|begins|leaves)\b", re.I
)
_FACTS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"\baddress\b", re.I), ("address",)),
    (re.compile(r"\b(?:phone|number)\b", re.I), ("phone", "work_phone", "home_phone")),
    (re.compile(r"\b(?:email|mail)\b", re.I), ("email", "work_email")),
    (re.compile(r"\b(?:price|cost|fare)\b", re.I), ("price",)),
    (
        re.compile(r"\b(?:result|answer|total|sum|amount|value)\b", re.I),
        ("answer", "value", "price"),
    ),
    (re.compile(r"\b(?:ingredients)\b", re.I), ("ingredients",)),
    (re.compile(r"\b(?:headline|news)\b", re.I), ("headline",)),
    (re.compile(r"\b(?:birthday)\b", re.I), ("birthday",)),
    (re.compile(r"\b(?:name|title)\b", re.I), ("name", "title")),
    (re.compile(r"\b(?:time)\b", re.I), ("time", "converted")),
    (re.compile(r"\b(?:date|day)\b", re.I), ("date",)),
)
_BY_SLOT: Mapping[str, tuple[str, ...]] = {
    "place_name": ("place", "address"),
    "to_place_name": ("place", "to_place", "name"),
    "from_place_name": ("place", "from_place"),
    "business_name": ("name", "agency", "restaurant"),
    "movie_name": ("name",),
    "event_name": ("name", "title"),
    "song_name": ("title", "name"),
    "artist_name": ("artist",),
    "person": ("name", "sender", "author"),
    "to_person": ("name", "sender", "author"),
    "amount": ("value", "answer", "price"),
    "item_name": ("ingredients", "item", "name", "title"),
    "food_type": ("title", "name"),
    "email_address": ("email",),
    "date": ("date",),
    "time": ("time",),
}
_WORDS = frozenset(("content", "text"))
_ORDER: tuple[tuple[re.Pattern[str], tuple[str, ...], bool], ...] = (
    (re.compile(r"\bcheap\w*|\blowest price\b", re.I), ("price",), False),
    (re.compile(r"\b(?:priciest|most expensive)\b", re.I), ("price",), True),
    (re.compile(r"\b(?:best|highest|top|better)\b", re.I), ("rating", "price", "percent"), True),
    (re.compile(r"\b(?:nearest|closest|nearer|closer)\b", re.I), ("miles",), False),
    (re.compile(r"\b(?:quickest|fastest|shortest|quicker|faster)\b", re.I), ("minutes",), False),
    (re.compile(r"\b(?:longest|longer)\b", re.I), ("minutes",), True),
    (re.compile(r"\b(?:first|earliest|next|earlier)\b", re.I), ("date", "time"), False),
    (re.compile(r"\b(?:last|latest|final)\b", re.I), ("date", "time"), True),
)


def resolve(frame: Frame, text: str, rows: Sequence[Row], response: str) -> Frame:
    """Put the values of an earlier answer where a wish points to them.

    Args:
        frame: What the wish says.
        text: Its words.
        rows: The rows of the latest answer.
        response: The words of the latest answer.

    Returns:
        The frame with values in the place of pointers; the same where it points nowhere.
    """
    row = _chosen(text, rows)
    slots = dict(frame.slots)
    for name, value in frame.slots.items():
        if not _POINTER.match(value):
            continue
        found = _words(value, row, response) if name in _WORDS else _field(name, row)
        if found is not None:
            slots[name] = found
    _moments(slots, text, row)
    return Frame(frame.domain, frame.intent, slots)


def add_content(frame: Frame, text: str, rows: Sequence[Row], response: str, known: bool) -> Frame:
    """Give a message without words the fact that the wish speaks of.

    Args:
        frame: What the wish says.
        text: Its words.
        rows: The rows of the latest answer.
        response: The words of the latest answer.
        known: Whether the domain knows the slot `content`; otherwise it is `text`.
    """
    name = "content" if known else "text"
    said = frame.slots.get(name)
    if said is not None or not re.search(r"\b(?:the|his|her|its|their|it|that)\b", text, re.I):
        return frame
    found = _words(text, _chosen(text, rows), response)
    return (
        frame if found is None else Frame(frame.domain, frame.intent, {**frame.slots, name: found})
    )


def _chosen(text: str, rows: Sequence[Row]) -> Row:
    """Return the row that a superlative picks, or the first."""
    if not rows:
        return {}
    for pattern, names, largest in _ORDER:
        fitting = [row for row in rows if row.get(names[0]) not in (None, "")]
        if pattern.search(text) and fitting:
            return (max if largest else min)(fitting, key=partial(_rank, names))
    return rows[0]


def _rank(names: Sequence[str], row: Row) -> tuple[Any, ...]:
    """Order rows by one number, or by date and then time."""
    return tuple(row.get(name, "") for name in (names if names[0] == "date" else names[:1]))


def _field(name: str, row: Row) -> str | None:
    for column in _BY_SLOT.get(name, ()):
        if (text := _text(row.get(column))) is not None:
            return text
    return None


def _words(text: str, row: Row, response: str) -> str | None:
    for pattern, columns in _FACTS:
        if pattern.search(text):
            found = next((f for c in columns if (f := _text(row.get(c))) is not None), None)
            if found is not None:
                return found
    return response or None


def _text(value: object) -> str | None:
    if isinstance(value, list):
        return " and ".join(str(item) for item in value) or None
    if isinstance(value, bool) or value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else None


def _moments(slots: dict[str, str], text: str, row: Row) -> None:
    """Reckon "an hour before it" and "the same day" from the row's own date and time."""
    date, start = _date(row), _start(row)
    if date is not None and _SAME_DAY.search(text):
        slots["date"] = date
    shift = _SHIFT.search(text)
    if shift is not None and start is not None:
        moved = start + _delta(shift)
        slots["time"] = moved.strftime("%H:%M")
        if date is not None:
            slots["date"] = moved.date().isoformat()
        for name in ("from_time", "to_time", "descriptor"):
            slots.pop(name, None)
    elif start is not None and _SAME_TIME.search(text):
        slots["time"] = start.strftime("%H:%M")
        if date is not None:
            slots["date"] = date


def _delta(shift: re.Match[str]) -> timedelta:
    count = shift["count"].lower()
    number = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(count, spoken_number(count) or 1.0)
    minutes = number * (60 if shift["unit"].lower().startswith("hour") else 1)
    sign = -1 if shift["way"].lower() in ("before", "earlier", "prior") else 1
    return timedelta(minutes=sign * minutes)


def _date(row: Row) -> str | None:
    value = row.get("date")
    return value if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value) else None


def _start(row: Row) -> datetime | None:
    value = row.get("time")
    if not isinstance(value, str) or not value:
        return None
    clock = value.partition("..")[0]
    day = _date(row) or "2000-01-02"
    try:
        parse_time_value(clock)
        return datetime.fromisoformat(f"{day}T{clock}")
    except ValueError:
        return None
