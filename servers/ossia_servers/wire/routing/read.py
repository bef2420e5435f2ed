"""Reading whom a manager's answer chooses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.ledgers import next_speaker
from ossia_servers.wire.names import is_finish, role_of
from ossia_servers.wire.protocols import PROTOCOLS
from ossia_servers.wire.routing.forms import Form, read_form
from ossia_servers.wire.ways import ending_tool, member_values, named_member

FINISH: Final = "finish"
"""The choice that ends the work."""

GARBAGE: Final = ""
"""A manager's choice that names no role and no end."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_LINE = re.compile(r"^\W*(?:NEXT|Next)(?:[_ ]\w+)?[ \t]*:[ \t]*(.+)$", re.MULTILINE)


def read_choice(
    message: Mapping[str, Any],
    conversation: Conversation | None = None,
    team: Sequence[str] = (),
) -> str:
    """Return the role that a manager's message chooses, `finish`, or `GARBAGE`.

    Args:
        message: The manager's answer.
        conversation: The request that it answers. Where tools choose, words without a call end
            the work, whomever they mention, and so does the answer that is asked for after it;
            without the request that cannot be known.
        team: The roles; by default those of the request.
    """
    if not team and conversation is not None:
        team = conversation.team
    for name, arguments in read_calls(message):
        role = role_of(name, team) or named_member(arguments, team)
        if role is not None:
            return role
        if is_finish(name) or ending_tool({name: {}}) or _names_end(arguments):
            return FINISH
    content = message.get("content")
    text = content.strip() if isinstance(content, str) else ""
    if any(protocol.is_end(text) for protocol in PROTOCOLS):
        return FINISH
    if text and conversation is not None and not message.get("tool_calls"):
        routing = read_form(conversation)
        by_words = routing.form is Form.TOOLS and routing.end_way is None
        if by_words or routing.form is Form.ANSWER:
            return FINISH
    words = _choosing_words(text)
    roles = {role for word in words if (role := role_of(word, team)) is not None}
    if len(roles) == 1:
        return roles.pop()
    if not roles and any(is_finish(word) for word in words):
        return FINISH
    return GARBAGE


def _names_end(arguments: Mapping[str, Any]) -> bool:
    values = member_values(arguments)
    return any(_WORD.fullmatch(value.strip()) and is_finish(value) for value in values)


def _choosing_words(text: str) -> list[str]:
    """The words of a manager's text that may name its choice."""
    for protocol in PROTOCOLS:
        called = protocol.read_call(text)
        if called is not None:
            return [called[0]]
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return []
        speaker = next_speaker(value)
        if speaker is not None:
            return [speaker or FINISH]
        strings = [item for item in value.values() if isinstance(item, str)]
        return [item for item in strings if len(item.split()) == 1]
    keyed = _LINE.findall(text)
    return _WORD.findall(keyed[-1] if keyed else text)
