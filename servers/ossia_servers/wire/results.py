"""What the roles of the assistant team have found out, told by their JSON objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_servers.wire.reading import find_objects


@dataclass(frozen=True, slots=True)
class Results:
    """What the roles have found out so far; None where they have not.

    Attributes:
        intent: The intent role's object.
        time_slots: Slots of a time kind in normal form.
        place_slots: Slots of a place kind in normal form.
        url: The address to ask.
        answer: The server's answer, with `status` and `body`.
        today: What `get_date` answered.
    """

    intent: Mapping[str, Any] | None = None
    time_slots: Mapping[str, Any] | None = None
    place_slots: Mapping[str, Any] | None = None
    url: str | None = None
    answer: Mapping[str, Any] | None = None
    today: Mapping[str, Any] | None = None

    def lines(self) -> list[tuple[str, str]]:
        """Return role and JSON text of each result, to be passed on."""
        parts: list[tuple[str, Any]] = [
            ("intent", self.intent),
            ("time", {"time_slots": self.time_slots} if self.time_slots is not None else None),
            (
                "location",
                {"place_slots": self.place_slots} if self.place_slots is not None else None,
            ),
            ("url", {"url": self.url} if self.url is not None else None),
            ("request", self.answer),
        ]
        return [
            (role, json.dumps(value, ensure_ascii=False))
            for role, value in parts
            if value is not None
        ]


def result_in(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field of `Results` that a JSON object tells, with what it tells; empty for none.

    Args:
        value: The object.
    """
    if isinstance(value.get("intent"), str) and isinstance(value.get("slots"), dict):
        return {"intent": value}
    for name in ("time_slots", "place_slots"):
        if isinstance(value.get(name), dict):
            return {name: value[name]}
    if "status" in value and "body" in value:
        return {"answer": value}
    if isinstance(value.get("url"), str) and "method" not in value:
        return {"url": value["url"]}
    if isinstance(value.get("date"), str) and "weekday" in value:
        return {"today": value}
    return {}


def read_results(texts: Sequence[str]) -> Results:
    """Collect what the roles have found out from their JSON objects; the latest counts.

    Args:
        texts: Texts, in order.

    Returns:
        The results.
    """
    found: dict[str, Any] = {}
    for text in texts:
        for item in find_objects(text):
            found |= result_in(item.value)
    return Results(**found)
