"""What an endpoint answers, held against the form of a chat completion.

A framework cannot help what an endpoint answers, and each one breaks in its own way at what has not
the form of the interface. So such answers never reach it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_TEXT_PARTS: Final = frozenset({"text", "output_text"})


class MalformedMessage(ValueError):
    """An answer's message has not the form of one; one clause says why."""


def read_answer(body: Any) -> tuple[dict[str, Any], str]:
    """Return the assistant's message and why it ended.

    Content in parts, as some endpoints give it, becomes the text of its parts: the interface knows
    only text here. A null id or type of a tool call is malformed, since its result could not be
    told from another's.

    Args:
        body: The answer as JSON.

    Raises:
        MalformedMessage: Its message has not the form of one.
        ValueError: It is no valid chat completion for another reason; one clause says why.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("the answer has no choices")
    choice = choices[0]
    message, finish_reason = choice.get("message"), choice.get("finish_reason")
    if choice.get("error") is not None or finish_reason == "error":
        # So a router says that the provider behind it failed in the middle of an answer.
        raise ValueError("the answer's first choice is an error")
    if not isinstance(message, dict):
        raise ValueError("the answer's first choice holds no valid message")
    fault = _fault(message)
    if fault is not None:
        raise MalformedMessage(f"the answer's first choice holds no valid message: {fault}")
    if not isinstance(finish_reason, str):
        finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": _text(content)}
    return {**message, "role": "assistant"}, finish_reason


def _fault(message: Mapping[str, Any]) -> str | None:
    """What is wrong with a message, or None."""
    content = message.get("content")
    if isinstance(content, list):
        if not all(_is_part(part) for part in content):
            return "its content has an invalid part"
    elif not isinstance(content, str | None):
        return "its content is not a string"
    if not isinstance(message.get("refusal"), str | None):
        return "its refusal is not a string"
    if not _is_function(message.get("function_call", _NO_CALL)):
        return "its function_call is malformed"
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        return "its tool_calls are not a list"
    for call in calls or ():
        if not _is_call(call):
            without = isinstance(call, dict) and call.get("id") is None
            return f"a tool call is malformed{' (its id is null)' if without else ''}"
    return None


_NO_CALL: Final[Mapping[str, str]] = {"name": "none", "arguments": ""}


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    return part["type"] not in _TEXT_PARTS or isinstance(part.get("text"), str)


def _is_call(call: Any) -> bool:
    return (
        isinstance(call, dict)
        and isinstance(call.get("id"), str)
        and call.get("type", "function") == "function"
        and call.get("function") is not None
        and _is_function(call["function"])
    )


def _is_function(function: Any) -> bool:
    """Whether a name and arguments are there; null stands for no call at all."""
    if function is None:
        return True
    return (
        isinstance(function, dict)
        and isinstance(name := function.get("name"), str)
        and bool(name)
        and isinstance(function.get("arguments"), str)
    )


def _text(parts: Sequence[Mapping[str, Any]]) -> str | None:
    texts = [part["text"] for part in parts if part["type"] in _TEXT_PARTS]
    return "".join(texts) if texts else None
