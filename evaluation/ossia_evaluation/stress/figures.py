"""The figures of a run under stress, as they are stored and shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.rows import TaskShare
from ossia_evaluation.stress.played import Outcome
from ossia_servers.stress.plan import Fault

__all__ = [
    "ALL",
    "ALPHA",
    "COSTS",
    "STRESS_VERSION",
    "Cell",
    "Change",
    "Difference",
    "FaultAbout",
    "Ranking",
    "Stress",
    "StressLine",
]

STRESS_VERSION: Final = 1
"""Version of the stored format."""

ALL: Final = "all faults"
"""Stands beside the classes for all of them together."""

ALPHA: Final = 0.05
"""A difference is called significant when its adjusted p-value is below this."""

COSTS: Final = ("calls", "tokens", "wall_s")
"""What surviving may cost."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FaultAbout(_Frozen):
    """What tables say of a fault."""

    key: str
    kind: str
    group: str
    """The class under which it is told."""
    dose: str
    place: str
    """Where it strikes; empty for anywhere."""
    what: str
    """What happens, in half a sentence."""

    @classmethod
    def of(cls, fault: Fault) -> FaultAbout:
        """Return it for a fault of a plan."""
        return cls(
            key=fault.key,
            kind=fault.kind,
            group=fault.about.group,
            dose=fault.dose if fault.p is None else f"{fault.dose}={fault.p}",
            place=fault.place.key.removeprefix("@"),
            what=fault.about.what,
        )


class Change(_Frozen):
    """By how much a figure changes under a fault: the mean over tasks."""

    mean: float
    low: float | None
    """Its 95 % interval, from the tasks' means; None for a single task."""
    high: float | None
    tasks: int


class Cell(_Frozen):
    """What became of episodes that met a fault and succeed without it."""

    recovery: TaskShare
    outcomes: dict[Outcome, int]
    """How the episodes ended; they add up to those of `recovery`."""
    acted_twice: int
    """Episodes that changed something by one request more often than without the fault."""
    sent_again: int
    """Episodes in which the call that met the fault was sent again as it was."""
    price: dict[str, Change]
    """What surviving costs beyond the same episode without the fault, by the names in `COSTS`;
    empty where none survived."""
    episodes: dict[str, Outcome] = {}
    """How each episode ended; empty where several faults are told together."""
    unmet: int
    """Episodes that never reached the call where the fault would be injected; not counted."""
    unpaired: int
    """Episodes whose pair without the fault does not succeed, and are not counted."""
    invalid: int
    """Episodes whose infrastructure failed, and are not counted."""


class StressLine(_Frozen):
    """One framework with one model."""

    framework: str
    label: str
    model: str
    by_group: dict[str, Cell]
    """By class of fault; `ALL` for all of them."""
    by_fault: dict[str, Cell]
    """By the fault's key."""
    by_dose: dict[str, dict[str, TaskShare]]
    """Recovery by dose, for each class; of kinds that the run has in several doses."""
    by_place: dict[str, dict[str, TaskShare]]
    """Recovery by place, for each class; of faults that the run has in several places."""


class Difference(_Frozen):
    """Two frameworks with one model on the tasks and faults in which both succeed without."""

    model: str
    faults: str
    """A class of faults, `ALL`, or a fault's key."""
    first: str
    second: str
    tasks: int
    difference: float | None
    """Mean over tasks of the first one's recovery minus the second one's."""
    low: float | None
    high: float | None
    p_value: float
    p_holm: float
    """Adjusted within all classes, or within all faults."""

    @property
    def significant(self) -> bool:
        """Whether it is, after adjustment."""
        return self.p_holm < ALPHA


class Ranking(_Frozen):
    """The order of the frameworks by recovery with one model and with another."""

    first: str
    second: str
    tau: float | None
    """Kendall's tau-b; None where all frameworks of one are alike."""
    p_value: float | None
    swapped: tuple[tuple[str, str], ...]
    """Frameworks of which the first is ahead with the first model, the second with the second."""


class Stress(_Frozen):
    """All that is told of a run under stress."""

    version: Literal[1] = STRESS_VERSION
    run: str
    plan: str
    seed: int
    faults: tuple[FaultAbout, ...]
    groups: tuple[str, ...]
    """The classes of the faults, in their order."""
    models: tuple[str, ...]
    lines: tuple[StressLine, ...]
    differences: tuple[Difference, ...]
    """Of every two frameworks by class."""
    to_reference: tuple[Difference, ...]
    """Of every framework to the reference by fault; none where the reference takes no part."""
    rankings: tuple[Ranking, ...]
    finding: tuple[str, ...] = ()

    def with_model(self, model: str) -> tuple[StressLine, ...]:
        """Return the lines with a model."""
        return tuple(line for line in self.lines if line.model == model)

    def label(self, framework: str) -> str:
        """Return what tables call a framework, by its key."""
        return next((line.label for line in self.lines if line.framework == framework), framework)

    def extremes(self, model: str, group: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the best and the worst frameworks of a class, where they differ significantly.

        Args:
            model: with which.
            group: the class of faults.
        """
        shares = {
            line.framework: value
            for line in self.with_model(model)
            if (cell := line.by_group.get(group)) and (value := cell.recovery.value) is not None
        }
        if not shares:
            return frozenset(), frozenset()
        best = {name for name, value in shares.items() if value == max(shares.values())}
        worst = {name for name, value in shares.items() if value == min(shares.values())}
        apart = list(self._apart(model, group))
        return (
            frozenset(name for name in best if any({name, one} in apart for one in worst)),
            frozenset(name for name in worst if any({name, one} in apart for one in best)),
        )

    def _apart(self, model: str, group: str) -> Iterator[set[str]]:
        for one in self.differences:
            if one.model == model and one.faults == group and one.significant:
                yield {one.first, one.second}
