"""How often each failure mode shows, by framework."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.detectors.found import Detection
from ossia_evaluation.detectors.modes import MODES, Coverage
from ossia_evaluation.rows import Share, share


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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
    rows: tuple[ModeRow, ...]
    """In the order of the modes' numbers."""


def mode_table(episodes: Iterable[tuple[str, Sequence[Detection]]]) -> ModeTable:
    """Return how many episodes show each mode, with Wilson intervals.

    Args:
        episodes: the framework of each episode that counts, with what was detected in it. The
            caller chooses which count, such as all failures; one without a detection counts, too.
    """
    sizes: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for framework, detections in episodes:
        sizes[framework] += 1
        counts.update((framework, mode) for mode in {found.mode for found in detections})
    return ModeTable(
        frameworks=tuple(sizes),
        rows=tuple(
            ModeRow(
                mode=mode.number,
                name=mode.name,
                coverage=mode.coverage,
                episodes={}
                if mode.coverage is Coverage.NONE
                else {name: share(counts[name, mode.number], size) for name, size in sizes.items()},
            )
            for mode in MODES
        ),
    )
