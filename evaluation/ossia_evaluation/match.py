"""Match rules: when the scorer takes two values for the same."""

from __future__ import annotations

import re

from ossia_dataset.normalise import canonical_place, spoken_number
from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_servers.domain import Match
from ossia_servers.lookup import words

FREE_TEXT_OVERLAP = 0.6
"""Least share of common content words (Dice): two of three words pass, one of two fails."""

_PUNCTUATION = re.compile(r"[^\w\s%:+-]")
_ARTICLE = re.compile(r"^(?:the|a|an|my|our)\s+")


def same(rule: Match, gold: object, actual: object) -> bool:
    """Return whether two values are the same under a match rule.

    Lists are the same when they can be paired off, whatever their order.

    Args:
        rule: the declared rule of the column or parameter.
        gold: a JSON value.
        actual: a JSON value.
    """
    if rule is Match.IGNORABLE or gold == actual:
        return True
    if isinstance(gold, list) and isinstance(actual, list):
        return _same_lists(rule, gold, actual)
    if rule is Match.EXACT or gold is None or actual is None:
        return False
    return _SAME_TEXT[rule](str(gold), str(actual))


def _same_lists(rule: Match, gold: list[object], actual: list[object]) -> bool:
    left = list(actual)
    for item in gold:
        fitting = next((other for other in left if same(rule, item, other)), _NOTHING)
        if fitting is _NOTHING:
            return False
        left.remove(fitting)
    return not left


def _number(gold: str, actual: str) -> bool:
    first, second = spoken_number(gold), spoken_number(actual)
    if first is None or second is None:
        return _casefold(gold, actual)
    return abs(first - second) <= 1e-9 * max(1.0, abs(first))


def _datetime(gold: str, actual: str) -> bool:
    for parser in (parse_date_value, parse_time_value):
        try:
            return parser(gold) == parser(actual)
        except ValueError:
            continue
    return _casefold(gold, actual)


def _casefold(gold: str, actual: str) -> bool:
    return plain(gold) == plain(actual)


def _alias(gold: str, actual: str) -> bool:
    return canonical_place(gold) == canonical_place(actual)


def _free_text(gold: str, actual: str) -> bool:
    first, second = words(gold), words(actual)
    if not first or not second:
        return _casefold(gold, actual)
    return 2 * len(first & second) / (len(first) + len(second)) >= FREE_TEXT_OVERLAP


def plain(text: str) -> str:
    """Return a text without case, punctuation, leading article and surplus space."""
    flat = " ".join(_PUNCTUATION.sub(" ", text.casefold()).split())
    return _ARTICLE.sub("", flat)


_NOTHING = object()
_SAME_TEXT = {
    Match.NUMBER: _number,
    Match.DATETIME: _datetime,
    Match.CASEFOLD: _casefold,
    Match.ALIAS: _alias,
    Match.FREE_TEXT: _free_text,
}
