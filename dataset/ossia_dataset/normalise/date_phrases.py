"""Dates with what stands around them: recurrences, ranges, and lengths counted from a day."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final

from ossia_dataset.normalise.days import day_term, period
from ossia_dataset.normalise.durations import Duration, add_months, duration
from ossia_dataset.normalise.numbers import ordinal, small_number
from ossia_dataset.normalise.terms import MONTH_WORDS, WEEKDAY_WORDS, Term, one_day
from ossia_dataset.normalise.values import WEEKDAYS, DateValue
from ossia_dataset.normalise.words import Scanner

_TO: Final = ("up to", "to", "until", "till", "til", "through", "thru", "and")
_ADVERBS: Final = {
    "daily": "day", "everyday": "day", "weekly": "week", "monthly": "month", "yearly": "year",
    "annually": "year", "hourly": "hour", "weekdays": "weekday", "weekends": "weekend",
    "weekday": "weekday", "workdays": "weekday", "weeknights": "weekday",
    **{f"{name}s": name for name in WEEKDAYS},
}  # fmt: skip
_EVERY_UNITS: Final = {
    "day": "day", "days": "day", "weekday": "weekday", "weekdays": "weekday",
    "workday": "weekday", "weekend": "weekend", "weekends": "weekend", "week": "week",
    "month": "month", "year": "year", "hour": "hour",
}  # fmt: skip
_PARTS: Final = ("morning", "afternoon", "evening", "night")


def date_phrase(words: Scanner, today: date) -> DateValue | None:
    """Read a date, a range of dates or a recurrence.

    Args:
        words: Where to read; moves on only if one is there.
        today: The current day.

    Returns:
        The value, or ``None``.

    Raises:
        ValueError: If a day is named that does not exist.
        OverflowError: If a day outside the calendar is named.
    """
    return words.first(
        _recurrence,
        lambda here: _counted_range(here, today),
        lambda here: _counted(here, today),
        lambda here: _part_of_period(here, today),
        lambda here: _range(here, today),
        lambda here: _open_range(here, today),
        lambda here: _single(here, today),
    )


def _recurrence(words: Scanner) -> DateValue | None:
    words.take("repeat", "repeating", "repeated")
    if words.take("once a", "once every", "one time a"):
        unit = words.take_from(_EVERY_UNITS)
        return DateValue(recurrence=f"every {unit}") if unit else None
    if words.take("each and every", "every single", "every", "each", "all", "on all"):
        return _every(words)
    words.take("the", "on")
    unit = words.take_from(_ADVERBS)
    return DateValue(recurrence=f"every {unit}") if unit else None


def _every(words: Scanner) -> DateValue | None:
    plural = words.words[words.pos - 1] == "all"
    first = words.take_from(WEEKDAY_WORDS)
    if first is not None:
        start = words.pos
        if words.take("to", "through", "thru") and words.take("friday", "fri") and first == 0:
            return DateValue(recurrence="every weekday")
        words.pos = start
        return DateValue(recurrence=f"every {WEEKDAYS[first]}")
    # The part of the day is left for the clock: "every morning" is a day's recurrence and a time.
    if words.peek() in _PARTS and not plural:
        return DateValue(recurrence="every day")
    word = words.peek()
    unit = words.take_from(_ADVERBS) if plural else words.take_from(_EVERY_UNITS)
    if plural and unit is None and word in ("days", "weekdays", "weekends"):
        unit = words.take_from(_EVERY_UNITS)
    if unit is None:
        return None
    if unit == "week" and words.take("on"):
        weekday = words.take_from(WEEKDAY_WORDS)
        return DateValue(recurrence=f"every {WEEKDAYS[weekday]}") if weekday is not None else None
    return DateValue(recurrence=f"every {unit}")


def _move(day: date, length: Duration, count: int = 1) -> date:
    return length.after(datetime.combine(day, time()), count).date()


def _counted_range(words: Scanner, today: date) -> DateValue | None:
    """Read ``next three days``, ``the last two weeks`` or ``within a week``."""
    words.take("for", "over", "during", "in", "within")
    within = words.words[words.pos - 1] == "within" if words.pos else False
    words.take("the")
    ahead = words.take("next", "coming", "following", "upcoming")
    back = None if ahead else words.take("last", "past", "previous")
    if not (ahead or back or within):
        return None
    length = words.attempt(duration)
    if length is None or length.fine:
        return None
    if back:
        return DateValue(_move(today, length, -1), today - timedelta(days=1))
    first = today if within and not ahead else today + timedelta(days=1)
    return DateValue(first, _move(today, length))


def _counted(words: Scanner, today: date) -> DateValue | None:
    """Read ``in two days``, ``a week ago`` or ``two days after christmas``."""
    prefix = words.take("in", "after")
    length = words.attempt(duration) or words.attempt(_the_day)
    if length is None or length.fine:
        return None
    if words.take("time") and prefix:
        return one_day(_move(today, length))
    if words.take("ago", "back", "earlier") and not prefix:
        return one_day(_move(today, length, -1))
    if words.take("from now", "later", "hence"):
        return one_day(_move(today, length))
    sign = {"from": 1, "after": 1, "before": -1, "prior to": -1}.get(
        words.take("from", "after", "before", "prior to") or ""
    )
    if sign is None and words.peek() in ("today", "tomorrow"):
        # "A week tomorrow" is a week from it.
        sign = 1
    if sign is None:
        return one_day(_move(today, length)) if prefix else None
    anchor = day_term(words, today)
    if anchor is None or anchor.value.single is None:
        return None
    return one_day(_move(anchor.value.single, length, sign))


def _the_day(words: Scanner) -> Duration | None:
    """Read the one day of ``the day after christmas``."""
    said = words.take("the day", "day")
    return Duration(days=1) if said and words.peek() in ("after", "before") else None


def _part_of_period(words: Scanner, today: date) -> DateValue | None:
    """Read ``first fifteen days of this month``, ``end of the month`` or ``rest of the week``."""
    words.take("the")
    if words.take("rest of", "remainder of", "remaining"):
        ends = _ends(words, today)
        return DateValue(today, ends[1]) if ends and ends[0] <= today <= ends[1] else None
    if words.take("day of"):
        return None
    edge = words.take("beginning of", "start of", "first day of", "end of", "last day of")
    if edge is not None:
        ends = _ends(words, today)
        return one_day(ends[edge in ("end of", "last day of")]) if ends else None
    edge = words.take("first", "last")
    count = words.attempt(small_number) if edge else None
    if count is None or not 1 <= count <= 31 or not words.take("days of", "days in"):
        return None
    ends = _ends(words, today)
    if ends is None:
        return None
    length = timedelta(days=count - 1)
    return (
        DateValue(ends[0], ends[0] + length)
        if edge == "first"
        else DateValue(ends[1] - length, ends[1])
    )


def _ends(words: Scanner, today: date) -> tuple[date, date] | None:
    whole = words.attempt(lambda here: period(here, today)) or day_term(words, today)
    if whole is None or whole.value.start is None or whole.value.end is None:
        return None
    return whole.value.start, whole.value.end


def _range(words: Scanner, today: date) -> DateValue | None:
    """Read ``monday to friday``, ``from june until august`` or ``march tenth to fifteenth``."""
    opened = words.take(
        "starting from", "beginning from", "between", "starting", "beginning", "from"
    )
    first = words.attempt(lambda here: _days_of_one_month(here, today))
    if first is not None:
        return first
    begin = day_term(words, today)
    if begin is None or begin.value.start is None:
        return None
    mark = words.take(*_TO)
    if mark is None:
        return None
    end = words.attempt(lambda here: _later_day(here, begin)) or day_term(words, today)
    if end is None:
        return None
    value = end.again(begin.value.start) if end.again else end.value
    if value.end is None or value.end < begin.value.start:
        return None
    adjacent = begin.value.end and value.start == begin.value.end + timedelta(days=1)
    if mark == "and" and opened != "between" and not adjacent:
        return None
    return DateValue(begin.value.start, value.end)


def _days_of_one_month(words: Scanner, today: date) -> DateValue | None:
    """Read ``10 to 15 march`` or ``the tenth to the fifteenth of march``."""
    words.take("the")
    first = words.first(ordinal, small_number)
    if first is None or not words.take(*_TO):
        return None
    start = words.pos
    last = words.attempt(
        lambda here: term if (term := day_term(here, today)) and term.value.single else None
    )
    said = words.words[start : words.pos]
    if last is None or last.value.single is None or not any(word in MONTH_WORDS for word in said):
        return None
    end = last.value.single
    return DateValue(end.replace(day=first), end) if 1 <= first <= end.day else None


def _later_day(words: Scanner, begin: Term) -> Term | None:
    """Read a bare day of the month that goes on from a range's first day."""
    if begin.value.single is None or not any(
        word in MONTH_WORDS or word[:1].isdigit() for word in words.words[: words.pos]
    ):
        return None
    words.take("the")
    day = words.first(ordinal, small_number)
    if day is None or not 1 <= day <= 31:
        return None
    if words.peek() in ("of", "am", "pm", "oclock") or words.peek() in MONTH_WORDS:
        return None
    first = begin.value.single
    month = first if day >= first.day else add_months(first.replace(day=1), 1)
    return Term(one_day(month.replace(day=day)))


def _open_range(words: Scanner, today: date) -> DateValue | None:
    mark = words.take(
        "starting from", "starting", "beginning", "on or before", "on or after", "no later than",
        "later than", "earlier than", "prior to", "as of", "after", "before", "since", "until",
        "till", "til", "by", "up to", "through", "from",
    )  # fmt: skip
    if mark is None:
        return None
    term = day_term(words, today)
    if term is None or term.value.start is None or term.value.end is None:
        return None
    words.take("onwards", "onward", "on")
    first, last = term.value.start, term.value.end
    if mark == "from" and first < today:
        # "The mail from yesterday" is that day's; "from friday" begins a range.
        return term.value
    if mark == "since":
        return DateValue(term.past.start if term.past else first, None)
    if mark in ("after", "later than"):
        return DateValue(last + timedelta(days=1), None)
    if mark in ("before", "prior to", "earlier than"):
        return DateValue(None, first - timedelta(days=1))
    if mark in ("until", "till", "til", "by", "up to", "through", "on or before", "no later than"):
        return DateValue(None, last)
    return DateValue(first, None)


def _single(words: Scanner, today: date) -> DateValue | None:
    term = day_term(words, today)
    if term is None:
        return None
    if words.take("onwards", "onward", "and after", "and later", "or later"):
        return DateValue(term.value.start, None)
    words.take("only")
    following = words.attempt(lambda here: _same_day(here, today))
    return following if following is not None else term.value


def _same_day(words: Scanner, today: date) -> DateValue | None:
    """Read the date that follows a day of the week, as in ``friday the thirteenth of march``."""
    before = words.words[words.pos - 1] if words.pos else ""
    if before not in WEEKDAY_WORDS:
        return None
    words.take("on")
    term = day_term(words, today)
    return term.value if term is not None and term.value.single is not None else None
