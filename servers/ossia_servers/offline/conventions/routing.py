"""Managers that choose the next role: by JSON schema, from a list, in a word, or with a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ossia_servers.offline.conventions.handing import Way, ways, with_tool_answers
from ossia_servers.offline.conventions.names import by_role, handover, is_finish
from ossia_servers.offline.conversation import Conversation, Speech
from ossia_servers.offline.plan import next_role
from ossia_servers.offline.work import Call

_SELECT = re.compile(r"select the next \w+ from \[([^\]]*)\]", re.IGNORECASE)
_ONE_OF = re.compile(r"\bone of (\w+(?:, (?:or |and )?\w+)+)", re.IGNORECASE)
_FINISH = re.compile(r"\b(finish(?:ed)?|terminate|done)\b", re.IGNORECASE)
_QUOTED_FINISH = re.compile(
    r"(?:\bor|\bsay|\banswer(?: with)?|\breply(?: with)?) [`'\"]?(\w+)", re.I
)
TASK_FIELDS = frozenset(("task", "instruction", "instructions", "input", "message", "request"))
"""Fields of a routing answer that carry what the next role is to do."""


def route(conversation: Conversation, domains: Mapping[str, str]) -> str | Call:
    """Choose the next role in the form that the request asks for.

    Args:
        conversation: The manager's request.
        domains: Intent to domain.

    Returns:
        The manager's answer, or the tool that hands the work over.
    """
    handing = ways(conversation.tools)
    if handing:
        return _by_tool(conversation, domains, handing)
    choice = _choice_field(conversation.schema)
    if choice is not None and conversation.schema is not None:
        return _by_schema(conversation, domains, conversation.schema, *choice)
    offered = offered_names(conversation.said)
    if offered:
        names = by_role(offered)
        role = next_role(conversation, domains, tuple(names))
        return names[role] if role is not None else offered[0]
    role = next_role(conversation, domains, _only(by_role(_listed(conversation.said))))
    word = role if role is not None else _finish_word(conversation.prompt)
    return json.dumps({"next": word}) if conversation.json_wanted else word


def _by_tool(
    conversation: Conversation, domains: Mapping[str, str], handing: Mapping[str, Way]
) -> str | Call:
    conversation = with_tool_answers(conversation)
    role = next_role(conversation, domains)
    if role is None or role not in handing:
        return last_words(conversation.speeches)
    return handing[role].call(handover(conversation))


def last_words(speeches: Sequence[Speech]) -> str:
    """Return what a manager ends the work with: the answer as it was last told."""
    said = [speech.text for speech in speeches if speech.role == "response"]
    return said[-1] if said else "The work is finished."


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
    domains: Mapping[str, str],
    schema: Mapping[str, Any],
    name: str,
    values: Sequence[str],
) -> str:
    names = by_role(values)
    ends = [value for value in values if value not in names.values()]
    finish = next((value for value in ends if is_finish(value)), ends[-1] if ends else None)
    offered = tuple(names) if finish is None else _only(names)
    role = next_role(conversation, domains, offered)
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


def offered_names(text: str) -> list[str]:
    """Return the names of a "select the next role from [...]" prompt; empty without one."""
    found = _SELECT.findall(text)
    return re.findall(r"\w+", found[-1]) if found else []


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
