"""Which one of several a user means: "the third", "3rd", "track three", "number 3", "the last"."""

from __future__ import annotations

import re
from typing import Final

from ossia_dataset.normalise import spoken_number
from ossia_dataset.normalise.numbers import ordinal
from ossia_dataset.normalise.words import Scanner, split_words

LAST: Final = -1
"""The position of the last one."""

_COUNTED: Final = frozenset(
    "track song number no nr episode ep chapter part section item entry position index station"
    " preset alarm event list one's volume book task point result option channel season".split()
)
"""Words before a plain number that make it a position."""
_LAST: Final = re.compile(r"\b(?:last|latest|final|newest|most recent|bottom|end)\b")
_NEARLY_LAST: Final = re.compile(
    r"\b(?:penultimate|(?:second|next)[ -]to[ -](?:the )?last|second last|last but one)\b"
)
_AMOUNT: Final = re.compile(r"\b(?:second|minute|hour|time|percent|point|degree)s?\b|%")
_TIME: Final = re.compile(r"\b(?:a|one|few|couple of|several) seconds?\b")


def position(text: str) -> int | None:
    """Return which of several a text means, counted from one, or from the end as -1, -2.

    Args:
        text: what the user said, such as `second`, `2nd`, `episode two`, `number 2` or `last`.

    Returns:
        The position, or None where the text names none; "five minutes" and "this one" name none.
    """
    said = _TIME.sub(" ", text.casefold())
    if _NEARLY_LAST.search(said):
        return LAST - 1
    tokens = re.findall(r"[a-z0-9]+(?:-[a-z]+)?", said)
    for start in range(len(tokens)):
        scanner = Scanner(split_words(" ".join(tokens[start:])))
        if (number := ordinal(scanner)) is not None:
            return number or None
        if tokens[start] in _COUNTED and (number := _number(tokens[start + 1 :])) is not None:
            return number
    if _LAST.search(said):
        return LAST
    alone = [token for token in tokens if token != "the"]
    return None if _AMOUNT.search(said) else _number(alone, whole=True)


def amount_after(text: str, *before: str) -> int | None:
    """Return how many are meant by "the first two" or "last 3".

    Args:
        text: what the user said.
        before: words one of which stands before the number.
    """
    tokens = re.findall(r"[a-z0-9]+", text.casefold())
    for index, token in enumerate(tokens[:-1]):
        if token in before:
            return _number(tokens[index + 1 : index + 2])
    return None


def _number(tokens: list[str], *, whole: bool = False) -> int | None:
    """Return the number, from one on, with which words begin, or which all of them are."""
    if not tokens or tokens[0] in ("a", "an"):
        return None
    for end in range(len(tokens), len(tokens) - 1 if whole else 0, -1):
        number = spoken_number(" ".join(tokens[:end]))
        if number is not None:
            return int(number) if number.is_integer() and number >= 1 else None
    return None
