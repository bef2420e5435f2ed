"""Single days and whole periods, as people name them."""

from __future__ import annotations

import re
from datetime import date, timedelta

from ossia_dataset.normalise.durations import add_months
from ossia_dataset.normalise.numbers import ordinal, small_number
from ossia_dataset.normalise.numbers import year as read_year
from ossia_dataset.normalise.terms import SHIFTS, WEEKDAY_WORDS, Term, one_day
from ossia_dataset.normalise.values import DateValue
from ossia_dataset.normalise.words import Scanner
from ossia_dataset.normalise.yearly import (
    holiday_term,
    month_day_term,
    month_term,
    nth_weekday_term,
    yearly_term,
)

_ISO = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
_DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}|[0-9]{2})")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})(?:[/-]([0-9]{4}|[0-9]{2}))?")


def day_term(words: Scanner, today: date) -> Term | None:
    """Read the name of a day or of a whole period.

    Args:
        words: Where to read; moves on only if such a name is there.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If a day is named that does not exist.
        OverflowError: If a day outside the calendar is named.
    """
    return words.first(
        lambda here: _relative_day(here, today),
        lambda here: _numeric(here, today),
        lambda here: _weekday_of_period(here, today),
        lambda here: nth_weekday_term(here, today),
        lambda here: month_day_term(here, today),
        lambda here: _weekday(here, today),
        lambda here: holiday_term(here, today),
        lambda here: _week_of(here, today),
        lambda here: period(here, today),
        lambda here: month_term(here, today),
        lambda here: _day_of_month(here, today),
        _year,
    )


def period(words: Scanner, today: date) -> Term | None:
    """Read a whole week, weekend, month or year that is counted from today.

    Args:
        words: Where to read; moves on only if a period is there.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If it lies outside the calendar.
        OverflowError: Likewise.
    """
    words.take("the")
    shift = words.take_from(SHIFTS)
    if shift is None:
        words.take("all of the", "all of this", "all", "whole", "entire", "coming", "upcoming")
    words.take("calendar")
    unit = words.take("week", "weekend", "month", "year")
    if unit is None:
        return None
    if words.take("after next"):
        shift = 2
    first, last = _period_ends(unit, shift or 0, today)
    return Term(DateValue(first, last))


def next_weekday(today: date, weekday: int) -> date:
    """Return the next such day of the week, today excluded."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _period_ends(unit: str, shift: int, today: date) -> tuple[date, date]:
    if unit == "month":
        first = add_months(today.replace(day=1), shift)
        return first, add_months(first, 1) - timedelta(days=1)
    if unit == "year":
        return date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)
    first = _monday(today) + timedelta(weeks=shift)
    skipped = 5 if unit == "weekend" else 0
    return first + timedelta(days=skipped), first + timedelta(days=6)


def _relative_day(words: Scanner, today: date) -> Term | None:
    named = (
        (2, ("the day after tomorrow", "day after tomorrow", "overmorrow")),
        (-2, ("the day before yesterday", "day before yesterday")),
        (1, ("tomorrow", "tomorow", "tommorow", "tommorrow", "tmrw", "the next day", "next day")),
        (-1, ("yesterday", "the previous day", "previous day")),
        (0, ("today", "todays", "this day", "the current day", "current day", "right now", "now",
             "current date", "the day")),
    )  # fmt: skip
    for offset, phrases in named:
        if words.take(*phrases):
            return Term(one_day(today + timedelta(days=offset)))
    return None


def _weekday(words: Scanner, today: date) -> Term | None:
    words.take("the")
    shift = words.take_from(SHIFTS)
    words.take("coming", "upcoming")
    weekday = words.take_from(WEEKDAY_WORDS)
    if weekday is None:
        return None
    past = one_day(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    if shift == -1:
        return Term(past)
    if shift == 1:
        return Term(one_day(_monday(today) + timedelta(days=7 + weekday)))
    later = words.take("after next")
    if later:
        return Term(one_day(_monday(today) + timedelta(days=14 + weekday)))
    return Term(
        one_day(next_weekday(today, weekday)),
        again=lambda start: one_day(next_weekday(start, weekday)),
        past=past,
    )


def _weekday_of_period(words: Scanner, today: date) -> Term | None:
    """Read ``next week monday``, ``monday of next week`` or ``tuesday of march``."""
    weekday = words.take_from(WEEKDAY_WORDS)
    words.take("of the", "of", "in the", "in")
    start = words.pos
    whole = period(words, today) or (month_term(words, today) if weekday is not None else None)
    said = words.words[start : words.pos]
    if (
        whole is None
        or whole.value.start is None
        or (whole.again is None and ("week" not in said or SHIFTS.keys().isdisjoint(said)))
    ):
        return None
    if weekday is None:
        words.take("on")
        weekday = words.take_from(WEEKDAY_WORDS)
    if weekday is None or words.peek()[:1].isdigit() or words.attempt(ordinal) is not None:
        # "Saturday march fourteenth" goes on to name the day.
        return None
    first = whole.value.start
    if whole.again is not None:
        first = max(first, today)
    return Term(one_day(first + timedelta(days=(weekday - first.weekday()) % 7)))


def _week_of(words: Scanner, today: date) -> Term | None:
    words.take("the")
    if not words.take("week of"):
        return None
    inner = day_term(words, today)
    if inner is None or inner.value.single is None:
        return None
    first = _monday(inner.value.single)
    return Term(DateValue(first, first + timedelta(days=6)))


def _day_of_month(words: Scanner, today: date) -> Term | None:
    words.take("the")
    start = words.pos
    day = ordinal(words)
    if day is None and (number := words.attempt(small_number)) and words.peek() == "of":
        day = number
    if day is None or not 1 <= day <= 31 or words.pos == start:
        return None
    if words.take("of this month", "this month"):
        first = today.replace(day=1)
        exact = _day_in(first, day)
        return Term(one_day(exact)) if exact else None
    if words.take("of next month", "next month", "of the next month"):
        exact = _day_in(add_months(today.replace(day=1), 1), day)
        return Term(one_day(exact)) if exact else None
    if not words.take("of the month", "of the current month") and words.peek() == "of":
        return None

    def on_or_after(begin: date) -> DateValue:
        for months in range(12):
            found = _day_in(add_months(begin.replace(day=1), months), day)
            if found is not None and found >= begin:
                return one_day(found)
        raise ValueError("There is no such day of the month.")

    return Term(on_or_after(today), again=on_or_after)


def _day_in(first: date, day: int) -> date | None:
    try:
        return first.replace(day=day)
    except ValueError:
        return None


def _numeric(words: Scanner, today: date) -> Term | None:
    iso = words.take_match(_ISO)
    if iso is not None:
        return Term(one_day(date(int(iso[1]), int(iso[2]), int(iso[3]))))
    dotted = words.take_match(_DOTTED)
    if dotted is not None:
        return Term(one_day(date(_full_year(dotted[3]), int(dotted[2]), int(dotted[1]))))
    slashed = words.take_match(_SLASHED)
    if slashed is None:
        return None
    month, day = int(slashed[1]), int(slashed[2])
    if month > 12:
        month, day = day, month
    if slashed[3]:
        return Term(one_day(date(_full_year(slashed[3]), month, day)))
    return yearly_term(lambda year: date(year, month, day), words, today)


def _full_year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == 2 else 0)


def _year(words: Scanner) -> Term | None:
    words.take("the year", "year")
    year = read_year(words)
    if year is None:
        return None
    return Term(DateValue(date(year, 1, 1), date(year, 12, 31)))
