"""One episode: a fresh world, an open gateway session, one run of the framework, one trace."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ossia.runner.config import PlannedStep, RunConfig
from ossia.runner.opaque import OpaqueNames
from ossia.runner.play import Play, Played
from ossia.runner.pool import WorkerPool
from ossia.runner.services import MachineClock, Services
from ossia.runner.stress import Stress
from ossia.storage.database import StoreError
from ossia.suites import find_suite
from ossia.user import User
from ossia.worker import WorkerProcess, WorkerStartError
from ossia_dataset.tasks import Task
from ossia_evaluation.worlds.gold import prepare
from ossia_servers.gateway import Asker, GatewayRecord, Message, Model
from ossia_servers.stress.injected import Injected
from ossia_servers.stress.model_faults import ModelFaults
from ossia_servers.stress.plan import Aim
from ossia_servers.trace import (
    Dropped,
    Ending,
    EpisodeKey,
    EpisodeTiming,
    Trace,
    dropped_by,
)
from ossia_servers.worlds import UnknownWorld
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.world import World
from ossia_workflows import Team

_LOG = logging.getLogger(__name__)

USER_ROLE: Final = "user"
"""Who asks the model that speaks for a simulated user, as records and rules name it."""

USER_SECONDS: Final = 86_400.0
"""An account of a simulated user lasts as long."""


_Talks = Callable[[Task, OpaqueNames], User | None]
"""Gives the user of an attempt."""


@dataclass(frozen=True)
class _Left:
    """What an attempt left at gateway and servers."""

    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...]
    diff: Diff
    lost: bool
    """Whether the world was gone before the end."""
    injected: tuple[Injected, ...]


@dataclass(frozen=True)
class _Account:
    """What gateway and servers know of an attempt."""

    services: Services
    names: OpaqueNames

    def wait_s(self) -> float:
        return self.services.gateway.wait_s(self.names.api_key)

    def counts(self) -> tuple[int, int]:
        calls = self.services.gateway.calls(self.names.api_key)
        try:
            return calls, self.services.worlds.requests(self.names.world)
        except UnknownWorld:
            return calls, 0


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
        user_model: Model | None = None,
        stress: Stress | None = None,
    ) -> None:
        """Set up.

        Args:
            services: the running gateway and domain servers.
            pools: workers by framework.
            tasks: tasks by id.
            config: the run's limits and budget.
            models: what answers, by the name in an episode's key; for others it is the gateway's
                own model.
            user_model: what speaks for the simulated user, if the suite has one; None for the user
                that it brings without a model.
            stress: the faults that episodes meet; None for none.
        """
        self._stress = stress
        self._services = services
        self._user_model = user_model
        self._models = models or {}
        self._pools = pools
        self._tasks = tasks
        self._config = config
        self._clock = MachineClock()
        self._domains = {domain.name: domain for domain in services.domains}
        self._teams: dict[Hashable, Team] = {}
        self._known = {} if config.knowledge is None else dict(config.knowledge.texts)
        self._graphs = {} if config.knowledge is None else dict(config.knowledge.graphs)
        self._running_graphs = {each.name for each in config.frameworks if each.workflow}

    async def run(
        self, key: EpisodeKey, user: User | None = None, *, baseline: Trace | None = None
    ) -> Trace:
        """Run one episode to its end.

        When the shared worker dies under it, the episode runs once more in a worker of its own: so
        an innocent neighbour of a crash is not lost, and the culprit is found: an episode whose
        worker dies with it alone is its framework's failure, unless the worker was killed from
        outside. Whatever breaks beneath the framework makes this one episode invalid.

        Args:
            key: the episode.
            user: who talks with the team in place of the suite's user; nobody does where the suite
                has none.
            baseline: the same episode without its fault, where the fault's place depends on it.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
            sqlite3.OperationalError: the run's folder is full or gone.
            StoreError: its database likewise.
        """
        started = self._clock.monotonic()
        try:
            return await self._tried(key, user, baseline)
        except WorkerStartError as error:
            if not error.from_outside:
                raise
            return self._broken(key, Ending(kind="worker_killed", detail=str(error)), started)
        except (sqlite3.OperationalError, StoreError):
            raise
        # The boundary of the episode: the others go on, and the log tells what happened.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the episode %s broke", key.id)
            said = f"{type(error).__name__}: {error}"
            return self._broken(key, Ending(kind="infrastructure", detail=said[:2000]), started)

    async def _tried(self, key: EpisodeKey, user: User | None, baseline: Trace | None) -> Trace:
        if user is not None:
            return await self._played(key, lambda *_: user, baseline)
        if self._user_model is None:
            return await self._played(key, self._scripted, baseline)
        gateway, user_key = self._services.gateway, OpaqueNames.new().api_key
        # The team's time is not the user's, whose calls end by themselves.
        budget = self._config.budget.model_copy(update={"seconds": USER_SECONDS})
        gateway.open(key.id, user_key, budget, model=self._user_model, roles=(USER_ROLE,))
        try:
            asker = Asker(gateway, user_key, USER_ROLE)
            trace = await self._played(key, partial(self._speaking, asker), baseline)
        finally:
            account = gateway.close(user_key)
        return trace.model_copy(update={"user_account": account})

    async def _played(self, key: EpisodeKey, talks: _Talks, baseline: Trace | None) -> Trace:
        pool = self._pools[key.framework]
        aim = None
        if self._stress is not None and key.fault:
            aim = self._stress.aim(key, self._team(key), baseline)
        try:
            async with pool.shared() as worker:
                trace = await self._attempt(key, pool, worker, talks, aim, last=False)
                if trace.ending.kind == "timeout":
                    pool.retire(worker)
                return trace
        except _AttemptDiedError as death:
            async with pool.lone() as alone:
                trace = await self._attempt(key, pool, alone, talks, aim, last=True)
            return trace.model_copy(update={"dropped": death.dropped})

    def _broken(self, key: EpisodeKey, ending: Ending, started: float) -> Trace:
        timing = EpisodeTiming(wall_s=self._clock.monotonic() - started, cpu_s=None)
        nothing = GatewayRecord(episode=key.id)
        return Trace(episode=key, ending=ending, answer="", gateway=nothing, timing=timing)

    async def _attempt(
        self,
        key: EpisodeKey,
        pool: WorkerPool,
        worker: WorkerProcess,
        talks: _Talks,
        aim: Aim | None,
        *,
        last: bool,
    ) -> Trace:
        task, names = self._tasks[key.task], OpaqueNames.new()
        worlds, gateway = self._services.worlds, self._services.gateway
        world = worlds.create(names.world, seed=task.seed, now=task.now, home=task.home)
        prepare(worlds, world, task, self._domains)
        refused_before = dict(worker.refused)
        model = self._models.get(key.model)
        faults = self._strike(key, names.world, aim)
        roles = [role.name for role in self._team(key).roles]
        budget = self._config.budget
        gateway.open(key.id, names.api_key, budget, model=model, faults=faults, roles=roles)
        started = self._clock.monotonic()
        try:
            played = await self._play(key, worker, names, talks)
        finally:
            left = self._collect(names, world, faults)
        if played.died is not None and not last:
            raise _AttemptDiedError(dropped_by(left.gateway)) from played.died
        lost = Ending(kind="infrastructure", detail="the world was deleted meanwhile")
        # Waiting for a turn at the model is neither the framework's time nor the model's.
        wall = max(0.0, self._clock.monotonic() - started - left.gateway.waited_s)
        refused = {a: n - refused_before.get(a, 0) for a, n in worker.refused.items()}
        result = played.last
        return Trace(
            episode=key,
            ending=lost if left.lost else played.ending,
            answer=played.answer,
            turns=played.turns,
            gateway=left.gateway,
            requests=left.requests,
            diff=left.diff,
            injected=left.injected,
            reported=played.reported,
            refused_connections=tuple(sorted(a for a, n in refused.items() if n > 0)),
            timing=EpisodeTiming(
                wall_s=wall,
                cpu_s=None if result is None else pool.cpu_share(worker, result),
                turns_s=played.turns_s,
            ),
        )

    async def _play(
        self, key: EpisodeKey, worker: WorkerProcess, names: OpaqueNames, talks: _Talks
    ) -> Played:
        task = self._tasks[key.task]
        suite = find_suite(self._config.suite)
        user = None if suite.user is None else talks(task, names)
        account = _Account(self._services, names)
        steps = [step.model_dump() for step in self._workflow(key)]
        play = Play(worker, self._wire(key, names), account, self._clock, steps)
        return await play.run(user, suite.history(task), self._config.budget.seconds)

    def _scripted(self, task: Task, _names: OpaqueNames) -> User | None:
        suite = find_suite(self._config.suite)
        return None if suite.user is None else suite.user(task, self._services.domains)

    def _speaking(self, asker: Asker, task: Task, names: OpaqueNames) -> User | None:
        """Return the user for whom a model speaks, where the suite has one."""
        suite = find_suite(self._config.suite)
        if suite.llm_user is None:
            return self._scripted(task, names)

        async def ask(messages: Sequence[Message]) -> str:
            with self._services.gateway.paused(names.api_key):
                return await asker(messages)

        return suite.llm_user(task, self._services.domains, ask)

    def _collect(self, names: OpaqueNames, world: World, faults: ModelFaults | None) -> _Left:
        """Close an attempt at the gateway and at the servers, and take what it left."""
        record, worlds = self._services.gateway.close(names.api_key), self._services.worlds
        injected = () if faults is None else tuple(faults.injected)
        if self._services.faults is not None:
            injected += self._services.faults.close(names.world)
        try:
            told = tuple(
                ServerRequest.model_validate_json(each) for each in worlds.records(names.world)
            )
            worlds.delete(names.world)
        except UnknownWorld:
            return _Left(record, (), world.diff(), lost=True, injected=injected)
        return _Left(record, told, world.diff(), lost=False, injected=injected)

    def _strike(self, key: EpisodeKey, world: str, aim: Aim | None) -> ModelFaults | None:
        """Let the episode's fault strike; returns it where it is the gateway's."""
        if self._stress is None or aim is None:
            return None
        if aim.fault.about.where == "model":
            return self._stress.model_faults(key, aim, self._team(key))
        if self._services.faults is not None:
            self._services.faults.open(world, aim, slow_seconds=self._stress.slow_seconds)
        return None

    def _wire(self, key: EpisodeKey, names: OpaqueNames) -> dict[str, Any]:
        task, limits = self._tasks[key.task], self._config.limits
        if self._stress is not None and key.fault:
            limits = self._stress.limits(key, limits)
        return {
            "id": names.episode,
            "utterance": task.utterance,
            "gateway_url": f"{self._services.gateway_url}/v1",
            "api_key": names.api_key,
            "servers_url": self._services.servers_url,
            "world": names.world,
            "limits": limits.model_dump(),
            "team": self._team(key).model_dump(mode="json"),
        }

    def _workflow(self, key: EpisodeKey) -> Sequence[PlannedStep]:
        """The steps that the framework is to run as a graph of its own."""
        return self._graphs.get(key.task, ()) if key.framework in self._running_graphs else ()

    def _team(self, key: EpisodeKey) -> Team:
        task = self._tasks[key.task]
        suite = find_suite(self._config.suite).prompted(self._config.prompts)
        alike = suite.team_key(task)
        if alike not in self._teams:
            self._teams[alike] = suite.team(task, self._services.domains)
        team = self._teams[alike]
        told = task.id in self._known and not self._workflow(key)
        return team.knowing(self._known[task.id]) if told else team
