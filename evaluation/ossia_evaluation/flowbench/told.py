"""Whether an answer tells a fact: a value of a tool's result, in its usual spellings."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from ossia_evaluation.flowbench.amounts import amounts, places
from ossia_evaluation.reply.mentions import Mentions, is_denied, read_mentions
from ossia_evaluation.reply.stems import stems
from ossia_evaluation.reply.told import LONG_TEXT, is_told
from ossia_servers.flowbench.spoken import starts_of, typed
from ossia_workflows.scenario import Kind

__all__ = ["is_demanded", "tells"]

_WEEKDAY: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_NONE: Final = re.compile(r"\b(?:no(?= \w)|none|nobody)\b")
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)?(?:(?<=\d)[T ](?=\d))?(\d\d:\d\d)?")
_CLOCK: Final = re.compile(r"(?<![\w.:-])([01]?\d|2[0-3]):([0-5]\d)(?![\w:])")
_DAY_AND_CLOCK: Final = re.compile(rf"({_WEEKDAY.pattern}) at ({_CLOCK.pattern})")
# An amount unless the words around it say that it is a time; minutes below 13 may be a month.
_DOTTED: Final = re.compile(
    r"(?P<before>\bat |\b(?:by|until|till|before|after) (?=\d+\.(?:1[3-9]|[2-5]\d)))?"
    r"(?<![\w.,:/-])(?P<hour>[01]?\d|2[0-3])(?P<sign>[.h])(?P<minute>[0-5]\d)"
    r"(?:(?P<behind> ?(?:h|hrs|uhr|o'clock)\b)"
    r"|(?!\w|[.,:]\d| ?(?:[$\u20ac\u00a3\u00a5%]|eur|usd|gbp|chf|percent)))"
)


def is_demanded(value: JsonValue) -> bool:
    """Return whether a fact has to be told: not what is empty, and no truth value.

    A truth value has no words of its own: how it is told depends on what it is about.
    """
    return not isinstance(value, bool) and value not in (None, "", [], {})


def tells(answer: str, value: JsonValue, kind: Kind, now: datetime) -> bool:
    """Return whether an answer tells a fact and does not deny it.

    Numbers count by value, in figures or, if simple, in words, zero also as `no` or `none`, a count
    also as a place in a line; days and clock times, also those within a text, in their usual
    spellings; choices by their words, in their order; texts likewise, but for little words, and a
    long one may leave out some; what has a figure in it, such as a reference, to the letter but for
    case and spaces; a list by each of its texts.

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
        return _number_told(Decimal(repr(value)), answer, kind, now)
    text = str(value)
    if isinstance(kind, tuple):
        return _is_said(text.replace("_", " "), answer, whole=True)
    moment = _MOMENT.fullmatch(text)
    if moment is not None:
        day, clock = moment.groups()
        return (day is None or _day_told(day, _mentions(answer, now), answer)) and (
            clock is None or any(clock in values for *_, values in _clocks(answer, now))
        )
    said = _with_clock_told(text, answer, now) if _CLOCK.search(text) else _is_said(text, answer)
    is_long = len(stems(text)) >= LONG_TEXT
    return said or (is_long and is_told(text, answer, now))


@lru_cache(maxsize=512)
def _mentions(answer: str, now: datetime) -> Mentions:
    return read_mentions(answer, now)


@lru_cache(maxsize=512)
def _amounts(answer: str, now: datetime) -> frozenset[Decimal]:
    return amounts(_plain(answer), _mentions(answer, now))


@lru_cache(maxsize=512)
def _clocks(answer: str, now: datetime) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """Where an answer names clock times, from the last, each with all it may mean."""
    found = _mentions(_DOTTED.sub(_with_colon, _plain(answer)), now)
    mentions = sorted((*found.times, *found.ends), key=lambda each: -each.start)
    return tuple((each.start, each.end, each.values) for each in mentions)


def _with_colon(match: re.Match[str]) -> str:
    before, hour, sign, minute, behind = match.group("before", "hour", "sign", "minute", "behind")
    if not before and not behind and sign == ".":
        return match[0]
    return f"{before or ''}{hour}:{minute}{behind or ''}"


def _number_told(value: Decimal, answer: str, kind: Kind, now: datetime) -> bool:
    if value == 0 and _NONE.search(_plain(answer)):
        return True
    return value in _amounts(answer, now) or (kind == "count" and value in places(_plain(answer)))


def _with_clock_told(text: str, answer: str, now: datetime) -> bool:
    """Whether an answer tells a text with clock times in it, such as `Tuesday at 15:20`."""
    wanted = {match[0]: f"{int(match[1]):02}:{match[2]}" for match in _CLOCK.finditer(text)}
    said = _plain(answer)
    for start, end, values in _clocks(answer, now):
        # Of the same spelling as in the text, so that the text is found; any other time is not.
        same = next((each for each, clock in wanted.items() if clock in values), "another time")
        said = said[:start] + same + said[end:]
    turned = _DAY_AND_CLOCK.sub(r"\2 on \1", _plain(text))
    return _is_said(text, said) or (turned != _plain(text) and _is_said(turned, said, whole=True))


def _day_told(day: str, found: Mentions, answer: str) -> bool:
    said = _plain(answer)
    # A weekday alone may be of any week.
    return any(
        day in each.values and not _WEEKDAY.fullmatch(said[each.start : each.end])
        for each in found.dates
    )


def _is_said(text: str, answer: str, *, whole: bool = False) -> bool:
    said = _plain(answer)
    return any(not is_denied(said, at) for at in starts_of(text, said, whole=whole))


def _plain(text: str) -> str:
    """A text in lower case; of the same length as what `read_mentions` reads."""
    return text.casefold()
