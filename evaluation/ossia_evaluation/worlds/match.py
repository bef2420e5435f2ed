"""Match rules: when the scorer takes two values for the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from ossia_dataset.normalise import canonical_place, normalise_place, spoken_number
from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.worlds.texts import same_message, same_thing
from ossia_servers.worlds.schema import Match

_PUNCTUATION = re.compile(r"[^\w\s%:+-]")
_ARTICLE = re.compile(r"^(?:the|a|an|my|our)\s+")
# A city may be told by its state or by one of these countries around the state.
_COUNTRIES_OF_STATES = frozenset({"united states", "united kingdom", "canada", "australia"})

_Gold = TypeVar("_Gold")
_Actual = TypeVar("_Actual")


def same(rule: Match, gold: object, actual: object, context: frozenset[str] = frozenset()) -> bool:
    """Return whether two values are the same under a match rule.

    Lists are the same when they can be paired off, whatever their order.

    Args:
        rule: the declared rule of the column or parameter.
        gold: a JSON value.
        actual: a JSON value.
        context: stems of what the user said, which the name of a thing may hold besides.
    """
    if rule is Match.IGNORABLE or gold == actual:
        return True
    if context and gold in ("", []) and rule in _NAMING:
        # Where or with whom something is may be noted, too, as far as the user has said it.
        said = actual if isinstance(actual, list) else [actual]
        return all(stems(str(one)) <= context for one in said)
    if isinstance(gold, list) and isinstance(actual, list):
        return len(gold) == len(actual) and None not in pair_off(
            gold, actual, lambda first, second: same(rule, first, second, context)
        )
    if rule is Match.OPTIONAL:
        return gold in (None, "", [])
    if rule is Match.EXACT or gold is None or actual is None:
        return False
    if rule in (Match.THING, Match.FREE_TEXT):
        compare = same_thing if rule is Match.THING else same_message
        return compare(str(gold), str(actual), context)
    return _SAME_TEXT[rule](str(gold), str(actual))


_NAMING = (Match.CASEFOLD, Match.ALIAS, Match.THING)


def pair_off(
    gold: Sequence[_Gold], actual: Sequence[_Actual], fits: Callable[[_Gold, _Actual], bool]
) -> tuple[int | None, ...]:
    """Pair as many items as possible, each with one partner that fits it.

    Taking the first partner that fits is not enough: under a lenient rule it may be the only
    partner of another item.

    Args:
        gold: items to be paired.
        actual: items to pair them with.
        fits: whether two items may be a pair.

    Returns:
        For each gold item the position of its partner, or None for an item that is left over.
    """
    options = [[j for j, other in enumerate(actual) if fits(item, other)] for item in gold]
    holder: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for option in options[index]:
            if option in tried:
                continue
            tried.add(option)
            if option not in holder or place(holder[option], tried):
                holder[option] = index
                return True
        return False

    for index in range(len(gold)):
        place(index, set())
    partner = {index: option for option, index in holder.items()}
    return tuple(partner.get(index) for index in range(len(gold)))


def plain(text: str) -> str:
    """Return a text without case, punctuation, leading article and surplus space."""
    flat = " ".join(_PUNCTUATION.sub(" ", text.casefold()).split())
    return _ARTICLE.sub("", flat)


def _number(gold: str, actual: str) -> bool:
    first, second = spoken_number(gold), spoken_number(actual)
    if first is None or second is None:
        return _casefold(gold, actual)
    return abs(first - second) <= 1e-9 * max(1.0, abs(first), abs(second))


def _datetime(gold: str, actual: str) -> bool:
    for parser in (parse_date_value, parse_time_value):
        try:
            return parser(gold) == parser(actual)
        except ValueError:
            continue
    return _casefold(gold, actual)


def _casefold(gold: str, actual: str) -> bool:
    first, second = plain(gold), plain(actual)
    if not first and not second:
        # Names made of signs alone ("!!!") differ by nothing but their signs.
        return gold.split() == actual.split()
    return first == second


def _alias(gold: str, actual: str) -> bool:
    if canonical_place(gold) != canonical_place(actual):
        return False
    regions = {_region(gold), _region(actual)}
    return len(regions) == 1 or "" in regions or bool(regions & _COUNTRIES_OF_STATES)


def _region(place: str) -> str:
    """The state or country that is told with a place; empty where none is."""
    if canonical_place(place) == place.strip().casefold():
        return ""
    return normalise_place(place, "").partition(",")[2].strip().casefold()


_SAME_TEXT: dict[Match, Callable[[str, str], bool]] = {
    Match.NUMBER: _number,
    Match.DATETIME: _datetime,
    Match.CASEFOLD: _casefold,
    Match.ALIAS: _alias,
    Match.LOWER: lambda gold, actual: gold.lower() == actual.lower(),
}
