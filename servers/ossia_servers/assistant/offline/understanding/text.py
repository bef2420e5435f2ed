"""Words of an utterance: where they stand, how they are spelled alike, and what kind they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"o'clock|\w+(?:[:.@&-]\w+)*|'\w+", re.IGNORECASE)

_NUMBERS = frozenset(
    "zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred thousand million".split()
)
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_CLASSES: dict[str, str] = {
    **dict.fromkeys(_NUMBERS, "NUM"),
    **dict.fromkeys(_ORDINALS, "ORD"),
    **dict.fromkeys(_DAYS.split(), "DAY"),
    **{f"{day}s": "DAY" for day in _DAYS.split()},
    **dict.fromkeys(_MONTHS.split(), "MONTH"),
    **dict.fromkeys("morning afternoon evening night noon midnight midday".split(), "PART"),
    **dict.fromkeys("today tomorrow yesterday tonight".split(), "REL"),
    **dict.fromkeys("am pm a.m p.m o'clock oclock".split(), "AMPM"),
    **dict.fromkeys("half quarter past".split(), "CLOCK"),
    **dict.fromkeys(
        "second seconds minute minutes hour hours day days week weeks month months year years "
        "weekend weekends weekday weekdays".split(),
        "UNIT",
    ),
    **dict.fromkeys("every each this next last coming following".split(), "WHICH"),
    **dict.fromkeys("in at on for by from to until till between and of with about".split(), "PREP"),
    **dict.fromkeys("the a an my our your their his her some any".split(), "DET"),
}
_DIGIT_KINDS = (
    (re.compile(r"\d{1,2}[:.]\d{2}(?:am|pm)?$"), "DIGITTIME"),
    (re.compile(r"\d{1,2}(?:am|pm)$"), "DIGITTIME"),
    (re.compile(r"\d+(?:st|nd|rd|th)$"), "ORD"),
    (re.compile(r"\d+%?$"), "NUM"),
)
_SPELLINGS = {"tonite": "tonight", "tommorow": "tomorrow", "thx": "thanks", "pls": "please"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of an utterance.

    Attributes:
        word: The word in lower case, in its common spelling.
        kind: The kind of word, such as `NUM` or `DAY`; empty if none applies.
        start: Where it starts in the utterance.
        end: Where it ends.
    """

    word: str
    kind: str
    start: int
    end: int


def word_kind(word: str) -> str:
    """Return the kind of a lower-case word, such as `NUM`, or an empty string."""
    known = _CLASSES.get(word)
    if known is not None:
        return known
    if word[:1].isdigit():
        for pattern, kind in _DIGIT_KINDS:
            if pattern.match(word):
                return kind
    return ""


def tokenise(utterance: str) -> tuple[Token, ...]:
    """Split an utterance into words; punctuation between words is skipped."""
    tokens = []
    for match in _TOKEN.finditer(utterance.replace("\u2019", "'")):
        word = match.group().lower()
        word = _SPELLINGS.get(word, word)
        tokens.append(Token(word, word_kind(word), match.start(), match.end()))
    return tuple(tokens)
