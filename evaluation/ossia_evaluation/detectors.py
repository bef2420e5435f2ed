"""Ways in which teams fail: what a suite's detectors tell of them, and how often each shows.

The modes are those of MAST (arXiv 2503.13657) in the numbering of its third version. A detection
says what happened, not what caused the failure: an episode that succeeds may show some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from ossia_evaluation.rows import Share, share


class Coverage(StrEnum):
    """How much of a mode its detector finds."""

    FULL = "full"
    """Every instance that shows in a trace."""
    PARTIAL = "partial"
    """Some of the instances: those of some roles, or that need no reading of free text."""
    NONE = "not applicable"
    """The team has nobody to whom it could happen."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One failure mode.

    Attributes:
        number: Its number in MAST, such as `1.3`.
        name: Its name there.
        coverage: How much of it is found here.
        sign: What is taken for it, in short.
    """

    number: str
    name: str
    coverage: Coverage
    sign: str


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Detection(_Frozen):
    """One sign of a failure mode in one episode."""

    mode: str
    """The mode's number."""
    step: NonNegativeInt
    """The step's position in the episode, from 0."""
    role: str
    sentence: str
    """What happened, readable by itself."""


class ModeRow(_Frozen):
    """One failure mode."""

    mode: str
    name: str
    coverage: Coverage
    episodes: Mapping[str, Share]
    """By framework: episodes with at least one sign; empty for a mode that is not applicable."""


class ModeTable(_Frozen):
    """All failure modes, by framework."""

    frameworks: tuple[str, ...]
    labels: dict[str, str] = {}
    """What tables call frameworks, by name, where that is not their name."""
    rows: tuple[ModeRow, ...]
    """In the order of the modes."""

    def name(self, framework: str) -> str:
        """Return what tables call a framework."""
        return self.labels.get(framework, framework)


def mode_table(
    modes: Iterable[Mode],
    episodes: Iterable[tuple[str, Sequence[Detection]]],
    titles: Mapping[str, str] = MappingProxyType({}),
) -> ModeTable:
    """Return how many episodes show each mode, with Wilson intervals.

    Args:
        modes: the modes that were looked for, in order.
        episodes: the framework of each episode that counts, with what was detected in it. The
            caller chooses which count, such as all failures; one without a detection counts, too.
        titles: what tables call frameworks, by name.
    """
    sizes: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for framework, detections in episodes:
        sizes[framework] += 1
        counts.update((framework, mode) for mode in {found.mode for found in detections})
    return ModeTable(
        frameworks=tuple(sizes),
        labels={name: titles[name] for name in sizes if name in titles},
        rows=tuple(
            ModeRow(
                mode=mode.number,
                name=mode.name,
                coverage=mode.coverage,
                episodes={}
                if mode.coverage is Coverage.NONE
                else {name: share(counts[name, mode.number], size) for name, size in sizes.items()},
            )
            for mode in modes
        ),
    )
