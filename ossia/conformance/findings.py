"""What a check is, and how the end of an episode is told."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ossia.conformance.scenes import Scenes
from ossia.conformance.stage import Played
from ossia_evaluation.words import counted
from ossia_servers.gateway import Exchange

__all__ = ["Check", "Finding", "asked_and_answered", "ending", "last_words", "quoted", "words_of"]

_QUOTED = 160


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        passed: Whether the claim holds.
        detail: What was seen.
        noted: Whether nothing was seen that breaks the claim, but nothing that shows it either, or
            something was seen that a reader of a comparison should know.
        trace: The episodes that were looked at last, for whoever wants to see each step.
    """

    passed: bool
    detail: str
    noted: bool = False
    trace: tuple[Played, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: A short name.
        claim: What should be true, in one sentence.
        find: Plays the scenes it needs and judges them.
    """

    name: str
    claim: str
    find: Callable[[Scenes], Awaitable[Finding]]


def ending(played: Played) -> str:
    """Return how an episode ended, in words."""
    calls = counted(len(played.gateway.exchanges), "call")
    if played.result is None:
        return f"cancelled after {played.seconds:.0f} s and {calls}"
    if played.error is not None:
        return f"ended with {played.error} after {calls}"
    return f"ended normally after {calls}"


def quoted(text: str, most: int = _QUOTED) -> str:
    """Return the end of a text in quotes on one line."""
    line = " ".join(text.split())
    return repr(line if len(line) <= most else f"...{line[-most:]}")


def last_words(request: Mapping[str, Any]) -> str:
    """Return the text of a request's last message."""
    messages = request.get("messages") or ()
    return words_of(messages[-1]) if messages else ""


def words_of(message: Mapping[str, Any]) -> str:
    """Return a message's text, its tool calls as `name(arguments)`."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content)
    parts = [content] if content else []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = function.get("arguments")
        said = arguments if isinstance(arguments, str) else json.dumps(arguments)
        parts.append(f"{function.get('name')}({said})")
    return "\n".join(parts)


def asked_and_answered(exchange: Exchange) -> str:
    """Return what a role was asked last and what came back, in words."""
    asked = quoted(last_words(exchange.request))
    if exchange.response is None:
        return f"{exchange.role} was asked {asked} and got {exchange.status}: {exchange.error}"
    return f"{exchange.role} was asked {asked} and answered {quoted(words_of(exchange.response))}"
