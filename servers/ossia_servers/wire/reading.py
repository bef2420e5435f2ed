"""Finding the user's sentence and JSON objects in any text, escaped or not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_MARKER = re.compile(r"The user says:\s*(\\*)\"")
_SAID = re.compile(r"The user said:\s*(\\*)\"")
_ANSWERED = re.compile(r"(?:\s|\\+n)*You answered:\s*(\\*)\"")
_ESCAPED_OBJECT = re.compile(r"\{\s*(\\+)\"")
_STEP = re.compile(r"\bStep ([\w.-]{1,64}) of a workflow\b")
_DECODER = json.JSONDecoder()
_DEEPEST = 4
_LONGEST_ESCAPED = 20_000
_LONGEST_KEPT = 20_000
"""Texts come again with each request of a conversation; none is kept that costs much memory."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text where the user's sentence is quoted.

    Attributes:
        start: Where the quotation starts.
        end: Where it ends.
        utterance: The sentence.
    """

    start: int
    end: int
    utterance: str


@dataclass(frozen=True, slots=True)
class ToldTurn:
    """A place in a text where an earlier turn of the conversation is quoted.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        user: What the user said.
        answer: What was answered.
    """

    start: int
    end: int
    user: str
    answer: str


@dataclass(frozen=True, slots=True)
class FoundObject:
    """A JSON object in a text.

    Attributes:
        start: Where it starts.
        value: The object.
    """

    start: int
    value: dict[str, Any]


def _unescape(text: str) -> str:
    """Take one level of JSON string escaping away, as far as it is regular."""
    # A printed Python string escapes apostrophes, which JSON does not know.
    for candidate in (text, text.replace("\\'", "'")):
        try:
            return str(json.loads(f'"{candidate}"', strict=False))
        except ValueError:
            continue
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _closing_quote(text: str, start: int, backslashes: int) -> int:
    """Return where the quote stands that ends a string whose quotes carry that many backslashes.

    Each level of escaping doubles backslashes, so what precedes a closing quote is an even number
    of them at the string's own level; an odd number there makes the quote part of the string.
    """
    unit = backslashes + 1
    position = text.find('"', start)
    while position >= 0:
        before = position
        while before > start and text[before - 1] == "\\":
            before -= 1
        own, rest = divmod(position - before - backslashes, unit)
        if rest == 0 and own >= 0 and own % 2 == 0:
            return position
        position = text.find('"', position + 1)
    return -1


def find_utterances(text: str) -> list[Mention]:
    """Find every quotation of the user's sentence (`The user says: "..."`).

    Args:
        text: A prompt or message; the quotation may be escaped inside another JSON string.

    Returns:
        The quotations, in the text's order; one that never ends is left out.
    """
    if len(text) > _LONGEST_KEPT:
        return list(_utterances(text))
    return list(_utterances_kept(text))


def _utterances(text: str) -> tuple[Mention, ...]:
    found = ((match, _quoted(text, match)) for match in _MARKER.finditer(text))
    return tuple(
        Mention(match.start(), quoted[1], quoted[0])
        for match, quoted in found
        if quoted is not None
    )


_utterances_kept = lru_cache(maxsize=256)(_utterances)


def find_step(text: str) -> str:
    """Return the id of the step of a workflow that a text says is to be done; empty for none.

    Args:
        text: A prompt or message, as of `find_utterances`.
    """
    found = _STEP.findall(text)
    return found[-1] if found else ""


def without_utterances(text: str) -> str:
    """Return a text without the user's sentence wherever it is quoted."""
    for mention in reversed(find_utterances(text)):
        text = text[: mention.start] + text[mention.end :]
    return text


def find_told(text: str) -> list[ToldTurn]:
    """Find every earlier turn that is told (`The user said: "..."`, `You answered: "..."`).

    Args:
        text: A prompt or message, as of `find_utterances`.

    Returns:
        The turns, in the text's order; one without an answer is left out.
    """
    turns = []
    for match in _SAID.finditer(text):
        user = _quoted(text, match)
        answered = None if user is None else _ANSWERED.match(text, user[1])
        answer = None if answered is None else _quoted(text, answered)
        if user is not None and answer is not None:
            turns.append(ToldTurn(match.start(), answer[1], user[0], answer[0]))
    return turns


def _quoted(text: str, opening: re.Match[str]) -> tuple[str, int] | None:
    """Return the words of a quotation and where it ends; None for one that never ends."""
    backslashes = len(opening.group(1))
    end = _closing_quote(text, opening.end(), backslashes)
    if end < 0:
        return None
    words = text[opening.end() : end - backslashes]
    depth = (backslashes + 1).bit_length() - 1
    for _ in range(min(depth, _DEEPEST) + 1):
        words = _unescape(words)
    return words, end + 1


def find_objects(text: str) -> list[FoundObject]:
    """Find every JSON object in a text, and those inside the strings of these objects.

    Args:
        text: A prompt or message.

    Returns:
        The objects in the text's order; an object comes before those inside its strings, which
        share its place.
    """
    return list(_objects(text, _DEEPEST))


def _objects(text: str, depth: int) -> Iterator[FoundObject]:
    position = text.find("{")
    while position >= 0:
        found = _object_at(text, position)
        if found is None:
            position = text.find("{", position + 1)
            continue
        value, end = found
        yield FoundObject(position, value)
        if depth > 0:
            for inner in value.values():
                if isinstance(inner, str) and "{" in inner:
                    for nested in _objects(inner, depth - 1):
                        yield FoundObject(position, nested.value)
        position = text.find("{", end)


def _object_at(text: str, position: int) -> tuple[dict[str, Any], int] | None:
    """Read the object that starts at `position`, escaped or not; return it and where to go on."""
    try:
        value, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return _escaped_object_at(text, position)
    return (value, end) if isinstance(value, dict) else None


def _escaped_object_at(text: str, position: int) -> tuple[dict[str, Any], int] | None:
    match = _ESCAPED_OBJECT.match(text, position)
    if match is None:
        return None
    depth = (len(match.group(1)) + 1).bit_length() - 1
    chunk = text[position : position + _LONGEST_ESCAPED]
    for _ in range(min(depth, _DEEPEST)):
        chunk = chunk.replace('\\"', '"').replace("\\\\", "\\")
    try:
        value, _ = _DECODER.raw_decode(chunk)
    except (ValueError, RecursionError):
        return None
    # The length in the escaped text is unknown: going on inside finds no results of roles again,
    # as their inner objects have none of their keys.
    return (value, match.end()) if isinstance(value, dict) else None
