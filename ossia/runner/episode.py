"""One episode: a fresh world, an open gateway session, one run of the framework, one trace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ossia.runner.config import RunConfig, episode_key
from ossia.runner.pool import WorkerPool
from ossia.runner.services import MachineClock, Services
from ossia.suites import find_suite
from ossia.worker import RunResult, WorkerDied, WorkerProcess
from ossia_dataset.tasks import Task
from ossia_evaluation.gold import prepare
from ossia_servers.gateway import GatewayRecord, Model
from ossia_servers.records import ServerRequest
from ossia_servers.trace import (
    Dropped,
    Ending,
    EpisodeKey,
    EpisodeTiming,
    Reported,
    Trace,
    dropped_by,
)
from ossia_servers.worlds import Diff
from ossia_workflows import Team

GRACE_SECONDS = 5.0
"""A framework may use this long after its budget of seconds to give up by itself; then it is
cancelled, and after as long again its worker is killed."""


@dataclass(frozen=True)
class _Left:
    """What an attempt left at gateway and servers."""

    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...]
    diff: Diff


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
        self._run_id = config.run_id
        self._clock = MachineClock()
        self._domains = {domain.name: domain for domain in services.domains}
        self._teams: dict[tuple[str, tuple[str, ...]], Team] = {}
        self._attempts: dict[str, int] = {}

    async def run(self, key: EpisodeKey) -> Trace:
        """Run one episode to its end.

        When the shared worker dies under it, the episode runs once more in a worker of its own: so
        an innocent neighbour of a crash is not lost, and the culprit is found: an episode whose
        worker dies with it alone is its framework's failure, unless the worker was killed from
        outside.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
        """
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

    async def _attempt(
        self, key: EpisodeKey, pool: WorkerPool, worker: WorkerProcess, *, last: bool
    ) -> Trace:
        task = self._tasks[key.task]
        attempt = self._attempts.get(key.id, 0) + 1
        self._attempts[key.id] = attempt
        api_key = episode_key(self._run_id, key.id, attempt)
        world_id = f"{key.id}~{attempt}"
        worlds, gateway = self._services.worlds, self._services.gateway
        world = worlds.create(world_id, seed=task.seed, now=task.now, home=task.home)
        prepare(worlds, world, task, self._domains)
        refused_before = dict(worker.refused)
        model = self._models.get(key.model)
        gateway.open(key.id, api_key, self._config.budget, model=model)
        started = self._clock.monotonic()
        result: RunResult | None = None
        died: WorkerDied | None = None
        try:
            result, ending = await self._play(worker, self._wire(task, key, api_key, world_id))
        except WorkerDied as death:
            died, ending = death, _ending_of(death)
        finally:
            left = _Left(
                gateway.close(api_key),
                tuple(ServerRequest.model_validate_json(r) for r in worlds.records(world_id)),
                world.diff(),
            )
            worlds.delete(world_id)
        if died is not None and not last:
            raise _AttemptDiedError(dropped_by(left.gateway)) from died
        wall = self._clock.monotonic() - started
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

    def _wire(self, task: Task, key: EpisodeKey, api_key: str, world: str) -> dict[str, Any]:
        return {
            "id": f"{key.id}~{self._attempts[key.id]}",
            "utterance": task.utterance,
            "gateway_url": f"{self._services.gateway_url}/v1",
            "api_key": api_key,
            "servers_url": self._services.servers_url,
            "world": world,
            "limits": self._config.limits.model_dump(),
            "team": self._team(task).model_dump(mode="json"),
        }

    def _team(self, task: Task) -> Team:
        key = task.home, task.toolkits
        if key not in self._teams:
            suite = find_suite(self._config.suite)
            self._teams[key] = suite.team(task, self._services.domains)
        return self._teams[key]


def _ending_of(death: WorkerDied) -> Ending:
    kind: Final = "worker_killed" if death.from_outside else "worker_died"
    return Ending(kind=kind, detail=str(death))


def _reported(result: RunResult | None) -> Reported | None:
    if result is None or result.reported is None:
        return None
    return Reported.model_validate(result.reported.model_dump())
