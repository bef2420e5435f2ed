"""Answers of a model, changed as a whole: less, other or more than would have come."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, TypeAlias

from ossia_servers.stress import texts
from ossia_servers.stress.asked import Asked, Message
from ossia_servers.wire.answers import read_calls, said
from ossia_servers.wire.messages import items, mapping

Changed: TypeAlias = tuple[dict[str, Any], str]
"""An assistant message, and why it ended."""

Change: TypeAlias = Callable[[Message, Asked, Random], Changed | None]
"""Changes an answer; None where it has nothing that the fault could change."""

STOP: Final = "stop"
_KEPT_OF_CUT: Final = 0.3
_KEPT_OF_TRUNCATED: Final = 0.5


def text_of(message: Message) -> str:
    """Return the words of a message; empty without any."""
    content = message.get("content")
    return content if isinstance(content, str) else ""


def finished(message: dict[str, Any]) -> Changed:
    """Return a message with the reason that fits what it holds."""
    return message, "tool_calls" if message.get("tool_calls") else STOP


def with_texts(message: Message, change: Callable[[str], str]) -> dict[str, Any] | None:
    """Return a message with its words, and the arguments of its calls, changed.

    Args:
        message: the message.
        change: what is made of each of these texts that is not empty.

    Returns:
        The message, or None if it has no such text.
    """
    content, calls = text_of(message), items(message.get("tool_calls"))
    changed: dict[str, Any] = dict(message)
    if content:
        changed["content"] = change(content)
    if calls:
        changed["tool_calls"] = [with_arguments(mapping(call), change) for call in calls]
    return changed if content or calls else None


def with_arguments(call: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return a native call with the text of its arguments changed."""
    function = mapping(call.get("function"))
    given = str(function.get("arguments") or "{}")
    return {**call, "function": {**function, "arguments": change(given)}}


def _texts_changed(message: Message, change: Callable[[str], str]) -> Changed | None:
    changed = with_texts(message, change)
    return None if changed is None else finished(changed)


def _only(text: str, reason: str = STOP) -> Change:
    """The change to a text without calls."""

    def change(_message: Message, _asked: Asked, _random: Random) -> Changed | None:
        return said(text), reason

    return change


def _cut(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    return _texts_changed(message, lambda text: texts.begin_of(text, _KEPT_OF_CUT))


def _truncated(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    changed = with_texts(message, lambda text: texts.begin_of(text, _KEPT_OF_TRUNCATED))
    return None if changed is None else (changed, "length")


def _without_calls(message: Message) -> dict[str, Any]:
    native = bool(message.get("tool_calls"))
    # Where calls are written in words, the words go.
    content = text_of(message) if native else ""
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    return {**rest, "content": content}


def _stripped(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    return (_without_calls(message), STOP) if read_calls(message) else None


def _dropped(message: Message, asked: Asked, random: Random) -> Changed | None:
    calls = items(message.get("tool_calls"))
    if len(calls) < 2:
        return _stripped(message, asked, random)
    return finished({**message, "tool_calls": [*calls[1:]]})


def _mistaken(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    return _texts_changed(message, texts.mistaken)


def _garbled(message: Message, _asked: Asked, random: Random) -> Changed | None:
    return _texts_changed(message, lambda text: texts.garbled(text, random))


def _fenced(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    text = text_of(message)
    calls = items(message.get("tool_calls"))
    if calls:
        # As models do that write their calls down instead of making them.
        written = [mapping(call).get("function") for call in calls]
        text = json.dumps(written[0] if len(written) == 1 else written, ensure_ascii=False)
    return (said(texts.fenced(text)), STOP) if text else None


def _two(message: Message, asked: Asked, _random: Random) -> Changed | None:
    text = text_of(message)
    if not text:
        return None
    other = next((words for _, one in reversed(asked.earlier) if (words := text_of(one))), text)
    return finished({**message, "content": f"{text}\n{other}"})


def _stale(_message: Message, asked: Asked, _random: Random) -> Changed | None:
    own = [answer for role, answer in asked.earlier if role == asked.role]
    others = [answer for _, answer in asked.earlier]
    found = (own or others)[-1:]
    return finished(dict(found[0])) if found else None


def _too_long(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    return finished({**message, "content": texts.rambled(text_of(message))})


ANSWERS: Final[Mapping[str, Change]] = {
    "empty": _only(""),
    "cut": _cut,
    "truncated": _truncated,
    "filtered": _only(texts.FILTER_NOTICE, "content_filter"),
    "stripped-calls": _stripped,
    "dropped-call": _dropped,
    "wrong-encoding": _mistaken,
    "garbled": _garbled,
    "other-json": _only(texts.OTHER_JSON),
    "fenced": _fenced,
    "two-answers": _two,
    "stale": _stale,
    "too-long": _too_long,
    "error-text": _only(texts.ERROR_TEXT),
    "timeout-text": _only(texts.TIMEOUT_TEXT),
    "html-text": _only(texts.HTML_PAGE),
}
"""By the kind of fault."""
