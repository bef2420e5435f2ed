"""A socket between two server processes, over which either asks the other for an answer.

A message is its length in four bytes and a JSON array: `["ask", number, request]`,
`["told", number, response]`, or, to the process that started the others, `["up"]`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

import orjson
from starlette.types import ASGIApp, Message

from ossia_servers.body import channel_of

__all__ = ["Asked", "Link", "LinkLost", "Told"]

_LOG = logging.getLogger(__name__)
_LENGTH = struct.Struct("!I")
_BYTES = "latin-1"
"""Carries any bytes through a JSON string."""


class LinkLost(ConnectionError):
    """The process at the other end is gone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request on its way; its bytes are written as latin-1 text.

    Attributes:
        method: Of HTTP.
        path: As the server decoded it.
        query: The query string.
        headers: Names and values.
        body: The whole body.
    """

    method: str
    path: str
    query: str
    headers: list[list[str]]
    body: str

    @classmethod
    def of(cls, scope: Mapping[str, Any], body: bytes) -> Asked:
        """Return the request of an ASGI scope."""
        headers = [[k.decode(_BYTES), v.decode(_BYTES)] for k, v in scope["headers"]]
        query = scope["query_string"].decode(_BYTES)
        return cls(scope["method"], scope["path"], query, headers, body.decode(_BYTES))

    def scope(self) -> dict[str, Any]:
        """Return the ASGI scope of this request."""
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "method": self.method,
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": self.query.encode(_BYTES),
            "headers": [(k.encode(_BYTES), v.encode(_BYTES)) for k, v in self.headers],
        }


@dataclass(frozen=True, slots=True)
class Told:
    """A response on its way, written as `Asked` is."""

    status: int
    headers: list[list[str]]
    body: str

    def messages(self) -> tuple[Message, Message]:
        """Return the ASGI messages of this response."""
        headers = [(k.encode(_BYTES), v.encode(_BYTES)) for k, v in self.headers]
        return (
            {"type": "http.response.start", "status": self.status, "headers": headers},
            {"type": "http.response.body", "body": self.body.encode(_BYTES)},
        )


class Link:
    """One end of the socket to another process."""

    def __init__(self, end: socket.socket, app: ASGIApp) -> None:
        """Take an end of a socket pair.

        Args:
            end: The socket.
            app: Answers what the other process asks.
        """
        self._socket = end
        self._app = app
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[Told]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the other process says that it serves; cancelled when it ends before."""

    async def open(self) -> None:
        """Take the socket into the event loop; before `run`, `ask` and `say`."""
        self._reader, self._writer = await asyncio.open_unix_connection(sock=self._socket)

    async def run(self) -> None:
        """Carry messages until the other process is gone."""
        if self._reader is None or self._writer is None:
            raise RuntimeError("the link is not open")
        try:
            while True:
                (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
                self._took(orjson.loads(await self._reader.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self._writer.close()
            self.up.cancel()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(LinkLost("a server process has ended"))

    async def ask(self, asked: Asked) -> Told:
        """Return the other process's response to a request.

        Raises:
            LinkLost: it is gone.
        """
        number = next(self._numbers)
        waiting: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self.say("ask", number, asdict(asked))
            return await waiting
        finally:
            del self._waiting[number]

    def say(self, *message: Any) -> None:
        """Send a message.

        Raises:
            LinkLost: the other process is gone.
        """
        if self._writer is None or self._writer.is_closing():
            raise LinkLost("a server process has ended")
        packed = orjson.dumps(message)
        self._writer.write(_LENGTH.pack(len(packed)) + packed)

    def _took(self, message: list[Any]) -> None:
        kind, *rest = message
        if kind == "ask":
            task = asyncio.create_task(self._answer(rest[0], Asked(**rest[1])))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif kind == "told":
            waiting = self._waiting.get(rest[0])
            if waiting is not None and not waiting.done():
                waiting.set_result(Told(**rest[1]))
        else:
            self.up.set_result(None)

    async def _answer(self, number: int, asked: Asked) -> None:
        try:
            told = await answer(self._app, asked)
            self.say("told", number, asdict(told))
        except LinkLost:
            _LOG.info("nobody is left to hear the answer to %s %s", asked.method, asked.path)


_BROKEN: tuple[int, list[tuple[bytes, bytes]], bytes] = (
    500,
    [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"21")],
    b"Internal Server Error",
)
"""What the HTTP server answers by itself where an application breaks."""


async def answer(app: ASGIApp, asked: Asked) -> Told:
    """Return what an application answers to a request; 500 where it breaks."""
    body = asked.body.encode(_BYTES)
    status, headers, sent = _BROKEN

    async def send(message: Message) -> None:
        nonlocal status, headers, sent
        if message["type"] == "http.response.start":
            status, headers, sent = message["status"], list(message.get("headers", ())), b""
        else:
            sent += message.get("body", b"")

    try:
        await app(asked.scope(), channel_of(body), send)
    except Exception:  # noqa: BLE001
        # The boundary of this process: the other one tells its client that the server broke.
        _LOG.exception("%s %s failed", asked.method, asked.path)
        status, headers, sent = _BROKEN
    return Told(
        status, [[k.decode(_BYTES), v.decode(_BYTES)] for k, v in headers], sent.decode(_BYTES)
    )
