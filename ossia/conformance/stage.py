"""A stage for conformance: real gateway, real servers and one real worker, for a few episodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ossia.adapters import AdapterInfo
from ossia.conformance.draw import Draw
from ossia.conformance.places import Asked, Place, Places, open_places, scenes_suite, suite_tasks
from ossia.runner.config import EpisodeLimits
from ossia.worker import RunResult, WorkerProcess
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, Task
from ossia_evaluation.worlds.gold import prepare
from ossia_servers.gateway import Budget, Exchange, GatewayRecord, Model
from ossia_servers.worlds import UnknownWorld
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.records import ServerRequest
from ossia_workflows import Team

__all__ = ["BUDGET", "Part", "Played", "Stage", "open_stage"]

# Far above what any framework needs for the scenes; what reaches it is out of hand.
_LIMITS = EpisodeLimits()
BUDGET = Budget(calls=400, tokens=10_000_000, seconds=300)


@dataclass(frozen=True)
class Part:
    """What is played, and by whom.

    Attributes:
        utterance: What the user says.
        team: The team that plays; that of the scenes by default.
        limits: The limits.
        model: What answers in this episode; what the stage was opened with by default.
        place: The suite whose servers are asked.
        world: Whether its world exists; without it every tool call is answered by an error.
        task: The task whose start state is prepared; without one it is that of no task.
        fails: Whether the first POST request to the servers is answered with HTTP 500.
    """

    utterance: str
    team: Team | None = None
    limits: EpisodeLimits = _LIMITS
    model: Model | None = None
    place: str = field(default_factory=lambda: scenes_suite().name)
    world: bool = True
    task: Task | None = None
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """What an episode left behind.

    Attributes:
        part: What was played.
        result: What the worker answered; ``None`` when it gave no answer in time.
        gateway: What the gateway saw.
        requests: What the domain servers did.
        asked: What the domain servers were sent, in the order of the answers.
        diff: What changed in the world; ``None`` where there was none.
        seconds: How long the run took.
        team: The team that played.
        late: Tells how many calls came after its end so far.
    """

    part: Part
    result: RunResult | None
    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...]
    asked: tuple[Asked, ...]
    diff: Diff | None
    seconds: float
    team: Team
    late: Callable[[], int]

    def of_role(self, role: str) -> tuple[Exchange, ...]:
        """Return the exchanges of one role."""
        return tuple(each for each in self.gateway.exchanges if each.role == role)

    @property
    def answer(self) -> str:
        """The text for the user; empty without one."""
        return self.result.answer if self.result is not None else ""

    @property
    def error(self) -> str | None:
        """What the framework raised, in one line."""
        if self.result is None or self.result.error is None:
            return None
        message = self.result.error.message.strip().partition("\n")[0]
        return f"{self.result.error.type}: {message}"[:200]


@dataclass(frozen=True)
class Stage:
    """Where episodes are played.

    Attributes:
        places: The gateway and the servers.
        worker: The worker of the adapter under test.
        team: The team that plays where none is named.
        draw: What the names are drawn from that the worker is told.
    """

    places: Places
    worker: WorkerProcess
    team: Team
    draw: Draw

    async def play(self, part: Part, *, episode: str = "scene", seconds: float = 60.0) -> Played:
        """Play one episode to its end.

        Args:
            part: What is played.
            episode: The episode's own name, not used before on this stage; the worker is told
                another.
            seconds: How long it may take before it is cancelled.

        Returns:
            What it left behind.

        Raises:
            WorkerDied: The worker's process ended.
        """
        clock = asyncio.get_running_loop().time
        wire = self.open(part, episode=episode)
        started = clock()
        running = asyncio.ensure_future(self.worker.run(wire))
        try:
            await asyncio.wait({running}, timeout=seconds)
            if running.done():
                return self.close(part, wire, running.result(), clock() - started)
            await self.worker.cancel(wire["id"])
            await running
            return self.close(part, wire, None, clock() - started)
        finally:
            running.cancel()

    def open(self, part: Part, *, episode: str) -> dict[str, Any]:
        """Open an episode at the gateway and make its world.

        Returns:
            The episode as it goes over the wire.
        """
        names, place = self.draw.names(episode), self.places.by_suite[part.place]
        team = part.team or self.team
        roles = [role.name for role in team.roles]
        self.places.gateway.open(episode, names.api_key, BUDGET, model=part.model, roles=roles)
        if part.world:
            _make_world(place, names.world, part.task)
        if part.fails:
            place.failing.add(names.world)
        return {
            "id": names.episode,
            "utterance": part.utterance,
            "gateway_url": f"{self.places.gateway_url}/v1",
            "api_key": names.api_key,
            "servers_url": place.url,
            "world": names.world,
            "limits": part.limits.model_dump(),
            "team": team.model_dump(mode="json"),
        }

    def close(
        self, part: Part, wire: Mapping[str, Any], result: RunResult | None, seconds: float
    ) -> Played:
        """Close an episode and collect what it left behind."""
        place, world = self.places.by_suite[part.place], wire["world"]
        gateway, key = self.places.gateway, wire["api_key"]
        records: list[bytes] = []
        diff = None
        with suppress(UnknownWorld):
            records = place.worlds.records(world)
            diff = place.worlds.get(world).diff()
        return Played(
            part=part,
            result=result,
            gateway=gateway.close(key),
            requests=tuple(ServerRequest.model_validate_json(record) for record in records),
            asked=tuple(each for each in place.asked if each.world == world),
            diff=diff,
            seconds=seconds,
            team=part.team or self.team,
            late=lambda: gateway.record(key).late_calls,
        )


def _make_world(place: Place, name: str, task: Task | None) -> None:
    if task is None:
        place.worlds.create(name, seed="home", now=DEFAULT_NOW, home=DEFAULT_HOME)
        return
    world = place.worlds.create(name, seed=task.seed, now=task.now, home=task.home)
    prepare(place.worlds, world, task, {domain.name: domain for domain in place.domains})


_EPISODES_AT_ONCE: Final = 8


@asynccontextmanager
async def open_stage(
    info: AdapterInfo,
    model: Model,
    *,
    draw: Draw | None = None,
    switches: Mapping[str, str] | None = None,
) -> AsyncIterator[Stage]:
    """Open a stage, and leave nothing of it at the end.

    Args:
        info: The adapter, installed.
        model: What answers behind the gateway.
        draw: What the names are drawn from that the worker is told; a new secret by default.
        switches: Environment variables of the worker beyond those the adapter declares.

    Yields:
        The stage.

    Raises:
        WorkerStartError: The worker cannot be started.
    """
    spec = replace(info.worker, switches={**info.switches, **(switches or {})})
    async with open_places(model) as places:
        suite = scenes_suite()
        task = suite_tasks(suite.name)[suite.scenes[0]].model_copy(update={"home": DEFAULT_HOME})
        team = suite.team(task, places.by_suite[suite.name].domains)
        allow = places.addresses
        worker = await WorkerProcess.start(spec, allow=allow, concurrency=_EPISODES_AT_ONCE)
        async with worker:
            yield Stage(places, worker, team, draw or Draw())
