"""A conversation in rounds: what each of the user's wishes has come to so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ossia_servers.assistant.offline.understanding.frames import CHAT_DOMAIN
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.reading import find_objects, find_utterances
from ossia_servers.wire.results import Results, read_results, result_in

NOTHING_LEFT = "none"
"""The intent by which the intent role says that nothing is left to do."""

_TOLD = "sentence may hold several wishes"
_QUOTING_ACTION = re.compile(r"^Action(?: Input)?:.*$", re.MULTILINE)


def applies(conversation: Conversation) -> bool:
    """Say whether the role's instructions tell that the team works in rounds."""
    if not conversation.messages:
        return False
    text = conversation.messages[0].text
    mentions = find_utterances(text)
    return _TOLD in (text[: mentions[0].start] if mentions else text)


def focus(conversation: Conversation) -> Conversation:
    """Return the conversation as one that works in rounds: its results are the last round's."""
    rounds = read_rounds([_QUOTING_ACTION.sub("", text) for text in conversation.texts])
    results = rounds[-1] if rounds else Results(today=conversation.results.today)
    return replace(conversation, rounds=rounds, results=results)


def read_rounds(texts: Sequence[str]) -> tuple[Results, ...]:
    """Part what the roles have found out into rounds; each begins with an intent.

    Args:
        texts: Texts, in order.

    Returns:
        The rounds. Today's date is known in all rounds after it was asked for.
    """
    rounds: list[Results] = []
    today = None
    for text in texts:
        told = [result_in(item.value) for item in find_objects(text)]
        if _begins_anew(told, rounds):
            rounds.clear()
        for found in told:
            today = found.get("today", today)
            if "intent" in found and not _repeats(found["intent"], rounds):
                rounds.append(Results(intent=found["intent"], today=today))
            elif rounds:
                rounds[-1] = replace(rounds[-1], **found)
    return tuple(rounds)


def _repeats(intent: Mapping[str, Any], rounds: Sequence[Results]) -> bool:
    """Whether the round under way is only told once more."""
    return bool(rounds) and rounds[-1].answer is None and rounds[-1].intent == intent


def _begins_anew(told: Sequence[Mapping[str, Any]], rounds: Sequence[Results]) -> bool:
    """Whether a text tells every round again, as a manager does who hands over what is known."""
    results = [found for found in told if found]
    return bool(rounds) and len(results) > 1 and results[0].get("intent") == rounds[0].intent


def under_way(conversation: Conversation) -> Conversation:
    """Return what a manager knows of the round under way, told by what it heard."""
    if conversation.rounds is None:
        return conversation
    speeches = conversation.speeches
    starts = [place for place, speech in enumerate(speeches) if speech.role == "intent"]
    heard = speeches[starts[-1] :] if starts else ()
    results = read_results([speech.text for speech in heard])
    return replace(conversation, speeches=heard, results=results)


def ends(domain: str | None) -> bool:
    """Say whether an intent of this domain is the last one; None stands for one in no form."""
    return domain in (None, CHAT_DOMAIN, NOTHING_LEFT)
