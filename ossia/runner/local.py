"""Episodes played on this machine: services, workers and models, opened and closed together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ossia.runner.activity import Activity
from ossia.runner.config import RunConfig
from ossia.runner.engine import Engine
from ossia.runner.episode import EpisodeRunner
from ossia.runner.pool import END_SECONDS, WorkerPool
from ossia.runner.services import Services, open_services
from ossia.runner.stress import Stress
from ossia.suites import find_suite
from ossia.worker import WorkerInfo, WorkerSpec
from ossia_dataset.tasks import Task
from ossia_servers.gateway import ClosingModel, Model
from ossia_servers.trace import EpisodeKey, Trace
from ossia_servers.worlds.domain import Domain

EPISODES_PER_WORKER = 16
"""Beyond this many episodes at once a framework gets a further worker process: one interpreter
runs on one core, and frameworks cost it 0.05 to 0.2 s an episode."""

WORKERS_PER_CORE = 2
"""More than one, since a process with many threads hands its interpreter on with pauses, in which
another one has the core; more than two only cost memory."""


@dataclass(frozen=True)
class Equipment:
    """What the episodes of a run are played with."""

    config: RunConfig
    """That they are played by, which may be more patient than the stored one."""
    tasks: Mapping[str, Task]
    domains: Sequence[Domain]
    models: Mapping[str, Model]
    """What answers, by the specifications of the configuration."""
    workers: Mapping[str, WorkerSpec]
    """How each framework's worker is started."""
    jobs: int
    """Most episodes at once."""
    user_model: Model | None = None
    """What speaks for the simulated user; None for the user that the suite brings."""


class LocalEngine:
    """Plays episodes with services and workers of this machine."""

    def __init__(self, equipment: Equipment, services: Services, activity: Activity | None) -> None:
        """Set up; workers are started when they are needed."""
        self._gateway = services.gateway
        self._pools = _pools(equipment, services, activity)
        config = equipment.config
        players = find_suite(config.suite).players
        self._runner = EpisodeRunner(
            services,
            self._pools,
            equipment.tasks,
            config,
            equipment.models,
            equipment.user_model,
            None if config.stress is None else Stress(config.stress, players),
        )

    @property
    def closed_because(self) -> str | None:
        """Why no further request of some model will be answered."""
        return self._gateway.closed_because

    @property
    def limit_reached(self) -> str | None:
        """Why a call was not begun for its cost."""
        return self._gateway.limit_reached

    @property
    def cpu_s(self) -> float:
        """Nothing: all is spent by this process and its children."""
        return 0.0

    async def play(self, key: EpisodeKey, baseline: Trace | None) -> Trace:
        """Play an episode to its end."""
        return await self._runner.run(key, baseline=baseline)

    def info(self, framework: str) -> WorkerInfo | None:
        """Return what the worker of a framework says of itself."""
        return self._pools[framework].info

    async def close(self, end_s: float) -> None:
        """End all workers, which may use so many seconds to end by themselves."""
        await asyncio.gather(*(pool.close(end_s) for pool in self._pools.values()))


@asynccontextmanager
async def open_local(
    equipment: Equipment, folder: Path | None = None, *, activity: Activity | None = None
) -> AsyncIterator[Engine]:
    """Open what plays on this machine, and close it with its models at the end.

    Args:
        equipment: what is played with.
        folder: where the worlds of episodes are kept; None for memory.
        activity: is told which workers there are.
    """
    config = equipment.config
    worlds_path = None if folder is None else _fresh(folder / "worlds.sqlite")
    async with open_services(
        equipment.domains,
        next(iter(equipment.models.values())),
        worlds_path=worlds_path,
        price_model=config.price_model,
        stressed=config.stress is not None,
    ) as services:
        engine, end_s = LocalEngine(equipment, services, activity), END_SECONDS
        try:
            yield engine
        except asyncio.CancelledError:
            # Whoever has pressed Ctrl-C waits for nothing that a worker has left to do.
            end_s = 0.0
            raise
        finally:
            await engine.close(end_s)
            await _close(equipment)
    if worlds_path is not None:
        _fresh(worlds_path)


async def _close(equipment: Equipment) -> None:
    """Close the models that no gateway closes: it closes its own, the first."""
    for model in (*[*equipment.models.values()][1:], equipment.user_model):
        if isinstance(model, ClosingModel):
            await model.aclose()


def workers_for(jobs: int) -> int:
    """Return how many worker processes a framework gets for so many episodes at once."""
    most = WORKERS_PER_CORE * (os.cpu_count() or 1)
    return max(1, min(most, -(-jobs // EPISODES_PER_WORKER)))


def _pools(
    equipment: Equipment, services: Services, activity: Activity | None
) -> dict[str, WorkerPool]:
    workers = workers_for(equipment.jobs)
    return {
        name: WorkerPool(
            spec,
            allow=services.addresses,
            concurrency=equipment.jobs,
            workers=workers,
            name=name,
            activity=activity,
        )
        for name, spec in equipment.workers.items()
    }


def _fresh(path: Path) -> Path:
    """Remove a database of a session that has ended, with its side files."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return path
