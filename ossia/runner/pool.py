"""Workers of one framework: shared ones for many episodes, lone ones for suspects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from ossia.runner.activity import Activity
from ossia.worker import RunResult, WorkerInfo, WorkerProcess, WorkerSpec

END_SECONDS: Final = 1.0
"""A worker may use this long to end by itself."""


class WorkerPool:
    """Starts workers when they are needed, replaces dead ones and counts their CPU time."""

    def __init__(
        self,
        spec: WorkerSpec,
        *,
        allow: Sequence[str],
        concurrency: int,
        workers: int = 1,
        name: str = "",
        activity: Activity | None = None,
    ) -> None:
        """Describe a pool; nothing is started yet.

        Args:
            spec: how a worker of the framework is started.
            allow: addresses that workers may connect to.
            concurrency: episodes at once in all shared workers together.
            workers: most shared workers.
            name: the framework's.
            activity: is told which workers there are.
        """
        self._spec = spec
        self._allow = tuple(allow)
        self._workers = workers
        self._name = name
        self._activity = activity or Activity()
        self._concurrency = -(-concurrency // workers)
        self._shared: list[WorkerProcess] = []
        self._starting = asyncio.Lock()
        self._playing: dict[WorkerProcess, int] = {}
        self._cpu: dict[int, float] = {}
        self.info: WorkerInfo | None = None
        """What the framework's worker says of itself, once one has started."""

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[WorkerProcess]:
        """Use a shared worker for one episode, starting one if all that live are full.

        Raises:
            WorkerStartError: it cannot be started.
        """
        async with self._starting:
            worker = await self._with_room()
            self._playing[worker] = self._playing.get(worker, 0) + 1
        try:
            yield worker
        finally:
            self._playing[worker] -= 1
            if worker not in self._shared and not self._playing[worker]:
                del self._playing[worker]
                await worker.kill()

    def retire(self, worker: WorkerProcess) -> None:
        """Give a worker no further episodes; it is killed when its present ones have ended.

        A cancelled episode may go on in a thread that nothing can stop, and would keep its place
        from the episodes that wait.
        """
        if worker in self._shared:
            self._shared.remove(worker)

    async def _with_room(self) -> WorkerProcess:
        self._shared = [worker for worker in self._shared if worker.alive]
        idlest = min(self._shared, key=lambda each: self._playing.get(each, 0), default=None)
        full = idlest is None or self._playing.get(idlest, 0) >= self._concurrency
        if idlest is not None and (not full or len(self._shared) == self._workers):
            return idlest
        started = await self._start(self._concurrency)
        self._shared.append(started)
        return started

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

    async def close(self, end_s: float = END_SECONDS) -> None:
        """End all workers.

        Args:
            end_s: how long they may use to end by themselves; 0 kills them at once.
        """
        shared, self._shared = self._shared, []
        if end_s:
            await asyncio.gather(*(worker.shutdown(end_s) for worker in shared))
        await asyncio.gather(*(worker.kill() for worker in {*shared, *self._playing}))
        self._playing.clear()

    def cpu_share(self, worker: WorkerProcess, result: RunResult) -> float:
        """Return the worker's CPU seconds since it last finished an episode."""
        share = result.cpu_s - self._cpu.get(worker.pid, 0.0)
        self._cpu[worker.pid] = result.cpu_s
        return max(0.0, share)

    async def _start(self, concurrency: int) -> WorkerProcess:
        with self._activity.start(self._name):
            worker = await WorkerProcess.start(
                self._spec, allow=self._allow, concurrency=concurrency
            )
        self._activity.started(worker)
        self._cpu[worker.pid] = 0.0
        self.info = worker.info
        return worker
