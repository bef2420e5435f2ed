"""Whether a condition holds, told from a server's answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ossia_dataset.normalise import spoken_number

_NEGATIVE = re.compile(
    r"\b(?:not|no|nothing|none|nobody|never|without|free|empty|clear|isn't|aren't|doesn't|don't|"
    r"won't|haven't|hasn't|didn't|can't|cannot)\b",
    re.I,
)
_ABOVE = re.compile(
    r"\b(?:above|over|more than|higher than|greater than|better than|exceeds?|warmer than|"
    r"hotter than|longer than|later than|costs? more than|at least)\s+",
    re.I,
)
_BELOW = re.compile(
    r"\b(?:below|under|less than|lower than|fewer than|cheaper than|colder than|cooler than|"
    r"shorter than|worse than|at most)\s+",
    re.I,
)
_RISES = re.compile(r"\b(?:up|rises?|rose|risen|gain\w*|green|rising|higher)\b", re.I)
_FALLS = re.compile(r"\b(?:down|falls?|fell|fallen|drop\w*|los\w+|red|falling|lower)\b", re.I)
_BUSY_ROADS = re.compile(r"\b(?:bad|heavy|jam\w*|slow|busy|terrible|congested|delay\w*)\b", re.I)
_HOURS = re.compile(r"(half an|an?|\w+) hours?\b", re.I)
_YES = re.compile(r"^yes\b", re.I)
_NO = re.compile(r"^no\b[, ]", re.I)
_VALUES = (
    (re.compile(r"\b(?:chance|probability)\b", re.I), ("rain_chance", "snow_chance")),
    (re.compile(r"\b(?:wind\w*)\b", re.I), ("wind",)),
    (re.compile(r"\b(?:humid\w*)\b", re.I), ("humidity",)),
    (re.compile(r"\b(?:colder|cooler|freez\w+)\b", re.I), ("low",)),
    (re.compile(r"\b(?:degrees|warmer|hotter|temperature)\b", re.I), ("high",)),
    (re.compile(r"\b(?:stars|rated|rating)\b", re.I), ("rating",)),
    (re.compile(r"\b(?:minutes|hours|delay)\b", re.I), ("delay_minutes", "minutes", "hours")),
    (re.compile(r"\b(?:miles|away)\b", re.I), ("miles",)),
    (re.compile(r"\b(?:likes)\b", re.I), ("likes",)),
)
_USUAL = ("price", "value", "answer", "high", "rate", "delay_minutes", "minutes", "percent")


def holds(condition: str, asked: str, answer: Mapping[str, Any] | None) -> bool:
    """Say whether a condition holds.

    Args:
        condition: Its words, such as `it rains tomorrow`, `so`, or `it is above 200 dollars`.
        asked: The words by which the answer was asked for; they tell what a bare `so` affirms.
        answer: The server's `status` and `body`, or None if there was none.

    Returns:
        Whether it holds; a condition that cannot be told does not.
    """
    rows, response = result_rows(answer), told(answer)
    if not rows and not response:
        return False
    compared = _compared(condition, rows)
    if compared is None:
        compared = _moved(condition, rows)
    if compared is not None:
        return compared != bool(re.search(r"\b(?:not|isn't|doesn't)\b", condition, re.I))
    words = condition if len(condition.split()) > 1 else f"{asked} {condition}"
    negatives = len(_NEGATIVE.findall(words)) % 2 == 1
    return _affirmed(condition, rows, response) != negatives


def result_rows(answer: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return the rows of a server's answer; one row where it is a single object."""
    result = _data(answer).get("result")
    if isinstance(result, Mapping):
        return [result]
    if isinstance(result, list):
        return [row for row in result if isinstance(row, Mapping)]
    return []


def told(answer: Mapping[str, Any] | None) -> str:
    """Return the words of a server's answer, or the empty string."""
    response = _data(answer).get("response")
    return response if isinstance(response, str) else ""


def _data(answer: Mapping[str, Any] | None) -> Mapping[str, Any]:
    body = (answer or {}).get("body")
    data = body.get("data") if isinstance(body, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _affirmed(condition: str, rows: Sequence[Mapping[str, Any]], response: str) -> bool:
    if _YES.match(response):
        return True
    if _NO.match(response):
        return False
    level = rows[0].get("level") if rows else None
    if isinstance(level, str):
        return (level.lower() in ("heavy", "jammed", "severe")) == bool(
            _BUSY_ROADS.search(condition)
        )
    return bool(rows)


def _compared(condition: str, rows: Sequence[Mapping[str, Any]]) -> bool | None:
    tests: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = (
        (_ABOVE, lambda value, bound: value > bound),
        (_BELOW, lambda value, bound: value < bound),
    )
    for pattern, test in tests:
        match = pattern.search(condition)
        bound = _bound(condition[match.end() :]) if match else None
        if match is None or bound is None:
            continue
        value = _value(condition, rows)
        if "at least" in match.group().lower() or "at most" in match.group().lower():
            return value == bound or test(value, bound)
        return test(value, bound)
    return None


def _bound(text: str) -> float | None:
    """Read what is compared with; hours count as minutes, as servers tell them."""
    hours = _HOURS.match(text)
    if hours is None:
        return _number(text)
    count = hours.group(1).lower()
    number = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(count) or spoken_number(count)
    return None if number is None else 60 * number


def _number(text: str) -> float | None:
    """Read the number that a text begins with, in digits or words."""
    words = re.findall(r"[\w.'-]+", text.replace(",", ""))
    for count in range(min(len(words), 6), 0, -1):
        value = spoken_number(" ".join(words[:count]))
        if value is not None:
            return float(value)
    return None


def _value(condition: str, rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the number that is compared: a field that fits the words, or the count of rows."""
    first = rows[0] if rows else {}
    for pattern, names in _VALUES:
        found = next((first[n] for n in names if isinstance(first.get(n), int | float)), None)
        if pattern.search(condition) and found is not None:
            return float(found)
    for name in _USUAL:
        found = first.get(name)
        if isinstance(found, int | float) and not isinstance(found, bool):
            return float(found)
    return float(len(rows))


def _moved(condition: str, rows: Sequence[Mapping[str, Any]]) -> bool | None:
    percent = rows[0].get("percent") if rows else None
    if not isinstance(percent, int | float):
        return None
    if _RISES.search(condition):
        return percent > 0
    return percent < 0 if _FALLS.search(condition) else None
