"""What a service answers where nobody has said what it answers: values drawn from the seed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time, timedelta
from random import Random
from typing import Final

from pydantic import JsonValue

from ossia_workflows.scenario import Kind

__all__ = ["invented_result"]

_LETTERS: Final = "ABCDEFGHKLMNPRSTUVWXYZ"


def invented_result(gives: Mapping[str, Kind], random: Random, today: date) -> dict[str, JsonValue]:
    """Draw a value for each field of a result.

    Args:
        gives: the fields with their types.
        random: decides all values.
        today: dates come after it.
    """
    return {name: _value(kind, random, today) for name, kind in gives.items()}


def _value(kind: Kind, random: Random, today: date) -> JsonValue:
    if isinstance(kind, tuple):
        return random.choice(kind)
    if kind == "boolean":
        return random.random() < 0.5
    if kind == "count":
        return random.randint(1, 60)
    if kind == "number":
        return random.randint(20, 2000) / 4
    if kind == "date":
        return (today + timedelta(days=random.randint(1, 30))).isoformat()
    if kind == "time":
        return time(random.randint(7, 21), random.randrange(0, 60, 5)).isoformat("minutes")
    if kind == "list":
        return [_reference(random) for _ in range(3)]
    return _reference(random)


def _reference(random: Random) -> str:
    return f"{''.join(random.choices(_LETTERS, k=2))}-{random.randint(1000, 9999)}"
