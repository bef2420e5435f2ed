"""Values as a user says them, and whether an agent has said one."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Final

from pydantic import JsonValue

__all__ = ["says", "spoken"]

_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")


def spoken(value: JsonValue) -> str:
    """Return a value in a user's words; dates and times stay as ISO 8601 has them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return ", ".join(spoken(each) for each in value)
    return str(value)


def says(words: str, value: JsonValue) -> bool:
    """Whether a value stands in words: numbers by value, dates and times in usual spellings.

    Of a list one value is enough. Truth values are said in too many ways to be found.
    """
    if isinstance(value, bool) or value is None or value == "":
        return False
    if isinstance(value, int | float):
        return any(float(found.replace(",", "")) == value for found in _NUMBER.findall(words))
    if isinstance(value, list):
        return any(says(words, each) for each in value)
    said = _plain(words)
    return any(
        re.search(rf"(?<!\w){re.escape(each)}(?!\w)", said) for each in _spellings(str(value))
    )


def _spellings(value: str) -> tuple[str, ...]:
    found = [_plain(value)]
    try:
        day = date.fromisoformat(value)
        month = day.strftime("%B").casefold()
        for name in (month, month[:3]):
            found += [f"{name} {day.day}", f"{day.day} {name}", f"{day.day} of {name}"]
    except ValueError:
        pass
    try:
        hour = time.fromisoformat(value)
        twelve = f"{hour.hour % 12 or 12}:{hour.minute:02} {'am' if hour.hour < 12 else 'pm'}"
        found += [twelve, twelve.replace(" ", ""), f"{hour.hour}:{hour.minute:02}"]
    except ValueError:
        pass
    return tuple(found)


def _plain(text: str) -> str:
    """Words in lower case with single spaces; `1st` is `1`, an underscore is a space."""
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text.casefold())
    return " ".join(plain.replace("_", " ").replace("p.m.", "pm").replace("a.m.", "am").split())
