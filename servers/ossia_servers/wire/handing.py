"""Managers that hand work over with tools: one for each member, or one that is told the member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import MEMBERS, Conversation, Message, Speech
from ossia_servers.wire.names import by_role, role_of, words_of

_MEMBER_WORDS = frozenset(
    (
        *("member", "agent", "subagent", "coworker", "worker", "teammate"),
        *("assignee", "specialist", "role", "recipient"),
    )
)
_LEAVING_WORDS = frozenset(("transfer", "handoff", "hand"))


@dataclass(frozen=True, slots=True)
class Way:
    """How a tool hands the work over to one role.

    Attributes:
        tool: The tool's name.
        fields: Its parameters.
        member: The parameter that names the role; None where the tool's name does.
        name: The role as it is named there.
    """

    tool: str
    fields: tuple[str, ...]
    member: str | None = None
    name: str = ""

    def call(self, text: str) -> Call:
        """Return the call that hands a text over."""
        return Call(self.tool, {f: self.name if f == self.member else text for f in self.fields})


def ways(tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Way]:
    """Return how each role can be handed the work by tools; empty where it cannot.

    Args:
        tools: The tools on offer, by name, with their parameters' schema.
    """
    own = by_role(tools)
    if own:
        return {role: Way(tool, tuple(_properties(tools[tool]))) for role, tool in own.items()}
    for tool, schema in tools.items():
        fields = _properties(schema)
        member = next((name for name in fields if _names_member(name, fields[name])), None)
        if member is not None:
            names = by_role(_enumerated(fields[member])) or {role: role for role in MEMBERS}
            return {role: Way(tool, tuple(fields), member, name) for role, name in names.items()}
    return {}


def named_member(arguments: Mapping[str, Any]) -> str | None:
    """Return the role that a call's arguments name as the member to work; None for none.

    Args:
        arguments: The arguments of a tool call.
    """
    said = {field: value for field, value in arguments.items() if isinstance(value, str)}
    told = [value for field, value in said.items() if _MEMBER_WORDS & set(words_of(field))]
    # A parameter of another name can only have been an enumeration: one word, and a role's.
    told = told or [value for value in said.values() if " " not in value.strip()]
    meant = {role for value in told if (role := role_of(value)) is not None}
    return meant.pop() if len(meant) == 1 else None


def with_tool_answers(conversation: Conversation) -> Conversation:
    """Count the answers of tools that are roles as these roles' words.

    A tool that hands the conversation over answers for nobody: the role then speaks itself.

    Args:
        conversation: The manager's request.
    """
    known = {way.tool: way.member for way in ways(conversation.tools).values()}
    answers = [
        Speech(role, message.text)
        for message in conversation.messages
        if message.role == "tool"
        and message.name in known
        and not _leaves(message.name)
        and (role := _answering(message, known[message.name])) is not None
    ]
    return replace(conversation, speeches=(*conversation.speeches, *answers))


def _answering(message: Message, member: str | None) -> str | None:
    if member is None:
        return role_of(message.name)
    value = message.arguments.get(member)
    return role_of(value) if isinstance(value, str) else None


def _leaves(tool: str) -> bool:
    return words_of(tool)[0] in _LEAVING_WORDS if words_of(tool) else False


def _names_member(name: str, field: Any) -> bool:
    values = _enumerated(field)
    if values:
        return bool(by_role(values))
    kind = field.get("type") if isinstance(field, Mapping) else None
    return kind in (None, "string") and bool(_MEMBER_WORDS & set(words_of(name)))


def _enumerated(field: Any) -> list[str]:
    values = field.get("enum") if isinstance(field, Mapping) else None
    return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return {str(name): field for name, field in found.items()} if isinstance(found, Mapping) else {}
