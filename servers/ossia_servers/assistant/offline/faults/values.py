"""Values that are plausibly wrong: other days, hours, places, people and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from ossia_servers.worlds.lookup import words
from ossia_servers.worlds.schema import Kind

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\b([01]\d|2[0-3]):([0-5]\d)\b")
_NUMBER = re.compile(r"\d+")
_SPOKEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIODS = ("day", "weekday", "weekend", "week", "month", "year", *_DAYS)

_OTHERS: dict[Kind, tuple[str, ...]] = {
    Kind.PERSON: ("my brother", "anna", "my boss"),
    Kind.PLACE: ("Boston, Massachusetts", "Paris, France", "Denver, Colorado"),
    Kind.DATE: ("tomorrow", "next week"),
    Kind.TIME: ("noon", "the evening"),
    Kind.NUMBER: ("two", "ten"),
    Kind.NAME: ("favorites", "work"),
    Kind.TEXT: ("reminder", "latest"),
}


def distinct(options: Iterable[str], right: str) -> tuple[str, ...]:
    """Return the options that say something else than `right`, each once, none empty.

    Articles, case and plural make no difference to a server, so they make none here.
    """
    meant = words(right)
    kept = (" ".join(option.split()) for option in options)
    return tuple(dict.fromkeys(o for o in kept if o and o != right and words(o) != meant))


def other_moments(value: str) -> tuple[str, ...]:
    """Return wrong normal forms near a right one: a day or a week off, the other half of the day.

    Args:
        value: A normal form of a date or a time; any other text has no wrong form.
    """
    options: list[str] = []
    for days in (1, -1, 7):
        options.append(_DATE.sub(lambda found, d=days: _shifted(found[0], d), value))  # type: ignore[misc]
    for hours in (12, 1, -1):
        options.append(
            _TIME.sub(lambda found, h=hours: f"{(int(found[1]) + h) % 24:02}:{found[2]}", value)  # type: ignore[misc]
        )
    if value.startswith("every "):
        options += [f"every {period}" for period in _after(value[6:], _PERIODS)]
    return tuple(dict.fromkeys(o for o in options if o != value))


def other_places(value: str) -> tuple[str, ...]:
    """Return places that are not this one."""
    return distinct(_OTHERS[Kind.PLACE], value)


def other_words(value: str, kind: Kind, utterance: str) -> tuple[str, ...]:
    """Return wrong words for a slot, likeliest mistakes first.

    A span that is cut or reaches too far, a number or a day misheard, else another value of
    the kind.

    Args:
        value: The user's words.
        kind: The slot's kind.
        utterance: The whole sentence.
    """
    options = [*_misheard(value), *_spans(value, utterance)]
    return distinct(options, value) or distinct(_OTHERS[kind], value)


def new_words(kind: Kind, utterance: str) -> tuple[str, ...]:
    """Return words for a slot that the user did not fill: mostly words that mean another slot."""
    said = re.findall(r"[a-z]{4,}", utterance.casefold())[-2:]
    usable = said if kind in (Kind.TEXT, Kind.NAME, Kind.PERSON) else []
    return tuple(dict.fromkeys([*usable, *_OTHERS[kind]]))


def _shifted(day: str, days: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return day


def _after(word: str, row: Sequence[str]) -> Sequence[str]:
    """The neighbours of a word in a row."""
    if word not in row:
        return ()
    place = row.index(word)
    return (row[(place + 1) % len(row)], row[place - 1])


def _misheard(value: str) -> Iterable[str]:
    if _NUMBER.search(value):
        yield _NUMBER.sub(lambda found: str(int(found[0][:9]) + 1), value, count=1)
        yield _NUMBER.sub(lambda found: f"{found[0]}0", value, count=1)
    spoken = value.split()
    for row in (_SPOKEN, _DAYS):
        for place, word in enumerate(spoken):
            for other in _after(word, row):
                yield " ".join([*spoken[:place], other, *spoken[place + 1 :]])


def _spans(value: str, utterance: str) -> Iterable[str]:
    spoken, sentence = value.split(), utterance.split()
    if len(spoken) > 1:
        yield " ".join(spoken[1:])
        yield " ".join(spoken[:-1])
    for place in range(len(sentence) - len(spoken) + 1):
        if spoken and sentence[place : place + len(spoken)] == spoken:
            if place + len(spoken) < len(sentence):
                yield " ".join([*spoken, sentence[place + len(spoken)]])
            if place:
                yield " ".join([sentence[place - 1], *spoken])
            return
