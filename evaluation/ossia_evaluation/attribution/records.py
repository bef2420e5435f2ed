"""The stored result of attributing one episode."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ossia_evaluation.attribution.search import Status

ATTRIBUTION_VERSION: Final = 7
"""Version of the stored format, raised as well whenever a change may alter a result."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cause(_Frozen):
    """A step that is in some minimal repair family."""

    step: int
    """The step's position in the episode, from 0; -1 for one that came to light in a replay."""
    situation: str
    role: str
    responsibility: float = Field(gt=0, le=1)
    necessary: bool
    """PN: repairing this step alone turns the failure."""
    sufficient: bool
    """PS: the failure stays when everything but this step is repaired."""
    conditional: bool = False
    """Its repair helps if steps had answered rightly of which nothing was recorded; it is neither
    called necessary nor sufficient then."""
    said: str
    meant: str
    fault: str
    """A clause with the role as its subject."""
    remedy: str
    """What a repair brings, such as `with 18:30`."""
    sign: str = ""
    """The kind of fault that shows on the wire by itself; empty for none."""
    differs: str = ""
    """The kind of fault that would make this difference from the repair; empty for none. It says
    nothing on whether there was one: a role that chooses wrongly differs so as well."""


def repair_text(cause: Cause) -> str:
    """Return what repairing a cause is worth: sufficient by itself, and part of every repair.

    The fields of a cause speak of the fault instead: it is necessary (PN) where its repair is
    sufficient, and sufficient (PS) where its repair is necessary.
    """
    if cause.conditional:
        return "repair helps if others then answer rightly"
    alone = "repair sufficient" if cause.necessary else "repair not sufficient alone"
    return f"{alone}, {'necessary' if cause.sufficient else 'not necessary'}"


class Deviation(_Frozen):
    """A step that leaves its contract, whether or not it did any harm."""

    step: int
    situation: str
    role: str
    fault: str
    cause: bool = False
    absorbed_by: str | None = None
    """The step downstream that gave the same output all the same; None where none did."""


class StepShown(_Frozen):
    """One step as it was, and as it was in the replay of the first family."""

    step: int
    situation: str
    role: str
    said: str
    counterfactual: str | None = None
    """What was said in the replay; None where the replay has no such step, or none was made."""
    culprit: bool = False


class Attribution(_Frozen):
    """Who failed in one episode, shown by intervention."""

    version: Literal[7] = ATTRIBUTION_VERSION
    episode: str
    task: str
    framework: str
    domain: str
    """The first group of its task: a domain where the suite has domains."""
    intent: str
    """The second group of its task."""
    status: Status
    reason: str
    """Why it has this status, or the verdict's reason; one sentence."""
    families: tuple[tuple[str, ...], ...] = ()
    """Minimal repair families by situation; several are alternatives."""
    causes: tuple[Cause, ...] = ()
    decisive: str | None = None
    """The earliest step whose repair alone helps."""
    deviations: tuple[Deviation, ...] = ()
    assumed: tuple[str, ...] = ()
    """The roles that the first family's success assumes to have answered rightly, although nothing
    was recorded of it."""
    missed_recovery: bool = False
    """A role passed on what it could have put right."""
    recovery: str = ""
    """Which role passed on what, as a clause."""
    evidence: str = ""
    """One readable sentence."""
    rules: tuple[str, ...] = ()
    """The roles that the published criteria name."""
    opportunities: tuple[str, ...] = ()
    """Roles that worked in the episode, or that the gold run needs."""
    steps: tuple[StepShown, ...] = ()
    complete: bool = True
    """Whether no other family of the searched size can exist."""
    replays: int = 0
    cpu_s: float = 0.0
    """CPU time of the replays in the framework's worker."""
    service: tuple[str, ...] = ()
    """The kinds of faults that a service shows, where a fault struck one."""

    @property
    def type(self) -> str:
        """The kind of fault that the first family shows; empty where it shows none."""
        first = self.families[0] if self.families else ()
        told = [cause for cause in self.causes if cause.situation in first]
        kinds = (*(cause.sign for cause in told), *(cause.differs for cause in told))
        return next(filter(None, kinds), "") or next(iter(self.service), "")

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the causes, each once, in the order of the episode."""
        return tuple(dict.fromkeys(cause.role for cause in self.causes))

    @property
    def but_for(self) -> tuple[str, ...]:
        """The roles with a step whose repair alone helps."""
        return tuple(dict.fromkeys(cause.role for cause in self.causes if cause.necessary))

    @property
    def recovery_text(self) -> str | None:
        """What is said of a missed recovery; None where none was missed."""
        if not self.missed_recovery:
            return None
        return f"missed recovery: {self.recovery}" if self.recovery else "missed recovery"


class NearMiss(_Frozen):
    """A success in which a step left its contract."""

    version: Literal[7] = ATTRIBUTION_VERSION
    episode: str
    task: str
    framework: str
    deviations: tuple[Deviation, ...]
