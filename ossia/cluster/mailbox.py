"""How nodes reach the account of the process that runs the command, which they cannot call."""

from __future__ import annotations

import asyncio
from typing import Any

from ossia.cluster.accounts import Request


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
