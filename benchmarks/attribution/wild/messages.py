"""Where an assistant's message holds text that can be changed, and which tools it calls.

Knows the wire format alone: JSON, native tool calls, and lines like `name[{...}]`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Message = Mapping[str, Any]
Put = Callable[[str], Message]

DEEPEST = 3
"""Text within text within text is looked into, and no deeper."""

_LINE = re.compile(r"^(\s*(?:Action:\s*)?)(\w+)(\[)(.*)(\]\s*)$", re.DOTALL)


@dataclass(frozen=True)
class Spot:
    """A text within a message.

    Attributes:
        depth: 0 for what stands in the message itself.
        text: the text.
        put: returns the message with another text in its place.
    """

    depth: int
    text: str
    put: Put


@dataclass(frozen=True)
class Called:
    """A tool that a message calls.

    Attributes:
        name: the tool.
        arguments: its arguments.
        put: returns the message with another name and other arguments.
    """

    name: str
    arguments: Mapping[str, Any]
    put: Callable[[str, Mapping[str, Any]], Message]


def spots(message: Message) -> tuple[Spot, ...]:
    """Return every text of a message, from the outside to the inside."""
    return tuple(_spots(message))


def _spots(message: Message) -> Iterator[Spot]:
    content = message.get("content")
    if isinstance(content, str):
        yield from _within(Spot(0, content, lambda text: {**message, "content": text}))
    for number, item in enumerate(message.get("tool_calls") or ()):
        given = item["function"].get("arguments")
        if isinstance(given, str):
            yield from _within(Spot(0, given, _argument_putter(message, number)))


def _argument_putter(message: Message, number: int) -> Put:
    def put(text: str) -> Message:
        return with_call(message, number, arguments=text)

    return put


def _within(spot: Spot) -> Iterator[Spot]:
    yield spot
    if spot.depth == DEEPEST:
        return
    match = _LINE.match(spot.text)
    if match is not None:
        head, tail = "".join(match.group(1, 2, 3)), match.group(5)
        given = Spot(spot.depth + 1, match.group(4), lambda text: spot.put(head + text + tail))
        yield from _within(given)
        return
    value = read_json(spot.text)
    for path, text in leaves(value) if isinstance(value, dict | list) else ():
        yield from _within(Spot(spot.depth + 1, text, _leaf_putter(spot, value, path)))


def _leaf_putter(spot: Spot, value: object, path: tuple[str | int, ...]) -> Put:
    def put(text: str) -> Message:
        return spot.put(dumped(with_leaf(value, path, text)))

    return put


def leaves(
    value: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every string within a JSON value with its place."""
    if isinstance(value, str):
        yield path, value
    members: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, dict):
        members = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    for name, member in members:
        yield from leaves(member, (*path, name))


def with_leaf(value: Any, path: tuple[str | int, ...], leaf: object) -> Any:
    """Return a JSON value with another one at a place."""
    if not path:
        return leaf
    copy: Any = value.copy()
    copy[path[0]] = with_leaf(copy[path[0]], path[1:], leaf)
    return copy


def calls(message: Message) -> tuple[Called, ...]:
    """Return the tools that a message calls, natively or by a line; none unreadable."""
    found = []
    for number, item in enumerate(message.get("tool_calls") or ()):
        function = item["function"]
        arguments = read_json(function.get("arguments"))
        if isinstance(arguments, dict):
            found.append(Called(str(function["name"]), arguments, _native_putter(message, number)))
    content = message.get("content")
    match = _LINE.match(content) if isinstance(content, str) else None
    arguments = read_json(match.group(4)) if match is not None else None
    if match is not None and isinstance(arguments, dict):
        found.append(Called(match.group(2), arguments, _line_putter(message, match)))
    return tuple(found)


def _native_putter(message: Message, number: int) -> Callable[[str, Mapping[str, Any]], Message]:
    def put(name: str, arguments: Mapping[str, Any]) -> Message:
        return with_call(message, number, name=name, arguments=dumped(arguments))

    return put


def _line_putter(
    message: Message, match: re.Match[str]
) -> Callable[[str, Mapping[str, Any]], Message]:
    def put(name: str, arguments: Mapping[str, Any]) -> Message:
        before, _, opened, _, closed = match.groups()
        return {**message, "content": f"{before}{name}{opened}{dumped(arguments)}{closed}"}

    return put


def with_call(message: Message, number: int, **changed: str) -> Message:
    """Return a message with the function of one of its native tool calls changed."""
    every = [dict(item) for item in message["tool_calls"]]
    every[number]["function"] = {**every[number]["function"], **changed}
    return {**message, "tool_calls": every}


def with_fresh_ids(message: Message, salt: str) -> Message:
    """Return a message whose native tool calls have ids that no other message has."""
    every = message.get("tool_calls")
    if not every:
        return message
    fresh = []
    for number, item in enumerate(every):
        digest = hashlib.sha256(f"{salt} {number} {item['id']}".encode()).hexdigest()
        fresh.append({**item, "id": f"call_{digest[:24]}"})
    return {**message, "tool_calls": fresh}


def shown(message: Message) -> str:
    """Return a message as one text."""
    parts = [message["content"]] if isinstance(message.get("content"), str) else []
    for item in message.get("tool_calls") or ():
        parts.append(f"{item['function']['name']} {item['function']['arguments']}")
    return "\n".join(parts)


def read_json(text: object) -> object:
    """Return what a JSON text holds; None where it is none."""
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def dumped(value: object) -> str:
    """Return a value as JSON, spaced as the models and frameworks space it."""
    return json.dumps(value, ensure_ascii=False)
