"""Group commit: requests that are served in the same turn of the loop share one commit."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Collection

from ossia_servers.worlds.store import Overtaken, Worlds, WorldsUnavailable

_LOG = logging.getLogger(__name__)


class GroupCommit:
    """Commits a store's changes once for all requests of one turn of the event loop.

    A request calls `open` before it changes anything and answers only after `durable`, so an
    answer that a client has seen is on disk, as if each request had been committed alone.
    """

    def __init__(self, store: Worlds) -> None:
        """Watch over a store.

        Args:
            store: Its changes are committed; must be used from one event loop alone.
        """
        self._store = store
        self._waiting: list[tuple[str | None, asyncio.Future[None]]] = []
        self._open = False

    def open(self) -> None:
        """Open the group, or join the open one."""
        if not self._open:
            self._store.begin_group()
            self._open = True
            # Whatever is ready to run in this turn comes before a callback that is made now.
            asyncio.get_running_loop().call_soon(self._end)

    async def durable(self, world_id: str | None = None) -> None:
        """Wait until the open group, if there is one, is committed.

        Args:
            world_id: The world in which the request has acted.

        Raises:
            sqlite3.OperationalError: the database cannot be written.
            WorldsUnavailable: it cannot be used now.
            Overtaken: another process was first in this world.
        """
        if self._open:
            # One future for each: a cancelled request must not cancel those of the others.
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append((world_id, waiting))
            await waiting

    def _end(self) -> None:
        waiting, self._waiting, self._open = self._waiting, [], False
        failure: sqlite3.Error | WorldsUnavailable | None = None
        overtaken: Collection[str] = ()
        try:
            overtaken = self._store.end_group()
        except WorldsUnavailable as error:
            failure = error
        except sqlite3.Error as error:
            # The waiting requests are told; where all were cancelled, the log is all that is left.
            _LOG.error("A commit of worlds failed: %s.", error)
            failure = error
        for world_id, future in waiting:
            if future.done():
                continue
            if failure is not None:
                future.set_exception(failure)
            elif world_id in overtaken:
                future.set_exception(Overtaken())
            else:
                future.set_result(None)
