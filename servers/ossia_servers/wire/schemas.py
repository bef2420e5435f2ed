"""JSON schemas of structured output and of tools: what may be chosen, and what fills the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ossia_servers.wire.messages import items, mapping

TASK_FIELDS = frozenset(("task", "instruction", "instructions", "input", "message", "request"))
"""Fields of a routing answer that carry what the next role is to do."""

_DEEPEST = 6


def properties_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of an object's schema, by name.

    Args:
        schema: The schema; it may be a reference into itself.
    """
    found = mapping(_resolved(schema, schema).get("properties"))
    return {str(name): field for name, field in found.items()}


def offered_values(field: object, root: Mapping[str, Any]) -> list[str]:
    """Return the texts that a property lets choose from; empty where it takes any.

    Args:
        field: The property's schema: an enumeration, a constant, a reference, or one of several.
        root: The schema that holds it, for references.
    """
    return list(_values(field, root, _DEEPEST))


def filler(field: object, text: str, root: Mapping[str, Any]) -> Any:
    """Return a value for a property that is not the choice.

    Args:
        field: The property's schema.
        text: What is said where it takes a text.
        root: The schema that holds it, for references.
    """
    described = _resolved(field, root)
    values = offered_values(described, root)
    if values:
        return values[0]
    kind = described.get("type")
    by_kind: dict[object, Any] = {
        "boolean": False,
        "integer": 0,
        "number": 0,
        "array": [],
        "object": {},
        "null": None,
    }
    return by_kind.get(kind if isinstance(kind, str) else None, text)


def _values(field: object, root: Mapping[str, Any], depth: int) -> Iterator[str]:
    described = _resolved(field, root)
    for value in (*items(described.get("enum")), described.get("const")):
        if isinstance(value, str):
            yield value
    if depth > 0:
        for name in ("anyOf", "oneOf", "allOf"):
            for part in items(described.get(name)):
                yield from _values(part, root, depth - 1)


def _resolved(field: object, root: Mapping[str, Any]) -> Mapping[str, Any]:
    described = mapping(field)
    for _ in range(_DEEPEST):
        reference = described.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        target: object = root
        for part in reference[2:].split("/"):
            target = mapping(target).get(part)
        described = mapping(target)
    return described
