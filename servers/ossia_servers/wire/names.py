"""Which of the names that a request offers stands for which role."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

MANAGER = "manager"
"""The role that says who works next."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FINISH_WORDS = ("finish", "finished", "end", "done", "stop", "terminate", "complete")
_LEADERS = frozenset((MANAGER, "supervisor", "orchestrator", "coordinator", "triage", "back"))
_LONGEST_KEPT = 200
"""Names come again with each request of a conversation; what is longer is hardly a name."""


def words_of(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, in small letters: `IntentAgent`, `member_id`."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def role_of(name: str, team: Sequence[str]) -> str | None:
    """Return the role that a name such as `intent`, `IntentAgent` or `transfer_to_intent` means.

    Args:
        name: The name of an agent, a worker or a tool.
        team: The members that it may mean; one may have a name of several words.

    Returns:
        The role, or None if the name means none. A name that means several, means none.
    """
    if len(name) > _LONGEST_KEPT:
        return _role_meant(name, tuple(team))
    return _role_kept(name, tuple(team))


def _role_meant(name: str, team: tuple[str, ...]) -> str | None:
    words = words_of(name)
    if "http" in words:
        return None
    meant = {role for role in team if _holds(words, words_of(role))}
    # A longer name that holds a shorter one is meant as a whole.
    meant -= {role for role in meant if any(_within(role, other) for other in meant)}
    return meant.pop() if len(meant) == 1 else None


_role_kept = lru_cache(maxsize=2048)(_role_meant)


def by_role(names: Iterable[str], team: Sequence[str]) -> dict[str, str]:
    """Return role to name for the names that mean a role; the first name of a role counts."""
    found: dict[str, str] = {}
    for name in names:
        role = role_of(name, team)
        if role is not None:
            found.setdefault(role, name)
    return found


def is_finish(name: str) -> bool:
    """Say whether a name means that the work is finished."""
    return any(word in _FINISH_WORDS for word in words_of(name))


def is_leader(name: str) -> bool:
    """Say whether a name, such as that of a tool, means the one who leads the team."""
    return bool(_LEADERS & set(words_of(name)))


def user_says(utterance: str) -> str:
    """Return the task text for an utterance."""
    return f"The user says: {json.dumps(utterance, ensure_ascii=False)}"


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    starts = range(len(words) - len(part) + 1)
    return bool(part) and any(tuple(words[s : s + len(part)]) == tuple(part) for s in starts)


def _within(role: str, other: str) -> bool:
    return role != other and _holds(words_of(other), words_of(role))
