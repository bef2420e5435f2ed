"""Whether a reply lays the values of one row to another, as a post to somebody else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import product
from typing import Any, Final

from ossia_evaluation.reply.stems import FUNCTION_WORDS, in_others, stem, tokens
from ossia_evaluation.reply.support import Support, leaves

_CUT: Final = re.compile(r"[;.!?](?=\s|$)|\n|,|\band\b|\bwhile\b|\bthen\b")
_SENTENCE: Final = re.compile(r"[;.!?](?=\s|$)|\n")
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
    only_keys = [own - in_others(keys, i) for i, own in enumerate(keys)]
    only_values = [own - in_others(values, i) for i, own in enumerate(values)]
    whole = (part for part in _SENTENCE.split(text.casefold()) if " and " not in part)
    parts = (*_CUT.split(text.casefold()), *whole)
    for part in parts:
        said = f" {' '.join(tokens(part))} "
        named = [i for i, own in enumerate(only_keys) if any(f" {key} " in said for key in own)]
        told = [i for i, own in enumerate(only_values) if any(_is_told(v, said) for v in own)]
        if len(named) == 1 and told and named[0] not in told:
            return part.strip()
        if len(named) == 2 and not told and _joins(said, *(only_keys[i] for i in named)):
            return part.strip()
    return None


def _joins(said: str, first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether a part says that a name of one row is from or by a name of another."""
    return any(
        f" {one} {word} {other} " in said
        for word in ("from", "by")
        for one, other in (*product(first, second), *product(second, first))
    )


def named_instead(
    text: str, rows: Sequence[Mapping[str, Any]], picked: frozenset[str]
) -> str | None:
    """Return the name of a row that a reply tells in place of the one that was picked, or None.

    Args:
        text: the reply's own words.
        rows: the rows of which one was to be picked.
        picked: texts of what was changed, in lower case.
    """
    said = f" {' '.join(tokens(text))} "
    for column in dict.fromkeys(name for row in rows for name in row):
        texts = {str(row[column]) for row in rows if isinstance(row.get(column), str)}
        names = {text for text in texts if not re.search(r"\d", text)}
        right = {name for name in names if name.casefold() in picked}
        # Whose first name is told is told.
        if not right or any(f" {word} " in said for name in right for word in _content(name)):
            continue
        for name in sorted(names - right):
            short = " ".join(tokens(name.partition(",")[0]))
            if _content(short) and f" {short} " in said:
                return name
    return None


def _content(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in FUNCTION_WORDS]


def listed_wrongly(text: str, rows: Sequence[Mapping[str, Any]], support: Support) -> str | None:
    """Return an item that a reply lists among those of a row and nothing stands behind, or None.

    Args:
        text: the reply's own words.
        rows: the rows of the answer.
        support: what the user and the servers have said.
    """
    items = {
        " ".join(tokens(item))
        for row in rows
        for value in row.values()
        if isinstance(value, list)
        for item in value
        if isinstance(item, str)
    }
    if not items:
        return None
    for part in re.split(r"[;.!?:](?=\s|$)|\n", text.casefold()):
        said = [" ".join(tokens(item)) for item in re.split(r",| and ", part)]
        told = [item for item in said if item and len(item.split()) <= _ITEM]
        known = [item for item in told if any(f" {own} " in f" {item} " for own in items)]
        if len(told) < _LISTED or not known:
            continue
        for item in told[1:]:
            content = [w for w in item.split() if w not in FUNCTION_WORDS and w not in _LOOSE]
            if content and not any(support.holds_word(word) for word in content):
                return item
    return None


_ITEM: Final = 3
"""An item of a list has so many words at the most."""
_LISTED: Final = 3
"""From so many items on words are a list."""
_LOOSE: Final = frozenset(
    "more others other etc few bit little spices herbs seasoning hour minutes quarter half".split()
)


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
