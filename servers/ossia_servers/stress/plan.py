"""Fault plans: which faults, how often (dose), where (place), with which seed."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from ossia_servers.stress.kinds import KINDS, Kind

PLAN_VERSION: Final = 1

BURST: Final = 3
"""Calls that a burst hits, one after another."""

MOST_FAULTS: Final = 1000
"""Faults of a plan: each plays every task once more."""

MOST_SECONDS: Final = 3600.0
"""The longest delay and time-out of a plan."""

Dose = Literal["once", "burst", "sometimes", "always"]
Who = Literal["any", "manager", "member"]
Moment = Literal["any", "first", "second", "third", "middle", "last"]

_DOSES: Final = frozenset({"once", "burst", "sometimes", "always"})
_WHO: Final = frozenset({"manager", "member"})
_MOMENTS: Final = frozenset({"first", "second", "third", "middle", "last"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_UNKNOWN_LENGTH: Final = 4
"""Calls among which one is drawn where no episode without the fault tells how many there are."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_Frozen):
    """Where a fault may strike; what is left out restricts nothing."""

    who: Who = "any"
    """Calls of the manager, or of a member: all the other roles."""
    roles: tuple[str, ...] = ()
    tool: str = ""
    """Calls of this tool: a service's requests, or answers of the model that call it."""
    moment: Moment = "any"
    """Which of the calls in this place is the first to be hit. `middle` and `last` are measured on
    the same episode without the fault; `any` is drawn by the plan's seed."""

    @field_validator("roles")
    @classmethod
    def _in_order(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({*roles}))

    @model_validator(mode="after")
    def _names(self) -> Self:
        for name in (*self.roles, self.tool):
            if name and not _NAME.fullmatch(name):
                raise ValueError(f"'{name}' is not the name of a role or a tool")
        return self

    @property
    def key(self) -> str:
        """The place as text, such as `@manager@last`; empty where it restricts nothing."""
        who = [] if self.who == "any" else [self.who]
        roles = [f"role={role}" for role in self.roles]
        tool = [f"tool={self.tool}"] if self.tool else []
        moment = [] if self.moment == "any" else [self.moment]
        return "".join(f"@{part}" for part in (*who, *roles, *tool, *moment))

    def holds(self, role: str, manager: str) -> bool:
        """Say whether a role's calls are in this place.

        Args:
            role: who calls.
            manager: the role that leads the team; empty for a team without one.
        """
        if self.roles and role not in self.roles:
            return False
        return self.who == "any" or (self.who == "manager") == (role == manager)


class Fault(_Frozen):
    """A fault that an episode meets: one cell of the tables."""

    kind: str
    """A name of `KINDS`."""
    dose: Dose = "once"
    p: float | None = Field(default=None, gt=0, lt=1, allow_inf_nan=False)
    """With `sometimes`: how likely each call in its place is hit."""
    place: Place = Place()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind not in KINDS:
            near = get_close_matches(self.kind, KINDS, 3)
            hint = "; docs/stress.md lists them, and a plan is a file *.toml"
            if near:
                hint = f": {', '.join(near)}?"
            raise ValueError(f"there is no fault '{self.kind}'{hint}")
        if (self.p is not None) != (self.dose == "sometimes"):
            raise ValueError("only the dose `sometimes` has a probability, which it needs")
        if self.about.where == "service" and (self.place.roles or self.place.who != "any"):
            raise ValueError(f"'{self.kind}' strikes a service, not a role: name a tool")
        return self

    @property
    def about(self) -> Kind:
        """What its kind is."""
        return KINDS[self.kind]

    @property
    def key(self) -> str:
        """A short stable text, such as `empty` or `lost-answer:always@first`.

        `read_fault` reads it again. It stands in ids of episodes and in tables.
        """
        dose = {"once": "", "sometimes": f":sometimes={self.p}"}.get(self.dose, f":{self.dose}")
        return f"{self.kind}{dose}{self.place.key}"


def read_fault(text: str) -> Fault:
    """Read a fault as `NAME[:dose][@place]...`.

    Args:
        text: such as `empty`, `server-error:burst`, `slow:sometimes=0.3@manager` or
            `lost-answer@tool=http_request@first`.

    Raises:
        ValueError: it cannot be read; the first line of its text says why.
    """
    name, *places = text.strip().split("@")
    kind, _, dose = name.partition(":")
    dose, _, p = dose.partition("=")
    place: dict[str, Any] = {}
    for part in places:
        field, value = _placed(part)
        if field == "roles":
            value = (*place.get("roles", ()), value)
        elif field in place:
            raise ValueError(f"'{text}' names two places of the same kind")
        place[field] = value
    if (dose or "once") not in _DOSES:
        raise ValueError(
            f"'{text}': there is no dose '{dose}'; known are once, burst, sometimes=P, always"
        )
    fault: dict[str, Any] = {"kind": kind, "dose": dose or "once", "place": place}
    if p:
        fault["p"] = p
    return Fault.model_validate(fault)


def _placed(part: str) -> tuple[str, Any]:
    """The field of a `Place` that a part of a text sets, and to what."""
    name, equals, value = part.partition("=")
    if equals and value and name in ("role", "tool"):
        return ("roles" if name == "role" else "tool"), value
    if part in _WHO:
        return "who", part
    if part in _MOMENTS:
        return "moment", part
    raise ValueError(
        f"there is no place '{part}'; known are manager, member, role=NAME, tool=NAME, first,"
        " second, third, middle, last"
    )


def _read(value: Any) -> Any:
    return read_fault(value) if isinstance(value, str) else value


class FaultPlan(_Frozen):
    """Which faults the episodes of a run meet, one fault in each."""

    version: Literal[1] = PLAN_VERSION
    name: str
    seed: int = 0
    faults: tuple[Annotated[Fault, BeforeValidator(_read)], ...] = Field(
        min_length=1, max_length=MOST_FAULTS
    )
    call_seconds: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    """Time-out of a call in episodes that meet a `hang`, as the framework's client sees it; None
    for a short one, or a usual one where an upstream model answers."""
    slow_seconds: float = Field(default=0.5, ge=0, le=MOST_SECONDS)
    """The delay of what is slow."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        counts = Counter(fault.key for fault in self.faults)
        doubled = next((key for key, count in counts.items() if count > 1), None)
        if doubled is not None:
            raise ValueError(f"the fault '{doubled}' is named twice")
        return self

    def fault(self, key: str) -> Fault:
        """Return the fault with a key.

        Raises:
            KeyError: the plan has none.
        """
        for fault in self.faults:
            if fault.key == key:
                return fault
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class Aim:
    """Which calls of an episode a fault hits: the same in every framework, but for their number.

    Attributes:
        fault: What hits.
        seed: The plan's.
        task: The episode's task.
        calls: How many calls in its place the same episode has without the fault; None where that
            is not known.
    """

    fault: Fault
    seed: int
    task: str
    calls: int | None = None

    @property
    def is_measured(self) -> bool:
        """Whether `calls` has to be known to say which calls are hit."""
        if self.fault.place.moment == "any":
            return self.fault.dose in ("once", "burst")
        return self.fault.place.moment in ("middle", "last")

    @property
    def start(self) -> int:
        """The first call in its place that is hit, from 0."""
        moment, calls = self.fault.place.moment, self.calls or _UNKNOWN_LENGTH
        if moment == "any":
            repeated = self.fault.dose in ("sometimes", "always")
            return 0 if repeated else int(self.random().random() * calls)
        at = {"second": 1, "third": 2, "middle": calls // 2, "last": calls - 1}
        return at.get(moment, 0)

    def hits(self, number: int) -> bool:
        """Say whether a call is hit.

        Args:
            number: its number among the calls in the fault's place, from 0.
        """
        after = number - self.start
        if after < 0:
            return False
        if self.fault.dose == "once":
            return after == 0
        if self.fault.dose == "burst":
            return after < BURST
        return self.fault.p is None or self.random(number).random() < self.fault.p

    def random(self, number: int | None = None) -> Random:
        """Return what chance decides of a call, or of the episode: the same in every run."""
        text = "\x00".join([str(self.seed), self.task, self.fault.key, str(number)])
        return Random(hashlib.sha256(text.encode()).digest())
