"""Values as a user says them, and whether an agent has said one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

__all__ = ["says", "spoken", "starts_of", "text_pattern", "typed"]

_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_TYPED: Final = str.maketrans("\u2010\u2011\u2019\u00a0\u2009\u202f", "--'   ")
_LITTLE: Final = (
    "(?:a|an|the|is|are|was|will|be|has|have|had|of|in|at|on|by|to|from|for"
    "|i|he|she|it|its|your|my)"
)
_IS_LITTLE: Final = re.compile(_LITTLE)
_DIGIT: Final = re.compile(r"\d")
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
    return any(True for each in _spellings(str(value)) for _ in starts_of(each, said, whole=whole))


def typed(text: str) -> str:
    """Return a text of the same length with a keyboard's hyphens, apostrophes and spaces."""
    return text.translate(_TYPED)


def starts_of(text: str, said: str, *, whole: bool = False) -> Iterator[int]:
    """Yield where `text_pattern` finds a text; where it stands to the letter first, and again.

    To make a pattern takes longer than to find most texts, or to see that they are not there.

    Args:
        text: the text.
        said: typed words in lower case.
        whole: whether its little words count.
    """
    plain, words = _looked_for(text, whole)
    there = all(word in said for word in words) if words else plain in said
    has_digit = _DIGIT.search(plain) is not None
    if not there and not (has_digit and "".join(plain.split()) in _squeezed(said)):
        return
    if words and plain.startswith(words[0]):
        at = said.find(plain)
        while at >= 0:
            if _is_apart(said, at, at + len(plain), has_digit):
                yield at
            at = said.find(plain, at + 1)
    yield from (found.start() for found in text_pattern(text, whole=whole).finditer(said))


def _is_apart(said: str, begin: int, end: int, has_digit: bool) -> bool:
    """Whether what stands there is no part of a longer word or reference."""
    before, after = said[max(0, begin - 2) : begin], said[end : end + 2]
    if _is_word(before[-1:]) or _is_word(after[:1]):
        return False
    if not has_digit:
        return True
    joined = len(before) > 1 and before[1] in "-/.," and _is_word(before[0])
    goes_on = after[:1] in ("-", "/") and _is_word(after[1:])
    return not (joined or goes_on or (after[:1] in (".", ",", ":") and after[1:].isdecimal()))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


@lru_cache(maxsize=4096)
def _looked_for(text: str, whole: bool) -> tuple[str, tuple[str, ...]]:
    """A text in lower case, and the words of it that count."""
    plain = typed(text).casefold()
    words = _WORD.findall(plain)
    return plain, tuple(w for w in words if whole or not _IS_LITTLE.fullmatch(w)) or tuple(words)


@lru_cache(maxsize=128)
def _squeezed(said: str) -> str:
    return "".join(said.split())


@lru_cache(maxsize=4096)
def text_pattern(text: str, *, whole: bool = False) -> re.Pattern[str]:
    """Return what finds a text among typed words in lower case.

    Spaces and signs between words do not count, nor do little words such as `the` and `is`: `the
    room is V-1` says `room V-1`. A longer reference is another one.

    Args:
        text: the text.
        whole: whether its little words count, as those of `in transit` do.
    """
    plain, main = _looked_for(text, whole)
    signs = r"\s*".join(map(re.escape, "".join(plain.split())))
    between = r"[\W_]+" if whole else rf"[\W_]+(?:{_LITTLE}[\W_]+)*"
    loose = between.join(re.escape(word) for word in main)
    found = "|".join(filter(None, (loose, signs)))
    if not _DIGIT.search(plain):
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
