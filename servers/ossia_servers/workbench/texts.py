"""Searching the office's tables: patterns over text columns, and dates in one notation."""

from __future__ import annotations

import re
from datetime import date, datetime

from ossia_servers.domain import Refusal

MAX_PATTERN = 300
"""Longest search pattern."""

MAX_REPEATS = 2
"""Most repeats in a pattern: each one more multiplies the time of a search by the text's length."""

SEARCHED = 2000
"""So much of a cell is searched."""

_REPEAT = re.compile(r"[*+{]")
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?P=|\\\d")
"""A repeated group or a reference back: what can make a search take exponential time."""


def pattern(text: str, *, ignore_case: bool = True) -> re.Pattern[str]:
    """Return the regular expression that a caller searches with.

    Raises:
        Refusal: the text is no regular expression, or one that could take very long and would
            keep all other agents waiting.
    """
    involved = len(_REPEAT.findall(text)) > MAX_REPEATS or _REPEATED_GROUP.search(text)
    if len(text) > MAX_PATTERN or involved:
        raise Refusal(f"The search pattern '{text[:80]}' is too long or too involved.")
    try:
        return re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise Refusal(f"The search pattern '{text[:80]}' cannot be read: {error}.") from None


def holds(found: re.Pattern[str], value: object) -> bool:
    """Return whether a cell holds the pattern; an empty cell never does."""
    return isinstance(value, str) and found.search(value[:SEARCHED]) is not None


def moment(text: str, what: str) -> datetime:
    """Return a date, or a date and time, as a moment; a date alone is its first moment.

    Args:
        text: such as `2023-12-01` or `2023-12-01 09:30:00`.
        what: name of the parameter, for the refusal.

    Raises:
        Refusal: the text is neither, or names a time zone.
    """
    found = read_moment(text)
    if found is None:
        raise Refusal(f"The parameter '{what}' is no date or time such as 2023-12-01 09:30:00.")
    return found


def read_moment(value: object) -> datetime | None:
    """Return a cell as a moment, or None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return found if found.tzinfo is None else None


def read_day(value: object) -> date | None:
    """Return the day of a cell, or None where it is none."""
    found = read_moment(value)
    return None if found is None else found.date()
