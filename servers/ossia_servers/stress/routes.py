"""A manager's choice, changed to another role or to one that does not exist."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from ossia_servers.stress.answers import Change, Changed, finished, text_of
from ossia_servers.stress.asked import Asked, Message
from ossia_servers.wire.duties import Duty, duty_of
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.routing import read_choice, read_form
from ossia_servers.wire.routing.forms import Routing
from ossia_servers.wire.workforce import worker_ids

_NOBODY: Final = "auditor"


def _unknown(message: Message, asked: Asked, random: Random) -> Changed | None:
    if _assigns(asked):
        return _reassigned(message, asked, random, nobody=True)
    chosen = _chosen(message, asked)
    if chosen is None:
        return None
    routing, role = chosen
    way = routing.ways.get(role)
    if way is None or way.member is not None:
        return _renamed(message, asked, routing, role, _NOBODY)
    return _renamed(message, asked, routing, role, _spelt(way.tool, role, _NOBODY))


def _wrong(message: Message, asked: Asked, random: Random) -> Changed | None:
    if _assigns(asked):
        return _reassigned(message, asked, random, nobody=False)
    chosen = _chosen(message, asked)
    if chosen is None:
        return None
    routing, role = chosen
    others = [name for name in sorted(routing.names) if name != role]
    return (
        _renamed(message, asked, routing, role, routing.names[random.choice(others)])
        if others
        else None
    )


def _assigns(asked: Asked) -> bool:
    """Whether a manager who plans ahead is to give subtasks to workers."""
    return asked.role == asked.manager != "" and duty_of(asked.conversation) is Duty.ASSIGN


def _reassigned(message: Message, asked: Asked, random: Random, *, nobody: bool) -> Changed | None:
    """Give one of the subtasks to another worker, or to one that does not exist."""
    given = mapping(read_arguments(text_of(message)))
    parts = [dict(mapping(part)) for part in items(given.get("assignments"))]
    workers = sorted({*worker_ids(asked.conversation)})
    if not parts or len(workers) < 2:
        return None
    part = random.choice(parts)
    others = [name for name in workers if name != part.get("assignee_id")]
    part["assignee_id"] = _NOBODY if nobody else random.choice(others)
    content = json.dumps({**given, "assignments": parts}, ensure_ascii=False)
    return finished({**message, "content": content})


def _chosen(message: Message, asked: Asked) -> tuple[Routing, str] | None:
    """How the manager was to choose, and whom it did; None where it chose nobody."""
    if not asked.manager or asked.role != asked.manager:
        return None
    role = read_choice(message, asked.conversation)
    routing = read_form(asked.conversation)
    return (routing, role) if role in routing.names else None


def _renamed(
    message: Message, asked: Asked, routing: Routing, role: str, name: str
) -> Changed | None:
    """Put another name in the place of the one that was chosen, and leave the rest as it is."""
    way = routing.ways.get(role)
    if way is not None:
        calls = [dict(mapping(call)) for call in items(message.get("tool_calls"))]
        for call in calls:
            function = mapping(call.get("function"))
            if function.get("name") == way.tool:
                call["function"] = {**function, **_handing(function, way.member, name)}
                return finished({**message, "tool_calls": calls})
        return None
    text = text_of(message)
    for place in re.finditer(rf"\b{re.escape(routing.names[role])}\b", text):
        # Reasons and what is handed over may name the role, too: it is the choice that has to go.
        changed = {**message, "content": f"{text[: place.start()]}{name}{text[place.end() :]}"}
        if read_choice(changed, asked.conversation) != role:
            return finished(changed)
    return None


def _handing(function: Mapping[str, Any], member: str | None, name: str) -> dict[str, Any]:
    if member is None:
        return {"name": name}
    given = {**read_arguments(function.get("arguments")), member: name}
    return {"arguments": json.dumps(given, ensure_ascii=False)}


def _spelt(tool: str, role: str, name: str) -> str:
    """A tool's name with another role in it, in the tool's own spelling."""
    for old, new in ((role, name), (role.title(), name.title())):
        if old in tool:
            return tool.replace(old, new)
    return name


ROUTES: Final[Mapping[str, Change]] = {"unknown-role": _unknown, "wrong-role": _wrong}
"""By the kind of fault."""
