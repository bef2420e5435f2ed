"""Group commit: requests that are served in the same turn of the loop share one commit."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from ossia_servers.worlds.store import Worlds

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
        self._waiting: list[asyncio.Future[None]] = []
        self._open = False

    def open(self) -> None:
        """Open the group, or join the open one."""
        if not self._open:
            self._store.begin_group()
            self._open = True
            # Whatever is ready to run in this turn comes before a callback that is made now.
            asyncio.get_running_loop().call_soon(self._end)

    async def durable(self) -> None:
        """Wait until the open group, if there is one, is committed.

        Raises:
            sqlite3.OperationalError: the database cannot be written.
        """
        if self._open:
            # One future for each: a cancelled request must not cancel those of the others.
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting

    def _end(self) -> None:
        waiting, self._waiting, self._open = self._waiting, [], False
        failure: sqlite3.Error | None = None
        try:
            self._store.end_group()
        except sqlite3.Error as error:
            # The waiting requests are told; where all were cancelled, the log is all that is left.
            _LOG.error("A commit of worlds failed: %s.", error)
            failure = error
        for future in waiting:
            if future.done():
                continue
            if failure is None:
                future.set_result(None)
            else:
                future.set_exception(failure)
