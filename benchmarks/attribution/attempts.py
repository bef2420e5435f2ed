"""What the injection protocol keeps of each episode that it tries, and the file it is kept in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.attribution.record_log import KeyedRecord, RecordLog, read_records
from ossia_evaluation.attribution import Family, Status
from ossia_servers.assistant.offline.faults import FaultType

KEPT = "kept"
"""The outcome of an attempt that became a case."""

CLEAN, SINGLE, BESIDE, DOUBLE, TRIPLE = (
    "clean",
    "single",
    "single, harmless beside",
    "double",
    "triple",
)
DOUBLE_BESIDE = "double, harmless beside"
NOISE = {0.05: "noise 5 %", 0.1: "noise 10 %", 0.2: "noise 20 %"}
NO_FAULT, PLACEBO = "control: no fault", "control: placebo"
SERVERS, GATEWAY = "control: servers", "control: gateway, no answer of the model"
CONTROLS = "controls with a step to blame"
GOLD = "control: wrong gold, harmless beside"
CALLS = "control: too few model calls, harmless beside"
"""The kinds of cases; the controls of the servers also name the harm."""

PAIRED = ("intent", "time", "location", "url", "request", "manager")
"""Roles whose pairs make the double cases; what the response role says is not judged."""


@dataclass(frozen=True)
class Size:
    """How many cases are wanted of each framework.

    Attributes:
        tasks: clean episodes to put faults into.
        types: types of fault in single cases, drawn by the seed.
        per_type: cases of each type of fault.
        per_pair: cases of each pair of roles.
        joint: double cases of which only both faults together do harm.
        masking: double cases of which one fault hides the other.
        triples: cases with three faults.
        beside: cases with harmless faults beside a single one, and a quarter as many beside two.
        noisy: failures of the noisy model at each level.
        controls: episodes of each control in which no role deviates.
        blamable: controls in which the attributor has a step to blame.
        tries: attempts for each double or triple case that is wanted.
    """

    tasks: int
    types: int
    per_type: int
    per_pair: int
    joint: int
    masking: int
    triples: int
    beside: int
    noisy: int
    controls: int
    blamable: int
    tries: int

    @property
    def half(self) -> Size:
        """Half as many cases of the kinds that have many, in the same episodes."""
        return replace(
            self,
            per_type=-(-self.per_type // 2),
            per_pair=-(-self.per_pair // 2),
            triples=-(-self.triples // 2),
            blamable=-(-self.blamable // 2),
        )

    def wanted(self, frameworks: int) -> dict[str, int]:
        """Return the numbers without which a protocol shows less than it set out to, by kind."""
        joint, masking = f"{DOUBLE}, joint", f"{DOUBLE}, masking"
        each = {
            joint: self.joint,
            masking: self.masking,
            TRIPLE: self.triples,
            CONTROLS: self.blamable,
        }
        return {kind: number * frameworks for kind, number in each.items()}


QUICK = Size(
    tasks=3,
    types=12,
    per_type=1,
    per_pair=0,
    joint=0,
    masking=2,
    triples=1,
    beside=1,
    noisy=1,
    controls=1,
    blamable=4,
    tries=2,
)
FULL = Size(
    tasks=44,
    types=len(FaultType),
    per_type=12,
    per_pair=7,
    joint=3,
    masking=10,
    triples=52,
    beside=60,
    noisy=12,
    controls=6,
    blamable=110,
    tries=5,
)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WrongStep(_Frozen):
    """A step that went wrong, by whatever cause."""

    source: Literal["injected", "noise", "model"]
    role: str
    fault: str
    """The type of fault; empty for the model's own errors."""
    situation: str
    text: str


class Case(_Frozen):
    """A failure with known causes, or a control, and what the attributor says of it."""

    known: tuple[tuple[str, ...], ...]
    """The minimal families; none for a control."""
    told: tuple[tuple[str, ...], ...]
    ranked: tuple[str, ...]
    """The told causes, the most responsible first."""
    deviations: tuple[str, ...]
    decisive: str | None
    rules: tuple[str, ...]
    status: str
    replays: int
    structure: str = ""

    @property
    def known_families(self) -> frozenset[Family]:
        """The known families as sets."""
        return frozenset(map(frozenset, self.known))

    @property
    def told_families(self) -> frozenset[Family]:
        """The told families as sets."""
        return frozenset(map(frozenset, self.told))


class Attempt(KeyedRecord):
    """One episode that the protocol tried."""

    version: Literal[1] = 1
    framework: str
    task: str
    cell: str
    faults: tuple[str, ...] = ()
    outcome: str
    """`kept`, or why it is no case."""
    success: bool | None = None
    """Whether the episode succeeds, where its steps are kept."""
    steps: tuple[tuple[str, str], ...] = ()
    """The moments in their order, with what was said."""
    wrong: tuple[WrongStep, ...] = ()
    case: Case | None = None


def beside(control: str) -> str:
    """Return the name of a control whose roles deviate without harm as well."""
    return f"{control}, harmless beside"


def is_decided(attempt: Attempt) -> bool:
    """Say whether the attributor had a step to blame in a control.

    It had none where the episode was invalid, succeeded when it was played again, or no step of it
    deviates. Whoever is blamed all the same is blamed wrongly.
    """
    case = attempt.case
    if case is None:
        return False
    return bool(case.told) or (bool(case.deviations) and case.status != Status.FLAKY)


class AttemptLog(RecordLog[Attempt]):
    """The attempts of one framework, each written as soon as it is known."""

    def __init__(self, path: Path) -> None:
        """Open or make a log; see `RecordLog`."""
        super().__init__(path, Attempt)


def read_attempts(path: Path) -> Iterator[Attempt]:
    """Yield the attempts of a log.

    Raises:
        UserError: a line but the last cannot be read.
    """
    return read_records(path, Attempt)


def digest_of(size: Any, seed: int, parts: Iterable[bytes]) -> str:
    """Return what a protocol's attempts depend on, as a short hash.

    Args:
        size: how many cases are wanted; a dataclass.
        seed: decides on tasks, places and faults.
        parts: contents of all else that may change a result.
    """
    whole = hashlib.sha256(f"{asdict(size)} {seed}".encode())
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()[:12]
