"""Replaying episodes through the real framework on real servers, with warm workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from ossia.adapters import AdapterInfo, find_adapter, how_to_install, lacking
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.runner.pool import WorkerPool
from ossia.runner.services import open_services
from ossia.user import User
from ossia.worker import WorkerSpec
from ossia_dataset.tasks import Task
from ossia_servers.gateway import Model
from ossia_servers.gateway.intervention import InterveningModel, Script
from ossia_servers.trace import EpisodeKey, Trace
from ossia_servers.worlds.domain import Domain


class Replayer:
    """Runs episodes whose model calls are answered by scripts."""

    def __init__(
        self, runner: EpisodeRunner, model: InterveningModel, pools: Mapping[str, WorkerPool]
    ) -> None:
        """Wrap a runner.

        Args:
            runner: what runs an episode; its gateway answers by `model`.
            model: what the scripts are handed to.
            pools: the runner's workers by framework.
        """
        self._runner = runner
        self._model = model
        self._pools = pools
        self._number = 0

    def version(self, framework: str) -> str | None:
        """Return a framework and its exact version; None before its first replay."""
        info = self._pools[framework].info
        return None if info is None else f"{info.framework} {info.version}"

    async def replay(self, key: EpisodeKey, script: Script) -> Trace:
        """Run an episode once more, on a fresh world and with a script for all answers.

        Args:
            key: the recorded episode.
            script: answers the model calls; made for this replay alone. One that is a `User` as
                well talks with the team, too.

        Returns:
            The replay's trace, under an id of its own.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
        """
        self._number += 1
        own = key.model_copy(update={"id": f"{key.id}@{self._number}", "model": self._model.name})
        self._model.play(own.id, script)
        try:
            return await self._runner.run(own, script if isinstance(script, User) else None)
        finally:
            self._model.forget(own.id)


@asynccontextmanager
async def open_replayer(
    config: RunConfig,
    tasks: Mapping[str, Task],
    domains: Sequence[Domain],
    workers: Mapping[str, WorkerSpec],
    *,
    jobs: int,
) -> AsyncIterator[Replayer]:
    """Start gateway, servers and (when first needed) workers; end them afterwards.

    Args:
        config: the run that is replayed, for its limits and its budget.
        tasks: the tasks of the run by id.
        domains: the domain servers.
        workers: how each framework's worker is started.
        jobs: most replays at once.
    """
    model = InterveningModel()
    async with open_runner(config, tasks, domains, workers, model, jobs=jobs) as (runner, pools):
        yield Replayer(runner, model, pools)


@asynccontextmanager
async def open_runner(
    config: RunConfig,
    tasks: Mapping[str, Task],
    domains: Sequence[Domain],
    workers: Mapping[str, WorkerSpec],
    model: Model,
    *,
    jobs: int,
) -> AsyncIterator[tuple[EpisodeRunner, Mapping[str, WorkerPool]]]:
    """Start gateway, servers and (when first needed) workers for one model; end them afterwards.

    Yields what runs an episode, and its workers by framework.

    Args:
        config: the run that is played again, for its limits and its budget.
        tasks: the tasks of the run by id.
        domains: the domain servers.
        workers: how each framework's worker is started.
        model: what answers every model call.
        jobs: most episodes at once.
    """
    async with open_services(domains, model) as services:
        pools = {
            name: WorkerPool(spec, allow=services.addresses, concurrency=jobs)
            for name, spec in workers.items()
        }
        try:
            yield EpisodeRunner(services, pools, tasks, config), pools
        finally:
            await asyncio.gather(*(pool.close() for pool in pools.values()))


def worker_specs(
    config: RunConfig, home: Path, frameworks: Sequence[str] = ()
) -> dict[str, WorkerSpec]:
    """Return how the workers of a run's frameworks are started.

    Args and errors as of `adapters_of`.
    """
    adapters = adapters_of(config, home, frameworks)
    return {name: info.worker for name, info in adapters.items()}


def adapters_of(
    config: RunConfig, home: Path, frameworks: Sequence[str] = ()
) -> dict[str, AdapterInfo]:
    """Return the adapters of a run's frameworks by name, each as the run had it.

    Args:
        config: the run.
        home: the folder of Ossia's environments.
        frameworks: only these; all of the run when empty.

    Raises:
        UserError: a framework is not of the run, not installed, out of date, or has changed since.
        AdapterError: an adapter is not there.
    """
    of_run = {framework.name: framework for framework in config.frameworks}
    for name in frameworks:
        if name not in of_run:
            raise UserError(f"the run has no framework '{name}'; it has: {', '.join(of_run)}")
    found: dict[str, AdapterInfo] = {}
    for name in frameworks or of_run:
        info = find_adapter(of_run[name].adapter, home)
        if info.digest != of_run[name].digest:
            raise UserError(f"the adapter '{name}' has changed since the run; start a new run")
        found[name] = info
    refuse_lacking(tuple(found.values()))
    return found


def refuse_lacking(infos: Sequence[AdapterInfo]) -> None:
    """Refuse adapters that cannot be started before they are installed.

    Raises:
        UserError: with all their names.
    """
    missing = lacking(infos)
    if missing is not None:
        raise UserError(f"{missing}; run `{how_to_install(infos)}` first")
