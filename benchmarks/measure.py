"""What the benchmarks read from the machine: time, processor time and memory of processes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Spread",
    "cpu_seconds",
    "pss_mib",
    "quantile",
    "ratios",
    "rss_mib",
    "wall_seconds",
]


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the ends of several measurements of one thing.

    Attributes:
        median: The middle value.
        least: The smallest value.
        most: The largest value.
    """

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of values.

        Args:
            values: The measurements, at least one.

        Raises:
            ValueError: There are none.
        """
        if not values:
            raise ValueError("a spread needs at least one measurement")
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int = 2) -> str:
        """Return `median (least-most)` with so many digits after the point."""
        return f"{self.median:.{digits}f} ({self.least:.{digits}f}-{self.most:.{digits}f})"


def ratios(ours: Sequence[float], others: Sequence[float]) -> Spread:
    """Return how neighbouring measurements relate.

    Args:
        ours: Measurements of one thing, in the order in which they were made.
        others: Measurements of the other, each made right after the one of the same place.

    Returns:
        The spread of the ratios, pair by pair: what slows the machine for a while slows both.

    Raises:
        ValueError: The numbers of measurements differ, or there are none.
    """
    return Spread.of([one / other for one, other in zip(ours, others, strict=True)])


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies.

    Args:
        values: The measurements, at least one.
        share: Between 0 and 1.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def wall_seconds() -> float:
    """Return seconds from an arbitrary start, never going back."""
    return time.perf_counter()


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the user and system time that live processes have used, all their threads included.

    Args:
        pids: The processes.

    Raises:
        OSError: One of them is gone.
    """
    # The kernel's number of a process's processor clock (clock_getcpuclockid); unlike the ticks
    # in /proc it counts nanoseconds.
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def pss_mib(pids: Iterable[int]) -> float:
    """Return the memory of processes in MiB, each shared page divided among those that share it.

    Args:
        pids: The processes.

    Raises:
        OSError: One of them is gone.
    """
    return sum(_kib(f"/proc/{pid}/smaps_rollup", "Pss:") for pid in pids) / 1024


def rss_mib(pids: Iterable[int]) -> float:
    """Return the memory of processes in MiB, shared pages counted for each process anew.

    Args:
        pids: The processes.

    Raises:
        OSError: One of them is gone.
    """
    return sum(_kib(f"/proc/{pid}/smaps_rollup", "Rss:") for pid in pids) / 1024


def _kib(path: str, name: str) -> int:
    for line in Path(path).read_text("ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise OSError(f"{path} does not tell {name}")
