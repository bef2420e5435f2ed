"""Workers of one framework: a shared one for many episodes, lone ones for suspects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ossia.worker import RunResult, WorkerInfo, WorkerProcess, WorkerSpec


class WorkerPool:
    """Starts workers when they are needed, replaces dead ones and counts their CPU time."""

    def __init__(self, spec: WorkerSpec, *, allow: Sequence[str], concurrency: int) -> None:
        """Describe a pool; nothing is started yet.

        Args:
            spec: how a worker of the framework is started.
            allow: addresses that workers may connect to.
            concurrency: episodes at once in the shared worker.
        """
        self._spec = spec
        self._allow = tuple(allow)
        self._concurrency = concurrency
        self._shared: WorkerProcess | None = None
        self._starting = asyncio.Lock()
        self._cpu: dict[int, float] = {}
        self.info: WorkerInfo | None = None
        """What the framework's worker says of itself, once one has started."""

    async def shared(self) -> WorkerProcess:
        """Return the shared worker, starting one if there is none alive.

        Raises:
            WorkerStartError: it cannot be started.
        """
        async with self._starting:
            if self._shared is None or not self._shared.alive:
                self._shared = await self._start(self._concurrency)
            return self._shared

    @asynccontextmanager
    async def lone(self) -> AsyncIterator[WorkerProcess]:
        """Start a worker for one episode alone, and end it afterwards.

        Raises:
            WorkerStartError: it cannot be started.
        """
        worker = await self._start(1)
        try:
            yield worker
        finally:
            await worker.kill()

    async def close(self) -> None:
        """End the shared worker."""
        if self._shared is not None:
            await self._shared.shutdown(1.0)
            self._shared = None

    def cpu_share(self, worker: WorkerProcess, result: RunResult) -> float:
        """Return the worker's CPU seconds since it last finished an episode."""
        share = result.cpu_s - self._cpu.get(worker.pid, 0.0)
        self._cpu[worker.pid] = result.cpu_s
        return max(0.0, share)

    async def _start(self, concurrency: int) -> WorkerProcess:
        worker = await WorkerProcess.start(self._spec, allow=self._allow, concurrency=concurrency)
        self._cpu[worker.pid] = 0.0
        self.info = worker.info
        return worker
