"""Answers of a service that look right and are not: JSON in, JSON of the same form out.

Of an answer in the envelope of the domain servers what stands under `data` is spoilt, but for
`query`, the echo of the request; of any other object all of it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

__all__ = ["Body", "altered", "halved", "renamed", "with_note"]

Body = Mapping[str, Any]
"""An answer's body, a JSON object."""

_ECHO: Final = "query"
_SENTENCE: Final = "response"

_VALUE: Final = re.compile(
    r"(?<![\w.:/,-])"
    r"(?:(?P<date>\d{4}-\d\d-\d\d)|(?P<time>\d\d:\d\d)|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?))"
    r"(?![\w:/-]|[.,]\d)"
)
_YEARS: Final = (1, 9999)
"""Between these a day has others around it."""
_MOST_DIGITS: Final = 15
_FAR: Final = (0.05, 0.25)
"""So far, as a share, is a wrong number from the right one."""
_SMALL: Final = 31
"""Whole numbers up to here, such as counts and days, are wrong by one to three."""


def renamed(body: Body, chance: random.Random) -> Body | None:
    """Return an answer in which one field has another name wherever it stands.

    Returns:
        The answer; None where it has no field.
    """
    names = sorted(set(_names(_told(body))))
    if not names:
        return None
    old = chance.choice(names)
    new = re.sub(r"_+(\w)", lambda found: found[1].upper(), old)
    while new in names:
        new += "Value"
    return _retold(body, _mapped(_told(body), lambda name: new if name == old else name))


def halved(body: Body) -> Body | None:
    """Return an answer whose longest list has lost its second half, and whose sentence ends there.

    Returns:
        The answer; None where no list has two items.
    """
    told = _told(body)
    lists = [found for found in _lists(told) if len(found) > 1]
    if not lists:
        return None
    longest = max(lists, key=len)
    kept = longest[: len(longest) // 2]
    changed = _replaced(told, lambda value: kept if value is longest else value)
    sentence = changed.get(_SENTENCE)
    if isinstance(sentence, str):
        changed[_SENTENCE] = _cut(sentence, longest[len(kept) :], kept)
    return _retold(body, changed)


def altered(body: Body, asked: Iterable[str], chance: random.Random) -> Body | None:
    """Return an answer with another number, time or date of plausible size in place of one.

    It is another one wherever it stands. One that the sentence for the user tells goes first: what
    nobody reads would harm nobody.

    Args:
        body: The answer.
        asked: The parameters of the request; what they hold stays.
        chance: Chooses.

    Returns:
        The answer; None where it holds no such value of its own.
    """
    told = _told(body)
    known = {_meant(found) for text in asked for found in _VALUE.finditer(text)}
    sentence = told.get(_SENTENCE)
    for texts in ((sentence,) if isinstance(sentence, str) else (), _texts(told)):
        found = {_meant(each): each[0] for text in texts for each in _VALUE.finditer(text)}
        values = [value for value in found if value not in known and _may_change(*value)]
        if values:
            old = chance.choice(values)
            return _retold(body, _exchanged(told, old, _another(*old, found[old], chance)))
    return None


def with_note(body: Body, note: str) -> Body | None:
    """Return an answer of whose data the longest text goes on with a note.

    It stands beside the sentence for the user, which many a role passes on as it is; in the
    sentence itself only where there is no other text.

    Returns:
        The answer; None where it has no text.
    """
    told = _told(body)
    data = {name: value for name, value in told.items() if name != _SENTENCE}
    for part in (data, told):
        texts = (text for text in _leaves(part) if isinstance(text, str))
        longest = max((text for text in texts if not _VALUE.fullmatch(text)), key=len, default="")
        if longest:
            return _retold(body, {**told, **_in_place(part, longest, f"{longest} {note}")})
    return None


def _told(body: Body) -> dict[str, Any]:
    data = body.get("data", body)
    return {k: v for k, v in data.items() if k != _ECHO} if isinstance(data, Mapping) else {}


def _retold(body: Body, told: Body) -> Body:
    if "data" not in body:
        return told
    data = body["data"]
    echo = {_ECHO: data[_ECHO]} if _ECHO in data else {}
    return {**body, "data": {**told, **echo}}


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from value
    for each in _inside(value):
        yield from _names(each)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for each in _inside(value):
        yield from _lists(each)


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts, and numbers as texts."""
    for each in _leaves(value):
        if isinstance(each, str):
            yield each
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield _written(Decimal(str(each)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping | list):
        for each in _inside(value):
            yield from _leaves(each)
    else:
        yield value


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _mapped(value: Any, name: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return {name(key): _mapped(each, name) for key, each in value.items()}
    return [_mapped(each, name) for each in value] if isinstance(value, list) else value


def _replaced(value: Any, new: Callable[[Any], Any]) -> Any:
    changed = new(value)
    if changed is not value:
        return changed
    if isinstance(value, Mapping):
        return {key: _replaced(each, new) for key, each in value.items()}
    return [_replaced(each, new) for each in value] if isinstance(value, list) else value


def _in_place(value: Any, old: str, new: str) -> Any:
    return _replaced(value, lambda each: new if each == old else each)


def _cut(sentence: str, lost: list[Any], kept: list[Any]) -> str:
    """End a sentence before the first thing that only the lost items tell."""
    known = set(_texts(kept))
    places = [
        place
        for text in _texts(lost)
        if text not in known and (place := _place(text, sentence)) is not None
    ]
    if not places:
        return sentence
    return sentence[: min(places)].rstrip(" ,;:\"'(").removesuffix(" and") + "."


def _place(text: str, sentence: str) -> int | None:
    found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence) if text else None
    return None if found is None else found.start()


def _meant(found: re.Match[str]) -> tuple[str, str]:
    """What kind of value stands there, and which, whatever its form."""
    kind = str(found.lastgroup)
    if kind != "number":
        return kind, found[0]
    return kind, _written(Decimal(found[0].replace(",", "")))


def _written(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _may_change(kind: str, value: str) -> bool:
    if kind == "date":
        return _is_day(value)
    # A zero has no size, and whatever has so many digits identifies something.
    return kind != "number" or (0 < len(value.strip("0.")) <= len(value) <= _MOST_DIGITS)


def _is_day(text: str) -> bool:
    try:
        return _YEARS[0] < date.fromisoformat(text).year < _YEARS[1]
    except ValueError:
        return False


def _another(kind: str, value: str, form: str, chance: random.Random) -> str:
    """Return another value of a kind: of a number as precise as its form."""
    step = chance.choice((-3, -2, -1, 1, 2, 3))
    if kind == "date":
        return (date.fromisoformat(value) + timedelta(days=step)).isoformat()
    if kind == "time":
        return f"{(int(value[:2]) + step) % 24:02}{value[2:]}"
    number = Decimal(value)
    unit = Decimal(1).scaleb(-len(form.partition(".")[2]))
    if unit == 1 and number <= _SMALL:
        return _written(number + step if number + step > 0 else number + abs(step))
    share = Decimal(chance.uniform(*_FAR)) * chance.choice((-1, 1))
    other = (number * (1 + share)).quantize(unit, ROUND_HALF_UP)
    return _written(other if other not in (0, number) else number + unit)


def _exchanged(value: Any, old: tuple[str, str], new: str) -> Any:
    """Put a new value wherever the old one stands, in its own form."""

    def form(found: re.Match[str]) -> str:
        if _meant(found) != old:
            return found[0]
        if old[0] != "number":
            return new
        places = len(found[0].partition(".")[2])
        return f"{Decimal(new):{',' if ',' in found[0] else ''}.{places}f}"

    def other(each: Any) -> Any:
        if isinstance(each, str):
            changed = _VALUE.sub(form, each)
            return changed if changed != each else each
        number = isinstance(each, int | float) and not isinstance(each, bool)
        if number and old == ("number", _written(Decimal(str(each)))):
            return float(new) if "." in new else type(each)(new)
        return each

    return _replaced(value, other)
