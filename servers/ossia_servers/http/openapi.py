"""The OpenAPI description of a domain's requests, derived from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.needs import needs_data, needs_of
from ossia_servers.worlds.parsing import MAX_TEXT, MAX_VERBATIM
from ossia_servers.worlds.schema import Field, Kind

_FORMS = {
    Kind.DATE: "2026-03-14, 2026-03-16..2026-03-22, or every day/weekday/monday/...",
    Kind.TIME: "18:30, or 06:00..12:00",
    Kind.NUMBER: "a number in digits or words",
}


INTENTS: Final = "x-ossia-intents"
"""The field of an operation that tells for each intent what it needs, as `needs_data` does."""

WORLD_PARAMETER: Final = {
    "name": "X-Ossia-World",
    "in": "header",
    "required": True,
    "description": "The world that the request is about.",
    "schema": {"type": "string", "minLength": 1},
}

_REFUSED = {
    "type": "object",
    "required": ["code", "msg", "data"],
    "properties": {
        "code": {"type": "string"},
        "msg": {"type": "string", "minLength": 1},
        "data": {"type": "null"},
    },
}
_SERVED = {
    "type": "object",
    "required": ["code", "msg", "data"],
    "properties": {
        "code": {"enum": ["SUCCESS", "CLARIFICATION"]},
        "msg": {"type": "string"},
        "data": {
            "type": "object",
            "required": ["response", "query", "result"],
            "properties": {
                "response": {"type": "string"},
                "query": {"type": "object"},
                "result": {},
                "clarification": {"type": "object", "required": ["question", "missing"]},
            },
        },
    },
}
RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Served, or asked back.",
        "content": {"application/json": {"schema": _SERVED}},
    },
    **{
        status: {
            "description": "Refused; nothing was changed.",
            "content": {"application/json": {"schema": _REFUSED}},
        }
        for status in (400, 404, 409, 413, 415)
    },
}
"""What a domain may answer, by status."""


def domain_paths(domains: Sequence[Domain]) -> dict[str, Any]:
    """Return the OpenAPI paths of domains, each with the operations of GET and POST."""
    return {
        f"/{domain.name}": {method: _operation(domain, method) for method in ("get", "post")}
        for domain in domains
    }


def _operation(domain: Domain, method: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "tags": [domain.name],
        "summary": domain.description,
        "operationId": f"{method}_{domain.name}_{domain.name}_{method}",
        "responses": {str(status): answer for status, answer in RESPONSES.items()},
        INTENTS: {intent.name: needs_data(intent) for intent in domain.intents},
        "parameters": [WORLD_PARAMETER],
    }
    if method == "get":
        described["parameters"] += [
            {"name": name, "in": "query", "required": name == "intent", "schema": schema}
            for name, schema in _properties(domain, domain.intents).items()
        ]
    else:
        content = {"application/json": {"schema": _body(domain)}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _body(domain: Domain) -> dict[str, Any]:
    """The body of a POST: one form, or one for each intent where they differ in more than words."""
    if all(intent.fields is None and not intent.required for intent in domain.intents):
        return group_schema(domain, domain.intents)
    return {"oneOf": [intent_schema(domain, intent) for intent in domain.intents]}


def group_schema(domain: Domain, intents: Sequence[Intent]) -> dict[str, Any]:
    """Return the JSON Schema of several intents' parameters together: one flat object.

    It demands what all of them need; what one of them needs, the description of `intent` says.

    Args:
        domain: The intents' domain.
        intents: Some of its intents, at least one.
    """
    needed = [name for name in intents[0].needed if all(name in one.needed for one in intents)]
    return _object(_properties(domain, intents), ("intent", *needed))


def intent_schema(domain: Domain, intent: Intent) -> dict[str, Any]:
    """Return the JSON Schema of an intent's parameters, `intent` itself among them."""
    fields = domain.fields if intent.fields is None else intent.fields
    named = {"intent": {"type": "string", "enum": [intent.name]}}
    properties = named | {item.name: _schema(item) for item in fields}
    for name in intent.needed:
        properties[name] = properties[name] | {"minLength": 1}
    schema = _object(properties, ("intent", *intent.needed))
    if intent.required:
        schema["allOf"] = [
            {"anyOf": [{"required": [name]} for name in group]} for group in intent.required
        ]
    return schema | {"title": intent.name, "description": _described(intent)}


def _described(intent: Intent) -> str:
    needs = needs_of(intent)
    return f"{intent.summary} ({needs})" if needs else intent.summary


def _object(properties: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _properties(domain: Domain, intents: Sequence[Intent]) -> dict[str, Any]:
    """The parameters of intents together; one that means several things may be any of them."""
    found: dict[str, list[dict[str, Any]]] = {item.name: [] for item in domain.fields}
    for intent in intents:
        for item in intent.fields or ():
            schema = _schema(item)
            if schema not in found[item.name]:
                found[item.name].append(schema)
    described = {}
    any_field = any(intent.fields is None for intent in intents)
    for item in domain.fields:
        if not (any_field or found[item.name]):
            continue
        own = found[item.name] or [_schema(item)]
        described[item.name] = own[0] if len(own) == 1 else {"anyOf": own}
    return {"intent": _intents(intents)} | described


def _intents(intents: Sequence[Intent]) -> dict[str, Any]:
    return {
        "type": "string",
        "enum": [intent.name for intent in intents],
        "description": " ".join(f"{intent.name}: {_described(intent)}" for intent in intents),
    }


def _schema(item: Field) -> dict[str, Any]:
    form = _FORMS.get(item.kind)
    verbatim = item.kind is Kind.VERBATIM
    return {
        "type": "string",
        "minLength": 0 if verbatim else 1,
        "maxLength": MAX_VERBATIM if verbatim else MAX_TEXT,
        "description": item.description + (f" ({form})" if form else ""),
        **item.schema,
    }
