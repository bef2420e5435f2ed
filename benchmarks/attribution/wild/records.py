"""What the protocol of wild faults keeps of each episode that it tries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.attribution.record_log import KeyedRecord
from benchmarks.attribution.wild.changes import family_of
from ossia_evaluation.attribution import Family, role_in

CLEAN, SINGLE, DOUBLE = "clean", "one change", "two changes"
"""The kinds of episodes."""


@dataclass(frozen=True)
class WildSize:
    """How many cases are wanted of each framework.

    Attributes:
        tasks: clean episodes to change answers in.
        per_kind: cases of each kind of change.
        doubles: cases of two changes.
        tries: attempts for each case that is wanted; most changes do no harm.
    """

    tasks: int
    per_kind: int
    doubles: int
    tries: int


QUICK = WildSize(tasks=3, per_kind=1, doubles=2, tries=1)
FULL = WildSize(tasks=60, per_kind=12, doubles=120, tries=6)


class Structure(StrEnum):
    """How two changes of one episode depend on each other."""

    BOTH = "both needed"
    """Each alone is a failure: both have to be taken away."""
    EITHER = "either is enough"
    """Only together they are a failure."""
    ONE = "one does no harm"
    """One is a failure, the other is none."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Changed(_Frozen):
    """One change that was made."""

    situation: str
    call: int
    role: str
    kind: str
    seed: int
    before: str
    """What the model said, cut to its first characters."""
    after: str
    """What the framework got."""

    @property
    def family(self) -> str:
        """The family of the change."""
        return family_of(self.kind)


class WildCase(_Frozen):
    """A failure with known changes, and what the attributor says of it."""

    known: tuple[tuple[str, ...], ...]
    """The minimal sets of changed steps without whose changes the episode succeeds."""
    told: tuple[tuple[str, ...], ...]
    """The families that the attributor tells."""
    status: str
    """The attributor's; `crashed` where it ended in an exception."""
    reason: str
    replays: int
    """Episodes that were run for the attributor, counted where they are run."""
    model_calls: int
    """Model calls of these that anything but the replay's script answered."""
    structure: Structure | None = None

    @property
    def known_families(self) -> frozenset[Family]:
        """The known families as sets."""
        return frozenset(map(frozenset, self.known))

    @property
    def told_families(self) -> frozenset[Family]:
        """The told families as sets."""
        return frozenset(map(frozenset, self.told))

    @property
    def blamed(self) -> frozenset[str]:
        """The roles of the told causes."""
        return frozenset(role_in(step) for family in self.told for step in family)


class WildAttempt(KeyedRecord):
    """One episode that the protocol tried."""

    version: Literal[1] = 1
    framework: str
    task: str
    cell: str
    outcome: str
    """`kept`, or why it is no case."""
    changes: tuple[Changed, ...] = ()
    case: WildCase | None = None

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the changed steps."""
        return frozenset(change.role for change in self.changes)
