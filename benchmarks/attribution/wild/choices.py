"""Ways to change whom the manager calls. They find names on the wire and know no order of work."""

from __future__ import annotations

import re
from random import Random

from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.messages import (
    Message,
    calls,
    dumped,
    leaves,
    read_json,
    with_fresh_ids,
    with_leaf,
)
from ossia_servers.assistant.members import MEMBERS

UNREADABLE = ("?", "nobody in particular", "{}", "null", "I would rather not say.", "0")

_NAMED = re.compile(rf"(?<![a-zA-Z])({'|'.join(sorted(MEMBERS))})(?![a-zA-Z])")


def _others(name: str) -> list[str]:
    return sorted(set(MEMBERS) - {name})


def another_role(message: Message, material: Material, draw: Random) -> Message | None:
    """Name another role, drawn from all."""
    name = named(message)
    return None if name is None else renamed(message, draw.choice(_others(name)), draw)


def same_again(message: Message, material: Material, draw: Random) -> Message | None:
    """Name the role that was named before."""
    before = next((n for m in reversed(material.earlier) if (n := named(m)) is not None), None)
    if before is None or before == named(message):
        return None
    return renamed(message, before, draw)


def two_roles(message: Message, material: Material, draw: Random) -> Message | None:
    """Name a second role beside the first."""
    name = named(message)
    if name is None:
        return None
    other = draw.choice(_others(name))
    second = renamed(message, other, draw)
    if second is None:
        return None
    if message.get("tool_calls"):
        added = with_fresh_ids(second, other)["tool_calls"]
        return {**message, "tool_calls": [*message["tool_calls"], *added]}
    first, again = message["content"], second["content"]
    blank = draw.choice(("\n", " and ", ", "))
    return {**message, "content": draw.choice((f"{first}{blank}{again}", f"{again}{blank}{first}"))}


def unreadable(message: Message, material: Material, draw: Random) -> Message | None:
    """Say something that names nobody."""
    return {"role": "assistant", "content": draw.choice(UNREADABLE)}


def named(message: Message) -> str | None:
    """Return the role that a message names where a choice stands; None where it names none.

    That is the name of a tool or of an action, a whole JSON string, or a text of up to three words.
    """
    for call in calls(message):
        found = _NAMED.search(call.name)
        if found is not None:
            return found.group(1)
    content = message.get("content")
    if not isinstance(content, str):
        return None
    strings = [text for _, text in leaves(read_json(content))]
    if not strings and len(content.split()) <= 3:
        strings = [content]
    for text in strings:
        found = _NAMED.fullmatch(text.strip())
        if found is not None:
            return found.group(1)
    return None


def renamed(message: Message, other: str, draw: Random) -> Message | None:
    """Return a message that names another role in place of one that it names; None without one."""
    for call in calls(message):
        if _NAMED.search(call.name) is not None:
            return call.put(_NAMED.sub(other, call.name, count=1), call.arguments)
    content = message.get("content")
    if not isinstance(content, str):
        return None
    value = read_json(content)
    places = [path for path, text in leaves(value) if _NAMED.fullmatch(text.strip())]
    if places:
        return {**message, "content": dumped(with_leaf(value, draw.choice(places), other))}
    if value is None and _NAMED.fullmatch(content.strip()):
        return {**message, "content": other}
    return None
