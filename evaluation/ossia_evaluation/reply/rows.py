"""Whether a reply lays the values of one row to another, as a post to somebody else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from ossia_evaluation.reply.stems import FUNCTION_WORDS, stem, tokens
from ossia_evaluation.reply.support import leaves

_CUT: Final = re.compile(r"[;.!?](?=\s|$)|\n|,|\band\b|\bwhile\b|\bthen\b")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONG: Final = 4
"""From so many content words on a text is a value and no name."""


def crossed(text: str, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return a part of a reply that names one row and tells a value of another, or None.

    Args:
        text: the reply's own words.
        rows: the rows of the answer.
    """
    keys = [_keys(row) for row in rows]
    values = [_values(row) for row in rows]
    if len(rows) < 2 or len(rows) > 12:
        return None
    only_keys = [own - _others(keys, i) for i, own in enumerate(keys)]
    only_values = [own - _others(values, i) for i, own in enumerate(values)]
    for part in _CUT.split(text.casefold()):
        said = f" {' '.join(tokens(part))} "
        named = [i for i, own in enumerate(only_keys) if any(f" {key} " in said for key in own)]
        told = [i for i, own in enumerate(only_values) if any(_is_told(v, said) for v in own)]
        if len(named) == 1 and told and named[0] not in told:
            return part.strip()
    return None


def _others(sets: Sequence[frozenset[str]], index: int) -> frozenset[str]:
    return frozenset[str]().union(*(other for i, other in enumerate(sets) if i != index))


def _keys(row: Mapping[str, Any]) -> frozenset[str]:
    """The names in a row: short texts, as they are said."""
    found = set[str]()
    for leaf in leaves(row):
        words = tokens(str(leaf))
        content = [word for word in words if word not in FUNCTION_WORDS]
        day = _DAY.fullmatch(str(leaf))
        if day is not None:
            found.add(f"{date.fromisoformat(day[0]):%A}".casefold())
        # A city is known without its state.
        for name in {str(leaf), str(leaf).partition(",")[0]} if "," in str(leaf) else ():
            found.add(" ".join(tokens(name)))
        if isinstance(leaf, str) and 0 < len(content) < _LONG and not any(map(_is_figure, words)):
            found.add(" ".join(words))
    return frozenset(found)


def _values(row: Mapping[str, Any]) -> frozenset[str]:
    """The figures of a row, and its long texts as far as their words."""
    found = set[str]()
    for leaf in leaves(row):
        content = [stem(word) for word in tokens(str(leaf)) if word not in FUNCTION_WORDS]
        if isinstance(leaf, str) and len(content) >= _LONG:
            found.add(" ".join(dict.fromkeys(content)))
        elif not isinstance(leaf, str) and abs(leaf) >= 2:
            found.add(f"{leaf:g}")
    return frozenset(found)


def _is_told(value: str, said: str) -> bool:
    if " " not in value:
        return f" {value} " in said
    wanted = set(value.split())
    return wanted <= {stem(word) for word in said.split()}


def _is_figure(word: str) -> bool:
    return word[:1].isdigit()
