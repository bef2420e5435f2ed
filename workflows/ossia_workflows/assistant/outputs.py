"""Reading what a role of the assistant's team answered, whatever envelope stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ossia_workflows.outputs import json_objects

ROLE_KEYS: Mapping[str, frozenset[str]] = {
    "intent": frozenset({"intent", "slots"}),
    "time": frozenset({"time_slots"}),
    "location": frozenset({"place_slots"}),
    "url": frozenset({"url"}),
    "request": frozenset({"status", "body"}),
}
"""Keys by which a role's answer is known among other JSON objects."""


def role_output(role: str, text: str) -> dict[str, Any] | None:
    """Return the JSON object by which a role answered, or None.

    The last fitting object counts: an agent that thinks aloud ends with its answer.

    Args:
        role: one of `intent`, `time`, `location`, `url`, `request`.
        text: the completion in any framework's envelope.
    """
    wanted = ROLE_KEYS[role]
    found = None
    for item in json_objects(text):
        if wanted <= item.keys():
            found = item
    return found
