"""Requests in the one form that makes equal questions equal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

# They say how an answer is delivered or booked, not what is asked.
_DROPPED = frozenset({"stream", "stream_options", "user", "metadata", "seed", "api_key"})

# Beyond it a float no longer tells neighbouring whole numbers apart.
_MOST_EXACT = 2**53


def canonical_request(request: Mapping[str, Any]) -> bytes:
    """Bring a chat completion request into its canonical form.

    Keys are sorted; streaming flags, user, metadata and seed are left out, and so are parameters
    and message fields that are null; ids of tool calls are numbered in their order of appearance;
    tools are put in a fixed order; content given as one text part becomes plain text; whole
    numbers among the parameters lose their fraction (`0.0` is `0`).

    Args:
        request: The body of the request.

    Returns:
        The canonical form as JSON.

    Raises:
        ValueError: If the request cannot be written as JSON.
    """
    ids: dict[str, str] = {}
    canonical: dict[str, Any] = {}
    for name, value in request.items():
        if name in _DROPPED or value is None:
            continue
        if name == "messages" and isinstance(value, Sequence) and not isinstance(value, str):
            canonical[name] = [_canonical_message(message, ids) for message in value]
        elif name == "tools" and isinstance(value, Sequence) and not isinstance(value, str):
            canonical[name] = sorted(value, key=_encode)
        else:
            canonical[name] = _canonical_number(value)
    return _encode(canonical)


def request_key(canonical: bytes) -> str:
    """Return the key under which a tape keeps the answer to a request.

    Args:
        canonical: What `canonical_request` returned.

    Returns:
        64 hexadecimal digits.
    """
    return hashlib.sha256(canonical).hexdigest()


def canonical_answer(message: Mapping[str, Any]) -> bytes:
    """Bring an assistant's message into a form in which equal answers are equal.

    Args:
        message: The message; the ids of its tool calls do not matter.

    Returns:
        The canonical form as JSON.

    Raises:
        ValueError: If the message cannot be written as JSON.
    """
    return _encode(_canonical_message(message, {}))


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise ValueError(f"The request cannot be written as JSON: {error}.") from error


def _canonical_number(value: Any) -> Any:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _MOST_EXACT
    return int(value) if whole else value


def _canonical_message(message: Any, ids: dict[str, str]) -> Any:
    if not isinstance(message, Mapping):
        return message
    fields = {name: value for name, value in message.items() if value is not None}
    if "content" in fields:
        fields["content"] = _canonical_content(fields["content"])
    if "tool_call_id" in fields:
        fields["tool_call_id"] = _renamed(fields["tool_call_id"], ids)
    calls = fields.get("tool_calls")
    if isinstance(calls, list):
        fields["tool_calls"] = [
            {**call, "id": _renamed(call["id"], ids)}
            if isinstance(call, Mapping) and "id" in call
            else call
            for call in calls
        ]
    return fields


def _canonical_content(content: Any) -> Any:
    if isinstance(content, list) and len(content) == 1:
        part = content[0]
        if (
            isinstance(part, Mapping)
            and part.keys() == {"type", "text"}
            and part["type"] == "text"
            and isinstance(part["text"], str)
        ):
            return part["text"]
    return content


def _renamed(name: Any, ids: dict[str, str]) -> Any:
    return ids.setdefault(name, f"call_{len(ids)}") if isinstance(name, str) else name
