"""The days, clock times and numbers that an answer names, each with all it may mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from ossia_dataset.normalise import spoken_number

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH: Final = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAYS: Final = ("monday tuesday wednesday thursday friday saturday sunday").split()
_YEAR: Final = r"(?:,? (?:of )?(\d{4})\b)?"
_ISO: Final = re.compile(r"(?<![\d-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_MONTH_DAY: Final = re.compile(rf"\b{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:\d){_YEAR}")
_DAY_MONTH: Final = re.compile(
    rf"(?<![\d:.,])(\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?{_MONTH}{_YEAR}"
)
_FIGURES: Final = re.compile(
    r"(?<![\d.:/-])(\d{1,2})(?:([./-])(\d{1,2})\2(\d{4}|\d\d)(?![\d:])|(\.)(\d{1,2})\.(?=\s|$)"
    r"|(/)(\d{1,2})(?![\d/]))"
)
_NEAR: Final = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
_NEAR_WORD: Final = re.compile(rf"\b({'|'.join(_NEAR)})\b")
_WEEKDAY: Final = re.compile(rf"\b({'|'.join(_WEEKDAYS)})\b")

_CLOCK: Final = re.compile(
    r"(?<![\d:.])(\d{1,2})(?::(\d\d)(?::\d\d)?(?![\d:])(?: ?([ap])\.?m\b\.?)?"
    r"|(?:\.(\d\d))? ?([ap])\.?m\b\.?| o'clock)"
)
_NAMED_CLOCK: Final = re.compile(r"\b(noon|midday|midnight)\b")
_UNTIL: Final = re.compile(r" *(?:-|\u2013|\u2014|to|until|till|and ends at|, ending at) *")

_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SPELLED: Final = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS[1:10])}))?|({'|'.join(_UNITS)}))\b"
    r"(?! (?:numbers|figures|values|counts)\b)"
)
_DIGITS: Final = re.compile(
    r"(?<![\w#.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w%]|-[a-z])(?! (?:numbers|figures|values|counts)\b)"
)
_SHARES: Final = re.compile(r"(?<![\w#.])\d+(?:,\d{3})*(?:\.\d+)?(?=%)")
_HOURS: Final = "|".join(_UNITS[1:13])
_PARTS_OF_HOUR: Final = {"half": 30, "quarter": 15, "a quarter": 15}
_PART_OF_DAY: Final = (
    r"(?: ?(?:([ap])\.?m\b\.?|(?:in the|this|tomorrow) (morning|afternoon|evening)|at (night)))?"
)
_PAST_OR_TO: Final = re.compile(
    r"\b(half|a quarter|quarter|twenty[- ]five|five|ten|twenty|\d{1,2}(?= minutes?| past))"
    rf"(?: minutes?)? (past|to|till|after|before) ({_HOURS}|\d{{1,2}})\b(?!:){_PART_OF_DAY}"
)
_SPOKEN_CLOCK: Final = re.compile(
    rf"\b({_HOURS})(?: (thirty|fifteen|forty[- ]five|twenty|ten|forty|fifty|oh five))?"
    rf"(?: ?([ap])\.?m\b\.?| o'clock{_PART_OF_DAY}| (?:in the|this|tomorrow)"
    r" (morning|afternoon|evening)| at (night))"
)
_SPOKEN_MINUTES: Final = {
    "thirty": 30,
    "fifteen": 15,
    "forty five": 45,
    "forty-five": 45,
    "twenty": 20,
    "ten": 10,
    "forty": 40,
    "fifty": 50,
    "oh five": 5,
}
_CENTS_AFTER: Final = re.compile(r" ?(?:cents?|pence|p)\b")
_MONEY_BETWEEN: Final = re.compile(r" ?\w+(?: and|,)? ")
_DECIMAL: Final = re.compile(
    rf"\b(?:(?:{'|'.join(_TENS)})[- ])?(?:{'|'.join(_UNITS)}|(?<=ty)) point"
    rf"(?: (?:{'|'.join(_UNITS[:10])}))+\b"
)
# At most so many words, since a text of nothing but numbers is searched from each of them.
_LARGE: Final = re.compile(
    rf"\b(?:(?:{'|'.join((*_TENS, *_UNITS))}|hundred|thousand|million|\d+(?:\.\d+)?)"
    r"[- ](?:and )?){0,20}"
    r"(?:hundred|thousand|million)"
    rf"(?:[- ](?:and )?(?:{'|'.join((*_TENS, *_UNITS))}))*\b"
)
_BRACKET_MARK: Final = re.compile(r"(?<![\w(.,:])\d+\)")
_LINE_MARK: Final = re.compile(r"(?:^[ \t]*|(?<=[.!?:] ))\d+\.(?=[ \t]+\S)", re.MULTILINE)
_DENIED: Final = re.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|rather than|instead of)|n't)\s+"
    r"(?:(?!later\b|before\b|after\b|but\b|and\b|is\b)\w+\s+){0,2}$"
)
_LOOK_BACK: Final = 60


@dataclass(frozen=True, slots=True)
class Mention:
    """A value that a text names.

    Attributes:
        start: where it begins.
        end: where it has ended.
        values: all it may mean, in normal form; more than one where the form is ambiguous.
        pronoun: whether it may be no number at all, as in "the one that you mean".
    """

    start: int
    end: int
    values: frozenset[str]
    pronoun: bool = False


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a text names, without what it denies."""

    dates: tuple[Mention, ...]
    times: tuple[Mention, ...]
    numbers: tuple[Mention, ...]
    ends: tuple[Mention, ...] = ()
    """Times until which something lasts, as in `13:30 to 14:00`; not among `times`."""


def is_denied(text: str, start: int) -> bool:
    """Return whether what begins at a place is denied, as in `not Won`.

    Args:
        text: a text in lower case.
        start: the place.
    """
    return _DENIED.search(text[max(0, start - _LOOK_BACK) : start]) is not None


def read_mentions(text: str, now: datetime, *, shares: bool = False) -> Mentions:
    """Return the days, times and numbers that a text names.

    The figures of a day or a time are no numbers, and neither are the marks of a list and ids.

    Args:
        text: what was said.
        now: the frozen clock, by which "tomorrow" and a day without a year are read.
        shares: whether figures before a percent sign are numbers.
    """
    reader = _Reader(text.casefold().replace("\u2019", "'").replace("\u00a0", " "), now)
    dates = reader.dates()
    times, ends = reader.times()
    return Mentions(dates, times, reader.numbers(shares), ends)


class _Reader:
    """Takes what it has read out of the text, so that nothing is read twice."""

    def __init__(self, text: str, now: datetime) -> None:
        self._said = self._left = text
        self._now = now

    def dates(self) -> tuple[Mention, ...]:
        found = [
            *self._take(_ISO, lambda m: self._days((m[2], m[3], m[1]))),
            *self._take(_MONTH_DAY, lambda m: self._days((_month(m[1]), m[2], m[3]))),
            *self._take(_DAY_MONTH, lambda m: self._days((_month(m[2]), m[1], m[3]))),
            *self._take(_FIGURES, self._figures),
            *self._take(_NEAR_WORD, lambda m: {self._near(_NEAR[m[1]])}),
        ]
        weekdays = list(self._take(_WEEKDAY, self._weekday))
        # A weekday beside a day that is told in full only adorns it.
        return tuple(found or weekdays)

    def times(self) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
        found = sorted(
            [
                *self._take(_PAST_OR_TO, _past_or_to),
                *self._take(_SPOKEN_CLOCK, _spoken_clock),
                *self._take(_CLOCK, _clock_time),
                *self._take(_NAMED_CLOCK, _named_clock),
            ],
            key=lambda mention: mention.start,
        )
        kept: list[Mention] = []
        ends: list[Mention] = []
        for index, mention in enumerate(found):
            between = self._said[found[index - 1].end : mention.start] if index else ""
            # Until when a meeting lasts is no other beginning.
            (ends if _UNTIL.fullmatch(between) else kept).append(mention)
        return tuple(kept), tuple(ends)

    def numbers(self, shares: bool) -> tuple[Mention, ...]:
        self._blank(_BRACKET_MARK)
        if len(_LINE_MARK.findall(self._left)) > 1:
            self._blank(_LINE_MARK)
        percent = tuple(self._take(_SHARES, self._number)) if shares else ()
        return _with_cents(
            self._said,
            *percent,
            *self._take(_LARGE, _spoken_number),
            *self._take(_DECIMAL, _spoken_number),
            *self._take(_DIGITS, self._number),
            *self._take(_SPELLED, _spelled_number),
        )

    def _take(
        self, form: re.Pattern[str], read: Callable[[re.Match[str]], set[str]]
    ) -> Iterator[Mention]:
        before = self._left
        for match in form.finditer(before):
            values = frozenset(read(match))
            if not values:
                continue
            self._left = _without(self._left, match)
            if not is_denied(self._said, match.start()):
                yield Mention(*match.span(), values, pronoun=self._is_pronoun(match))

    def _is_pronoun(self, match: re.Match[str]) -> bool:
        """Whether a number stands for persons or things: "the one", "the two of you"."""
        after = self._said[match.end() : match.end() + 9]
        return match[0] == "one" or re.match(r" of (?:you|us|them)\b", after) is not None

    def _blank(self, form: re.Pattern[str]) -> None:
        for match in form.finditer(self._left):
            self._left = _without(self._left, match)

    def _near(self, days: int) -> str:
        return (self._now.date() + timedelta(days=days)).isoformat()

    def _weekday(self, match: re.Match[str]) -> set[str]:
        wanted = _WEEKDAYS.index(match[1])
        ahead = (wanted - self._now.weekday()) % 7
        return {self._near(ahead), self._near(ahead - 7 if ahead else 0)}

    def _figures(self, match: re.Match[str]) -> set[str]:
        first = match[1]
        sign = match[2] or match[5] or match[7]
        second, year = match[3] or match[6] or match[8], match[4]
        day_first = self._days((second, first, year))
        return day_first if sign == "." else day_first | self._days((first, second, year))

    def _days(self, said: tuple[str | int, str | int, str | None]) -> set[str]:
        """The day of a month, a day and a year; without a year the one nearest to now."""
        today = self._now.date()
        month, day = int(said[0]), int(said[1])
        if said[2] is not None:
            year = int(said[2])
            years = [year + 2000 if year < 100 else year]
        else:
            years = [today.year - 1, today.year, today.year + 1]
        days = [found for year in years if (found := _day(year, month, day)) is not None]
        return {min(days, key=lambda found: abs(found - today)).isoformat()} if days else set()

    def _number(self, match: re.Match[str]) -> set[str]:
        said = match[0].replace(",", "")
        is_id = len(said) > 1 and said.startswith("0") and not said.startswith("0.")
        return set() if is_id or said == str(self._now.year) else {_plain(said)}


def _with_cents(text: str, *found: Mention) -> tuple[Mention, ...]:
    """Join what belongs together: "612 dollars and 94 cents" is one number."""
    ordered = sorted(found, key=lambda mention: mention.start)
    joined: list[Mention] = []
    for mention in ordered:
        last = joined[-1] if joined else None
        if last is not None and _CENTS_AFTER.match(text, mention.end):
            between = text[last.end : mention.start]
            if _MONEY_BETWEEN.fullmatch(between):
                whole = frozenset(
                    _plain(f"{float(a) + float(b) / 100:.2f}")
                    for a in last.values
                    for b in mention.values
                )
                joined[-1] = Mention(last.start, mention.end, whole)
                continue
        joined.append(mention)
    return tuple(joined)


def _without(text: str, match: re.Match[str]) -> str:
    start, end = match.span()
    return text[:start] + " " * (end - start) + text[end:]


def _month(said: str) -> int:
    return _MONTHS.index(said[:3]) + 1


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _plain(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _clock_time(match: re.Match[str]) -> set[str]:
    hour, minute = int(match[1]), int(match[2] or match[4] or 0)
    half = match[3] or match[5]
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        return set()
    if half:
        hours = {hour % 12 + (12 if half == "p" else 0)}
    elif 1 <= hour <= 12 and not match[1].startswith("0"):
        hours = {hour, (hour + 12) % 24}
    else:
        hours = {hour}
    return {f"{time(hour, minute):%H:%M}" for hour in hours}


def _past_or_to(match: re.Match[str]) -> set[str]:
    said, side, hour = match[1], match[2], _small_number(match[3])
    minutes = _PARTS_OF_HOUR.get(said) or _small_number(said.replace("-", " "))
    if not minutes or not hour or minutes > 59 or not 1 <= hour <= 12:
        return set()
    if side in ("to", "till", "before"):
        hour, minutes = (hour - 2) % 12 + 1, 60 - minutes
    return _in_half(hour, minutes, match[4], match[5] or match[6])


def _spoken_clock(match: re.Match[str]) -> set[str]:
    part = match[5] or match[6] or match[7] or match[8]
    minutes = _SPOKEN_MINUTES[match[2]] if match[2] else 0
    return _in_half(_UNITS.index(match[1]), minutes, match[3] or match[4], part)


def _in_half(hour: int, minute: int, half: str | None, part: str | None) -> set[str]:
    """The times that an hour of the twelve may mean, by am and pm or a part of the day."""
    if half is None and part is not None:
        half = "a" if part == "morning" else "p"
    hours = (
        {hour % 12, hour % 12 + 12} if half is None else {hour % 12 + (12 if half == "p" else 0)}
    )
    return {f"{time(each, minute):%H:%M}" for each in hours}


def _small_number(said: str) -> int | None:
    if said.isdigit():
        return int(said)
    value = spoken_number(said)
    return None if value is None else int(value)


def _spoken_number(match: re.Match[str]) -> set[str]:
    said = match[0].replace("-", " ")
    value = spoken_number(said)
    if value is None:
        # "A hundred and five" is read without its article.
        value = spoken_number(f"one {said}")
    return set() if value is None else {_plain(f"{value:.6f}" if value % 1 else str(int(value)))}


def _named_clock(match: re.Match[str]) -> set[str]:
    return {"00:00" if match[1] == "midnight" else "12:00"}


def _spelled_number(match: re.Match[str]) -> set[str]:
    if match[3]:
        return {str(_UNITS.index(match[3]))}
    unit = _UNITS.index(match[2]) if match[2] else 0
    return {str(10 * _TENS.index(match[1]) + 20 + unit)}
