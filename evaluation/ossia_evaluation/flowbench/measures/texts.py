"""What the published code finds in texts by patterns, in time that grows with the text alone."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

__all__ = ["INPUT", "balanced_input", "first_action", "first_input", "loads", "rooted_input"]

INPUT: Final = "Action Input: "
_ACTION: Final = "Action: "


def first_action(text: str) -> str | None:
    r"""Return what `Action: (.*)\n` finds first; None where it finds nothing."""
    start = text.find(_ACTION)
    end = text.find("\n", start)
    return None if start < 0 or end < 0 else text[start + len(_ACTION) : end]


def first_input(text: str) -> str | None:
    """Return what `Action Input: (.*?)}` finds first, prefix left out; None for nothing."""
    for line in text.split("\n"):
        start = line.find(INPUT)
        end = line.find("}", start)
        if 0 <= start < end:
            return line[start + len(INPUT) : end + 1]
    return None


def balanced_input(text: str) -> str | None:
    """Return the first input whose braces are balanced, those in strings counted as braces."""
    return next((text[start:end] for start, end in _inputs(text)), None)


@lru_cache(maxsize=256)
def rooted_input(text: str) -> str | None:
    """Return the first such input in which each brace within stands behind `Action Input: `.

    The published pattern recurs to its own beginning, so that it finds nothing that is nested.
    """
    plain = [at for at, sign in enumerate(text) if sign == "{" and not text.endswith(INPUT, 0, at)]
    for start, end in _inputs(text):
        within = bisect_left(plain, start)
        if within == len(plain) or plain[within] >= end:
            return text[start:end]
    return None


def _inputs(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each input whose braces are balanced, by where it begins."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for at, sign in enumerate(text):
        if sign == "{":
            opened.append(at)
        elif sign == "}" and opened:
            closed[opened.pop()] = at + 1
    return ((at, closed[at]) for at in sorted(closed) if text.endswith(INPUT, 0, at))


def loads(text: object) -> Any:
    """Return the JSON value of a text as Python reads it: `NaN` is a number, the last key counts.

    Raises:
        ValueError: it is no text, no JSON, or too deeply nested.
    """
    if not isinstance(text, str):
        raise ValueError("no text")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too deeply nested") from None
