"""How much of what a correct reply has to tell an answer tells.

For the assistant this is reported beside the verdict and never part of it: what a team does to the
world decides, what it says is shown. The office's questions are decided by it, more strictly (see
`workbench.answers`). A fact is a value in normal form, or the word of a question such as `when?`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from ossia_dataset.normalise.values import parse_date_value, parse_time_value
from ossia_evaluation.match import plain
from ossia_servers.lookup import words

LONG_TEXT: Final = 4
"""From so many content words on a fact may be told in part."""

LONG_TEXT_SHARE: Final = 0.6
"""The share of a long text's content words that has to be told."""

QUESTIONS: Final[dict[str, str]] = {
    "when?": r"when|time|day|date|hour|moment",
    "who?": r"who|whom|whose|name|person|recipient|contact|number|address|receiver",
    "where?": r"where|place|destination|location|go|going",
    "which?": r"which|one|option",
    "how?": r"how|level|percent|setting|colou?r|change",
    "what?": r"what|say|text|message|called|name|content|like",
}
"""Words by which a question of each kind is known; a question mark has to follow them."""

_WEEKDAYS: Final = ("monday tuesday wednesday thursday friday saturday sunday").split()
_MONTHS: Final = (
    "january february march april may june july august september october november december"
).split()
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}")
_FIGURE: Final = re.compile(r"-?\d+(?:\.\d+)?")
_CLOCK: Final = re.compile(r"\d{2}:\d{2}(?:\.\.\d{2}:\d{2})?|\d{2}:\d{2}\.\.|\.\.\d{2}:\d{2}")
_DAY: Final = re.compile(r"[\d-]*\d{4}-\d{2}-\d{2}(?:\.\.[\d-]*)?|\.\.\d{4}-\d{2}-\d{2}")


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
    return sum(is_told(fact, answer, now) for fact in facts) / len(facts)


def is_told(fact: str, answer: str, now: datetime) -> bool:
    """Return whether an answer tells one fact.

    Case, punctuation and the form of dates, clock times and numbers in digits play no part.

    Args:
        fact: a date, a time or a number in normal form, a question of `QUESTIONS`, or words.
        answer: what the user was told.
        now: the task's frozen clock.
    """
    if fact in QUESTIONS:
        signs = rf"\b(?:{QUESTIONS[fact]})\b[^?]*\?"
        return re.search(signs, answer.casefold()) is not None
    for form, told in _FORMS:
        if form.fullmatch(fact):
            return told(fact, answer, now)
    return _text_told(fact, answer)


def _text_told(fact: str, answer: str) -> bool:
    wanted, there = words(fact), words(answer)
    if not wanted:
        return plain(fact) in plain(answer)
    if len(wanted) < LONG_TEXT:
        return wanted <= there
    return len(wanted & there) >= LONG_TEXT_SHARE * len(wanted)


def _number_told(fact: str, answer: str, now: datetime) -> bool:
    # "Down 2 percent" tells a fall of -2; and the minutes of a clock are no number.
    wanted = abs(Decimal(fact))
    said = _NUMBER.findall(_MOMENT.sub(" ", answer))
    return any(Decimal(found.replace(",", "")) == wanted for found in said)


def _date_told(fact: str, answer: str, now: datetime) -> bool:
    value = parse_date_value(fact)
    said = answer.casefold()
    ends = [end for end in (value.start, value.end) if end is not None]
    return all(_day_said(day, said, now.date()) for day in ends)


def _day_said(day: date, said: str, today: date) -> bool:
    month, weekday = _MONTHS[day.month - 1], _WEEKDAYS[day.weekday()]
    names = rf"(?:{month}|{month[:3]}\.?)"
    forms = [
        day.isoformat(),
        rf"\b{names} (?:the )?0?{day.day}(?:st|nd|rd|th)?\b(?!:)",
        rf"\b0?{day.day}(?:st|nd|rd|th)? (?:of )?{names}\b",
        rf"\b0?{day.month}/0?{day.day}\b",
    ]
    near = {0: "today|tonight|now|this (?:morning|afternoon|evening)", 1: "tomorrow"}
    near[-1] = "yesterday|last night"
    distance = (day - today) // timedelta(days=1)
    if distance in near:
        forms.append(rf"\b(?:{near[distance]})\b")
    if abs(distance) < len(_WEEKDAYS):
        forms.append(rf"\b{weekday}\b")
    return any(re.search(form, said) for form in forms)


def _time_told(fact: str, answer: str, now: datetime) -> bool:
    value = parse_time_value(fact)
    said = answer.casefold()
    return all(_clock_said(end, said) for end in (value.start, value.end) if end is not None)


def _clock_said(moment: time, said: str) -> bool:
    hour, minute = moment.hour % 12 or 12, f"{moment.minute:02d}"
    half = "p" if moment.hour >= 12 else "a"
    forms = [
        rf"(?<![\d:])0?{moment.hour}:{minute}(?![\d:])(?! ?[ap]\.?m)",
        rf"(?<![\d:])0?{hour}:{minute} ?{half}\.?m",
    ]
    if moment.minute == 0:
        forms.append(rf"(?<![\d:])0?{hour} ?{half}\.?m")
        if moment.hour in (0, 12):
            forms.append("midnight" if moment.hour == 0 else r"\bnoon\b|\bmidday\b")
    return any(re.search(form, said) for form in forms)


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[str, str, datetime], bool]], ...]] = (
    (_FIGURE, _number_told),
    (_CLOCK, _time_told),
    (_DAY, _date_told),
)
"""Forms of facts that are not told word for word, and how each is looked for."""
