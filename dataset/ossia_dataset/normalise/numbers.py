"""Numbers as people say them."""

from __future__ import annotations

import re
from typing import Final

from ossia_dataset.normalise.words import Scanner, split_words

UNITS: Final = {
    word: value
    for value, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen"
        ).split()
    )
}
TENS: Final = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
} | {"fourty": 40}
ORDINALS: Final = {
    word: value
    for value, word in enumerate(
        (
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
            "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ).split(),
        start=1,
    )
} | {"thirtieth": 30, "twelveth": 12, "twelth": 12, "nineth": 9, "fourtieth": 40, "fortieth": 40}
SCALES: Final = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

_DIGITS = re.compile(r"[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_SMALL = re.compile(r"[0-9]{1,2}")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")
_YEAR = re.compile(r"[0-9]{4}")
_GROUPED = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?:[^0-9]|$))")
_UNIT_WORDS = (
    "percent", "per cent", "percents", "percentage", "degrees", "degree", "dollars", "dollar",
    "euros", "euro", "pounds", "pound", "cents", "times", "points", "minutes", "hours",
)  # fmt: skip


def small_number(words: Scanner) -> int | None:
    """Read a number from 0 to 99, in words or digits.

    Args:
        words: Where to read; moves on only if a number is there.

    Returns:
        The number, or ``None``.
    """
    digits = words.take_match(_SMALL)
    if digits is not None:
        return int(digits[0])
    tens = words.take_from(TENS)
    if tens is not None:
        unit = UNITS.get(words.peek(), 0)
        if 1 <= unit <= 9:
            words.pos += 1
            return tens + unit
        return tens
    return words.take_from(UNITS)


def ordinal(words: Scanner) -> int | None:
    """Read an ordinal number from 1 to 99, in words or digits (``21st``).

    Args:
        words: Where to read; moves on only if an ordinal is there.

    Returns:
        The number, or ``None``.
    """
    digits = words.take_match(_ORDINAL)
    if digits is not None:
        return int(digits[1])
    tens, unit = TENS.get(words.peek()), ORDINALS.get(words.peek(1), 0)
    if tens is not None and 1 <= unit <= 9:
        words.pos += 2
        return tens + unit
    return words.take_from(ORDINALS)


def cardinal(words: Scanner) -> int | None:
    """Read a whole number of any size, in words or digits.

    Args:
        words: Where to read; moves on only if a number is there.

    Returns:
        The number, or ``None``.
    """
    total: int | None = None
    limit: int | None = None
    while (part := words.attempt(_below_thousand)) is not None:
        scale = words.take_from(SCALES)
        size = scale or 1
        if limit is not None and size >= limit:
            break
        total, limit = (total or 0) + part * size, size
        if scale is None:
            break
        words.take("and")
    return total


def year(words: Scanner) -> int | None:
    """Read a year: ``2026``, ``two thousand and seventeen`` or ``twenty seventeen``.

    Args:
        words: Where to read; moves on only if a year from 1900 to 2199 is there.

    Returns:
        The year, or ``None``.
    """
    return words.first(_digit_year, _thousand_year, _paired_year)


def spoken_number(text: str) -> float | None:
    """Read a phrase that is a number and nothing more.

    Args:
        text: Such as ``two hundred and five``, ``a dozen``, ``one point five``, ``fifty percent``
            or ``12.5``. A unit such as percent, degrees or dollars may follow.

    Returns:
        The number, or ``None`` if the phrase is not one.
    """
    plain = _GROUPED.sub("", text).replace("%", " percent ")
    words = Scanner(split_words(re.sub(r"(?<!\w)-(?=[0-9])", "minus ", plain)))
    sign = -1.0 if words.take("minus", "negative") else 1.0
    words.take("about", "around", "exactly", "approximately")
    value = words.first(_fraction, _counted)
    if value is None:
        return None
    words.take(*_UNIT_WORDS)
    return sign * value if words.done else None


def _below_thousand(words: Scanner) -> int | None:
    digits = words.take_match(_DIGITS)
    if digits is not None:
        return int(digits[0])
    if words.peek() in ("a", "an") and words.peek(1) in ("hundred", *SCALES):
        words.pos += 1
        value: int | None = 1
    else:
        value = small_number(words)
    if value is None or not words.take("hundred"):
        return value
    start = words.pos
    words.take("and")
    rest = small_number(words)
    if rest is None:
        words.pos = start
    return value * 100 + (rest or 0)


def _digit_year(words: Scanner) -> int | None:
    digits = words.take_match(_YEAR)
    return int(digits[0]) if digits and 1900 <= int(digits[0]) < 2200 else None


def _thousand_year(words: Scanner) -> int | None:
    if not words.take("two thousand"):
        return None
    start = words.pos
    words.take("and")
    rest = small_number(words)
    if rest is None:
        words.pos = start
    return 2000 + (rest or 0)


def _paired_year(words: Scanner) -> int | None:
    century = {"nineteen": 1900, "twenty": 2000}.get(words.peek())
    if century is None:
        return None
    words.pos += 1
    rest = small_number(words)
    if rest is None or rest < 10 or words.peek() in ("am", "pm", "oclock"):
        return None
    return century + rest


def _fraction(words: Scanner) -> float | None:
    if words.take("half a", "a half", "one half", "half", "1/2"):
        return 6.0 if words.take("dozen") else 0.5
    if words.take("a quarter", "one quarter", "quarter", "1/4"):
        return 0.25
    return 0.75 if words.take("three quarters", "3/4") else None


def _counted(words: Scanner) -> float | None:
    if words.take("a dozen", "dozen"):
        return 12.0
    if words.take("a couple of", "a couple", "couple"):
        return 2.0
    value: float | None
    if words.peek() and not _DIGITS.fullmatch(words.peek()) and _DECIMAL.fullmatch(words.peek()):
        value = float(words.peek())
        words.pos += 1
        value *= words.take_from(SCALES) or 1
    else:
        value = cardinal(words)
    if value is None:
        return 1.0 if words.take("a", "an") else None
    if words.take("dozen"):
        return value * 12
    if words.take("and a half"):
        return value + 0.5
    if words.take("and a quarter"):
        return value + 0.25
    if words.take("point"):
        return _after_point(words, value)
    return value


def _after_point(words: Scanner, whole: float) -> float | None:
    digits = ""
    while (part := small_number(words)) is not None and len(digits) < 15:
        digits += str(part)
    if not digits:
        return None
    return float(f"{int(whole)}.{digits}") * (words.take_from(SCALES) or 1)
