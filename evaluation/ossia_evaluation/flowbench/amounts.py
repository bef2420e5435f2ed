"""The amounts that an answer names, in figures and in simple words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from ossia_dataset.normalise.numbers import ORDINALS
from ossia_evaluation.reply.mentions import Mentions, is_denied

__all__ = ["amounts", "places"]

_HYPHENED: Final = r"-(?:minute|hour|day|week|month|year|night|page|mile|bed)"
_UNIT: Final = r"(?:mins?|hrs?|[hms]|sec|km|m[\u00b2\u00b3]|k?g|[cm]m|[gt]b|eur|usd|gbp|chf)\b"
_MONEY: Final = r"[$\u20ac\u00a3\u00a5]?"
# What follows a decimal comma is not three figures: `1,250` are thousands, and `1.250` are none.
_COMMA: Final = r"\d{1,3}(?:[. ]\d{3})+,\d{1,2}|[1-9]\d*,\d{1,2}|0,\d+"
_GROUPED: Final = r"\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:'\d{3})+(?:\.\d+)?"
_FIGURE: Final = re.compile(
    rf"(?<![\w#.,/'-])(?<!\d:)(?<!\d [-\u2013] )(?:eur|usd|gbp|chf|us)?{_MONEY}([-\u2212]?){_MONEY}"
    rf"(?:({_COMMA})|({_GROUPED})|(\d+(?:,\d{{3}})*(?:\.\d+)?))(?=\W|$|{_UNIT})"
    rf"(?![.,:/']\d| ?[-\u2013] ?\d|(?!{_HYPHENED})-\w)"
)
_LABEL: Final = re.compile(
    r"(?:\b(?:turn|step|option|choice|(?<!are )number|no\.|nr\.?|item|line|point|page|part"
    r"|chapter|version|question|gate|platform|room|floor|table|zone|level|terminal|section|model"
    r"|type)|#) ?$"
)
_MARK: Final = re.compile(r"(?:^|\n)[ \t>*-]*$")
_MARKED: Final = re.compile(r"[.)][ \t]+\S")
_MINUS: Final = re.compile(r"\b(?:minus|negative) $")
_NOT_ONE: Final = re.compile(
    r"\b(?:which|this|that|the|another|no|any|each|every|some|first|last|next|right|wrong) $"
)
_ONE_AS_NOUN: Final = re.compile(
    r"(?: (?:of|that|which|who|is|are|was|would|will|you|do|does|can|to|for|with|in|on|at|or|and)\b"
    r"|\W*$|[^\w\s-]|-)"
)
_DECIMAL: Final = re.compile(r"\d+\.\d+\.?")
_PLACE: Final = re.compile(
    rf"(?<![\w-])(?<!ty )(?:(\d{{1,3}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)})) "
    r"(?:(?:place |spot )?(?:in|on) "
    r"(?:the |our |your )?(?:waiting )?(?:line|queue|list)|in turn)\b"
)


def amounts(said: str, found: Mentions) -> frozenset[Decimal]:
    """Return the amounts of an answer: no parts of days, times and references, and no labels.

    Args:
        said: The answer in lower case, as typed at a keyboard.
        found: What it mentions.
    """
    left = said
    for each in (*found.dates, *found.times, *found.ends):
        if _DECIMAL.fullmatch(said, each.start, each.end):
            # "It is 12.4." names no day.
            continue
        left = left[: each.start] + " " * (each.end - each.start) + left[each.end :]
    return frozenset((*_in_figures(left, said), *_in_words(left, found)))


def places(said: str) -> frozenset[Decimal]:
    """Return the places in a line that an answer names, as in `third in line`."""
    return frozenset(
        Decimal(match[1] or ORDINALS[match[2]])
        for match in _PLACE.finditer(said)
        if not is_denied(said, match.start())
    )


def _in_figures(left: str, said: str) -> Iterator[Decimal]:
    for match in _FIGURE.finditer(left):
        start, end = match.start(), match.end()
        before = said[max(0, start - 20) : start]
        marks_a_line = (match[4] or "").isdigit() and _MARK.search(before)
        if (
            (marks_a_line and _MARKED.match(said, end))
            or _LABEL.search(before)
            or is_denied(said, start)
        ):
            continue
        below = bool(match[1]) or _MINUS.search(before) is not None
        value = _value(match)
        yield -value if below else value


def _value(match: re.Match[str]) -> Decimal:
    with_comma, grouped, plain = match.group(2, 3, 4)
    if with_comma:
        return Decimal(re.sub("[. ]", "", with_comma).replace(",", "."))
    if grouped:
        return Decimal(grouped.replace("'", "") if "'" in grouped else grouped.replace(".", ""))
    return Decimal(plain.replace(",", ""))


def _in_words(left: str, found: Mentions) -> Iterator[Decimal]:
    for mention in found.numbers:
        words = left[mention.start : mention.end]
        before = left[max(0, mention.start - 20) : mention.start]
        if not re.search("[a-z]", words) or _LABEL.search(before):
            continue
        if words == "one" and (_NOT_ONE.search(before) or _ONE_AS_NOUN.match(left, mention.end)):
            continue
        below = _MINUS.search(before) is not None
        yield from (-Decimal(each) if below else Decimal(each) for each in mention.values)
