"""Conditions: a field of a tool's result and a value, or what the user does; nothing is evaluated.

`find_tables.count > 0`, `check_card.status = blocked`, `user declines`, `otherwise`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

__all__ = [
    "Act",
    "Condition",
    "Otherwise",
    "ResultIs",
    "UserDoes",
    "Value",
    "read_condition",
]

Value: TypeAlias = bool | int | float | str


class Act(StrEnum):
    """What a user can do on an offer, a question or a message."""

    ACCEPTS = "accepts"
    DECLINES = "declines"
    CHOOSES = "chooses"
    """Names one of several things that were told."""
    CHANGES = "changes"
    """Gives another value for something said before."""
    ASKS = "asks"
    """Wants to know more before deciding."""
    DISPUTES = "disputes"
    """Holds what was told to be wrong."""


_COMPARED: Final[Mapping[str, Callable[[Value, Value], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RESULT = re.compile(
    r"([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)\s*(!=|<=|>=|=|<|>)\s*(-?\d{1,12}(?:\.\d{1,6})?|[a-z][a-z0-9_-]*)"
)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class ResultIs:
    """A field of the tool's latest result, compared with a value."""

    tool: str
    field: str
    operator: str
    value: Value

    def holds(self, found: Value) -> bool:
        """Whether a field with this value meets the condition."""
        return _COMPARED[self.operator](found, self.value)

    @property
    def fact(self) -> str:
        """The field, as `TOOL.FIELD`."""
        return f"{self.tool}.{self.field}"

    def __str__(self) -> str:
        said = str(self.value).lower() if isinstance(self.value, bool) else str(self.value)
        return f"{self.fact} {self.operator} {said}"


@dataclass(frozen=True, slots=True)
class UserDoes:
    """What the user does."""

    act: Act

    def __str__(self) -> str:
        return f"user {self.act}"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """None of the step's other conditions is met."""

    def __str__(self) -> str:
        return "otherwise"


Condition: TypeAlias = ResultIs | UserDoes | Otherwise


@lru_cache(maxsize=4096)
def read_condition(text: str) -> Condition:
    """Read a condition; `str` writes it again.

    Raises:
        ValueError: it is none.
    """
    said = " ".join(text.split())
    if said == "otherwise":
        return Otherwise()
    if said.startswith("user "):
        act = said.removeprefix("user ")
        if act not in set(Act):
            raise ValueError(f"'{act[:60]}' is no act of the user; there are {', '.join(Act)}")
        return UserDoes(Act(act))
    found = _RESULT.fullmatch(said)
    if found is None:
        raise ValueError(
            f"'{said[:60]}' is no condition: write TOOL.FIELD = VALUE, user ACT or otherwise"
        )
    tool, name, sign, value = found.groups()
    return ResultIs(tool, name, sign, _value(value))


def _value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text
