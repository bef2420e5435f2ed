"""Token estimates for models that report no usage.

The rule, stated so that a reader can redo it: one token for every four characters, rounded up, of
all text a request carries (contents, names, tool calls, tool and response schemas), four more for
each message and three for the answer's beginning; an answer counts its content and its tool calls.
Images, sound and files have no length in characters, so a request that holds one has no estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from ossia_servers.gateway.records import Usage

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_ANSWER = 3


def estimate_usage(
    request: Mapping[str, Any], message: Mapping[str, Any], prompt_tokens: int | None = None
) -> Usage | None:
    """Estimate the tokens of one call.

    Args:
        request: The body of a chat completion request.
        message: The assistant's message.
        prompt_tokens: The estimate of the request's own, where it is known.

    Returns:
        The estimate, or None if the request carries something other than text.
    """
    if any(_has_other_than_text(m) for m in request.get("messages", ())):
        return None
    characters = _content_characters(message.get("content")) + _call_characters(message)
    return Usage(
        prompt_tokens=estimate_prompt_tokens(request) if prompt_tokens is None else prompt_tokens,
        completion_tokens=_tokens(characters),
        source="estimate",
    )


def estimate_prompt_tokens(request: Mapping[str, Any]) -> int:
    """Estimate the tokens of a request's text; images and the like count nothing.

    Args:
        request: The body of a chat completion request.

    Returns:
        The number of tokens.
    """
    messages = request.get("messages", ())
    characters = sum(_message_characters(message) for message in messages)
    for schema in (request.get("tools"), request.get("response_format")):
        if schema:
            characters += len(orjson.dumps(schema).decode())
    return _tokens(characters) + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_ANSWER


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message's content, whether it is a string or a list of parts.

    Args:
        message: A message of a chat completion request or answer.

    Returns:
        The text; parts are joined by newlines, parts that are not text are left out.
    """
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(_part_texts(content))


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def _part_texts(content: Any) -> Iterable[str]:
    if not isinstance(content, list):
        return
    for part in content:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            text = part.get("text", part.get("refusal"))
            if isinstance(text, str):
                yield text


def _has_other_than_text(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    if not isinstance(content, list):
        return False
    return any(
        isinstance(part, dict) and part.get("type") not in ("text", "refusal") for part in content
    )


def _content_characters(content: Any) -> int:
    if isinstance(content, str):
        return len(content)
    return sum(len(text) for text in _part_texts(content))


def _call_characters(message: Mapping[str, Any]) -> int:
    characters = 0
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            characters += len(str(function.get("name", "")))
            characters += len(str(function.get("arguments", "")))
    return characters


def _message_characters(message: Mapping[str, Any]) -> int:
    name = message.get("name")
    characters = len(name) if isinstance(name, str) else 0
    return characters + _content_characters(message.get("content")) + _call_characters(message)
