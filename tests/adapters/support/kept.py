"""Stages that stay open: starting a framework's process costs more than many an episode."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TypeVar

from ossia.conformance.stage import Part, Played, Stage, open_stage
from ossia_servers.gateway import Completion, ModelCall

from .environments import installed

_T = TypeVar("_T")


class _Nobody:
    """The model of a stage on which each part names its own."""

    name = "nobody"

    async def complete(self, call: ModelCall) -> Completion:
        raise NotImplementedError


class KeptStages:
    """Stages for the tests of a module, each opened when it is first asked for."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._stages: dict[str, Stage] = {}
        self._opened = AsyncExitStack()
        self._ids = itertools.count(1)

    def on(self, adapter: str, scenario: Callable[[Stage], Awaitable[_T]]) -> _T:
        """Do something on the stage of an adapter, in a minute at most; returns its result."""
        return self._runner.run(self._on(adapter, scenario))

    def play(self, adapter: str, make: Callable[[Stage], Part]) -> tuple[Played, Stage]:
        """Play an episode made for the stage of an adapter; returns what it left, and the stage."""

        async def scenario(stage: Stage) -> tuple[Played, Stage]:
            return await stage.play(make(stage), episode=self.episode()), stage

        return self.on(adapter, scenario)

    def episode(self) -> str:
        """Return the name of a further episode."""
        return f"scene-{next(self._ids)}"

    async def _on(self, adapter: str, scenario: Callable[[Stage], Awaitable[_T]]) -> _T:
        if adapter not in self._stages:
            context = open_stage(installed(adapter), _Nobody())
            self._stages[adapter] = await self._opened.enter_async_context(context)
        return await asyncio.wait_for(scenario(self._stages[adapter]), 60)

    def close(self) -> None:
        """End all workers."""
        self._runner.run(self._opened.aclose())


@contextmanager
def kept_stages() -> Iterator[KeptStages]:
    """Keep stages open until the end of the block."""
    with asyncio.Runner() as runner:
        kept = KeptStages(runner)
        try:
            yield kept
        finally:
            kept.close()
