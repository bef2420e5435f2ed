"""Dates of the office's tables and of its callers, in one notation."""

from __future__ import annotations

from datetime import date, datetime

from ossia_servers.worlds.schema import Refusal


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
