"""What the prompts of the assistant's roles tell of the place: its domains, and the user's home."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossia_servers.wire.messages import Message

_HOME = re.compile(r"\bhome(?: is ([^.\n]{2,80})\.|: ([^\n]{2,80})$)", re.MULTILINE)
_CATALOGUE_LINE = re.compile(r"^(\w+): ([a-z][\w, ]*) \| (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The catalogue in a prompt: what an intent role's answer may be made of.

    Attributes:
        intents: The intents to choose from.
        slots: Domain to the slots that it knows; a domain that is not listed knows all.
    """

    intents: frozenset[str]
    slots: Mapping[str, frozenset[str]]


def bounds_in(messages: Sequence[Message]) -> Bounds | None:
    """Return the catalogue of domains that messages hold, or None."""
    intents: set[str] = set()
    slots: dict[str, frozenset[str]] = {}
    for message in messages:
        for domain, names, fields in _CATALOGUE_LINE.findall(message.text):
            intents |= {name.strip() for name in names.split(",")}
            slots[domain] = frozenset(re.findall(r"\w+", fields))
    return Bounds(frozenset(intents), slots) if intents else None


def home_in(messages: Sequence[Message]) -> str:
    """Return the user's home location; empty where no message tells it."""
    found = _HOME.search("\n".join(message.text for message in messages))
    return (found[1] or found[2]).strip() if found else ""
