"""Reading JSON objects in what a role answered, whatever envelope the framework put around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_DECODER = json.JSONDecoder()


def json_objects(text: str, depth: int = 4) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in a text, also those inside the strings of others.

    Args:
        text: any text, such as a completion.
        depth: how many levels of strings inside strings are opened.

    Yields:
        Objects in the order in which they begin; an outer one before its inner ones.
    """
    position = text.find("{")
    while position >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            position = text.find("{", position + 1)
            continue
        yield from _inside(value, depth)
        position = text.find("{", end)


def text_slots(value: object) -> dict[str, str]:
    """Return a mapping of slots with texts as values; other values are left out."""
    if not isinstance(value, Mapping):
        return {}
    return {str(k): str(v) for k, v in value.items() if isinstance(v, (str, int, float))}


def _inside(value: object, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _inside(item, depth)
    elif isinstance(value, list):
        for item in value:
            yield from _inside(item, depth)
    elif isinstance(value, str) and depth > 0 and "{" in value:
        yield from json_objects(value, depth - 1)
