"""Names in a reply that nothing stands behind: another song, another person, another room."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ossia_evaluation.reply.mentions import is_denied
from ossia_evaluation.reply.stems import FUNCTION_WORDS, stem, tokens
from ossia_evaluation.reply.support import Support

_RELATIONS: Final = (
    "brother sister mother father mom mum dad wife husband son daughter aunt uncle cousin boss"
    " grandmother grandfather grandma grandpa niece nephew neighbor neighbour colleague dentist doctor"
    " girlfriend boyfriend roommate teacher"
).split()
_ROOMS: Final = (
    "kitchen bedroom bathroom hallway garage basement attic garden office nursery balcony porch"
    " corridor cellar"
).split()
_COLORS: Final = (
    "red green blue yellow orange purple pink violet turquoise white black brown cyan magenta"
).split()
_MEDIA: Final = "twitter facebook instagram linkedin snapchat tiktok whatsapp spotify".split()
_KINDS: Final = (
    "television tv oven vacuum washer dishwasher heater fan thermostat calendar alarm reminder"
    " playlist podcast audiobook radio taxi train flight bus pizza sushi"
).split()
_ALWAYS: Final = frozenset((*_RELATIONS, *_ROOMS, *_COLORS, *_MEDIA))
_KIND_STEMS: Final = frozenset(map(stem, _KINDS))

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9,;:'\"] )[\"'(]?([A-Z][a-z]{2,})")
_NO_NAMES: Final = frozenset(
    "i i'm ok okay tv am pm yes no done sure enjoy monday tuesday wednesday thursday friday saturday"
    " sunday january february march april may june july august september october november december"
    " great have your the it here there all let this that please bluetooth wifi english".split()
)


def foreign_names(own: str, support: Support, names: Iterable[str]) -> str | None:
    """Return a name that a reply gives and nothing stands behind, or None.

    Args:
        own: the reply's own words.
        support: what the user and the servers have said.
        names: names of things of the world, in lower case.
    """
    for match in _CAPITAL.finditer(own):
        word = match[1].casefold()
        if word not in _NO_NAMES and not support.holds_word(word) and not _denied(own, match[1]):
            return match[1]
    said = tokens(own)
    text = f" {' '.join(said)} "
    for word in said:
        if word in _ALWAYS and not support.holds_word(word) and not _denied(own, word):
            return word
    for name in names:
        if f" {name} " in text and _is_foreign(name, support) and not _denied(own, name):
            return name
    return None


def _is_foreign(name: str, support: Support) -> bool:
    parts = [word for word in tokens(name) if word not in FUNCTION_WORDS]
    return bool(parts) and not any(support.holds_word(word) for word in parts)


def _denied(own: str, name: str) -> bool:
    text = own.casefold()
    start = text.find(name.casefold())
    return start >= 0 and is_denied(text, start)
