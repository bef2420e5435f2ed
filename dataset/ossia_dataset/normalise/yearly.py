"""Days and months that come round every year: dates without a year, months and holidays."""

from __future__ import annotations

from datetime import date, timedelta

from ossia_dataset.normalise.durations import add_months
from ossia_dataset.normalise.holidays import DayOfYear, holiday, nth_weekday
from ossia_dataset.normalise.numbers import ordinal, small_number
from ossia_dataset.normalise.numbers import year as read_year
from ossia_dataset.normalise.terms import MONTH_WORDS, SHIFTS, WEEKDAY_WORDS, Term, one_day
from ossia_dataset.normalise.values import DateValue
from ossia_dataset.normalise.words import Scanner


def nth_weekday_term(words: Scanner, today: date) -> Term | None:
    """Read such a day as ``the first monday of april``.

    Args:
        words: Where to read; the caller goes back if nothing fits.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If the day does not exist.
    """
    words.take("the")
    count = -1 if words.take("last") else ordinal(words)
    weekday = words.take_from(WEEKDAY_WORDS)
    if count is None or weekday is None or not words.take("of", "in"):
        return None
    if words.take("the month", "this month"):
        return Term(one_day(nth_weekday(today.year, today.month, weekday, count)))
    if words.take("next month"):
        first = add_months(today.replace(day=1), 1)
        return Term(one_day(nth_weekday(first.year, first.month, weekday, count)))
    month = words.take_from(MONTH_WORDS)
    if month is None:
        return None
    return yearly_term(lambda year: nth_weekday(year, month, weekday, count), words, today)


def _day_number(words: Scanner) -> int | None:
    words.take("the")
    day = words.first(ordinal, small_number)
    return day if day is not None and 1 <= day <= 31 else None


def month_day_term(words: Scanner, today: date) -> Term | None:
    """Read a day of a month: ``march tenth``, ``10 march 2026`` or ``the tenth of march``.

    Args:
        words: Where to read; the caller goes back if nothing fits.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If the day does not exist.
    """
    words.take("the")
    month = words.take_from(MONTH_WORDS)
    if month is not None:
        if words.attempt(read_year) is not None:
            return None
        day = _day_number(words)
        if words.peek() in ("am", "pm", "oclock"):
            return None
    else:
        day = words.first(ordinal, small_number)
        words.take("day of", "of")
        month = words.take_from(MONTH_WORDS)
    if day is None or month is None or not 1 <= day <= 31:
        return None
    return yearly_term(lambda year: date(year, month, day), words, today)


def yearly_term(on: DayOfYear, words: Scanner, today: date) -> Term:
    """Place a day that comes every year, in the year that follows it in the words if one does.

    Args:
        on: Gives the day in a year.
        words: Where a year may come next.
        today: The current day.

    Returns:
        The term: without a year the next such day, today included.

    Raises:
        ValueError: If the day does not exist.
    """
    words.take("of")
    shift = {"this year": 0, "next year": 1, "last year": -1}.get(
        words.take("this year", "next year", "last year") or ""
    )
    year = today.year + shift if shift is not None else words.attempt(read_year)
    if year is not None:
        return Term(one_day(on(year)))
    return Term(
        one_day(_coming(on, today)),
        again=lambda start: one_day(_coming(on, start)),
        past=one_day(_gone(on, today)),
    )


def _coming(on: DayOfYear, start: date) -> date:
    # Eight years are the longest that February 29 stays away.
    for year in range(start.year, start.year + 9):
        day = _day_or_none(on, year)
        if day is not None and day >= start:
            return day
    raise ValueError("There is no such day of the year.")


def _gone(on: DayOfYear, start: date) -> date:
    for year in range(start.year, start.year - 9, -1):
        day = _day_or_none(on, year)
        if day is not None and day < start:
            return day
    raise ValueError("There is no such day of the year.")


def _day_or_none(on: DayOfYear, year: int) -> date | None:
    try:
        return on(year)
    except ValueError:
        return None


def holiday_term(words: Scanner, today: date) -> Term | None:
    """Read a holiday, with ``next``, ``last`` or a year if one is said.

    Args:
        words: Where to read; the caller goes back if nothing fits.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If the day does not exist.
    """
    shift = words.take_from(SHIFTS)
    words.take("the", "coming", "upcoming")
    on = holiday(words)
    if on is None:
        return None
    if shift == -1:
        return Term(one_day(_gone(on, today)))
    return yearly_term(on, words, today)


def month_term(words: Scanner, today: date) -> Term | None:
    """Read a whole month, with ``next``, ``last`` or a year if one is said.

    Args:
        words: Where to read; the caller goes back if nothing fits.
        today: The current day.

    Returns:
        The term, or ``None``.

    Raises:
        ValueError: If the day does not exist.
    """
    words.take("the month of", "month of")
    shift = words.take_from(SHIFTS)
    month = words.take_from(MONTH_WORDS)
    if month is None:
        return None
    words.take("of")
    year = words.attempt(read_year)
    if year is not None:
        return Term(_whole_month(year, month))

    def on_or_after(start: date) -> DateValue:
        return _whole_month(start.year + (month < start.month), month)

    gone = _whole_month(today.year - (month >= today.month), month)
    if shift == -1:
        return Term(gone)
    if shift == 1 and month == today.month:
        return Term(_whole_month(today.year + 1, month))
    return Term(on_or_after(today), again=on_or_after, past=gone)


def _whole_month(year: int, month: int) -> DateValue:
    first = date(year, month, 1)
    return DateValue(first, add_months(first, 1) - timedelta(days=1))
