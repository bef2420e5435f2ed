"""A stage for conformance: real gateway, real servers and one real worker, for a few episodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ossia.adapters import AdapterInfo
from ossia.runner.config import EpisodeLimits
from ossia.runner.services import Services, open_services
from ossia.worker import RunResult, WorkerProcess
from ossia_servers.catalogue import catalogue_text, load_domains
from ossia_servers.gateway import Budget, Exchange, GatewayRecord, Model
from ossia_servers.records import ServerRequest
from ossia_servers.worlds import UnknownWorld
from ossia_workflows import Team, load_team

__all__ = ["Played", "Stage", "open_stage"]

NOW = datetime(2026, 3, 13, 10, 0)
HOME = "New York, New York"
SEED = "home"
TEAM = "assistant"
# Far above what any framework needs for the scenes; what reaches it is out of hand.
BUDGET = Budget(calls=400, tokens=10_000_000, seconds=300)


@dataclass(frozen=True, slots=True)
class Played:
    """What an episode left behind.

    Attributes:
        result: What the worker answered; ``None`` when it gave no answer in time.
        gateway: What the gateway saw.
        requests: What the domain servers saw.
        seconds: How long the run took.
    """

    result: RunResult | None
    gateway: GatewayRecord
    requests: tuple[ServerRequest, ...]
    seconds: float

    def of_role(self, role: str) -> tuple[Exchange, ...]:
        """Return the exchanges of one role."""
        return tuple(each for each in self.gateway.exchanges if each.role == role)

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
        services: The gateway and the servers.
        worker: The worker of the adapter under test.
        team: The team that plays.
    """

    services: Services
    worker: WorkerProcess
    team: Team

    async def play(
        self,
        utterance: str,
        *,
        episode: str = "scene",
        limits: EpisodeLimits | None = None,
        world: bool = True,
        seconds: float = 60.0,
    ) -> Played:
        """Play one episode to its end.

        Args:
            utterance: What the user says.
            episode: The episode's id, not used before on this stage.
            limits: The limits; the default ones otherwise.
            world: Whether its world exists; without it every tool call is answered by an error.
            seconds: How long it may take before it is cancelled.

        Returns:
            What it left behind.

        Raises:
            WorkerDied: The worker's process ended.
        """
        clock = asyncio.get_running_loop().time
        wire = self.open(utterance, episode=episode, limits=limits, world=world)
        started = clock()
        running = asyncio.ensure_future(self.worker.run(wire))
        try:
            await asyncio.wait({running}, timeout=seconds)
            if running.done():
                return self.close(wire, running.result(), clock() - started)
            await self.worker.cancel(episode)
            await running
            return self.close(wire, None, clock() - started)
        finally:
            running.cancel()

    def open(
        self,
        utterance: str,
        *,
        episode: str,
        limits: EpisodeLimits | None = None,
        world: bool = True,
    ) -> dict[str, Any]:
        """Open an episode at the gateway and make its world.

        Returns:
            The episode as it goes over the wire.
        """
        limits = limits or EpisodeLimits()
        key = f"key-{episode}"
        self.services.gateway.open(episode, key, BUDGET)
        if world:
            self.services.worlds.create(episode, seed=SEED, now=NOW, home=HOME)
        return {
            "id": episode,
            "utterance": utterance,
            "gateway_url": f"{self.services.gateway_url}/v1",
            "api_key": key,
            "servers_url": self.services.servers_url,
            "world": episode,
            "limits": limits.model_dump(),
            "team": self.team.model_dump(mode="json"),
        }

    def close(self, wire: Mapping[str, Any], result: RunResult | None, seconds: float) -> Played:
        """Close an episode and collect what it left behind."""
        records: list[bytes] = []
        with suppress(UnknownWorld):
            records = self.services.worlds.records(wire["world"])
        return Played(
            result=result,
            gateway=self.services.gateway.close(wire["api_key"]),
            requests=tuple(ServerRequest.model_validate_json(record) for record in records),
            seconds=seconds,
        )


@asynccontextmanager
async def open_stage(
    info: AdapterInfo,
    model: Model,
    *,
    concurrency: int = 8,
    switches: Mapping[str, str] | None = None,
) -> AsyncIterator[Stage]:
    """Open a stage, and leave nothing of it at the end.

    Args:
        info: The adapter, installed.
        model: What answers behind the gateway.
        concurrency: How many episodes the worker may play at once.
        switches: Environment variables of the worker beyond those the adapter declares.

    Yields:
        The stage.

    Raises:
        WorkerStartError: The worker cannot be started.
    """
    domains = load_domains()
    team = load_team(TEAM, {"catalogue": catalogue_text(domains), "home": HOME})
    spec = replace(info.worker, switches={**info.switches, **(switches or {})})
    async with open_services(domains, model) as services:
        worker = await WorkerProcess.start(spec, allow=services.addresses, concurrency=concurrency)
        async with worker:
            yield Stage(services, worker, team)
