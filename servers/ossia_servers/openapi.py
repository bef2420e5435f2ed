"""The OpenAPI description of a domain's requests, derived from its declaration."""

from __future__ import annotations

from typing import Any

from ossia_servers.domain import Domain, Field, Kind
from ossia_servers.params import MAX_TEXT, MAX_VERBATIM

_FORMS = {
    Kind.DATE: "2026-03-14, 2026-03-16..2026-03-22, or every day/weekday/monday/...",
    Kind.TIME: "18:30, or 06:00..12:00",
    Kind.NUMBER: "a number in digits or words",
}


def operation(domain: Domain, method: str) -> dict[str, Any]:
    """Return the OpenAPI operation fields of `method` on a domain: parameters and body."""
    world = {
        "name": "X-Ossia-World",
        "in": "header",
        "required": True,
        "description": "The world that the request is about.",
        "schema": {"type": "string", "minLength": 1},
    }
    properties = {"intent": _intents(domain)} | {item.name: _schema(item) for item in domain.fields}
    if method == "GET":
        query = [
            {"name": name, "in": "query", "required": name == "intent", "schema": schema}
            for name, schema in properties.items()
        ]
        return {"parameters": [world, *query]}
    body = {
        "type": "object",
        "properties": properties,
        "required": ["intent"],
        "additionalProperties": False,
    }
    return {
        "parameters": [world],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
    }


def _intents(domain: Domain) -> dict[str, Any]:
    return {
        "type": "string",
        "enum": [intent.name for intent in domain.intents],
        "description": " ".join(f"{intent.name}: {intent.summary}" for intent in domain.intents),
    }


def _schema(item: Field) -> dict[str, Any]:
    form = _FORMS.get(item.kind)
    verbatim = item.kind is Kind.VERBATIM
    return {
        "type": "string",
        "minLength": 0 if verbatim else 1,
        "maxLength": MAX_VERBATIM if verbatim else MAX_TEXT,
        "description": item.description + (f" ({form})" if form else ""),
    }
