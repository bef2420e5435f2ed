"""The line of a TOML text on which something stands."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["line_of"]

_MOST_READINGS: Final = 300


def line_of(text: str, place: Sequence[int | str]) -> int | None:
    """Return the line on which a value, or the table that it is in, begins.

    The standard library's parser tells no lines. So it reads beginnings of the text: the value
    stands where the first of them ends that has it.

    Args:
        text: TOML.
        place: The keys that lead to the value. What is not there stands where it is missing.

    Returns:
        The line, from 1; None where it takes too many readings to find it.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    place = place[: _depth(tomllib.loads(text), place)]
    if not place:
        return 1
    readings = 0
    least, most = 1, len(lines)
    while least < most:
        middle = end = (least + most) // 2
        # A beginning that ends within a value is no TOML: it goes on to that value's end.
        while (begun := _read("\n".join(lines[:end]))) is None:
            end += 1
            readings += 1
            if readings > _MOST_READINGS:
                return None
        if _depth(begun, place) == len(place):
            most = middle
        else:
            least = end + 1
    return least


def _read(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _depth(value: Any, place: Sequence[int | str]) -> int:
    """How many of the keys are there."""
    for number, key in enumerate(place):
        if isinstance(value, list):
            there = isinstance(key, int) and key < len(value)
        else:
            there = isinstance(value, dict) and key in value
        if not there:
            return number
        value = value[key]
    return len(place)
