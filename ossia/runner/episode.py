"""One episode: a fresh world, an open gateway session, one run of the framework, one trace."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ossia.runner.config import RunConfig
from ossia.runner.opaque import OpaqueNames
from ossia.runner.pool import WorkerPool
from ossia.runner.services import MachineClock, Services
from ossia.suites import find_suite
from ossia.worker import RunResult, WorkerDied, WorkerProcess, WorkerStartError
from ossia_dataset.tasks import Task
from ossia_evaluation.worlds.gold import prepare
from ossia_servers.gateway import GatewayRecord, Model
from ossia_servers.trace import (
    Dropped,
    Ending,
    EpisodeKey,
    EpisodeTiming,
    Reported,
    Trace,
    dropped_by,
)
from ossia_servers.worlds import UnknownWorld
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.world import World
from ossia_workflows import Team

_LOG = logging.getLogger(__name__)

GRACE_SECONDS = 5.0
"""A framework may use this long after its budget of seconds to give up by itself; then it is
cancelled, and after as long again its worker is killed."""


@dataclass(frozen=True)
class _Left:
    """What an attempt left at gateway and servers."""

    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...]
    diff: Diff
    lost: bool
    """Whether the world was gone before the end."""


class _AttemptDiedError(Exception):
    """A shared worker died under an attempt, which is made again.

    Attributes:
        dropped: What the attempt had spent.
    """

    def __init__(self, dropped: Dropped | None) -> None:
        super().__init__("the shared worker died")
        self.dropped = dropped


class EpisodeRunner:
    """Runs single episodes; knows nothing of plans, stores or scores."""

    def __init__(
        self,
        services: Services,
        pools: Mapping[str, WorkerPool],
        tasks: Mapping[str, Task],
        config: RunConfig,
        models: Mapping[str, Model] | None = None,
    ) -> None:
        """Set up.

        Args:
            services: the running gateway and domain servers.
            pools: workers by framework.
            tasks: tasks by id.
            config: the run's limits and budget.
            models: what answers, by the name in an episode's key; for others it is the gateway's
                own model.
        """
        self._services = services
        self._models = models or {}
        self._pools = pools
        self._tasks = tasks
        self._config = config
        self._clock = MachineClock()
        self._domains = {domain.name: domain for domain in services.domains}
        self._teams: dict[Hashable, Team] = {}
        self._known = {} if config.knowledge is None else dict(config.knowledge.texts)

    async def run(self, key: EpisodeKey) -> Trace:
        """Run one episode to its end.

        When the shared worker dies under it, the episode runs once more in a worker of its own: so
        an innocent neighbour of a crash is not lost, and the culprit is found: an episode whose
        worker dies with it alone is its framework's failure, unless the worker was killed from
        outside. Whatever breaks beneath the framework makes this one episode invalid.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
            sqlite3.OperationalError: the run's folder is full or gone.
        """
        started = self._clock.monotonic()
        try:
            return await self._tried(key)
        except WorkerStartError as error:
            if not error.from_outside:
                raise
            return self._broken(key, Ending(kind="worker_killed", detail=str(error)), started)
        except sqlite3.OperationalError:
            raise
        # The boundary of the episode: the others go on, and the log tells what happened.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the episode %s broke", key.id)
            said = f"{type(error).__name__}: {error}"
            return self._broken(key, Ending(kind="infrastructure", detail=said[:2000]), started)

    async def _tried(self, key: EpisodeKey) -> Trace:
        pool = self._pools[key.framework]
        try:
            async with pool.shared() as worker:
                trace = await self._attempt(key, pool, worker, last=False)
                if trace.ending.kind == "timeout":
                    pool.retire(worker)
                return trace
        except _AttemptDiedError as death:
            async with pool.lone() as alone:
                trace = await self._attempt(key, pool, alone, last=True)
            return trace.model_copy(update={"dropped": death.dropped})

    def _broken(self, key: EpisodeKey, ending: Ending, started: float) -> Trace:
        timing = EpisodeTiming(wall_s=self._clock.monotonic() - started, cpu_s=None)
        nothing = GatewayRecord(episode=key.id)
        return Trace(episode=key, ending=ending, answer="", gateway=nothing, timing=timing)

    async def _attempt(
        self, key: EpisodeKey, pool: WorkerPool, worker: WorkerProcess, *, last: bool
    ) -> Trace:
        task, names = self._tasks[key.task], OpaqueNames.new()
        worlds, gateway = self._services.worlds, self._services.gateway
        world = worlds.create(names.world, seed=task.seed, now=task.now, home=task.home)
        prepare(worlds, world, task, self._domains)
        refused_before = dict(worker.refused)
        model = self._models.get(key.model)
        gateway.open(key.id, names.api_key, self._config.budget, model=model)
        started = self._clock.monotonic()
        result: RunResult | None = None
        died: WorkerDied | None = None
        try:
            result, ending = await self._play(worker, self._wire(task, names))
        except WorkerDied as death:
            died, ending = death, _ending_of(death)
        finally:
            left = self._collect(names, world)
        if died is not None and not last:
            raise _AttemptDiedError(dropped_by(left.gateway)) from died
        if left.lost:
            ending = Ending(kind="infrastructure", detail="the world was deleted meanwhile")
        # Waiting for a turn at the model is neither the framework's time nor the model's.
        wall = max(0.0, self._clock.monotonic() - started - left.gateway.waited_s)
        refused = {a: n - refused_before.get(a, 0) for a, n in worker.refused.items()}
        return Trace(
            episode=key,
            ending=ending,
            answer="" if result is None else result.answer,
            gateway=left.gateway,
            requests=left.requests,
            diff=left.diff,
            reported=_reported(result),
            refused_connections=tuple(sorted(a for a, n in refused.items() if n > 0)),
            timing=EpisodeTiming(
                wall_s=wall, cpu_s=None if result is None else pool.cpu_share(worker, result)
            ),
        )

    def _collect(self, names: OpaqueNames, world: World) -> _Left:
        """Close an attempt at the gateway and at the servers, and take what it left."""
        record, worlds = self._services.gateway.close(names.api_key), self._services.worlds
        try:
            told = tuple(
                ServerRequest.model_validate_json(each) for each in worlds.records(names.world)
            )
            worlds.delete(names.world)
        except UnknownWorld:
            return _Left(record, (), world.diff(), lost=True)
        return _Left(record, told, world.diff(), lost=False)

    async def _play(
        self, worker: WorkerProcess, wire: dict[str, Any]
    ) -> tuple[RunResult | None, Ending]:
        """Run, and when time is up cancel; a worker that does not obey is killed."""
        running = asyncio.ensure_future(worker.run(wire))
        try:
            seconds = await self._end_of_time(running, wire["api_key"])
            if not running.done():
                await worker.cancel(wire["id"])
                await asyncio.wait({running}, timeout=GRACE_SECONDS)
                if not running.done():
                    await worker.kill()
                return None, Ending(kind="timeout", detail=f"cancelled after {seconds:.1f} s")
            result = running.result()
        finally:
            if not running.done():
                running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if result.error is not None:
            said = f"{result.error.type}: {result.error.message}"
            return result, Ending(kind="framework_error", detail=said[:2000])
        return result, Ending(kind="answered")

    async def _end_of_time(self, running: asyncio.Future[RunResult], api_key: str) -> float:
        """Wait for an episode's end, or until its time is up; returns the seconds waited for.

        The gateway moves the end of the seconds by what trouble of the endpoint took from them, at
        most by as long again and one attempt.
        """
        waited, wait = 0.0, self._config.budget.seconds + GRACE_SECONDS
        while wait > 0 and not running.done():
            await asyncio.wait({running}, timeout=wait)
            waited += wait
            wait = self._services.gateway.wait_s(api_key) + GRACE_SECONDS
        return waited

    def _wire(self, task: Task, names: OpaqueNames) -> dict[str, Any]:
        return {
            "id": names.episode,
            "utterance": task.utterance,
            "gateway_url": f"{self._services.gateway_url}/v1",
            "api_key": names.api_key,
            "servers_url": self._services.servers_url,
            "world": names.world,
            "limits": self._config.limits.model_dump(),
            "team": self._team(task).model_dump(mode="json"),
        }

    def _team(self, task: Task) -> Team:
        suite = find_suite(self._config.suite)
        key = suite.team_key(task)
        if key not in self._teams:
            self._teams[key] = suite.team(task, self._services.domains)
        team = self._teams[key]
        return team.knowing(self._known[task.id]) if task.id in self._known else team


def _ending_of(death: WorkerDied) -> Ending:
    kind: Final = "worker_killed" if death.from_outside else "worker_died"
    return Ending(kind=kind, detail=str(death))


def _reported(result: RunResult | None) -> Reported | None:
    if result is None or result.reported is None:
        return None
    return Reported.model_validate(result.reported.model_dump())
