"""The scenes that checks look at, each played once; a dead worker is replaced between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from ossia.adapters import AdapterInfo
from ossia.conformance.stage import Played, Stage, open_stage
from ossia.conformance.troubles import Trouble, TroubleModel
from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway import GatewayRecord, Model, canonical_request

__all__ = ["UTTERANCE", "Scenes", "canonical", "texts_of"]

# Needs every role: it has a date and a place, and a server knows the answer.
UTTERANCE = "what is the weather in dallas tomorrow"

# The worker's usual hash seed is fixed; another one shows what depends on it.
_OTHER_HASH_SEED = {"PYTHONHASHSEED": "4711"}


class Scenes:
    """Plays scenes on stages that it opens when they are needed.

    Attributes:
        info: The adapter under test.
        version: The framework's version, once a worker has started.
        refused: Addresses that any worker tried to reach beside the allowed ones.
    """

    def __init__(self, info: AdapterInfo, model: Model, *, seconds: float = 60.0) -> None:
        """Prepare; nothing is started yet.

        Args:
            info: The adapter, installed.
            model: A model that answers well as every role of the assistant team.
            seconds: How long one episode may take before it is cancelled.
        """
        self.info = info
        self.version = ""
        self.refused: dict[str, int] = {}
        self._base = model
        self._seconds = seconds
        self._stack = AsyncExitStack()
        self._stage: Stage | None = None
        self._model = TroubleModel(model)
        self._numbers = 0
        self._happy: Played | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._close()

    async def stage(self) -> Stage:
        """Return a stage whose worker is alive.

        Raises:
            WorkerStartError: The worker cannot be started.
        """
        if self._stage is not None and not self._stage.worker.alive:
            await self._close()
        if self._stage is None:
            self._model = TroubleModel(self._base)
            self._stage = await self._stack.enter_async_context(open_stage(self.info, self._model))
            self.version = self._stage.worker.info.version
        return self._stage

    async def _close(self) -> None:
        if self._stage is not None:
            self._note_refused(self._stage.worker.refused)
        self._stage = None
        await self._stack.aclose()

    def _note_refused(self, refused: Mapping[str, int]) -> None:
        for address, times in refused.items():
            self.refused[address] = self.refused.get(address, 0) + times

    async def happy(self) -> Played:
        """Return the episode in which nothing goes wrong."""
        if self._happy is None:
            self._happy = await self.play()
        return self._happy

    async def play(
        self,
        utterance: str = UTTERANCE,
        *,
        troubles: Mapping[str, Trouble] | None = None,
        limits: EpisodeLimits | None = None,
        world: bool = True,
    ) -> Played:
        """Play one episode.

        Args:
            utterance: What the user says.
            troubles: The trouble of each role that gets any.
            limits: The limits; the default ones otherwise.
            world: Whether its world exists; without it every tool call is answered by an error.

        Returns:
            What it left behind.

        Raises:
            WorkerError: The worker cannot be started, or ended.
        """
        stage = await self.stage()
        episode = self.next_id()
        self._model.make(episode, troubles or {})
        return await stage.play(
            utterance, episode=episode, limits=limits, world=world, seconds=self._seconds
        )

    def next_id(self) -> str:
        """Return an id for an episode, of one length whatever its number."""
        self._numbers += 1
        return f"scene-{self._numbers:03}"

    async def play_elsewhere(self) -> Played:
        """Play the happy episode in another process, with another hash seed."""
        model = TroubleModel(self._base)
        async with open_stage(self.info, model, switches=_OTHER_HASH_SEED) as stage:
            played = await stage.play(UTTERANCE, episode="elsewhere", seconds=self._seconds)
            self._note_refused(stage.worker.refused)
            return played

    async def cancel_and_end(self, limits: EpisodeLimits) -> tuple[Played, Path]:
        """Cancel an episode while its first member waits for the model, then end the worker.

        Returns:
            What the episode left behind, with the seconds until the cancelled run was answered,
            and the folder that was the worker's home.
        """
        model = TroubleModel(self._base)
        async with open_stage(self.info, model) as stage:
            clock = asyncio.get_running_loop().time
            wire = stage.open(UTTERANCE, episode="cancelled", limits=limits)
            roles = [role.name for role in stage.team.members]
            reached = model.make("cancelled", dict.fromkeys(roles, Trouble.HANG))
            running = asyncio.ensure_future(stage.worker.run(wire))
            waiting = asyncio.ensure_future(reached.wait())
            await asyncio.wait(
                {running, waiting},
                return_when=asyncio.FIRST_COMPLETED,
                timeout=self._seconds,
            )
            waiting.cancel()
            started = clock()
            await stage.worker.cancel("cancelled")
            result = await running
            played = stage.close(wire, result, clock() - started)
            await stage.worker.shutdown()
            self._note_refused(stage.worker.refused)
            return played, stage.worker.home

    async def refusals(self) -> Mapping[str, int]:
        """Return every address that was refused so far, with how often."""
        if self._stage is not None:
            self._note_refused(self._stage.worker.refused)
            self._stage = None
            await self._stack.aclose()
        return self.refused


def texts_of(record: GatewayRecord, role: str) -> str:
    """Return the requests of a role as one text, with the texts in them as they are."""
    found: list[str] = []
    for exchange in record.exchanges:
        if exchange.role == role:
            _collect(exchange.request, found)
    return "\n".join(found)


def _collect(value: object, found: list[str]) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, Mapping):
        for each in value.values():
            _collect(each, found)
    elif isinstance(value, list | tuple):
        for each in value:
            _collect(each, found)


def canonical(record: GatewayRecord) -> tuple[list[bytes], list[bytes]]:
    """Return an episode's requests, canonical and as they were.

    Parallel turns may arrive in any order, so both lists are sorted.
    """
    requests = [exchange.request for exchange in record.exchanges]
    plain = [orjson.dumps(request, option=orjson.OPT_SORT_KEYS) for request in requests]
    return sorted(map(canonical_request, requests)), sorted(plain)
