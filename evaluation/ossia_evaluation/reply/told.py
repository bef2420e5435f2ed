"""Whether a reply tells a fact, in any usual form of days, clock times, numbers and words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from typing import Final

from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.reply.clauses import (
    Polarity,
    is_negative,
    polarity,
    says_nothing_is_there,
    spoken_polarity,
)
from ossia_evaluation.reply.mentions import Mention, Mentions, is_denied, read_mentions
from ossia_evaluation.reply.stems import alike, spans, stem, stems
from ossia_evaluation.worlds.match import plain
from ossia_servers.worlds.lookup import words

LONG_TEXT: Final = 4
"""From so many content words on a fact may be told in part."""

LONG_TEXT_SHARE: Final = 0.5
"""The share of a long text's content words that has to be told."""

NEARLY: Final = Decimal("0.02")
"""How far a number may be off that is told with `about`."""

QUESTIONS: Final[dict[str, str]] = {
    "when?": r"when|time|day|date|hour|moment",
    "who?": r"who|whom|whose|name|person|recipient|contact|number|address|receiver",
    "where?": r"where|place|destination|location|go|going",
    "which?": r"which|one|option",
    "how?": r"how|level|percent|setting|colou?r|change|much|loud|volume|bright",
    "what?": r"what|say|text|message|called|name|content|like|write|title",
}
"""Words by which a question of each kind is known."""

_FIGURE: Final = re.compile(r"-?\d+(?:\.\d+)?")
_CLOCK: Final = re.compile(r"\d{2}:\d{2}(?:\.\.\d{2}:\d{2})?|\d{2}:\d{2}\.\.|\.\.\d{2}:\d{2}")
_DAY: Final = re.compile(r"[\d-]*\d{4}-\d{2}-\d{2}(?:\.\.[\d-]*)?|\.\.\d{4}-\d{2}-\d{2}")
ABOUT: Final = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|circa"
    r"|just (?:over|under|below|above)|a bit (?:over|under|less|more) than|over|under"
    r"|close to)\s+[$\u20ac\u00a3\u00a5]?$|[~\u2248]\s?$"
)
_BEFORE_HOURS: Final = "at|by|until|till|from|to|for|around|about|and|is|before|after|it's|one at|,"
_HOUR_ALONE: Final = re.compile(
    rf"\b(?:{_BEFORE_HOURS})\s*"
    r"(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?![\w:.%]|\s?(?:percent|degrees|dollars|minutes|hours|days|miles|am\b|pm\b|a\.m|p\.m)|,\d"
    r"| (?:o'clock )?(?:in the (?:morning|afternoon|evening)|at night))"
)
_AT_AN_HOUR: Final = re.compile(
    _HOUR_ALONE.pattern.replace(_BEFORE_HOURS, "at|by|until|till")
    + r"(?![\s-](?:hundred|thousand|million|point|past|to\b))"
)
_FIRST_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_ORDINALS: Final = (
    *_FIRST_ORDINALS,
    *(rf"twenty[-\s]{word}" for word in _FIRST_ORDINALS[:9]),
    "thirtieth",
    r"thirty[-\s]first",
)
"""The days of a month in words, as patterns."""

_WEEK: Final = 7
_MONTH_NAMES: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_NEAR_DAYS: Final = {
    -1: "yesterday|last night",
    0: "today|tonight|now|this (?:morning|afternoon|evening)",
    1: "tomorrow",
}
_HOURS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_CENTS: Final = re.compile(r"(\d+(?:\.\d+)?) ?(?:cents?|pence|\u00a2)\b")


@dataclass(frozen=True)
class Reading:
    """A reply, read once.

    Attributes:
        text: what was said.
        now: the task's frozen clock, by which "tomorrow" is read.
    """

    text: str
    now: datetime

    @cached_property
    def lower(self) -> str:
        """The text in lower case with plain apostrophes."""
        return self.text.casefold().replace("\u2019", "'").replace("\u00a0", " ")

    @cached_property
    def mentions(self) -> Mentions:
        """The days, times and numbers that it names, without denied ones."""
        return read_mentions(self.text, self.now, shares=True)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words."""
        return words(self.lower)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words that are not denied."""
        return frozenset(
            stem(word) for start, word in spans(self.lower) if not is_denied(self.lower, start)
        )

    @cached_property
    def polarity(self) -> Polarity:
        """Whether it affirms or denies."""
        return polarity(self.text)

    @cached_property
    def answers(self) -> Polarity | None:
        """What it says in so many words at its beginning: yes, no or neither."""
        return spoken_polarity(self.text)

    @cached_property
    def bare_hours(self) -> tuple[frozenset[str], ...]:
        """What each bare hour after "at" may mean, as clock times and as a number."""
        found = (self._hour(match) for match in _AT_AN_HOUR.finditer(self.lower))
        return tuple(frozenset({*_clock_times(hour), str(hour)}) for hour in found)

    @staticmethod
    def _hour(match: re.Match[str]) -> int:
        return int(match[1]) if match[1].isdigit() else _HOURS.index(match[1]) + 1

    @cached_property
    def hours(self) -> frozenset[str]:
        """Clock times that a bare hour may mean, as in "at seven"."""
        found: set[str] = set()
        for match in _HOUR_ALONE.finditer(self.lower):
            found |= _clock_times(self._hour(match))
        return frozenset(found)


def _clock_times(hour: int) -> set[str]:
    """The full hours that a bare hour may mean, as in "at seven"."""
    found = {f"{hour:02d}:00"} if 0 <= hour <= 23 else set()
    return found | (
        {f"{hour % 12:02d}:00", f"{hour % 12 + 12:02d}:00"} if 1 <= hour <= 12 else set()
    )


@lru_cache(maxsize=1024)
def read(text: str, now: datetime) -> Reading:
    """Return a reading of a text; one text is read for several questions, and only once.

    Args:
        text: what was said.
        now: the task's frozen clock.
    """
    return Reading(text, now)


def tells(form: str, reading: Reading) -> bool:
    """Return whether a reply tells a value or words.

    Args:
        form: a day, a clock time or a number in normal form, `yes`, `no` or `none`, the word of a
            question (`when?`), or words.
        reading: the reply.
    """
    if form in QUESTIONS:
        signs = rf"\b(?:{QUESTIONS[form]})\b[^?]*\?"
        return re.search(signs, reading.lower) is not None
    if form == "none":
        return says_nothing_is_there(reading.text)
    if form in ("yes", "no"):
        return reading.polarity == form
    if ".." in form and form in reading.lower:
        return True
    for shape, told in _SHAPES:
        if shape.fullmatch(form):
            return told(form, reading)
    return _words_told(form, reading)


def _words_told(form: str, reading: Reading) -> bool:
    if "@" in form and " " not in form:
        return form.casefold() in reading.lower
    digits = re.sub(r"\D", "", form)
    if len(digits) >= _LONG_FIGURE and not re.search(r"[a-z]", form.casefold()):
        return digits in _digits(reading.lower)
    wanted = stems(form)
    if not wanted:
        return (
            bool(plain(form))
            and re.search(rf"(?<!\w){re.escape(plain(form))}(?!\w)", plain(reading.text))
            is not None
        )
    if len(wanted) < LONG_TEXT:
        return all(alike(word) & _counting_stems(form, reading) for word in wanted)
    return len(wanted & _counting_stems(form, reading)) >= LONG_TEXT_SHARE * len(wanted)


_LONG_FIGURE: Final = 7
_DIGITS: Final = "zero one two three four five six seven eight nine".split()


def _digits(text: str) -> str:
    """The figures of a text one after another, also those that are read out one by one."""
    spoken = {word: str(i) for i, word in enumerate(_DIGITS)} | {"oh": "0", "o": "0"}
    found = re.findall(r"\d+|[a-z]+", text)
    return "".join(word if word.isdigit() else spoken.get(word, " ") for word in found)


def _counting_stems(form: str, reading: Reading) -> frozenset[str]:
    """The stems that count: denied ones only for words that hold a denial themselves."""
    return stems(reading.text) if is_negative(form.casefold()) else reading.stems


def _number_told(form: str, reading: Reading) -> bool:
    # "Down 2 percent" tells a fall of -2.
    wanted = abs(Decimal(form))
    for mention in reading.mentions.numbers:
        before = reading.lower[max(0, mention.start - 25) : mention.start]
        if not form.startswith("-") and _is_below_zero(reading, mention):
            continue
        near = ABOUT.search(before) is not None
        if any(_is_number(wanted, value, near) for value in mention.values):
            return True
    # A reader of numbers takes the present year for a day's; here it may be what was asked.
    figures = re.sub(r"(?<=\d),(?=\d{3})", "", reading.lower)
    if re.search(
        rf"(?<!minus )(?<!negative )(?<![\d.,-]){re.escape(form)}(?![\d-]|[.,]\d)", figures
    ):
        return True
    # "9.6 cents" tells 0.096 dollars.
    return any(
        _is_number(wanted, str(Decimal(found) / 100), near=True)
        for found in _CENTS.findall(reading.lower)
    )


def _is_below_zero(reading: Reading, mention: Mention) -> bool:
    before = reading.lower[max(0, mention.start - 10) : mention.start]
    after = reading.lower[mention.end : mention.end + 25]
    return bool(re.search(r"(?:\bminus |\bnegative |[-\u2212])$", before)) or bool(
        re.match(r" (?:degrees )?below (?:zero|freezing)\b", after)
    )


def _is_number(wanted: Decimal, said: str, near: bool) -> bool:
    try:
        value = Decimal(said)
    except InvalidOperation:
        return False
    if value == wanted:
        return True
    if near and wanted:
        return abs(value - wanted) <= NEARLY * wanted
    # A rounded figure tells a longer one, as far as it is not rounded to a single digit.
    exponent = value.as_tuple().exponent
    return (
        isinstance(exponent, int)
        and wanted % 1 != 0
        and len(value.as_tuple().digits) > 1
        and wanted.quantize(Decimal(1).scaleb(exponent)) == value
    )


def _date_told(form: str, reading: Reading) -> bool:
    value = parse_date_value(form)
    ends = [end for end in (value.start, value.end) if end is not None]
    return all(_day_told(day, reading) for day in ends)


def _day_told(day: date, reading: Reading) -> bool:
    said, distance = reading.lower, (day - reading.now.date()).days
    if any(day.isoformat() in mention.values for mention in reading.mentions.dates):
        return True
    month, weekday = f"{day:%B}".casefold(), f"{day:%A}".casefold()
    names = rf"(?:{month}|{month[:3]}\.?)"
    forms = [
        rf"\b{names} (?:the )?0?{day.day}(?:st|nd|rd|th)?\b(?!:)",
        rf"\b0?{day.day}(?:st|nd|rd|th)? (?:of )?{names}\b",
        # A day beside its month: "July 1 to 2", "the 2nd".
        rf"\b{names} [^.;]*?(?:to|until|-|\u2013|and) ?{day.day}\b",
        rf"\bthe {day.day}(?:st|nd|rd|th)\b",
    ]
    spoken = _ORDINALS[day.day - 1]
    joined = r"(?:and|to|until|through) (?:the )?"
    forms.append(rf"\b{spoken}(?: {joined}[a-z -]+?)? of {names}\b")
    forms.append(rf"\b{names} (?:the )?(?:[a-z -]+? {joined})?{spoken}\b")
    if abs(distance) < _WEEK:
        # "Thursday, October 29" is that day, and not the next Thursday.
        forms.append(rf"\b{weekday}\b(?!,? (?:the )?(?:{_MONTH_NAMES}|\d))")
    if distance in _NEAR_DAYS:
        forms.append(rf"\b(?:{_NEAR_DAYS[distance]})\b")
    return any(re.search(form, said) for form in forms)


def _time_told(form: str, reading: Reading) -> bool:
    value = parse_time_value(form)
    ends = [f"{end:%H:%M}" for end in (value.start, value.end) if end is not None]
    said = all_values((*reading.mentions.times, *reading.mentions.ends)) | reading.hours
    return all(end in said for end in ends)


_SHAPES: Final[tuple[tuple[re.Pattern[str], Callable[[str, Reading], bool]], ...]] = (
    (_FIGURE, _number_told),
    (_CLOCK, _time_told),
    (_DAY, _date_told),
)
"""Forms of facts that are not told word for word, and how each is looked for."""


def share_told(facts: Sequence[str], answer: str, now: datetime) -> float | None:
    """Return which share of a task's facts an answer tells.

    Args:
        facts: the facts of the gold reply.
        answer: what the user was told.
        now: the task's frozen clock, by which "tomorrow" is read.

    Returns:
        From 0 to 1, or None where there is nothing to tell, as in chit-chat.
    """
    if not facts:
        return None
    reading = read(answer, now)
    return sum(tells(fact, reading) for fact in facts) / len(facts)


def is_told(fact: str, answer: str, now: datetime) -> bool:
    """Return whether an answer tells one fact; see `tells`."""
    return tells(fact, read(answer, now))


def all_values(mentions: Sequence[Mention]) -> frozenset[str]:
    """Return every value that some mentions may mean."""
    return frozenset(value for mention in mentions for value in mention.values)
