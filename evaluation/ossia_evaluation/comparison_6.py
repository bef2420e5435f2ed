"""Comparisons as version 6 stored them.

All seconds were called latency, however many episodes were played at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_RENAMED: Final = {
    "latency_s": "wall_s",
    "latency_p50_s": "wall_p50_s",
    "latency_p95_s": "wall_p95_s",
}


def from_version_6(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison of version 6 in the present form, but for its version.

    Args:
        data: the comparison, as it was stored.

    Raises:
        LookupError: something is missing.
        TypeError: something is of another kind.
        AttributeError: likewise.
    """
    lines = [
        {**_named(line), "turns": [_named(turn) for turn in line.get("turns", ())]}
        for line in data["frameworks"]
    ]
    pairs = [{**pair, "costs": _named(pair.get("costs", {}))} for pair in data["pairs"]]
    return {**data, "frameworks": lines, "pairs": pairs}


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_RENAMED.get(name, name): value for name, value in values.items()}
