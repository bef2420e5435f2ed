"""Managers that choose the next role: by JSON schema, from a list, in a word, or with a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ossia_servers.offline.plan import Manager
from ossia_servers.wire.calls import Call
from ossia_servers.wire.choices import TASK_FIELDS, last_words, offered_names
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.handing import Way, ways, with_tool_answers
from ossia_servers.wire.names import by_role, handover, is_finish

_ONE_OF = re.compile(r"\bone of (\w+(?:, (?:or |and )?\w+)+)", re.IGNORECASE)
_FINISH = re.compile(r"\b(finish(?:ed)?|terminate|done)\b", re.IGNORECASE)
_QUOTED_FINISH = re.compile(
    r"(?:\bor|\bsay|\banswer(?: with)?|\breply(?: with)?) [`'\"]?(\w+)", re.I
)


def route(conversation: Conversation, manager: Manager) -> str | Call:
    """Choose the next role in the form that the request asks for.

    Args:
        conversation: The manager's request.
        manager: Decides which role works next.

    Returns:
        The manager's answer, or the tool that hands the work over.
    """
    handing = ways(conversation.tools)
    if handing:
        return _by_tool(conversation, manager, handing)
    choice = _choice_field(conversation.schema)
    if choice is not None and conversation.schema is not None:
        return _by_schema(conversation, manager, conversation.schema, *choice)
    offered = offered_names(conversation.said)
    if offered:
        names = by_role(offered)
        role = manager.next_role(conversation, tuple(names))
        return names[role] if role is not None else offered[0]
    role = manager.next_role(conversation, _only(by_role(_listed(conversation.said))))
    word = role if role is not None else _finish_word(conversation.prompt)
    return json.dumps({"next": word}) if conversation.json_wanted else word


def _by_tool(
    conversation: Conversation, manager: Manager, handing: Mapping[str, Way]
) -> str | Call:
    conversation = with_tool_answers(conversation)
    role = manager.next_role(conversation)
    if role is None or role not in handing:
        return last_words(conversation.speeches)
    return handing[role].call(handover(conversation))


def _enumeration(field: object) -> list[str]:
    if not isinstance(field, Mapping):
        return []
    values = field.get("enum")
    return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []


def _choice_field(schema: Mapping[str, Any] | None) -> tuple[str, list[str]] | None:
    """Find the property of a schema that names a role, and the names to choose from."""
    properties = schema.get("properties") if schema is not None else None
    if not isinstance(properties, Mapping):
        return None
    for name, field in properties.items():
        values = _enumeration(field)
        if by_role(values):
            return str(name), values
    return None


def _by_schema(
    conversation: Conversation,
    manager: Manager,
    schema: Mapping[str, Any],
    name: str,
    values: Sequence[str],
) -> str:
    names = by_role(values)
    ends = [value for value in values if value not in names.values()]
    finish = next((value for value in ends if is_finish(value)), ends[-1] if ends else None)
    offered = tuple(names) if finish is None else _only(names)
    role = manager.next_role(conversation, offered)
    chosen = names.get(role) if role is not None else finish
    answer: dict[str, Any] = {}
    for field, description in schema["properties"].items():
        if field == name:
            answer[field] = chosen if chosen is not None else values[0]
        else:
            answer[str(field)] = _filler(str(field), description, conversation)
    return json.dumps(answer, ensure_ascii=False)


def _filler(name: str, description: object, conversation: Conversation) -> Any:
    kind = description.get("type") if isinstance(description, Mapping) else None
    if kind == "string":
        if name in TASK_FIELDS:
            return handover(conversation)
        return "It is the next step of the work."
    by_kind: dict[object, Any] = {
        "boolean": False,
        "integer": 0,
        "number": 0,
        "array": [],
        "object": {},
    }
    return by_kind.get(kind if isinstance(kind, str) else None)


def _listed(text: str) -> list[str]:
    """Return the names of a "one of a, b, c" question; empty without one."""
    found = _ONE_OF.findall(text)
    return [name.split()[-1] for name in found[-1].split(", ")] if found else []


def _only(names: Collection[str]) -> tuple[str, ...] | None:
    """Return the roles of a team that has none to begin the assistant's work, or None.

    Such a team is not the one that this model knows. What it can do there is to choose among the
    few roles it recognises, so that the user is told at least that nothing was done.
    """
    return tuple(names) if names and "intent" not in names else None


def _finish_word(prompt: str) -> str:
    """Return the word by which the manager ends the work, as the prompt spells it."""
    for word in _QUOTED_FINISH.findall(prompt):
        if is_finish(word):
            return str(word)
    found = _FINISH.search(prompt)
    return found.group(1) if found else "finish"
