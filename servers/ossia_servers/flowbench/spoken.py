"""Values as a user says them, and whether an agent has said one."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

__all__ = ["says", "spoken", "text_pattern", "typed"]

_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_TYPED: Final = str.maketrans("\u2010\u2011\u2019\u00a0\u2009\u202f", "--'   ")
_LITTLE: Final = (
    "(?:a|an|the|is|are|was|will|be|has|have|had|of|in|at|on|by|to|from|for"
    "|i|he|she|it|its|your|my)"
)
_HALF_DAY: Final = re.compile(r"(?<![\w:.])(1[0-2]|0?\d)(?:[:.]([0-5]\d))? ?([ap])m\b")
_LEADING_ZERO: Final = re.compile(r"(?<![\d:])0(?=\d:[0-5]\d(?![\d:]))")
_WORD: Final = re.compile(r"\w+(?:[-/.,:'](?=\w)\w+)*")


def spoken(value: JsonValue) -> str:
    """Return a value in a user's words; dates and times stay as ISO 8601 has them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return ", ".join(spoken(each) for each in value)
    return str(value)


def says(words: str, value: JsonValue) -> bool:
    """Whether a value stands in words: numbers by value, dates and times in usual spellings.

    Times within a text, such as `Tuesday 15:20`, count likewise.

    Of a list one value is enough. Truth values are said in too many ways to be found.
    """
    if isinstance(value, bool) or value is None or value == "":
        return False
    if isinstance(value, int | float):
        return any(float(found.replace(",", "")) == value for found in _NUMBER.findall(words))
    if isinstance(value, list):
        return any(says(words, each) for each in value)
    said = _plain(words)
    whole = "_" in str(value)
    return any(text_pattern(each, whole=whole).search(said) for each in _spellings(str(value)))


def typed(text: str) -> str:
    """Return a text of the same length with a keyboard's hyphens, apostrophes and spaces."""
    return text.translate(_TYPED)


@lru_cache(maxsize=4096)
def text_pattern(text: str, *, whole: bool = False) -> re.Pattern[str]:
    """Return what finds a text among typed words in lower case.

    Spaces and signs between words do not count, nor do little words such as `the` and `is`: `the
    room is V-1` says `room V-1`. A longer reference is another one.

    Args:
        text: the text.
        whole: whether its little words count, as those of `in transit` do.
    """
    plain = typed(text).casefold()
    signs = r"\s*".join(map(re.escape, "".join(plain.split())))
    words = _WORD.findall(plain)
    main = [word for word in words if whole or not re.fullmatch(_LITTLE, word)] or words
    between = r"[\W_]+" if whole else rf"[\W_]+(?:{_LITTLE}[\W_]+)*"
    loose = between.join(re.escape(word) for word in main)
    found = "|".join(filter(None, (loose, signs)))
    if not re.search(r"\d", plain):
        return re.compile(rf"(?<!\w)(?:{loose or re.escape(plain)})(?!\w)")
    return re.compile(rf"(?<!\w)(?<!\w[-/.,])(?:{found})(?!\w|[-/]\w|[.,:]\d)")


@lru_cache(maxsize=4096)
def _spellings(value: str) -> tuple[str, ...]:
    found = [_plain(value)]
    try:
        day = date.fromisoformat(value)
        month = day.strftime("%B").casefold()
        for name in (month, month[:3]):
            found += [f"{name} {day.day}", f"{day.day} {name}", f"{day.day} of {name}"]
    except ValueError:
        pass
    return tuple(found)


@lru_cache(maxsize=128)
def _plain(text: str) -> str:
    """Words in lower case with single spaces; `1st` is `1`, an underscore is a space.

    Every clock time is one of 24 hours without a leading zero: `09:05 pm` is `21:05`.
    """
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", typed(text).casefold())
    words = plain.replace("_", " ").replace("p.m.", "pm").replace("a.m.", "am").split()
    return _LEADING_ZERO.sub("", _HALF_DAY.sub(_of_24_hours, " ".join(words)))


def _of_24_hours(clock: re.Match[str]) -> str:
    hour = int(clock[1]) % 12 + (12 if clock[3] == "p" else 0)
    return f"{hour}:{clock[2] or '00'}"
