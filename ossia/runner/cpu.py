"""What a run costs this machine: the CPU time of all its processes."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt

from ossia.runner.store import RunStore

META = "cpu"
"""Under this name a run's store holds its CPU time."""


class RunCpu(BaseModel):
    """The CPU time of a run's sessions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: NonNegativeFloat = 0.0
    """Of all processes: workers from their start, gateway, servers, scoring and storing."""
    episodes: NonNegativeInt = 0
    """Episodes that these sessions have run; a session that was killed has told nothing."""

    def plus(self, seconds: float, episodes: int) -> RunCpu:
        """Return this with a further session."""
        return RunCpu(seconds=self.seconds + seconds, episodes=self.episodes + episodes)


class CpuMeter:
    """CPU seconds of this process, and of its children that have ended, since it was made."""

    def __init__(self) -> None:
        """Begin."""
        self._start = _spent()

    def seconds(self) -> float:
        """Return the seconds so far; a child counts as a whole, and from its end on."""
        return max(0.0, _spent() - self._start)


def cpu_of(store: RunStore) -> RunCpu:
    """Return the CPU time that a run has told of; without any, nothing of no episode."""
    text = store.meta(META)
    return RunCpu() if text is None else RunCpu.model_validate_json(text)


@contextmanager
def metered(store: RunStore, done: list[int], elsewhere: Callable[[], float]) -> Iterator[None]:
    """Add what happens inside to the run's CPU time.

    Args:
        store: the run, open for writing.
        done: one number: the episodes finished so far, read at the begin and at the end.
        elsewhere: gives the CPU seconds of other machines, asked at the end.
    """
    meter, before = CpuMeter(), done[0]
    try:
        yield
    finally:
        seconds = meter.seconds() + elsewhere()
        total = cpu_of(store).plus(seconds, done[0] - before)
        store.set_meta(META, total.model_dump_json())


def _spent() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
