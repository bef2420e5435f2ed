"""Search patterns of callers: any regular expression whose search is sure to end soon.

Python's engine tries one way to match after the other, and nothing can stop it on its way. So the
number of ways is counted before, from the pattern's parts and the length of each cell, and a search
that would take too many steps is refused in a sentence instead of keeping all other agents waiting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from math import comb
from typing import Any, Final

from ossia_servers.schema import Refusal

MAX_PATTERN: Final = 300
"""Longest search pattern."""

MAX_STEPS: Final = 30_000_000
"""Most steps of one search over a whole table, as they are counted here."""

_MOST_WAYS: Final = 10**6
"""More ways than this to match at one place are not counted further."""

_AT_ONCE: Final = 50
"""So many characters in a row are compared in about the time of a step."""

_LEADING = re.compile(r"^(?:\.\*(?![*+?{]))+")
"""Anything before the rest: what holds `.*chat` holds `chat`, and finds it sooner."""

# The engine's own parser; the pattern that it reads is the one that is run.
_parse = import_module("re._parser").parse


class _TooInvolvedError(Exception):
    """No useful bound is known for a part of a pattern."""


@dataclass(frozen=True, slots=True)
class _Ways:
    """How many ways a part can match at one place: `factor` times a choice of `open` lengths."""

    factor: int = 1
    open: int = 0
    """Repeats without an end; each may match any length."""
    least: int = 0
    """Fewest characters that it matches."""

    def then(self, other: _Ways) -> _Ways:
        return _Ways(
            _bounded(self.factor * other.factor),
            self.open + other.open,
            self.least + other.least,
        )

    def otherwise(self, other: _Ways) -> _Ways:
        return _Ways(
            _bounded(self.factor + other.factor),
            max(self.open, other.open),
            min(self.least, other.least),
        )


class Pattern:
    """One search: a regular expression, and the steps that it may still take."""

    def __init__(self, text: str, compiled: re.Pattern[str], ways: _Ways) -> None:
        self._text = text
        self._compiled = compiled
        self._ways = ways
        self._left = MAX_STEPS

    def found_in(self, value: object) -> bool:
        """Return whether a cell holds the pattern; an empty cell never does.

        Raises:
            Refusal: the search would take too many steps.
        """
        if not isinstance(value, str):
            return False
        # One choice more than there are open repeats: the place where the match begins.
        choices = self._ways.open + 1
        steps = self._ways.factor * comb(len(value) + choices, choices)
        self._left -= steps * (1 + min(self._ways.least, len(value)) // _AT_ONCE)
        if self._left < 0:
            raise Refusal(
                f"The search for '{self._text[:80]}' would take too long: the cells are too many"
                " or too long for so many repeats."
            )
        return self._compiled.search(value) is not None


def read_pattern(text: str, *, ignore_case: bool) -> Pattern:
    """Return the regular expression that a caller searches with.

    Raises:
        Refusal: the text is no regular expression, or one that could take very long.
    """
    if len(text) > MAX_PATTERN:
        raise _too_involved(text)
    flags = re.IGNORECASE if ignore_case else 0
    try:
        compiled = re.compile(text, flags)
        sooner = _LEADING.sub("", text)
        if sooner != text:
            compiled = re.compile(sooner, flags)
        items = list(_parse(sooner, flags))
        # What ends a pattern is matched once and never tried again.
        while items and _is_open(items[-1]):
            items.pop()
        ways = _sequence(items)
    except _TooInvolvedError:
        raise _too_involved(text) from None
    except (re.error, OverflowError, RecursionError) as error:
        raise Refusal(f"The search pattern '{text[:80]}' cannot be read: {error}.") from None
    return Pattern(text, compiled, ways)


def _too_involved(text: str) -> Refusal:
    return Refusal(f"The search pattern '{text[:80]}' is too long or too involved.")


def _bounded(ways: int) -> int:
    if ways > _MOST_WAYS:
        raise _TooInvolvedError
    return ways


def _is_open(item: tuple[Any, Any]) -> bool:
    """Whether a part repeats single characters without an end."""
    kind, given = item
    if str(kind) not in ("MAX_REPEAT", "MIN_REPEAT") or given[0] > 1:
        return False
    return _is_endless(given[1]) and _sequence(given[2]) == _Ways(least=1)


def _is_endless(most: int) -> bool:
    # Nothing is longer than what a cell can hold, so a larger bound is none.
    return most > _MOST_WAYS


def _sequence(items: Iterable[tuple[Any, Any]]) -> _Ways:
    ways = _Ways()
    for kind, given in items:
        ways = ways.then(_part(str(kind), given))
    return ways


def _part(kind: str, given: Any) -> _Ways:
    match kind:
        case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY" | "CATEGORY" | "RANGE":
            return _Ways(least=1)
        case "AT" | "FAILURE":
            return _Ways()
        case "SUBPATTERN":
            return _sequence(given[3])
        case "ATOMIC_GROUP":
            return _sequence(given)
        case "ASSERT" | "ASSERT_NOT":
            inner = _sequence(given[1])
            return _Ways(inner.factor, inner.open)
        case "BRANCH":
            first, *others = map(_sequence, given[1])
            for other in others:
                first = first.otherwise(other)
            return first
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(given[0], given[1], _sequence(given[2]))
        case "GROUPREF":
            # Comparing with what was matched takes as long as that is.
            return _Ways(open=1)
    raise _TooInvolvedError


def _repeat(fewest: int, most: int, body: _Ways) -> _Ways:
    """How many ways a repeat has.

    Raises:
        _TooInvolvedError: the ways cannot be bounded, as where something is repeated that may match
            nothing, or one text in two ways.
    """
    if most == 1:
        return body if fewest == 1 else body.otherwise(_Ways())
    if body.least == 0:
        raise _TooInvolvedError
    plain = (body.factor, body.open) == (1, 0)
    if _is_endless(most):
        if not plain:
            raise _TooInvolvedError
        return _Ways(open=1, least=fewest * body.least)
    if plain:
        return _Ways(_bounded(most - fewest + 1), 0, fewest * body.least)
    if most > MAX_PATTERN:
        raise _TooInvolvedError
    factor = sum(_bounded(body.factor**times) for times in range(fewest, most + 1))
    return _Ways(_bounded(factor), body.open * most, fewest * body.least)
