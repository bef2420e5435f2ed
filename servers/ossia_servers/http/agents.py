"""The servers as agents are to see them: what reads apart from what changes, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ossia_servers.http.openapi import INTENTS, RESPONSES, WORLD_PARAMETER, group_schema
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.needs import needs_data

__all__ = ["WRITES", "AgentOperation", "agent_document", "agent_operations"]

WRITES: Final = "x-ossia-writes"
"""The field of an operation that tells whether it changes the world."""

_CLOCK: Final = "Tell the world's date, weekday and time, and the home location."

_CLOCK_RESPONSES: Final[dict[int | str, Any]] = {
    200: {
        "description": "The time and the place.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["now", "date", "weekday", "time", "home"],
                    "additionalProperties": {"type": "string"},
                }
            }
        },
    },
    400: RESPONSES[400],
    404: RESPONSES[404],
}


@dataclass(frozen=True)
class AgentOperation:
    """What an agent may do with a domain: all that reads, or all that changes.

    Attributes:
        name: Such as `read_alarm` or `change_alarm`.
        path: Where it is asked for.
        writes: Whether it changes the world; then it is a POST, else a GET.
        description: What it does, for a model.
        schema: The JSON Schema of its parameters, an object.
        needs: For each of its intents what it needs, as `needs_data` tells.
        responses: What it answers, by status.
    """

    name: str
    path: str
    writes: bool
    description: str
    schema: Mapping[str, Any]
    needs: Mapping[str, Any]
    responses: Mapping[int | str, Any]

    @property
    def method(self) -> str:
        """The method of HTTP."""
        return "POST" if self.writes else "GET"


def agent_operations(domains: Sequence[Domain]) -> tuple[AgentOperation, ...]:
    """Return what agents may do, in the order of the domains, the clock last."""
    found = []
    for domain in domains:
        for writes, verb, told in (
            (False, "read", "Changes nothing."),
            (True, "change", "Changes the world."),
        ):
            intents = [intent for intent in domain.intents if intent.writes == writes]
            if intents:
                found.append(
                    AgentOperation(
                        f"{verb}_{domain.name}",
                        f"/{domain.name}",
                        writes,
                        f"{domain.description} {told}",
                        group_schema(domain, intents),
                        {intent.name: needs_data(intent) for intent in intents},
                        RESPONSES,
                    )
                )
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    told = f"{_CLOCK} Changes nothing."
    clock = AgentOperation("read_clock", "/clock", False, told, nothing, {}, _CLOCK_RESPONSES)
    return (*found, clock)


def agent_document(domains: Sequence[Domain]) -> dict[str, Any]:
    """Return the OpenAPI document of what agents may do."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in agent_operations(domains):
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ossia domain servers, for agents",
            "version": "1",
            "description": "Each operation says in its name, and as x-ossia-writes, whether it"
            " changes anything; the header X-Ossia-World names the world.",
        },
        "paths": paths,
    }


def _described(operation: AgentOperation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.description,
        WRITES: operation.writes,
        INTENTS: operation.needs,
        "parameters": [WORLD_PARAMETER],
        "responses": {str(status): answer for status, answer in operation.responses.items()},
    }
    if operation.writes:
        content = {"application/json": {"schema": operation.schema}}
        return told | {"requestBody": {"required": True, "content": content}}
    required = operation.schema.get("required", ())
    told["parameters"] = [
        WORLD_PARAMETER,
        *(
            {"name": name, "in": "query", "required": name in required, "schema": schema}
            for name, schema in operation.schema["properties"].items()
        ),
    ]
    return told
