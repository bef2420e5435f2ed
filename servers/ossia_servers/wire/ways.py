"""Tools by which a manager hands the work over: one for each member, or one told the member."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_servers.wire.calls import Call
from ossia_servers.wire.messages import Message
from ossia_servers.wire.names import by_role, is_finish, is_leader, role_of, words_of
from ossia_servers.wire.schemas import filler, offered_values, properties_of

_MEMBER_WORDS = frozenset(
    (
        *("member", "agent", "subagent", "coworker", "worker", "teammate"),
        *("assignee", "specialist", "role", "recipient", "speaker"),
    )
)
_LEAVING_WORDS = frozenset(("transfer", "handoff", "hand"))
_ENDING_TOOLS = frozenset(("final_answer", "finish", "finish_work", "end_work", "done"))
_HANDED = re.compile(
    r"\b(?:transferr?(?:ed|ing)|hand(?:ed|ing)(?: ?off| ?over)?|delegat(?:ed|ing)"
    r"|rout(?:ed|ing)|switch(?:ed|ing))(?: \w+){0,3}? to (?:the )?[`'\"]?(\w+)",
    re.IGNORECASE,
)
_TAKING_OVER = ("assistant", "handoff_to")
_LONGEST_ACKNOWLEDGEMENT = 200


@dataclass(frozen=True, slots=True)
class Way:
    """How a tool hands the work over to one role.

    Attributes:
        tool: The tool's name.
        schema: The schema of its parameters.
        member: The parameter that names the role; None where the tool's name does.
        name: The role as it is named there.
    """

    tool: str
    schema: Mapping[str, Any]
    member: str | None = None
    name: str = ""

    def call(self, text: str) -> Call:
        """Return the call that hands a text over."""
        given: dict[str, Any] = {}
        for field, described in properties_of(self.schema).items():
            if field == self.member:
                given[field] = self.name
            else:
                given[field] = filler(described, text, self.schema)
        return Call(self.tool, given)


def ways(tools: Mapping[str, Mapping[str, Any]], team: Sequence[str]) -> dict[str, Way]:
    """Return how each role can be handed the work by tools; empty where it cannot.

    Args:
        tools: The tools on offer, by name, with their parameters' schema.
        team: The roles.
    """
    own = by_role(tools, team)
    if own:
        return {role: Way(tool, tools[tool]) for role, tool in own.items()}
    for tool, schema in tools.items():
        member = _member_field(schema, team)
        if member is not None:
            offered = by_role(offered_values(properties_of(schema)[member], schema), team)
            names = offered or {role: role for role in team}
            return {role: Way(tool, schema, member, name) for role, name in names.items()}
    return {}


def end_way(tools: Mapping[str, Mapping[str, Any]], team: Sequence[str]) -> Way | None:
    """Return the tool by which a manager ends the work: a value of its own, or a tool for it.

    Args:
        tools: The tools on offer, by name, with their parameters' schema.
        team: The roles.

    Returns:
        The way, or None where words without a call end the work.
    """
    for tool, schema in tools.items():
        member = _member_field(schema, team)
        if member is not None:
            values = offered_values(properties_of(schema)[member], schema)
            end = next((v for v in values if is_finish(v) and role_of(v, team) is None), None)
            if end is not None:
                return Way(tool, schema, member, end)
    return ending_tool(tools)


def ending_tool(tools: Mapping[str, Mapping[str, Any]]) -> Way | None:
    """Return the tool that takes an agent's last words; None where these are said.

    Args:
        tools: The tools on offer, by name, with their parameters' schema.
    """
    name = next((tool for tool in tools if tool.lower() in _ENDING_TOOLS), None)
    return None if name is None else Way(name, tools[name])


def back_way(tools: Mapping[str, Mapping[str, Any]], team: Sequence[str]) -> Way | None:
    """Return the tool by which a member hands the talk back to the manager; None for none.

    Args:
        tools: The tools on offer, by name, with their parameters' schema.
        team: The roles.
    """
    for tool, schema in tools.items():
        if leaves(tool) and role_of(tool, team) is None and is_leader(tool):
            return Way(tool, schema)
    return None


def named_member(arguments: Mapping[str, Any], team: Sequence[str]) -> str | None:
    """Return the role that a call's arguments name as the member to work; None for none.

    Args:
        arguments: The arguments of a tool call.
        team: The roles.
    """
    told = member_values(arguments)
    meant = {role for value in told if (role := role_of(value, team)) is not None}
    return meant.pop() if len(meant) == 1 else None


def member_values(arguments: Mapping[str, Any]) -> list[str]:
    """Return what of a call's arguments may name the member to work, or the end."""
    said = {field: value for field, value in arguments.items() if isinstance(value, str)}
    told = [value for field, value in said.items() if _MEMBER_WORDS & set(words_of(field))]
    # A parameter of another name can only have been an enumeration: one word, and a role's.
    return told or [value for value in said.values() if " " not in value.strip()]


def handed_to(message: Message, team: Sequence[str]) -> str | None:
    """Return to whom a tool's answer says that the talk was handed.

    Args:
        message: Any message.
        team: The roles.

    Returns:
        The role, empty for the manager or somebody unknown; None where the message is no
        acknowledgement, such as a member's or a server's answer.
    """
    if message.role != "tool" or not _acknowledges(message, team):
        return None
    return (
        role_of(message.name, team)
        or named_member(message.arguments, team)
        or acknowledged(message.text, team)
        or ""
    )


def acknowledged(text: str, team: Sequence[str]) -> str | None:
    """Return whom a text names as the one the talk was handed to.

    Args:
        text: Such as "Transferred to intent. Adopt persona immediately." or
            `{"assistant": "intent"}`, `{"handoff_to": "intent"}`.
        team: The roles.

    Returns:
        The role, empty for the manager; None where the text acknowledges nothing.
    """
    if len(text) > _LONGEST_ACKNOWLEDGEMENT:
        return None
    named = [match[1] for match in _HANDED.finditer(text)] or _named_alone(text)
    for name in named:
        role = role_of(name, team)
        if role is not None or is_leader(name):
            return role or ""
    return None


def _acknowledges(message: Message, team: Sequence[str]) -> bool:
    if acknowledged(message.text, team) is not None:
        return True
    # A tool that leaves may also answer nothing, or one word.
    return leaves(message.name) and len(message.text.split()) <= 1 and "{" not in message.text


def _named_alone(text: str) -> list[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, dict) or len(value) != 1:
        return []
    ((field, name),) = value.items()
    return [name] if field in _TAKING_OVER and isinstance(name, str) else []


def brings_tool_answer(messages: Sequence[Message], team: Sequence[str]) -> bool:
    """Say whether a request carries a tool's answer back, so that the turn of its role goes on.

    Whoever is handed the talk begins a turn, although the handoff was a tool's call.

    Args:
        messages: The messages of the request.
        team: The roles.
    """
    last = messages[-1] if messages else None
    return last is not None and last.role == "tool" and handed_to(last, team) is None


def ends_turn(tool: str) -> bool:
    """Say whether a role ends its turn by calling a tool: it hands the talk on, or its answer."""
    return leaves(tool) or takes_answer(tool)


def takes_answer(tool: str) -> bool:
    """Say whether a role gives its answer by calling a tool, such as `final_answer`."""
    return tool.lower() in _ENDING_TOOLS


def leaves(tool: str) -> bool:
    """Say whether a tool's name means that the talk is handed to somebody else."""
    return words_of(tool)[0] in _LEAVING_WORDS if words_of(tool) else False


def _member_field(schema: Mapping[str, Any], team: Sequence[str]) -> str | None:
    fields = properties_of(schema)
    named = (name for name in fields if _names_member(name, fields[name], schema, team))
    return next(named, None)


def _names_member(name: str, field: Any, schema: Mapping[str, Any], team: Sequence[str]) -> bool:
    values = offered_values(field, schema)
    if values:
        return bool(by_role(values, team))
    kind = field.get("type") if isinstance(field, Mapping) else None
    return kind in (None, "string") and bool(_MEMBER_WORDS & set(words_of(name)))
