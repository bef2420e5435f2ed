"""Which of the names that a request offers stands for which role, and what to hand over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from ossia_servers.wire.conversation import MEMBERS, Conversation

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FINISH_WORDS = ("finish", "finished", "end", "done", "stop", "terminate", "complete")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, in small letters: `IntentAgent`, `member_id`."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def role_of(name: str) -> str | None:
    """Return the role that a name such as `intent`, `IntentAgent` or `transfer_to_intent` means.

    Args:
        name: The name of an agent, a worker or a tool.

    Returns:
        The role, or None if the name means none. A name that means several, means none.
    """
    words = set(words_of(name))
    if "http" in words:
        return None
    meant = [role for role in MEMBERS if role in words]
    return meant[0] if len(meant) == 1 else None


def by_role(names: Iterable[str]) -> dict[str, str]:
    """Return role to name for the names that mean a role; the first name of a role counts."""
    found: dict[str, str] = {}
    for name in names:
        role = role_of(name)
        if role is not None:
            found.setdefault(role, name)
    return found


def is_finish(name: str) -> bool:
    """Say whether a name means that the work is finished."""
    return any(word in _FINISH_WORDS for word in words_of(name))


def user_says(utterance: str) -> str:
    """Return the task text for an utterance."""
    return f"The user says: {json.dumps(utterance, ensure_ascii=False)}"


def handover(conversation: Conversation) -> str:
    """Return all that a role needs, on one line: the user's sentence and every result so far.

    Args:
        conversation: What is known.

    Returns:
        The text; words of a role that are no result in the agreed form are passed on as they are.
    """
    if conversation.rounds is not None:
        heard = (f"{s.role}: {' '.join(s.text.split())}" for s in conversation.speeches)
        return " ".join([user_says(conversation.utterance), *heard])
    results: Mapping[str, str] = dict(conversation.results.lines())
    spoken = {speech.role: " ".join(speech.text.split()) for speech in conversation.speeches}
    parts = [user_says(conversation.utterance)]
    for role in MEMBERS:
        text = results.get(role) or spoken.get(role)
        if text:
            parts.append(f"{role}: {text}")
    return " ".join(parts)
