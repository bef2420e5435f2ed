"""A framework that hangs up while its call is under way."""

from __future__ import annotations

import asyncio

from starlette.types import Receive

from ossia_servers.gateway.entries import Entry

__all__ = ["Leaving"]


class Leaving:
    """Ends the wait for an endpoint when the framework has hung up.

    Only models that tell of their attempts are watched: nothing is gained with others.
    """

    def __init__(self, receive: Receive, entry: Entry) -> None:
        """Watch nothing yet.

        Args:
            receive: Where the connection tells what comes.
            entry: The pending call.
        """
        self._receive = receive
        self._entry = entry
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Begin, unless it has begun."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._wait())

    def end(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._entry.gone = True
        self._entry.cut_now()
