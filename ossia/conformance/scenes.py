"""The scenes that checks look at, each played once; a dead worker is replaced between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Self

import orjson

from ossia.adapters import AdapterInfo
from ossia.conformance.cancelled import LONG_SECONDS, Cancelled, cancel_on, hanging
from ossia.conformance.draw import Draw
from ossia.conformance.mask import Mask, MaskedModel
from ossia.conformance.places import scenes_suite, suite_domains, suite_tasks
from ossia.conformance.players import Meeting, Together
from ossia.conformance.stage import Part, Played, Stage, open_stage
from ossia.conformance.troubles import Trouble, TroubleModel
from ossia.runner.config import EpisodeLimits
from ossia.worker import WorkerError, WorkerStartError, confinement_text
from ossia_dataset.tasks import Task
from ossia_servers.gateway import Exchange, GatewayRecord, Model, canonical_request
from ossia_workflows import Team

__all__ = [
    "Scenes",
    "canonical",
    "scene_part",
    "scene_team",
    "text_of",
    "texts_of",
]

# How long a call waits for the same role's call of the other episode.
_MEETING_SECONDS = 10.0
_AFTERWARDS_SECONDS = 0.4


class Scenes:
    """Plays scenes on stages that it opens when they are needed.

    Attributes:
        info: The adapter under test.
        version: The framework's version, once a worker has started.
        isolation: How far the system confines its worker, once one has started.
        refused: Addresses that any worker tried to reach beside the allowed ones.
        base: The model that answers well.
        draw: What names, words and tasks are drawn from.
        task: The task that is played where no other is named.
        everything: All episodes so far.
    """

    def __init__(
        self, info: AdapterInfo, model: Model, *, draw: Draw, seconds: float = 60.0
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            info: The adapter, installed.
            model: A model that answers well as every role of the scenes' team.
            draw: What names, words and tasks are drawn from.
            seconds: How long one episode may take before it is cancelled.
        """
        self.info = info
        self.draw = draw
        self.task = self.draw_task("every scene")
        self.version = ""
        self.isolation = ""
        self.refused: dict[str, int] = {}
        self.base = model
        self.everything: list[Played] = []
        self._seconds = seconds
        self._stack = AsyncExitStack()
        self._stage: Stage | None = None
        self._numbers = 0
        self._happy: Played | None = None
        self._masked: Played | None = None
        self._cancelled: Cancelled | None = None
        self._elsewhere: Played | None = None

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
            self._stage = await self._stack.enter_async_context(
                open_stage(self.info, self.base, draw=self.draw)
            )
            told = self._stage.worker.info
            self._require_names(told.adapter, told.framework)
            self.version = told.version
            self.isolation = confinement_text(told.enforced)
        return self._stage

    def _require_names(self, name: str, distribution: str) -> None:
        """Refuse an adapter object that is called otherwise than its project says.

        Raises:
            WorkerStartError: It is.
        """
        if (name, distribution) != (self.info.name, self.info.distribution):
            raise WorkerStartError(
                f"the adapter object is {name!r} of {distribution!r}, but [tool.ossia] says"
                f" {self.info.name!r} of {self.info.distribution!r}",
                "",
            )

    async def _close(self) -> None:
        if self._stage is not None:
            self._note_refused(self._stage.worker.refused)
        self._stage = None
        await self._stack.aclose()

    def _note_refused(self, refused: Mapping[str, int]) -> None:
        for address, times in refused.items():
            self.refused[address] = self.refused.get(address, 0) + times

    def draw_task(self, what: str) -> Task:
        """Return a task of the scenes' suite for one purpose."""
        suite = scenes_suite()
        return suite_tasks(suite.name)[self.draw.of(f"task of {what}").choice(suite.scenes)]

    @property
    def team(self) -> Team:
        """The team that plays the scenes."""
        return scene_team(self.task)

    @property
    def first(self) -> str:
        """The member that works first."""
        return self.team.members[0].name

    def user_of(self, tool: str) -> str:
        """Return the first member that has a tool."""
        return next(role.name for role in self.team.members if tool in role.tools)

    async def happy(self) -> Played:
        """Return the episode in which nothing goes wrong."""
        if self._happy is None:
            self._happy = await self.play()
        return self._happy

    async def masked(self) -> Played:
        """Return the same episode in nonsense: names, prompts and sentence mean nothing."""
        if self._masked is None:
            model = MaskedModel(self.base, self.mask)
            self._masked = await self.play_part(
                Part(self.mask.utterance, self.mask.team, model=model, task=self.task)
            )
        return self._masked

    @cached_property
    def mask(self) -> Mask:
        """The mask of the masked episode."""
        return Mask(scene_team(self.task), self.task.utterance, self.draw)

    async def play(
        self,
        task: Task | None = None,
        *,
        troubles: Mapping[str, Trouble] | None = None,
        limits: EpisodeLimits | None = None,
        world: bool = True,
    ) -> Played:
        """Play one episode of the scenes' team.

        Args:
            task: What is played; the task of the happy episode by default.
            troubles: The trouble of each role that gets any.
            limits: The limits; the default ones otherwise.
            world: Whether its world exists; without it every tool call is answered by an error.

        Returns:
            What it left behind.

        Raises:
            WorkerError: The worker cannot be started, or ended.
        """
        model = TroubleModel(self.base, troubles or {})
        part = scene_part(task or self.task, model=model, limits=limits or EpisodeLimits())
        return await self.play_part(replace(part, world=world))

    async def play_part(self, part: Part, *, episode: str = "") -> Played:
        """Play one episode.

        Args:
            part: What is played.
            episode: The episode's own name; a new one when left out.

        Returns:
            What it left behind.

        Raises:
            WorkerError: The worker cannot be started, or ended.
        """
        stage = await self.stage()
        episode = episode or self.next_id()
        played = await stage.play(part, episode=episode, seconds=self._seconds)
        self.everything.append(played)
        return played

    async def late_calls(self) -> int:
        """Return how many calls came after the answers of all episodes so far that gave one."""
        await asyncio.sleep(_AFTERWARDS_SECONDS)
        ended = [each for each in self.everything if each.result is not None and not each.error]
        return sum(each.late() for each in ended)

    async def play_together(self, tasks: Sequence[Task]) -> tuple[str, tuple[Played, ...]]:
        """Play episodes in which each role's first call waits for that of the others.

        Returns:
            The first role whose calls were never under way at the same time, empty without one,
            and what the episodes left behind.
        """
        together = Together(len(tasks), _MEETING_SECONDS)
        parts = [scene_part(each, model=Meeting(self.base, together)) for each in tasks]
        played = await asyncio.gather(*map(self.play_part, parts))
        return together.alone, tuple(played)

    def next_id(self) -> str:
        """Return a name for an episode, which its worker is not told."""
        self._numbers += 1
        return f"scene-{self._numbers:03}"

    async def play_elsewhere(self) -> Played:
        """Play the happy episode in another process, with another hash seed.

        Raises:
            WorkerError: The worker cannot be started, or ended.
        """
        if self._elsewhere is None:
            async with self._other_stage() as stage:
                await self._play_on(stage)
        assert self._elsewhere is not None
        return self._elsewhere

    async def cancelled(self) -> Cancelled:
        """Cancel an episode while its first member waits for the model, then end the worker.

        Starting a framework takes seconds, so `play_elsewhere` is done on the same worker.

        Raises:
            WorkerError: The worker cannot be started, or ended.
        """
        if self._cancelled is None:
            async with self._other_stage() as stage:
                with suppress(WorkerError):
                    await self._play_on(stage)
                if stage.worker.alive:
                    await self._cancel_on(stage)
        if self._cancelled is None:
            async with self._other_stage() as stage:
                await self._cancel_on(stage)
        assert self._cancelled is not None
        return self._cancelled

    @asynccontextmanager
    async def _other_stage(self) -> AsyncIterator[Stage]:
        # The worker's usual hash seed is fixed; another one shows what depends on it.
        switches = {"PYTHONHASHSEED": str(self.draw.of("hash seed").randrange(1, 2**32))}
        async with open_stage(self.info, self.base, draw=self.draw, switches=switches) as stage:
            yield stage
            self._note_refused(stage.worker.refused)

    async def _play_on(self, stage: Stage) -> None:
        part = scene_part(self.task)
        self._elsewhere = await stage.play(part, episode="elsewhere", seconds=self._seconds)

    async def _cancel_on(self, stage: Stage) -> None:
        model, limits = hanging(self.base, stage), EpisodeLimits(call_seconds=LONG_SECONDS)
        part = scene_part(self.draw_task("cancelled"), model=model, limits=limits)
        self._cancelled = await cancel_on(stage, part, model, self._seconds)

    async def refusals(self) -> Mapping[str, int]:
        """Return every address that was refused so far, with how often."""
        if self._stage is not None:
            self._note_refused(self._stage.worker.refused)
            self._stage = None
            await self._stack.aclose()
        return self.refused


def scene_team(task: Task) -> Team:
    """Return the team that plays a task of the scenes' suite."""
    suite = scenes_suite()
    team: Team = suite.team(task, suite_domains(suite.name))
    return team


def scene_part(
    task: Task, *, model: Model | None = None, limits: EpisodeLimits | None = None
) -> Part:
    """Return a task of the scenes' suite as what is played.

    Args:
        task: The task.
        model: What answers; what the stage was opened with by default.
        limits: The limits; the default ones otherwise.
    """
    team, limits = scene_team(task), limits or EpisodeLimits()
    return Part(task.utterance, team, limits=limits, model=model, task=task)


def texts_of(record: GatewayRecord, role: str) -> str:
    """Return the requests of a role as one text, with the texts in them as they are."""
    return "\n".join(text_of(each) for each in record.exchanges if each.role == role)


def text_of(exchange: Exchange) -> str:
    """Return a request as one text, with the texts in it as they are."""
    found: list[str] = []
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
