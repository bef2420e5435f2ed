"""What a session of a run is doing beside what it has finished, for whoever watches it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ossia.worker import WorkerProcess


class Activity:
    """The workers of a session: those that are being started, and those that live."""

    def __init__(self) -> None:
        """Begin without any."""
        self._starting: Counter[str] = Counter()
        self._started: list[WorkerProcess] = []

    @contextmanager
    def start(self, framework: str) -> Iterator[None]:
        """Take note that a worker of a framework is being started while the block runs."""
        self._starting[framework] += 1
        try:
            yield
        finally:
            self._starting -= Counter([framework])

    def started(self, worker: WorkerProcess) -> None:
        """Take note of a worker that lives."""
        self._started = [*(each for each in self._started if each.alive), worker]

    @property
    def starting(self) -> tuple[str, ...]:
        """The frameworks of which a worker is being started."""
        return tuple(sorted(self._starting))

    @property
    def workers(self) -> int:
        """How many workers live or are being started."""
        return self._starting.total() + sum(worker.alive for worker in self._started)
