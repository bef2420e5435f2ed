"""Times of the day as people say them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import Final, Literal

from ossia_dataset.normalise.numbers import TENS, UNITS, small_number
from ossia_dataset.normalise.values import TimeValue
from ossia_dataset.normalise.words import Scanner

Half = Literal["am", "pm", "24"]

PARTS: Final = {
    "morning": TimeValue(time(6), time(12)),
    "afternoon": TimeValue(time(12), time(18)),
    "evening": TimeValue(time(18), time(22)),
    "night": TimeValue(time(22), time(23, 59)),
    "tonight": TimeValue(time(18), time(23, 59)),
}
"""The parts of the day."""

_PART_WORDS: Final = {
    "morning": "morning", "mornings": "morning", "afternoon": "afternoon",
    "afternoons": "afternoon", "evening": "evening", "evenings": "evening", "night": "night",
    "nights": "night", "nighttime": "night", "tonight": "tonight", "tonite": "tonight",
}  # fmt: skip
_COLON = re.compile(r"([0-9]{1,2})[:h]([0-9]{2})(?::[0-9]{2})?")
_DOT = re.compile(r"([0-9]{1,2})\.([0-9]{2})")
_PACKED = re.compile(r"([0-9]{1,2})([0-9]{2})")
_TO: Final = ("up to", "to", "until", "till", "til", "through", "and", "or")
_MINUTES_TO_HOUR: Final = frozenset({5, 10, 20, 25})


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of the day as it was said.

    Attributes:
        hour: 0 to 23.
        minute: 0 to 59.
        half: ``am`` or ``pm``, ``24`` for a clock of 24 hours, ``None`` if it was not said.
    """

    hour: int
    minute: int
    half: Half | None

    def at(self, part: str | None = None) -> time:
        """Place the time in the day.

        Args:
            part: The part of the day that was said with it, one of `PARTS`.

        Returns:
            The time; without am, pm or a part of the day, the hour that people mean.
        """
        if self.half == "24":
            return time(self.hour, self.minute)
        hour = self.hour % 12
        half = self.half or _half_of(hour, part)
        return time(hour + 12 if half == "pm" else hour, self.minute)


_MIDNIGHT: Final = Clock(0, 0, "24")


def _half_of(hour: int, part: str | None) -> Half:
    if part == "morning":
        return "am"
    if part == "afternoon":
        return "pm"
    if part == "evening":
        return "pm" if hour else "am"
    if part in ("night", "tonight"):
        return "pm" if hour >= 5 else "am"
    return "am" if 7 <= hour <= 11 else "pm"


@dataclass(frozen=True, slots=True)
class Span:
    """A time or a range of times as it was said.

    Attributes:
        start: Where it begins, or ``None`` for an open range.
        end: Where it ends; equal to the start for a single time.
    """

    start: Clock | None
    end: Clock | None

    @property
    def free(self) -> bool:
        """Whether an hour was said without am or pm."""
        return any(clock is not None and clock.half is None for clock in (self.start, self.end))

    def at(self, part: str | None = None) -> TimeValue:
        """Place the span in the day.

        Args:
            part: The part of the day that was said with it, one of `PARTS`.

        Returns:
            The value. In a range, an end without am or pm follows the other end.
        """
        if self.end is None or self.start == self.end:
            start = self.start.at(part) if self.start else None
            return TimeValue(start, start if self.end else None)
        if self.end == _MIDNIGHT:
            # A range until midnight ends with the day, as the night does.
            return TimeValue(self.start.at(part) if self.start else None, time(23, 59))
        if self.start is None:
            return TimeValue(None, self.end.at(part))
        start, end = self.start.at(part), self.end.at(part)
        if part is None and self.start.half is None and self.end.half in ("am", "pm"):
            same = Clock(self.start.hour, self.start.minute, self.end.half).at()
            other = Clock(self.start.hour, self.start.minute, _other(self.end.half)).at()
            start = same if same < end else other
        elif part is None and self.end.half is None and end <= start and end.hour < 12:
            later = end.replace(hour=end.hour + 12)
            end = later if later > start else end
        return TimeValue(start, end)


def _other(half: Half) -> Half:
    return "am" if half == "pm" else "pm"


def part_of_day(words: Scanner) -> str | None:
    """Read a part of the day, with or without ``in the``.

    Args:
        words: Where to read; moves on only if a part of the day is there.

    Returns:
        One of `PARTS`, or ``None``.
    """

    def read(here: Scanner) -> str | None:
        here.take(
            "in the", "during the", "at", "on the", "by the", "during", "in", "for the", "the"
        )
        here.take("very early", "early", "late", "mid", "middle of the")
        part = here.take_from(_PART_WORDS)
        if part is not None and part != "tonight":
            here.take("time")
        return part

    return words.attempt(read)


def span(words: Scanner, packed: bool) -> Span | None:
    """Read a time of the day or a range of times.

    Args:
        words: Where to read; moves on only if one is there.
        packed: Whether three or four digits such as ``1730`` are a time.

    Returns:
        The span, or ``None``.
    """
    return words.first(
        lambda here: _range(here, packed),
        lambda here: _open(here, packed),
        lambda here: _single(here, packed),
    )


def _single(words: Scanner, packed: bool) -> Span | None:
    words.take("at", "for", "from", "on")
    found = words.first(_words_around_hour, lambda here: _clock(here, packed))
    return Span(found, found) if found else None


def _range(words: Scanner, packed: bool) -> Span | None:
    opened = words.take("between", "from", "after", "any time between", "anytime between")
    spelled = words.peek() in UNITS or words.peek() in TENS
    begin = words.pos
    if words.peek() in ("half", "quarter"):
        start = words.first(_words_around_hour, lambda here: _clock(here, packed))
    else:
        start = words.attempt(lambda here: _clock(here, packed))
    if start is None:
        return None
    one_word = words.pos == begin + 1
    part = part_of_day(words)
    mark = words.take("and before", "and until", *_TO)
    if mark is None or (mark in ("and", "or") and opened != "between"):
        return None
    end = words.first(_words_around_hour, lambda here: _clock(here, packed))
    if end is None:
        return None
    # "Ten to five" without "from" is ten minutes before five; "10 to 5" is a range.
    on_the_hour = one_word and not start.minute and not end.minute and part is None
    if not opened and mark == "to" and spelled and on_the_hour and start.hour in _MINUTES_TO_HOUR:
        return None
    return Span(_in_part(start, part), end)


def _in_part(clock: Clock, part: str | None) -> Clock:
    if part is None or clock.half is not None:
        return clock
    placed = clock.at(part)
    return Clock(placed.hour, placed.minute, "24")


def _open(words: Scanner, packed: bool) -> Span | None:
    mark = words.take(
        "no later than", "later than", "earlier than", "prior to", "starting at", "starting from",
        "starting", "any time after", "anytime after", "any time before", "after", "past", "since",
        "before", "until", "till", "til", "by", "up to",
    )  # fmt: skip
    if mark is None:
        return None
    words.take("at")
    found = words.first(_words_around_hour, lambda here: _clock(here, packed))
    if found is None:
        return None
    begins = mark.startswith("start") or mark.split(" ")[-1] in ("after", "past", "since")
    return Span(found, None) if begins or mark == "later than" else Span(None, found)


def _words_around_hour(words: Scanner) -> Clock | None:
    """Read ``half past six``, ``quarter to seven`` or ``ten minutes before nine``."""
    words.take("a")
    if words.take("half"):
        minutes: int | None = 30
        after = words.take("past", "after") is not None or words.peek() in UNITS
    else:
        minutes = 15 if words.take("quarter") else small_number(words)
        said_minutes = words.take("minutes", "minute", "mins", "min")
        after = words.take("past", "after") is not None
        if not after and not words.take("to", "till", "til", "of", "before"):
            return None
        if minutes is None or (not said_minutes and minutes not in (*_MINUTES_TO_HOUR, 15)):
            return None
    if minutes is None or not 1 <= minutes <= 59:
        return None
    hour = _clock(words, packed=False)
    if hour is None or hour.minute:
        return None
    if after:
        return Clock(hour.hour, minutes, hour.half)
    before = (hour.hour - 1) % (24 if hour.half == "24" else 12)
    half = hour.half
    if half in ("am", "pm") and hour.hour % 12 == 0:
        half = _other(half)
    return Clock(before, 60 - minutes, half)


def _clock(words: Scanner, packed: bool) -> Clock | None:
    return words.first(_named, _written, lambda here: _packed(here, packed), _spoken)


def _named(words: Scanner) -> Clock | None:
    if words.take("twelve noon", "12 noon", "high noon", "noon", "noontime", "midday", "mid day"):
        return Clock(12, 0, "24")
    if words.take("twelve midnight", "12 midnight", "midnight", "mid night"):
        return _MIDNIGHT
    return None


def _half(words: Scanner) -> Half | None:
    found = words.take("am", "pm", "hours", "hrs")
    if found is None:
        return None
    return "am" if found == "am" else "pm" if found == "pm" else "24"


def _checked(hour: int, minute: int, half: Half | None, padded: bool = False) -> Clock | None:
    if hour == 24 and minute == 0:
        hour, half = 0, "24"
    if hour > 23 or minute > 59:
        return None
    if hour > 12 or hour == 0 or (padded and half is None):
        half = "24" if half in (None, "24") or hour > 12 else half
    return Clock(hour, minute, half)


def _written(words: Scanner) -> Clock | None:
    colon = words.take_match(_COLON)
    if colon is not None:
        words.take("oclock")
        return _checked(int(colon[1]), int(colon[2]), _half(words), padded=colon[1][0] == "0")
    dotted = words.take_match(_DOT)
    half = _half(words) if dotted else None
    return _checked(int(dotted[1]), int(dotted[2]), half) if dotted and half else None


def _packed(words: Scanner, packed: bool) -> Clock | None:
    digits = words.take_match(_PACKED)
    if digits is None:
        return None
    half = _half(words)
    if half is None and not packed:
        return None
    return _checked(int(digits[1]), int(digits[2]), half, padded=digits[1][0] == "0")


def _spoken(words: Scanner) -> Clock | None:
    """Read ``five thirty pm``, ``six oh five``, ``seventeen hundred hours`` or ``8 o'clock``."""
    padded = bool(words.take("oh", "o", "zero"))
    hour = _hour(words)
    if hour is None:
        return None
    minute = 0
    if words.take("hundred and", "hundred"):
        # "Three hundred and thirty" is how some recognisers write half past three.
        minute = words.attempt(small_number) or 0
    elif words.take("oh", "o", "zero"):
        found = words.take_from(UNITS)
        if found is None or not 1 <= found <= 9:
            return None
        minute = found
    elif not words.take("oclock"):
        minute = words.attempt(_minutes) or 0
    words.take("oclock", "sharp")
    return _checked(hour, minute, _half(words), padded)


def _hour(words: Scanner) -> int | None:
    # "Twenty five" is no hour, but "twenty fifteen" is one with minutes.
    hour = small_number(words)
    return hour if hour is not None and hour <= 24 else None


def _minutes(words: Scanner) -> int | None:
    word = words.peek()
    minute = small_number(words)
    if minute is None or not (10 <= minute <= 59 or (word.isdigit() and len(word) == 2)):
        return None
    if words.peek() in ("minutes", "minute", "mins", "days", "hours", "percent"):
        return None
    return minute if word in TENS or word in UNITS or len(word) == 2 else None
