"""Who said what in a request, also where the messages do not say who spoke."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ossia_servers.wire.ledgers import asks
from ossia_servers.wire.messages import Message
from ossia_servers.wire.names import MANAGER, is_finish, role_of
from ossia_servers.wire.reading import find_utterances, without_utterances
from ossia_servers.wire.results import result_in
from ossia_servers.wire.ways import acknowledged, handed_to, leaves, ways

_BY_RESULT: Mapping[str, str] = {
    "intent": "intent",
    "time_slots": "time",
    "place_slots": "location",
    "url": "url",
    "answer": "request",
}
"""The role whose result a field of `Results` is."""

_ENDS = frozenset(("none", "general"))
"""Domains after which the user is answered at once."""


@dataclass(frozen=True, slots=True)
class Speech:
    """What a role was heard to say.

    Attributes:
        role: The role.
        text: Its words.
    """

    role: str
    text: str


def read_speeches(
    role: str,
    messages: Sequence[Message],
    texts: Sequence[str],
    tools: Mapping[str, Mapping[str, Any]],
    team: Sequence[str],
) -> Iterator[Speech]:
    """Return what each role was heard to say, in order.

    A message tells its speaker by its name, by the tool that answers or the arguments it was
    called with, or by the handoff before it. For a manager, what nobody can be told to have said
    is known by its form.

    Args:
        role: Who is asked.
        messages: The messages.
        texts: What was said since the task was given; lines that begin with a role's name are its.
        tools: The tools on offer.
        team: The roles that may have spoken.
    """
    told = list(_told(role, messages, tools, team))
    yield from told
    for text in texts:
        # A tool's answer may tell its speaker twice: by the tool's name, and by a line.
        spoken = _in_lines(text, team, asked_behind=role == MANAGER)
        yield from (speech for speech in spoken if speech not in told)


def last_words(speeches: Sequence[Speech]) -> str:
    """Return what a manager ends the work with: the answer as it was last told."""
    said = [speech.text for speech in speeches if speech.role == "response"]
    return said[-1] if said else "The work is finished."


def _told(
    role: str,
    messages: Sequence[Message],
    tools: Mapping[str, Mapping[str, Any]],
    team: Sequence[str],
) -> Iterator[Speech]:
    members = {way.tool: way.member for way in ways(tools, team).values()}
    speaker, answer_due, begun = "", False, False
    keeps_ledgers = bool(messages) and asks(without_utterances(messages[-1].text))
    for message in messages:
        if keeps_ledgers and message.role == "assistant":
            # What it wrote itself: the others' words come as the user's.
            begun = begun or bool(find_utterances(message.text))
            continue
        target = handed_to(message, team)
        if target is not None:
            speaker = target
            continue
        said_by = _said_by(message, members, speaker, team)
        # In a history that all share, others' tools answer too; the manager's own are on offer.
        others = message.role == "tool" and bool(message.name) and message.name not in tools
        if said_by is None and begun and role == MANAGER and not others:
            said_by = _by_form(message, answer_due, team)
        begun = begun or bool(find_utterances(message.text))
        if said_by is None or acknowledged(message.text, team) is not None:
            continue
        text = message.text.removeprefix(f"{said_by}: ")
        yield Speech(said_by, text)
        answer_due = _calls_for_an_answer(said_by, text)


def _in_lines(text: str, team: Sequence[str], *, asked_behind: bool) -> Iterator[Speech]:
    """What is said behind the names of roles at the beginnings of lines.

    Behind the last of them, and a blank line, may stand the question to the manager: nothing that
    the role has said.
    """
    starts = list(_speaker(tuple(team)).finditer(text))
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        words = text[match.end() : end]
        silent = asked_behind and end == len(text) and words.startswith("\n\n")
        yield Speech(match.group(1), "" if silent else words.strip())


def _said_by(
    message: Message, members: Mapping[str, str | None], speaker: str, team: Sequence[str]
) -> str | None:
    """The role that a message is of, as far as the messages themselves tell."""
    if message.role == "tool":
        if message.name not in members:
            return None
        field = members[message.name]
        if field is None:
            return role_of(message.name, team)
        value = message.arguments.get(field)
        return role_of(value, team) if isinstance(value, str) else None
    if message.role == "user" or (message.role == "assistant" and message.text):
        named = role_of(message.name, team)
        if named is not None:
            return named
    concluding = not message.calls or any(leaves(name) for name, _ in message.calls)
    if message.role == "assistant" and not message.name and message.text and concluding:
        return speaker or None
    return None


def _by_form(message: Message, answer_due: bool, team: Sequence[str]) -> str | None:
    """The role whose result a message is, where nothing says who spoke."""
    text = message.text.strip()
    if message.name and message.role != "tool":
        return None
    value = _object(text)
    if value is not None:
        role = next((_BY_RESULT[name] for name in result_in(value) if name in _BY_RESULT), None)
        return role if role in team else None
    # The manager's own choices are words too: a name, or the end.
    prose = len(text.split()) > 2 or not (role_of(text, team) or is_finish(text))
    own = message.role == "assistant" and (bool(message.calls) or not prose)
    known = "response" in team and message.role in ("user", "assistant", "tool")
    return "response" if text and answer_due and known and prose and not own else None


def _calls_for_an_answer(role: str, text: str) -> bool:
    """Whether what a role said is what the user is told about next."""
    if role == "request":
        return True
    value = _object(text.strip()) if role == "intent" else None
    # A model may give anything for a name, also what has no place in a set.
    names = () if value is None else (value.get("domain"), value.get("intent"))
    return any(isinstance(name, str) and name in _ENDS for name in names)


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@lru_cache(maxsize=64)
def _speaker(team: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"^({'|'.join(map(re.escape, team))}):[ \t]*", re.MULTILINE)
