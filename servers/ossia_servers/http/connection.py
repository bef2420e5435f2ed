"""Limits on what one connection may send before its request is whole, and on how many there are.

Of uvicorn's own limits none holds here: its parser of choice has no bound for headers, and what it
counts against `limit_concurrency` it answers with 503, so that silent connections would keep
everybody out.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from ossia_servers.http.ending import CUT

__all__ = ["Limits", "limited"]

_LOG = logging.getLogger(__name__)
_LOG.setLevel(logging.ERROR)
_MOST_CONNECTIONS = 4096
_FRAME = 8
"""Bytes about a chunk of a body that are not held against a request: chunks may be small."""
_YOUNG_SECONDS = 1.0
_REFUSALS = {
    400: b"This is no HTTP request for a path.",
    431: b"The headers are too large.",
    503: b"There are too many connections.",
}


def _connections() -> int:
    """Return how many connections leave files enough for a second server and the rest."""
    return min(_MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3)


@dataclass(frozen=True)
class Limits:
    """What is asked of connections.

    Attributes:
        head_bytes: Most bytes of a request beside its body: target, headers and framing.
        request_seconds: How long a request may take to arrive whole, and a first one to begin.
        connections: Most open connections. A new one takes the place of one whose request has not
            come whole for a second, of an idle one or of any whose request is not whole; where all
            are at work it is refused.
    """

    head_bytes: int = 64 * 1024
    request_seconds: float = 60.0
    connections: int = field(default_factory=_connections)


class _Limited(HttpToolsProtocol):
    limits: Limits
    half: dict[_Limited, float]
    """The connections of this server whose request is not whole, the oldest first, by its time."""

    _beside = 0
    """Bytes of the request that are not its body; an estimate from below within one read."""
    _begun = False
    _due: asyncio.TimerHandle | None = None
    _refusal = 400

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # Which says what broke, and not each request that was none: anybody can send those.
        self.logger = _LOG

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections and not self._makes_room():
            self._refuse(503)
        else:
            self._await_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._whole()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._beside += len(data)
        super().data_received(data)
        if self._begun and not self.transport.is_closing():
            if self._beside > self.limits.head_bytes:
                self._refuse(431)
            elif self._due is None:
                self._await_rest()

    def on_message_begin(self) -> None:
        self._begun = True
        super().on_message_begin()
        self.scope["extensions"] = {CUT: {"end": self._cut}}

    def on_headers_complete(self) -> None:
        if not self.url.startswith(b"/"):
            # Such as a whole URL: its host would be another one than the header names.
            raise ValueError("a request is for a path")
        if self._beside > self.limits.head_bytes:
            # Perhaps by what came along of the body: so this counts exactly.
            size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            if size > self.limits.head_bytes:
                self._refusal = 431
                raise ValueError("the headers are too large")
        super().on_headers_complete()
        # What may follow the body looks like headers, and was never judged as such.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        self._beside = max(0, self._beside - len(body) - _FRAME)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._begun = False
        self._beside = 0
        if self._due is not None:
            self._whole()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal)

    def _await_rest(self) -> None:
        self.half[self] = self.loop.time()
        self._due = self.loop.call_later(self.limits.request_seconds, self._overdue)

    def _whole(self) -> None:
        self.half.pop(self, None)
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _overdue(self) -> None:
        self._whole()
        if self.flow.read_paused:
            # The server itself does not read on, such as before an earlier request is answered.
            self._await_rest()
        else:
            self.transport.abort()

    def _makes_room(self) -> bool:
        """Cut a connection that is of no use now; False where there is none."""
        half = next(iter(self.half), None)
        if half is None or self.loop.time() - self.half[half] < _YOUNG_SECONDS:
            # Its request may be on its way; who kept a connection for later opens another.
            half = next(filter(_Limited._is_idle, self._others()), half)
        if half is None:
            return False
        half.transport.abort()
        half._whole()
        return True

    def _others(self) -> Iterator[_Limited]:
        return (one for one in self.connections if isinstance(one, _Limited) and one is not self)

    def _is_idle(self) -> bool:
        if self._due is not None or self.transport.is_closing():
            return False
        # Whoever asks and does not read the answers is as good as idle.
        return self.flow.write_paused or (self.cycle is not None and self.cycle.response_complete)

    def _cut(self, reset: bool) -> None:
        connection = self.transport.get_extra_info("socket")
        if reset and connection is not None:
            # To linger for no time is to send RST in place of FIN.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _refuse(self, status: int) -> None:
        answering = self.cycle is not None and self.cycle.response_started
        if not self.pipeline and (not answering or self.cycle.response_complete):
            told = _REFUSALS[status]
            head = b"content-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            self.transport.write(STATUS_LINE[status] + head % len(told) + told)
            self.transport.close()
        else:
            self.transport.abort()


def limited(limits: Limits) -> type[HttpToolsProtocol]:
    """Return the protocol of a server's connections.

    Args:
        limits: What is asked of them.
    """
    return type("Limited", (_Limited,), {"limits": limits, "half": {}})
