"""Finding rows by what a user calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter

from ossia_dataset.normalise.numbers import UNITS
from ossia_servers.worlds.schema import Row
from ossia_servers.worlds.synonyms import EVERYWHERE, Synonyms

_FILLER = frozenset(
    "a an the my our your this that of for to in on at with from and all any some please me new"
    " called named".split()
)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


@lru_cache(maxsize=8192)
def words(text: str) -> frozenset[str]:
    """Return the content words of a text: lower case, no fillers, no possessive or plural s."""
    found = (word.removesuffix("'s") for word in _WORD.findall(text.casefold()))
    return frozenset({singular(word) for word in found if word not in _FILLER} - {""})


@lru_cache(maxsize=8192)
def meanings(text: str, *tables: Synonyms) -> frozenset[str]:
    """Return the content words of a text as `words` does, the same for words that mean the same.

    The words that are left are those that the servers use: "the mums' films" gives "mother" and
    "movie".

    Args:
        text: what the user said.
        tables: tables of synonyms that hold beside those that hold everywhere.
    """
    kept = (word for word in same_words(text, *tables).split() if word not in _FILLER)
    return frozenset(kept)


def same_words(text: str, *tables: Synonyms) -> str:
    """Return a text in lower case and the singular, in words that the servers use.

    Args:
        text: what the user said.
        tables: tables of synonyms that hold beside those that hold everywhere.
    """
    found = (word.removesuffix("'s") for word in _WORD.findall(text.casefold()))
    said = " ".join(_DIGITS.get(word, word) for word in map(singular, found) if word)
    for table in (EVERYWHERE, *tables):
        pattern, meant = _replacing(table)
        said = pattern.sub(lambda match, meant=meant: meant[match[0]], said)  # type: ignore[misc]
    return said


def find(
    rows: Iterable[Row], text: str, *columns: str, same: tuple[Synonyms, ...] = ()
) -> list[Row]:
    """Return the rows that a user may mean by `text`, best match first.

    A row fits when its columns hold every content word of the text, or when the text holds every
    content word of one of its columns ("the dentist appointment on friday" means "dentist").
    Rows that fit equally well keep their order.

    Args:
        rows: where to look.
        text: what the user said.
        columns: columns to look at; a column may hold a string or a list of strings.
        same: tables of synonyms that hold beside those that hold everywhere.
    """
    wanted = meanings(text, *same)
    if not wanted:
        return []
    scored: list[tuple[float, Row]] = []
    for row in rows:
        values = [_words_of(row[column], same) for column in columns]
        if wanted.issubset(chain.from_iterable(values)):
            score = 1.0 + len(wanted) / max(1, min(len(v) for v in values if v & wanted))
        elif within := [len(value) for value in values if value and value <= wanted]:
            score = max(within) / len(wanted)
        else:
            continue
        scored.append((-score, row))
    # The sort is stable: rows that fit equally well keep their order.
    return [row for _, row in sorted(scored, key=itemgetter(0))]


def same_name(first: str, second: str) -> bool:
    """Return whether two names are the same but for case, fillers, plural and punctuation."""
    return bool(meanings(first)) and meanings(first) == meanings(second)


def listing(names: Sequence[str]) -> str:
    """Return names as a phrase: "milk, eggs and bread"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def split_items(text: str) -> list[str]:
    """Split what a user listed: "milk, eggs and bread" gives three items."""
    parts = re.split(r"\s*(?:,|;|\band\b|&)\s*", text, flags=re.IGNORECASE)
    return [part for part in (part.strip() for part in parts) if part]


def _words_of(value: object, same: tuple[Synonyms, ...]) -> frozenset[str]:
    if isinstance(value, (list, tuple)):
        return frozenset().union(*(meanings(str(item), *same) for item in value))
    return meanings("" if value is None else str(value), *same)


@cache
def _replacing(table: Synonyms) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds the other words of a table in a text of `same_words`, and their words."""
    meant = {
        " ".join(map(singular, _WORD.findall(other))): word
        for other, word in table.others().items()
    }
    # Longer ones first: a "vacuum cleaner" is one thing.
    found = "|".join(re.escape(other) for other in sorted(meant, key=len, reverse=True))
    return re.compile(rf"\b(?:{found})\b"), meant


_KEPT = frozenset(
    "brownie calorie cookie die freebie genie hippie hoodie indie lie movie oldie pie prairie"
    " rookie rupie selfie smoothie sortie talkie techie tie veggie walkie zombie".split()
)
"""Words that end so in the singular, with no y; `rupie` is a rupee."""
_IRREGULAR = {
    "buses": "bus",
    "feet": "foot",
    "knives": "knife",
    "leaves": "leaf",
    "loaves": "loaf",
    "men": "man",
    "news": "news",
    "quizzes": "quiz",
    "series": "series",
    "toes": "toe",
    "women": "woman",
}
_DIGITS = {str(number): word for word, number in UNITS.items()}
_ADDS_ES = ("ches", "shes", "sses", "xes", "oes")
"""Ends of plurals that are two letters longer than the singular."""
_ADDS_S = ("headaches", "toothaches", "quiches", "niches", "shoes", "canoes")


def singular(word: str) -> str:
    """Return a word in lower case without its plural ending."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and word[:-1] not in _KEPT and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_ADDS_ES) and not word.endswith(_ADDS_S):
        return word[:-2]
    return word[:-1]
