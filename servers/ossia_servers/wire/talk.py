"""A request as a conversation: the user's turns, and what was said and called in each.

Earlier turns are messages where a framework keeps the conversation, and told in the task where it
does not; both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.ledgers import asks, without_team
from ossia_servers.wire.messages import Message
from ossia_servers.wire.names import role_of
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.reading import (
    Mention,
    ToldTurn,
    find_told,
    find_utterances,
    without_utterances,
)
from ossia_servers.wire.ways import handed_to, named_member

__all__ = ["Made", "TalkTurn", "read_talk"]


@dataclass(frozen=True, slots=True)
class Made:
    """A tool's call with what it answered.

    Attributes:
        tool: The tool's name.
        arguments: What it was called with.
        answer: What it answered.
    """

    tool: str
    arguments: Mapping[str, Any]
    answer: str


@dataclass(slots=True)
class TalkTurn:
    """One turn of the user's.

    Attributes:
        user: What the user said.
        texts: All that was said in it afterwards, in order.
        calls: The tools that the asked role called in it.
        spoke: The roles that were heard in it, in order, as far as the request names them.
    """

    user: str
    texts: list[str] = field(default_factory=list)
    calls: list[Made] = field(default_factory=list)
    spoke: list[str] = field(default_factory=list)


def read_talk(conversation: Conversation) -> tuple[TalkTurn, ...]:
    """Return the turns of a conversation as a request shows them; the last is under way.

    Args:
        conversation: The request.

    Returns:
        The turns; none where the user's words are nowhere quoted.
    """
    messages = conversation.messages
    others = [message for message in messages if message.role != "system"]
    if any(find_utterances(message.text) for message in others):
        messages = tuple(others)
    if messages and asks(without_utterances(messages[-1].text)):
        # A question that repeats the task comes last, but its task is from before all else.
        messages = (messages[-1], *messages[:-1])
    team = conversation.team
    lines = re.compile(rf"^({'|'.join(map(re.escape, team)) or '(?!)'}):", re.MULTILINE)
    turns: list[TalkTurn] = []
    for message in messages:
        mentions = _mentions(message)
        if mentions:
            turns = _with_mentions(turns, message.text, mentions, lines)
        elif turns and (member := _answering(message, team)) is not None:
            turns[-1].texts.append(message.text)
            turns[-1].spoke.append(member)
        elif turns and message.role == "tool":
            turns[-1].calls.append(Made(message.name, message.arguments, message.text))
            turns[-1].texts.append(message.text)
        elif turns and message.text:
            text = without_team(message.text)
            turns[-1].texts.append(text)
            named = role_of(message.name, team)
            turns[-1].spoke += [named] if named else lines.findall(text)
    protocol = protocol_of(conversation)
    if turns and protocol is not None:
        done = protocol.executed(conversation)
        turns[-1].calls += [Made(one.name, one.arguments, one.observation) for one in done]
        turns[-1].spoke += [named for one in done if (named := role_of(one.name, team))]
    return tuple(turns)


def _answering(message: Message, team: Sequence[str]) -> str | None:
    """The member that a tool stands for whose answer a message is; None for any other."""
    if message.role != "tool" or handed_to(message, team) is not None:
        return None
    return role_of(message.name, team) or named_member(message.arguments, team)


def _mentions(message: Message) -> list[Mention]:
    """Where a message quotes the user; a role that quotes is no user, and neither is a tool."""
    return find_utterances(message.text) if message.role in ("user", "system", "developer") else []


def _with_mentions(
    before: Sequence[TalkTurn], text: str, mentions: Sequence[Mention], lines: re.Pattern[str]
) -> list[TalkTurn]:
    """Return the turns so far with those of a text that quotes the user."""
    turns = [*before]
    mentions, told = _outermost(mentions, find_told(text))
    latest: TalkTurn | None = None
    begins = 0
    for mention, behind in _with_ends(mentions, len(text)):
        earlier = [one for one in told if begins <= one.start < mention.start]
        said, begins = without_team(text[mention.end : behind]), mention.end
        same = latest is not None and latest.user == mention.utterance
        again = latest is None and bool(turns) and turns[-1].user == mention.utterance
        if again and said.strip():
            # A manager hands over what was done since: that tells the turn under way anew.
            turns.pop()
        elif earlier:
            # What is told is the whole conversation, also where the text has begun with its end.
            turns = [TalkTurn(one.user, [one.answer]) for one in earlier]
        elif same and turns[-1] is latest and not latest.spoke:
            turns.pop()
        else:
            same = False
        # A text may quote its task again, with nobody's words in between.
        latest = latest if same and latest is not None else TalkTurn(mention.utterance)
        latest.texts.append(said)
        latest.spoke += lines.findall(said)
        turns.append(latest)
    return turns


def _outermost(
    mentions: Sequence[Mention], told: Sequence[ToldTurn]
) -> tuple[list[Mention], list[ToldTurn]]:
    """Leave out what stands in other quoted words, since a user may quote, too."""
    kept: list[Mention | ToldTurn] = []
    found: list[Mention | ToldTurn] = [*mentions, *told]
    for one in sorted(found, key=attrgetter("start")):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return (
        [one for one in kept if isinstance(one, Mention)],
        [one for one in kept if isinstance(one, ToldTurn)],
    )


def _with_ends(mentions: Sequence[Mention], end: int) -> Iterator[tuple[Mention, int]]:
    ends = [*(mention.start for mention in mentions[1:]), end]
    yield from zip(mentions, ends, strict=True)
