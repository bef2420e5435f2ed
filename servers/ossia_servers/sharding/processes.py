"""Several server processes: one starts the others, and all end together."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import combinations

from starlette.types import ASGIApp

from ossia_servers.sharding.forward import Forwarding
from ossia_servers.sharding.link import Link, LinkLost
from ossia_servers.worlds import MOST_SHARDS, Shard

__all__ = ["ServerProcess", "can_share", "run_processes"]

_LOG = logging.getLogger(__name__)

Work = Callable[["ServerProcess"], Coroutine[object, object, None]]
"""What each process does until it is cancelled."""


def can_share() -> bool:
    """Say whether this system can divide the worlds among processes on one port."""
    return hasattr(os, "fork") and hasattr(socket, "SO_REUSEPORT")


@dataclass(frozen=True)
class ServerProcess:
    """One of the processes that share the worlds.

    Attributes:
        shard: Its share of the worlds. The first process has the number 0.
        ends: Its sockets to the others, by the numbers of their shards.
    """

    shard: Shard
    ends: dict[int, socket.socket]

    @asynccontextmanager
    async def joined(self, app: ASGIApp) -> AsyncIterator[Joined]:
        """Answer what the others ask, while the block runs.

        Args:
            app: Answers for the worlds of this process.
        """
        links = {number: Link(end, app) for number, end in self.ends.items()}
        for link in links.values():
            await link.open()
        carried = [asyncio.create_task(link.run()) for link in links.values()]
        try:
            yield Joined(self.shard, Forwarding(app, self.shard, links), links, carried)
        finally:
            for task in carried:
                task.cancel()
            await asyncio.gather(*carried, return_exceptions=True)


@dataclass(frozen=True)
class Joined:
    """A process that the others can reach.

    Attributes:
        shard: Its share of the worlds.
        app: The application for all worlds: it asks the others for theirs.
        links: The others.
        carried: What ends when another has ended.
    """

    shard: Shard
    app: ASGIApp
    links: dict[int, Link]
    carried: list[asyncio.Task[None]]

    async def all_up(self) -> None:
        """Tell the first process that this one serves; as the first, wait for all others.

        Raises:
            LinkLost: Another has ended, as its log says why.
        """
        if self.shard.number:
            self.links[0].say("up")
            return
        if self.links:
            await asyncio.wait([link.up for link in self.links.values()])
        if any(link.up.cancelled() for link in self.links.values()):
            raise LinkLost("a server process ended before it served; its log says why")

    async def until_lost(self) -> None:
        """Wait until another process has ended; for ever where there is none.

        Raises:
            LinkLost: One has ended.
        """
        if not self.carried:
            await asyncio.Event().wait()
        await asyncio.wait(self.carried, return_when=asyncio.FIRST_COMPLETED)
        raise LinkLost("a server process has ended; all of them stop")


def run_processes(
    processes: int, run: Callable[[Coroutine[object, object, None]], None], work: Work
) -> None:
    """Run the same work in several processes, this one among them, until it ends here.

    The others end with this one, however it ends.

    Args:
        processes: How many, from 1 to `MOST_SHARDS`.
        run: Runs a coroutine on an event loop to its end.
        work: What each does. What it raises in this process is raised here; in another, it is
            logged there, and `Joined` raises LinkLost here.

    Raises:
        ValueError: There cannot be so many.
    """
    if not 1 <= processes <= (MOST_SHARDS if can_share() else 1):
        raise ValueError(f"{processes} server processes are not possible here")
    if processes == 1:
        run(work(ServerProcess(Shard(), {})))
        return
    ends = _socket_pairs(processes)
    # Pages that the collector does not touch stay shared with the processes that are forked.
    gc.freeze()
    children = []
    # A Ctrl-C meanwhile is this process's: in a copy it would unwind through this very code.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    for number in range(1, processes):
        pid = os.fork()
        if pid == 0:
            _child(_part(number, processes, ends), mask, run, work)
        children.append(pid)
    process = _part(0, processes, ends)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run(work(process))
    finally:
        for end in process.ends.values():
            end.close()
        for pid in children:
            os.waitpid(pid, 0)


def _socket_pairs(processes: int) -> dict[tuple[int, int], socket.socket]:
    """Return, for each process and each other one, the end of the socket between them."""
    ends = {}
    for one, other in combinations(range(processes), 2):
        ends[one, other], ends[other, one] = socket.socketpair()
    return ends


def _part(number: int, processes: int, ends: dict[tuple[int, int], socket.socket]) -> ServerProcess:
    """Return one process's part, and close the ends of the others here."""
    own = {}
    for (holder, other), end in ends.items():
        if holder == number:
            end.setblocking(False)
            own[other] = end
        else:
            end.close()
    return ServerProcess(Shard(number, processes), own)


def _child(
    process: ServerProcess,
    mask: set[int | signal.Signals],
    run: Callable[[Coroutine[object, object, None]], None],
    work: Work,
) -> None:
    """Do a process's part and end the process; never returns."""
    code = 1
    try:
        # Ctrl-C reaches all processes; the first process stops for all.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run(_until_told(process, work))
        code = 0
    except BaseException:  # noqa: BLE001
        # The boundary of the process: the first one is told by the closed socket.
        _LOG.exception("server process %d failed", process.shard.number)
    finally:
        os._exit(code)


async def _until_told(process: ServerProcess, work: Work) -> None:
    with suppress(LinkLost):
        await work(process)
