"""Putting a given content into the envelope that a framework's request asks for.

A role's words, a tool call or the manager's choice look different in each framework: a native tool
call, a line of a text protocol, a JSON object by schema, a name from a list. The request itself
says which it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ossia_servers.wire import action_lines, workforce
from ossia_servers.wire.calls import Call
from ossia_servers.wire.choices import TASK_FIELDS, last_words, offered_names
from ossia_servers.wire.conversation import Conversation, Speech
from ossia_servers.wire.handing import named_member, ways, with_tool_answers
from ossia_servers.wire.names import by_role, handover, is_finish, role_of
from ossia_workflows import FINISH

_ACTION = re.compile(r"^\s*(?:Action:\s*)?(\w+)\[(.*)\]\s*$", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")

GARBAGE = ""
"""A manager's choice that names no role and no end."""


def present(conversation: Conversation, content: str | Sequence[Call]) -> dict[str, Any]:
    """Return an assistant message with a member role's words or tool calls.

    Args:
        conversation: the request that is answered.
        content: the words that end the turn, or the tools to be called first.
    """
    if action_lines.applies(conversation):
        if isinstance(content, str):
            return _said(_finish_line(conversation, content))
        # One action a line and one line an answer: the protocol has no second call.
        return _said(action_lines.line(content[0].tool, content[0].arguments))
    if not isinstance(content, str):
        return _calling(conversation, content)
    if workforce.is_worker_request(conversation):
        return _said(workforce.wrap(content))
    return _said(content)


def present_choice(conversation: Conversation, choice: str) -> dict[str, Any]:
    """Return an assistant message by which the manager chooses who works next.

    Args:
        conversation: the manager's request.
        choice: a role, or `finish`. Where the framework offers no end, its first name is taken.
    """
    if action_lines.applies(conversation):
        return _chosen_by_line(conversation, choice)
    handing = ways(conversation.tools)
    if handing:
        heard = with_tool_answers(conversation)
        if choice not in handing:
            return _said(last_words(heard.speeches))
        return _calling(conversation, [handing[choice].call(handover(heard))])
    by_schema = _chosen_by_schema(conversation, choice)
    if by_schema is not None:
        return _said(by_schema)
    offered = offered_names(conversation.said)
    if offered:
        return _said(by_role(offered).get(choice, offered[0]))
    return _said(json.dumps({"next": choice}) if conversation.json_wanted else choice)


def read_choice(message: Mapping[str, Any]) -> str:
    """Return the role that a manager's message chooses, `finish`, or `GARBAGE`."""
    for name, arguments in read_calls(message):
        role = role_of(name) or named_member(arguments)
        if role is not None:
            return role
        if is_finish(name):
            return FINISH
    content = message.get("content")
    text = content.strip() if isinstance(content, str) else ""
    words = _choosing_words(text)
    roles = {role for word in words if (role := role_of(word)) is not None}
    if len(roles) == 1:
        return roles.pop()
    if not roles and any(is_finish(word) for word in words):
        return FINISH
    return GARBAGE


def read_calls(message: Mapping[str, Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the tools that a message calls with their arguments; unreadable ones are empty.

    Native calls and lines of a text protocol are read alike; ending the work is no tool call.
    """
    found = []
    for item in message.get("tool_calls") or ():
        function = item.get("function") or {}
        found.append((str(function.get("name", "")), _arguments(function.get("arguments"))))
    content = message.get("content")
    match = _ACTION.match(content) if isinstance(content, str) else None
    if match is not None and match.group(1).lower() not in action_lines.OWN_ACTIONS:
        found.append((match.group(1), _arguments(match.group(2))))
    return tuple(found)


def tool_answers(conversation: Conversation) -> tuple[str, ...]:
    """Return what the tools answered that the asked role has called so far."""
    native = [message.text for message in conversation.messages if message.role == "tool"]
    if native or not action_lines.applies(conversation):
        return tuple(native)
    done = action_lines.executed(conversation)
    return tuple(one.observation for one in done if role_of(one.name) is None)


def hands_over(conversation: Conversation) -> bool:
    """Say whether the manager's choice also carries what is known to the next role."""
    if action_lines.applies(conversation) or ways(conversation.tools):
        return True
    properties = (conversation.schema or {}).get("properties")
    return isinstance(properties, Mapping) and bool(TASK_FIELDS & set(properties))


def tools_offered(conversation: Conversation) -> frozenset[str]:
    """Return the names of the tools that the asked role may call."""
    if action_lines.applies(conversation):
        names = action_lines.offered(conversation)
        return frozenset(name for name in names if name.lower() not in action_lines.OWN_ACTIONS)
    return frozenset(conversation.tools)


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _finish_line(conversation: Conversation, text: str) -> str:
    return action_lines.finish_line(action_lines.offered(conversation), text)


def _calling(conversation: Conversation, calls: Sequence[Call]) -> dict[str, Any]:
    """Return a message of native tool calls; their ids follow from the request."""
    said = [part for message in conversation.messages for part in (message.role, message.text)]
    made = []
    for number, call in enumerate(calls):
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        parts = [conversation.role, str(number), call.tool, arguments, *said]
        digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        function = {"name": call.tool, "arguments": arguments}
        made.append({"id": f"call_{digest[:24]}", "type": "function", "function": function})
    return {"role": "assistant", "content": None, "tool_calls": made}


def _chosen_by_line(conversation: Conversation, choice: str) -> dict[str, Any]:
    agents = by_role(
        name
        for name in action_lines.offered(conversation)
        if name.lower() not in action_lines.OWN_ACTIONS
    )
    done = action_lines.executed(conversation)
    speeches = [Speech(role, one.observation) for one in done if (role := role_of(one.name))]
    if choice not in agents:
        return _said(_finish_line(conversation, last_words(speeches)))
    heard = replace(conversation, speeches=tuple(speeches))
    return _said(action_lines.line(agents[choice], {"Task": handover(heard)}))


def _chosen_by_schema(conversation: Conversation, choice: str) -> str | None:
    properties = (conversation.schema or {}).get("properties")
    if not isinstance(properties, Mapping):
        return None
    answer: dict[str, Any] = {}
    found = False
    for name, field in properties.items():
        values = [v for v in _mapping(field).get("enum") or () if isinstance(v, str)]
        names = by_role(values)
        if names:
            ends = [value for value in values if is_finish(value)]
            answer[name] = names.get(choice) or (ends[0] if ends else values[0])
            found = True
        else:
            answer[name] = handover(conversation) if name in TASK_FIELDS else ""
    return json.dumps(answer, ensure_ascii=False) if found else None


def _choosing_words(text: str) -> list[str]:
    """The words of a manager's text that may name its choice."""
    match = _ACTION.match(text)
    if match is not None:
        return [match.group(1)]
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except ValueError:
            return []
        strings = [item for item in _mapping(value).values() if isinstance(item, str)]
        return [item for item in strings if len(item.split()) == 1]
    return _WORD.findall(text)


def _arguments(given: object) -> dict[str, Any]:
    if not isinstance(given, str):
        return dict(_mapping(given))
    try:
        return dict(_mapping(json.loads(given or "{}")))
    except ValueError:
        return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
