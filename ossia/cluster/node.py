"""What a node of the cluster does: it plays single episodes, each to its end."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sqlite3
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ossia.adapters import ossia_home
from ossia.cluster.accounts import Asker, FarPaces, FarPurse, Request
from ossia.cluster.job import Job, equipment, unpacked
from ossia.errors import UserError
from ossia.runner.cpu import CpuMeter
from ossia.runner.engine import Engine
from ossia.runner.local import Equipment, open_local
from ossia.worker import WorkerStartError
from ossia_servers.gateway import UpstreamOptions
from ossia_servers.trace import EpisodeKey, Trace

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000


@dataclass(frozen=True)
class Outcome:
    """What a node says of an episode that it has played."""

    trace: bytes
    """Compressed JSON."""
    info: str | None
    """What the framework's worker says of itself, told once; JSON."""
    closed_because: str | None
    """Why no further request of some model will be answered."""


class Mailbox:
    """Where nodes put questions and the process that runs the command finds them.

    It stands in for that process, which a node cannot call, and ends with it.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._put: asyncio.Queue[tuple[int | None, Request]] = asyncio.Queue()
        self._open: dict[int, asyncio.Future[str]] = {}
        self._number = 0

    async def ask(self, request: Request) -> str:
        """Put a question and wait for its answer."""
        self._number += 1
        number = self._number
        self._open[number] = asyncio.get_running_loop().create_future()
        self._put.put_nowait((number, request))
        try:
            return await self._open[number]
        finally:
            del self._open[number]

    async def tell(self, request: Request) -> None:
        """Put what needs no answer."""
        self._put.put_nowait((None, request))

    async def taken(self) -> list[tuple[int | None, Request]]:
        """Wait for what has been put, and take it all out, in its order."""
        found = [await self._put.get()]
        while not self._put.empty():
            found.append(self._put.get_nowait())
        return found

    async def answer(self, number: int, refused: str) -> None:
        """Answer a question."""
        future = self._open.get(number)
        if future is not None and not future.done():
            future.set_result(refused)


class MailboxLine:
    """A node's way to the mailbox."""

    def __init__(self, mailbox: Any) -> None:
        """Take over the handle of the mailbox."""
        self._mailbox = mailbox

    async def ask(self, request: Request) -> str:
        """Ask, and wait for the answer."""
        from ray.exceptions import RayError

        try:
            return str(await self._mailbox.ask.remote(request))
        except RayError as error:
            raise ConnectionError(str(error)) from None

    def tell(self, request: Request) -> None:
        """Tell, without waiting."""
        self._mailbox.tell.remote(request)


class Node:
    """Plays episodes on the machine where it is. After a loss it begins anew, maybe elsewhere."""

    def __init__(self, number: int, job: Sequence[Any], mailbox: Any) -> None:
        """Set up; what plays is opened with the first episode.

        Args:
            number: of the node, from 0.
            job: the reference of what is to be played, alone: so it is fetched by whoever begins
                anew, and not by Ray before.
            mailbox: the handle of the mailbox; None where nothing is paid.
        """
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        self._number = number
        self._job = job
        self._mailbox = mailbox
        self._meter = CpuMeter()
        self._told: set[str] = set()
        self._ending = asyncio.Event()
        self._life: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Engine] | None = None

    async def play(self, key: EpisodeKey, baseline: bytes | None) -> Outcome:
        """Play an episode to its end.

        Args:
            key: the episode.
            baseline: the same one without its fault, where its place depends on it; as
                `Outcome.trace`.

        Raises:
            UserError: this machine cannot play the run.
        """
        try:
            engine = await self._engine()
            known = None if baseline is None else read_trace(baseline)
            trace = await engine.play(key, known)
        except (UserError, WorkerStartError, OSError, sqlite3.Error) as error:
            # Whatever it was, another process has to read it.
            raise UserError(f"the node {socket.gethostname()}: {error}") from None
        info = engine.info(key.framework)
        tell = info is not None and key.framework not in self._told
        self._told.add(key.framework)
        return Outcome(
            write_trace(trace),
            info.model_dump_json() if info is not None and tell else None,
            engine.closed_because,
        )

    async def close(self) -> float:
        """End services and workers; returns the CPU seconds of all."""
        self._ending.set()
        if self._life is not None:
            await asyncio.wait({self._life})
        return self._meter.seconds()

    async def _engine(self) -> Engine:
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._opened))
        return await asyncio.shield(self._opened)

    async def _live(self, opened: asyncio.Future[Engine]) -> None:
        """Keep services and workers open from the first episode to the end."""
        try:
            made = await asyncio.to_thread(self._equipment, await self._job[0])
            async with open_local(made) as engine:
                opened.set_result(engine)
                await self._ending.wait()
        # The boundary of the task: whoever waits for the engine is told.
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

    def _equipment(self, job: Job) -> Equipment:
        adapters = unpacked(job, _home())
        asker = Asker(MailboxLine(self._mailbox), self._number, uuid.uuid4().hex)
        paid = self._mailbox is not None
        reached = UpstreamOptions(
            concurrency=job.jobs,
            purse=FarPurse(asker) if paid else None,
            paces=FarPaces(asker) if paid and job.paced else None,
        )
        return equipment(job, adapters, reached)


def write_trace(trace: Trace) -> bytes:
    """Return a trace as it travels."""
    return zlib.compress(trace.model_dump_json().encode(), 1)


def read_trace(written: bytes) -> Trace:
    """Read what `write_trace` has written."""
    return Trace.model_validate_json(zlib.decompress(written))


def _home() -> Path:
    """The folder of this machine's environments: what it says, or one in the user's own folder."""
    return ossia_home({"OSSIA_HOME": str(Path.home() / ".ossia"), **os.environ})
