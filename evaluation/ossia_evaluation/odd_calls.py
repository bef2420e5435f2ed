"""What is odd about an answer's tool calls by themselves, beside the tools that were on offer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.envelope import tools_offered
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.schemas import properties_of
from ossia_servers.wire.ways import ends_turn

__all__ = ["sign_of_arguments", "sign_of_calls"]


def sign_of_calls(message: Mapping[str, Any], asked: Conversation, *, leads: bool) -> str | None:
    """Return the fault that an answer's calls look like; None for none.

    Args:
        message: the assistant's message.
        asked: the request.
        leads: whether the team's manager was asked.
    """
    calls = [mapping(call) for call in items(message.get("tool_calls"))]
    if not calls:
        return _of_protocol(message, asked)
    seen = []
    for call in calls:
        function = mapping(call.get("function"))
        name, written = str(function.get("name", "")), function.get("arguments")
        if name not in asked.tools:
            return "unknown-role" if leads else "unknown-tool"
        given = _read(written)
        if given is None:
            return "cut" if leads else "broken-arguments"
        kind = sign_of_arguments(given, asked.tools[name])
        if kind is not None:
            return kind
        if (name, given) in seen:
            return "doubled-call"
        seen.append((name, given))
    return "call-without-id" if not all(call.get("id") for call in calls) else None


def _of_protocol(message: Mapping[str, Any], asked: Conversation) -> str | None:
    """The same for calls that are written in words."""
    if protocol_of(asked) is None:
        return None
    offered = tools_offered(asked)
    for name, given in read_calls(message):
        if ends_turn(name):
            continue
        if offered and name not in offered:
            return "unknown-tool"
        if not given:
            return "no-arguments"
    return None


def _read(written: object) -> dict[str, Any] | None:
    if isinstance(written, Mapping):
        return dict(written)
    if written in (None, ""):
        return {}
    try:
        found = json.loads(str(written))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def sign_of_arguments(given: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return the fault that arguments look like by a tool's own schema; None for none.

    Args:
        given: the arguments.
        schema: the schema of the tool's parameters.
    """
    known = properties_of(schema)
    if not known:
        return "other-arguments" if given and "properties" in schema else None
    required = {name for name in items(schema.get("required")) if isinstance(name, str)}
    missing, alien = required - {*given}, {*given} - {*known}
    if not given:
        return "no-arguments" if required else None
    if alien and len(given) == len(alien) and not any(_alike(a, m) for a in alien for m in missing):
        return "other-arguments"
    if alien:
        return "renamed-argument"
    return "missing-argument" if missing else None


def _alike(one: str, other: str) -> bool:
    """Whether a name is another with something before or after it."""
    return other in one or one in other
