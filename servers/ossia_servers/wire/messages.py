"""The messages of a request and the tools on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`.
        name: Who speaks, where the framework says it, or the tool that answers; else empty.
        text: The words, tool calls left out.
        arguments: What the tool was called with that answers; else empty.
        calls: The tools that the message calls, with their arguments.
    """

    role: str
    name: str
    text: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object; empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> Sequence[Any]:
    """Return a JSON array; empty for anything else."""
    return value if isinstance(value, list | tuple) else ()


def arguments(given: object) -> Mapping[str, Any]:
    """Return the arguments of a tool call, which are JSON in a text; unreadable ones are empty."""
    try:
        return mapping(json.loads(given or "{}") if isinstance(given, str) else given)
    except (ValueError, RecursionError):
        return {}


def native_calls(entry: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return id, name and arguments of every tool call of a message.

    Args:
        entry: The message as it is on the wire.
    """
    made = []
    for item in items(entry.get("tool_calls")):
        call = mapping(item)
        function = mapping(call.get("function"))
        identity, name = call.get("id"), function.get("name")
        if isinstance(name, str):
            known = identity if isinstance(identity, str) else ""
            made.append((known, name, arguments(function.get("arguments"))))
    return made


def read_messages(request: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return the messages of a request; a tool's answer carries the name of the tool.

    Args:
        request: The body as received.
    """
    entries = [mapping(item) for item in items(request.get("messages"))]
    called = {call[0]: call[1:] for entry in entries for call in native_calls(entry) if call[0]}
    messages = []
    for entry in entries:
        role, name, call = entry.get("role"), entry.get("name"), entry.get("tool_call_id")
        tool, given = called.get(call, ("", {})) if isinstance(call, str) else ("", {})
        messages.append(
            Message(
                role if isinstance(role, str) else "user",
                name if isinstance(name, str) else tool,
                _text(entry.get("content")),
                given,
                tuple(made[1:] for made in native_calls(entry)),
            )
        )
    return tuple(messages)


def read_tools(request: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the tools that a request lets call, by name, with their parameters' schema.

    Args:
        request: The body as received.
    """
    if request.get("tool_choice") == "none":
        return {}
    tools = {}
    for item in items(request.get("tools")):
        function = mapping(mapping(item).get("function"))
        name = function.get("name")
        if isinstance(name, str) and name:
            tools[name] = mapping(function.get("parameters"))
    return tools


def _text(content: object) -> str:
    """Return the words of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = (mapping(part).get("text") for part in items(content))
    return "\n".join(part for part in parts if isinstance(part, str))
