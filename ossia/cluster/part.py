"""What works on one node of a cluster, opened with the first thing that it is to do."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from ossia.adapters import ossia_home
from ossia.cluster.job import Job
from ossia.collector import collect_seldom
from ossia.errors import UserError
from ossia.runner.cpu import CpuMeter
from ossia.worker import WorkerStartError
from ossia_servers.trace import Trace

T = TypeVar("T")


class Part(ABC, Generic[T]):
    """Works on the machine where it is. After a loss it begins anew, maybe elsewhere."""

    def __init__(self, number: int, job: Sequence[Any], mailbox: Any) -> None:
        """Set up; what works is opened when it is first needed.

        Args:
            number: of the node, from 0.
            job: the reference of what is needed, alone: so it is fetched by whoever begins anew,
                and not by Ray before.
            mailbox: the handle of the mailbox; None where nothing is paid.
        """
        collect_seldom()
        self.number = number
        self.mailbox = mailbox
        self._job = job
        self._meter = CpuMeter()
        self._ending = asyncio.Event()
        self._life: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[T] | None = None

    @abstractmethod
    def open(self, job: Job) -> AbstractAsyncContextManager[T]:
        """Open what works, and end it with all its processes at the end."""

    async def opened(self) -> T:
        """Return what works, opened when this is first asked.

        Raises:
            UserError: this machine cannot do the job.
        """
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._opened))
        return await asyncio.shield(self._opened)

    async def close(self) -> float:
        """End services and workers; returns the CPU seconds of all."""
        self._ending.set()
        if self._life is not None:
            await asyncio.wait({self._life})
        return self._meter.seconds()

    async def _live(self, opened: asyncio.Future[T]) -> None:
        """Keep services and workers open from the first thing that is done to the end."""
        try:
            async with self.open(await self._job[0]) as works:
                opened.set_result(works)
                await self._ending.wait()
        # The boundary of the task: whoever waits for what is opened is told.
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)


@contextmanager
def told() -> Iterator[None]:
    """Let what stops this machine be told in one line, as another process has to read it.

    Raises:
        UserError: something did.
    """
    try:
        yield
    except (UserError, WorkerStartError, OSError, sqlite3.Error) as error:
        raise UserError(f"the node {socket.gethostname()}: {error}") from None


def write_trace(trace: Trace) -> bytes:
    """Return a trace as it travels."""
    return zlib.compress(trace.model_dump_json().encode(), 1)


def read_trace(written: bytes) -> Trace:
    """Read what `write_trace` has written."""
    return Trace.model_validate_json(zlib.decompress(written))


def home() -> Path:
    """Return the folder of this machine's environments: as it says, or in the user's own folder."""
    return ossia_home({"OSSIA_HOME": str(Path.home() / ".ossia"), **os.environ})
