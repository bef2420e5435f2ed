"""Assistant messages: making them, and reading the tools that they call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.protocols import PROTOCOLS
from ossia_servers.wire.protocols.action_lines import OWN_ACTIONS
from ossia_servers.wire.ways import takes_answer


def said(text: str) -> dict[str, Any]:
    """Return a message of words."""
    return {"role": "assistant", "content": text}


def calling(
    conversation: Conversation, calls: Sequence[Call], text: str | None = None
) -> dict[str, Any]:
    """Return a message of native tool calls; their ids follow from the request.

    Args:
        conversation: The request that is answered.
        calls: The tools to call.
        text: What is said beside the calls.
    """
    spoken = [part for message in conversation.messages for part in (message.role, message.text)]
    made = []
    for number, call in enumerate(calls):
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        parts = [conversation.role, str(number), call.tool, arguments, *spoken]
        digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        function = {"name": call.tool, "arguments": arguments}
        made.append({"id": f"call_{digest[:24]}", "type": "function", "function": function})
    return {"role": "assistant", "content": text, "tool_calls": made}


def read_calls(message: Mapping[str, Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the tools that a message calls with their arguments; unreadable ones are empty.

    Native calls and those of a text protocol are read alike; ending the work is no tool call.
    """
    found = []
    for item in items(message.get("tool_calls")):
        function = mapping(mapping(item).get("function"))
        given = read_arguments(function.get("arguments"))
        found.append((str(function.get("name", "")), dict(given)))
    content = message.get("content")
    for protocol in PROTOCOLS if isinstance(content, str) else ():
        called = protocol.read_call(str(content))
        if called is not None and called[0].lower() not in OWN_ACTIONS:
            found.append(called)
            break
    return tuple(found)


def words_in(message: Mapping[str, Any]) -> str:
    """Return what a message says: its content, or the answer that it ends the turn with by a tool.

    Args:
        message: An assistant message.

    Returns:
        The words; empty where there are none.
    """
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    for name, arguments in read_calls(message):
        told = [value for value in arguments.values() if isinstance(value, str)]
        if takes_answer(name) and len(told) == 1:
            return told[0]
    return ""
