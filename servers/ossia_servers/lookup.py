"""Finding rows by what a user calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from ossia_servers.domain import Row

_FILLER = frozenset(
    "a an the my our your this that of for to in on at with from and all any some please me new"
    " called named".split()
)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


@lru_cache(maxsize=8192)
def words(text: str) -> frozenset[str]:
    """Return the content words of a text: lower case, no fillers, no possessive or plural s."""
    found = (word.removesuffix("'s") for word in _WORD.findall(text.casefold()))
    kept = {_singular(word) for word in found if word not in _FILLER}
    return frozenset(kept - {""})


def find(rows: Iterable[Row], text: str, *columns: str) -> list[Row]:
    """Return the rows that a user may mean by `text`, best match first.

    A row fits when its columns hold every content word of the text, or when the text holds every
    content word of one of its columns ("the dentist appointment on friday" means "dentist").
    Rows that fit equally well keep their order.

    Args:
        rows: where to look.
        text: what the user said.
        columns: columns to look at; a column may hold a string or a list of strings.
    """
    wanted = words(text)
    if not wanted:
        return []
    scored: list[tuple[float, Row]] = []
    for row in rows:
        values = [_words_of(row[column]) for column in columns]
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
    return bool(words(first)) and words(first) == words(second)


def listing(names: Sequence[str]) -> str:
    """Return names as a phrase: "milk, eggs and bread"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def split_items(text: str) -> list[str]:
    """Split what a user listed: "milk, eggs and bread" gives three items."""
    parts = re.split(r"\s*(?:,|;|\band\b|&)\s*", text, flags=re.IGNORECASE)
    return [part for part in (part.strip() for part in parts) if part]


def _words_of(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, (list, tuple)):
        return frozenset().union(*(words(str(item)) for item in value))
    return words("" if value is None else str(value))


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
