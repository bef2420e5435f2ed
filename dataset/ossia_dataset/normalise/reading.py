"""What one phrase says about date and time together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from ossia_dataset.normalise.clock import PARTS, Clock, Span, part_of_day, span
from ossia_dataset.normalise.date_phrases import date_phrase
from ossia_dataset.normalise.durations import duration
from ossia_dataset.normalise.numbers import small_number
from ossia_dataset.normalise.terms import one_day
from ossia_dataset.normalise.values import (
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)
from ossia_dataset.normalise.words import Scanner, split_words

_LONGEST: Final = 40
_FILLERS: Final = (
    "at", "on", "the", "of", "for", "in", "to be", "during", "over", "around", "about", "roughly",
    "approximately", "approx", "exactly", "precisely", "sharp", "and", "please", "starting",
    "coming", "upcoming", "only", "just", "by", "from", "local", "time", "set", "s",
)  # fmt: skip
_WORK: Final = Span(Clock(9, 0, "24"), Clock(17, 0, "24"))


@dataclass(frozen=True, slots=True)
class Reading:
    """Date and time of one phrase; what it does not say is ``None``.

    Attributes:
        date: The date.
        clock: A time of the day as it was said.
        part: The part of the day.
        exact: A time that needs no placing: a normal form, or one counted from the current time.
    """

    date: DateValue | None = None
    clock: Span | None = None
    part: str | None = None
    exact: TimeValue | None = None

    def time(self, part: str | None = None) -> TimeValue | None:
        """Return the time that is meant.

        Args:
            part: A part of the day said elsewhere, used if the phrase itself has none.

        Returns:
            The time, or ``None`` if the phrase has none.
        """
        if self.exact is not None:
            return self.exact
        if self.clock is not None:
            return self.clock.at(self.part or part)
        return PARTS[self.part] if self.part else None


def read(text: str, now: datetime, hint: str) -> Reading:
    """Read a phrase that says a date, a time or both.

    Args:
        text: Words of a user, or a normal form.
        now: The current time.
        hint: ``date`` or ``time``: what a number that could be either is taken for.

    Returns:
        The reading; empty if the phrase as a whole is not understood.
    """
    exact = _normal_form(text)
    if exact is not None:
        return exact
    words = Scanner(split_words(text))
    if words.done or len(words.words) > _LONGEST:
        return Reading()
    try:
        found = _counted_from_now(words, now) or _joint(words, now, hint)
    except (ValueError, OverflowError):
        # A day that does not exist, or one outside the calendar.
        return Reading()
    return found or Reading()


def _normal_form(text: str) -> Reading | None:
    stripped = text.strip()
    try:
        return Reading(date=parse_date_value(stripped))
    except ValueError:
        pass
    try:
        return Reading(exact=parse_time_value(stripped))
    except ValueError:
        return None


def _counted_from_now(words: Scanner, now: datetime) -> Reading | None:
    """Read ``in two hours``, ``ten minutes ago``, ``the last hour`` or ``now``."""
    words.take("exactly", "about", "around")
    found = words.first(
        lambda here: _right_now(here, now),
        lambda here: _hours_around(here, now),
        lambda here: _hours_away(here, now),
    )
    if found is not None and words.done:
        return found
    words.pos = 0
    return None


def _right_now(words: Scanner, now: datetime) -> Reading | None:
    words.take("as of", "at", "for")
    said = words.take(
        "right now", "now", "currently", "the current time", "current time", "at the moment",
        "the moment", "this moment", "immediately", "this very moment", "the present time",
        "this time",
    )  # fmt: skip
    return Reading(date=one_day(now.date()), exact=_point(now)) if said else None


def _hours_around(words: Scanner, now: datetime) -> Reading | None:
    words.take("in the", "for the", "over the", "during the", "within the", "in", "for", "the")
    if words.take("this hour", "current hour"):
        start = now.replace(minute=0)
        return _between(start, start + timedelta(minutes=59), now)
    ahead = words.take("next", "coming", "following")
    back = None if ahead else words.take("last", "past", "previous")
    if not (ahead or back):
        return None
    if words.take("hour"):
        length = timedelta(hours=1)
    else:
        found = duration(words)
        if found is None or not found.fine:
            return None
        length = found.after(now) - now
    return _between(now, now + length, now) if ahead else _between(now - length, now, now)


def _hours_away(words: Scanner, now: datetime) -> Reading | None:
    prefix = words.take("in", "after", "within", "for")
    length = duration(words)
    if length is None or not length.fine:
        return None
    if words.take("ago", "back", "earlier"):
        moment = length.after(now, -1)
    else:
        later = words.take(
            "from right now", "from now", "from the current time", "later", "time", "hence"
        )
        prefix = prefix if later is None else "in"
        moment = length.after(now)
    if prefix in ("within", "for"):
        return _between(now, moment, now)
    day = one_day(moment.date()) if moment.date() != now.date() else None
    return Reading(date=day, exact=_point(moment))


def _point(moment: datetime) -> TimeValue:
    minute = moment.time().replace(second=0, microsecond=0, tzinfo=None)
    return TimeValue(minute, minute)


def _between(first: datetime, last: datetime, now: datetime) -> Reading:
    begin, end = _point(first).start, _point(last).start
    days = None
    if first.date() != last.date():
        days = DateValue(first.date(), last.date())
    elif first.date() != now.date():
        days = one_day(first.date())
    return Reading(date=days, exact=TimeValue(begin, end))


class _Joint:
    """Collects date, time and part of the day until the words are used up."""

    def __init__(self, words: Scanner, now: datetime, hint: str) -> None:
        self.words = words
        self.now = now
        self.hint = hint
        self.date: DateValue | None = None
        self.clock: Span | None = None
        self.part: str | None = None

    def read(self) -> Reading | None:
        """Read every word, or answer ``None``."""
        while not self.words.done:
            self.words.take("first thing", "later", "sometime", "some time")
            if not (self._day_and_part() or self._date() or self._part() or self._clock()) and (
                self.words.take(*_FILLERS) is None
            ):
                return None
        if self.date is None and self.clock is None and self.part is None:
            return None
        return Reading(self.date, self.clock, self.part)

    def _day_and_part(self) -> bool:
        """Read the parts of the day that name a day as well."""
        if self.date is not None:
            return False
        start, today = self.words.pos, self.now.date()
        if self.words.take("tonight", "tonite"):
            self.words.pos = start
            self.date = one_day(today)
            return self._part()
        shift = self.words.take("this", "last", "yesterday")
        part = part_of_day(self.words) if shift else None
        if part is None or self.part is not None:
            self.words.pos = start
            return False
        self.date = one_day(today - timedelta(days=shift != "this"))
        self.part = part
        return True

    def _date(self) -> bool:
        if self.date is not None:
            return False
        start = self.words.pos
        found = self.words.attempt(lambda here: date_phrase(here, self.now.date()))
        if found is None:
            found = self.words.attempt(self._bare_day)
        if found is None:
            return False
        # A year is read as a time where a time is expected.
        if self.hint == "time" and self.words.words[start].isdigit() and self.words.done:
            self.words.pos = start
            return False
        self.date = found
        return True

    def _bare_day(self, words: Scanner) -> DateValue | None:
        """Read a number that stands alone as a day of the month."""
        if self.hint != "date" or self.clock is not None:
            return None
        words.take("the")
        day = small_number(words)
        if day is None or not words.done or len(words.words) > 2:
            return None
        today: date = self.now.date()
        return date_phrase(Scanner((f"{day}th",)), today)

    def _part(self) -> bool:
        if self.part is not None:
            return False
        self.part = part_of_day(self.words)
        return self.part is not None

    def _clock(self) -> bool:
        if self.words.take("working hours", "work hours", "business hours", "office hours"):
            found: Span | None = _WORK
        else:
            packed = self.hint == "time" or self.date is not None
            found = self.words.attempt(lambda here: span(here, packed))
        if found is None:
            return False
        if self.clock is not None:
            # "After one and before three" are the two ends of one range.
            if self.clock.end is None and found.start is None:
                found = Span(self.clock.start, found.end)
            elif self.clock.start is None and found.end is None:
                found = Span(found.start, self.clock.end)
            else:
                return False
        self.clock = found
        return True


def _joint(words: Scanner, now: datetime, hint: str) -> Reading | None:
    return _Joint(words, now, hint).read()
