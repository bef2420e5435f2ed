"""What sessions are made of: how wishes are worded, and what slots and facts may be."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources
from random import Random
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Pool", "Values", "WishWords", "again", "draw", "values", "wish_words"]

_LETTERS: Final = "ABCDEFGHKLMNPRSTUVWXYZ"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(_Part):
    """A number from `low` to `high`."""

    low: float
    high: float
    step: float


class Hours(_Part):
    """A time of day from `low` to `high`, `step` minutes apart."""

    low: time
    high: time
    step: int


class Days(_Part):
    """A day, counted from today."""

    days: tuple[int, int]


class Months(_Part):
    """A month in words, counted from this one."""

    months: tuple[int, int]


Pool: TypeAlias = Annotated[
    str | tuple[str, ...] | Span | Hours | Days | Months, Field(union_mode="left_to_right")
]
"""Where a value is drawn from; in a text `#` is a digit from 1, `&` a letter."""


class Values(_Part):
    """The pools of slots and facts, by name, or by `SCENARIO.SLOT` and `TOOL.FIELD`."""

    slots: Mapping[str, Pool]
    facts: Mapping[str, Pool]


class WishWords(_Part):
    """How a user comes up with a scenario's wish."""

    openings: tuple[str, ...] = Field(min_length=3)
    telling: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Openings that tell a slot, by the slot, which stands in them as `$SLOT`."""
    picks: Mapping[str, str] = Field(default_factory=dict)
    """The facts that name what a slot may be, by the slot."""
    changes: Mapping[str, str] = Field(default_factory=dict)
    """The slot that the user changes, by the step that waits for it; any that fits elsewhere."""


def draw(pool: Pool, random: Random, today: date) -> str | int | float:
    """Draw a value; dates and times as ISO 8601 has them."""
    if isinstance(pool, str):
        return re.sub("[#&]", lambda found: _sign(found[0], random), pool)
    if isinstance(pool, tuple):
        return draw(random.choice(pool), random, today)
    if isinstance(pool, Span):
        steps = random.randint(0, round((pool.high - pool.low) / pool.step))
        value = round(pool.low + steps * pool.step, 2)
        return int(value) if value.is_integer() else value
    if isinstance(pool, Hours):
        low, high = (datetime.combine(today, each) for each in (pool.low, pool.high))
        minutes = random.randrange(0, (high - low) // timedelta(minutes=1) + 1, pool.step)
        return (low + timedelta(minutes=minutes)).time().isoformat("minutes")
    if isinstance(pool, Days):
        return (today + timedelta(days=random.randint(*pool.days))).isoformat()
    month = today.year * 12 + today.month - 1 + random.randint(*pool.months)
    return f"{date(month // 12, month % 12 + 1, 1):%B %Y}"


@cache
def values() -> Values:
    """Return the pools of slots and facts."""
    return Values.model_validate(_read("values.toml"))


@cache
def wish_words() -> Mapping[str, WishWords]:
    """Return how wishes are worded, by scenario."""
    found = {name: part for name, part in _read("wishes.toml").items() if name != "again"}
    return {name: WishWords.model_validate(part) for name, part in found.items()}


def plain_words(scenario: str, picks: Mapping[str, str]) -> WishWords:
    """Return how a wish is worded where nothing is known of its scenario but its title.

    Args:
        scenario: the title.
        picks: the facts that name what a slot may be, by the slot.
    """
    said = ("It is about this: {}.", "I have a question about this: {}.", "I need this: {}.")
    return WishWords(openings=tuple(each.format(scenario) for each in said), picks=picks)


def again() -> tuple[str, ...]:
    """Return the words that go before a further wish."""
    return tuple(_read("wishes.toml")["again"]["leads"])


@cache
def _read(name: str) -> dict[str, dict[str, list[str]]]:
    text = (resources.files(__package__) / "words" / name).read_text("utf-8")
    return tomllib.loads(text)


def _sign(sign: str, random: Random) -> str:
    return str(random.randint(1, 9)) if sign == "#" else random.choice(_LETTERS)
