"""Names in a reply that nothing stands behind: another song, another person, another room."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ossia_evaluation.reply.mentions import is_denied
from ossia_evaluation.reply.stems import FUNCTION_WORDS, tokens
from ossia_evaluation.reply.support import Support

_RELATIONS: Final = (
    "brother sister mother father mom mum dad wife husband son daughter aunt uncle cousin boss"
    " grandmother grandfather grandma grandpa niece nephew neighbor neighbour colleague dentist"
    " doctor girlfriend boyfriend roommate teacher"
).split()
_ROOMS: Final = (
    "kitchen bedroom bathroom hallway garage basement attic garden office nursery balcony porch"
    " corridor cellar"
).split()
_COLORS: Final = (
    "red green blue yellow orange purple pink violet turquoise white black brown cyan magenta"
).split()
_MEDIA: Final = "twitter facebook instagram linkedin snapchat tiktok whatsapp spotify".split()
_DEVICES: Final = (
    "light lights lamp television oven vacuum washer dishwasher heater fan thermostat speaker"
    " heating door window blinds curtains camera fridge kettle"
).split()
_PLACES: Final = (
    "airport station hotel hospital school library museum mall gym stadium harbor beach"
).split()
_ALWAYS: Final = frozenset((*_RELATIONS, *_ROOMS, *_COLORS, *_MEDIA, *_DEVICES, *_PLACES))

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9,;:'\"] )[\"'(]?([A-Z][A-Za-z0-9]+)\b(?!['\u2019]t\b)")
_KIND_OF: Final = re.compile(
    r"\b([a-z]+)(?:'s)? "
    r"(?:list|playlist|folder|station|channel|lamp|room|podcast|alarm|chart|plot|graph)\b"
)
_ADMIRER: Final = re.compile(r"\b(?:an?|big|huge) (?:\w+ ){1,3}fan\b")
_QUOTED: Final = re.compile(r"[\"\u201c]([^\"\u201c\u201d]+)[\"\u201d]")
_PLAIN_KINDS: Final = frozenset(
    "new updated current whole entire same right next first last morning evening other shared own"
    " existing empty right favorite favourite saved clock".split()
)
_NO_NAMES: Final = frozenset(
    "i i'm ok okay tv am pm yes no done sure enjoy monday tuesday wednesday thursday friday"
    " saturday sunday january february march april may june july august september october november"
    " december great have your the it here there all let this that please bluetooth wifi"
    " english mon tue tues wed thu thur thurs fri sat"
    " sun jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def unknown_quotation(own: str, support: Support) -> str | None:
    """Return words that a reply quotes and nobody said, or None.

    Args:
        own: the reply's own words.
        support: what the user and the servers have said.
    """
    for quoted in _QUOTED.findall(own):
        words = [word for word in tokens(quoted) if word not in FUNCTION_WORDS]
        if (
            len(tokens(quoted)) > 1
            and words
            and not all(support.holds_word(word) for word in words)
        ):
            return str(quoted)
    return None


def foreign_names(own: str, support: Support, names: Iterable[str]) -> str | None:
    """Return a name that a reply gives and nothing stands behind, or None.

    Args:
        own: the reply's own words.
        support: what the user and the servers have said.
        names: names of things of the world, in lower case.
    """
    for match in _CAPITAL.finditer(own):
        word = match[1].casefold()
        if (
            word not in _NO_NAMES
            and not _is_acronym(match[1])
            and not _holds(word, support)
            and not _denied(own, match[1])
        ):
            return match[1]
    # "You're an Adele fan" speaks of no device.
    said = tokens(_ADMIRER.sub(" ", own))
    for kind in _KIND_OF.findall(own.casefold()):
        plain = kind in _PLAIN_KINDS or kind in FUNCTION_WORDS
        if not plain and not support.holds_word(kind) and not _denied(own, kind):
            return str(kind)
    text = f" {' '.join(said)} "
    for word in said:
        if word in _ALWAYS and not support.holds_word(word) and not _denied(own, word):
            return word
    for name in names:
        if f" {' '.join(tokens(name))} " in text and _is_foreign(name, support):
            return name
    return None


def _holds(word: str, support: Support) -> bool:
    return all(support.holds_word(part) for part in tokens(word))


def _is_acronym(word: str) -> bool:
    return word.isupper() and word.isalpha() and len(word) <= 4


def _is_foreign(name: str, support: Support) -> bool:
    parts = [word for word in tokens(name) if word not in FUNCTION_WORDS]
    return bool(parts) and not all(support.holds_word(word) for word in parts)


def _denied(own: str, name: str) -> bool:
    text = own.casefold()
    start = text.find(name.casefold())
    return start >= 0 and is_denied(text, start)
