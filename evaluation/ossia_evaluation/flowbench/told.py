"""Whether an answer tells a fact: a value of a tool's result, in its usual spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from ossia_evaluation.reply.mentions import Mentions, is_denied, read_mentions
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.told import LONG_TEXT, is_told
from ossia_servers.flowbench.spoken import text_pattern, typed
from ossia_workflows.scenario import Kind

__all__ = ["is_demanded", "tells"]

_WEEKDAY: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_HYPHENED: Final = r"-(?:minute|hour|day|week|month|year|night|page|mile|bed)"
_UNIT: Final = r"(?:mins?|hrs?|[hms]|sec|km|m[\u00b2\u00b3]|k?g|[cm]m|[gt]b|eur|usd|gbp|chf)\b"
_MONEY: Final = r"[$\u20ac\u00a3\u00a5]?"
_FIGURE: Final = re.compile(
    rf"(?<![\w#.,/-])(?<!\d:)(?<!\d [-\u2013] )(?:eur|usd|gbp|chf|us)?{_MONEY}([-\u2212]?){_MONEY}"
    rf"(\d+(?:,\d{{3}})*(?:\.\d+)?)(?=\W|$|{_UNIT})"
    rf"(?![.,:/]\d| ?[-\u2013] ?\d|(?!{_HYPHENED})-\w)"
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
_NONE: Final = re.compile(r"\b(?:no(?= \w)|none|nobody)\b")
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)?(?:(?<=\d)[T ](?=\d))?(\d\d:\d\d)?")
_DECIMAL: Final = re.compile(r"\d+\.\d+\.?")


def is_demanded(value: JsonValue) -> bool:
    """Return whether a fact has to be told: not what is empty, and no truth value.

    A truth value has no words of its own: how it is told depends on what it is about.
    """
    return not isinstance(value, bool) and value not in (None, "", [], {})


def tells(answer: str, value: JsonValue, kind: Kind, now: datetime) -> bool:
    """Return whether an answer tells a fact and does not deny it.

    Numbers count by value, in figures or, if simple, in words, zero also as `no` or `none`; days
    and clock times in their usual spellings; choices by their words, in their order; texts
    likewise, but for little words, and a long one may leave out some; what has a figure in it, such
    as a reference, to the letter but for case and spaces; a list by each of its texts.

    Args:
        answer: What the user is told.
        value: The fact's value.
        kind: Its type.
        now: The clock, by which a day without a year is read.
    """
    answer = typed(answer)
    if isinstance(value, list):
        return all(tells(answer, each, "text", now) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        none = value == 0 and _NONE.search(_plain(answer)) is not None
        return none or Decimal(repr(value)) in _numbers(answer, now)
    text = str(value)
    if isinstance(kind, tuple):
        return _is_said(text.replace("_", " "), answer, whole=True)
    moment = _MOMENT.fullmatch(text)
    if moment is not None:
        found = _mentions(answer, now)
        day, clock = moment.groups()
        return (day is None or _day_told(day, found, answer)) and (
            clock is None or any(clock in each.values for each in (*found.times, *found.ends))
        )
    is_long = len(stems(text)) >= LONG_TEXT
    return _is_said(text, answer) or (is_long and is_told(text, answer, now))


@lru_cache(maxsize=512)
def _mentions(answer: str, now: datetime) -> Mentions:
    return read_mentions(answer, now)


@lru_cache(maxsize=512)
def _numbers(answer: str, now: datetime) -> frozenset[Decimal]:
    """The amounts that an answer names: no parts of days, times and references, and no labels."""
    found = _mentions(answer, now)
    said = _plain(answer)
    left = said
    for each in (*found.dates, *found.times, *found.ends):
        if _DECIMAL.fullmatch(said, each.start, each.end):
            # "It is 12.4." names no day.
            continue
        left = left[: each.start] + " " * (each.end - each.start) + left[each.end :]
    return frozenset((*_in_figures(left, said), *_in_words(left, found)))


def _in_figures(left: str, said: str) -> Iterator[Decimal]:
    for match in _FIGURE.finditer(left):
        start, end = match.start(), match.end()
        before = said[max(0, start - 20) : start]
        marks_a_line = match[2].isdigit() and _MARK.search(before) and _MARKED.match(said, end)
        if marks_a_line or _LABEL.search(before) or is_denied(said, start):
            continue
        below = bool(match[1]) or _MINUS.search(before) is not None
        value = Decimal(match[2].replace(",", ""))
        yield -value if below else value


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


def _day_told(day: str, found: Mentions, answer: str) -> bool:
    said = _plain(answer)
    # A weekday alone may be of any week.
    return any(
        day in each.values and not _WEEKDAY.fullmatch(said[each.start : each.end])
        for each in found.dates
    )


def _is_said(text: str, answer: str, *, whole: bool = False) -> bool:
    said = _plain(answer)
    found = text_pattern(text, whole=whole).finditer(said)
    return any(not is_denied(said, each.start()) for each in found)


def _plain(text: str) -> str:
    """A text in lower case; of the same length as what `read_mentions` reads."""
    return text.casefold()
