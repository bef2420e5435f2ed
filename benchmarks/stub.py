"""The stub: model and domain servers in one light process that only looks answers up.

    python -m benchmarks.stub ANSWERS

It prints its address and serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, urlsplit

import orjson

from benchmarks.answers import StubAnswers, request_mark, server_mark

__all__ = ["Asked", "Stub", "main", "take"]

_END = b"\r\n\r\n"
_CHAT = "/v1/chat/completions"


class Stub:
    """Finds the recorded answer to a request."""

    def __init__(self, answers: StubAnswers) -> None:
        """Make every response ready.

        Args:
            answers: The recorded answers.
        """
        self._model = {
            mark.encode(): _response(200, body.encode()) for mark, body in answers.model.items()
        }
        self._servers = {
            mark: _response(status, body.encode())
            for mark, (status, body) in answers.servers.items()
        }

    def answer(self, asked: Asked) -> bytes:
        """Return the whole HTTP response to one request; its world is `TASK~NUMBER`."""
        if asked.target == _CHAT:
            found = self._model.get(request_mark(orjson.loads(asked.body)))
        else:
            url = urlsplit(asked.target)
            params = dict(parse_qsl(url.query, keep_blank_values=True))
            if asked.body:
                params.update(orjson.loads(asked.body))
            task = asked.world.rpartition("~")[0]
            found = self._servers.get(server_mark(task, url.path, params))
        return found or _response(404, b'{"error": {"message": "this was not recorded"}}')


def _response(status: int, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + _END + body


@dataclass(frozen=True, slots=True)
class Asked:
    """One HTTP request.

    Attributes:
        target: Path and query.
        world: The world that a header names; empty for the model.
        body: The body.
    """

    target: str
    world: str
    body: bytes


def take(pending: bytes) -> tuple[Asked | None, bytes]:
    """Take the first request off the bytes of a connection.

    Args:
        pending: What has arrived and was not yet taken.

    Returns:
        The request and what follows it; None and all the bytes while it is not there in full.
    """
    end = pending.find(_END)
    if end < 0:
        return None, pending
    first, *rest = pending[:end].decode("latin-1").split("\r\n")
    length, world = 0, ""
    for line in rest:
        name, _, value = line.partition(":")
        name = name.lower()
        if name == "content-length":
            length = int(value)
        elif name == "x-ossia-world":
            world = value.strip()
    start = end + len(_END)
    if len(pending) < start + length:
        return None, pending
    asked = Asked(first.split(" ")[1], world, pending[start : start + length])
    return asked, pending[start + length :]


class _Connection(asyncio.Protocol):
    def __init__(self, stub: Stub) -> None:
        self._stub = stub
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        asked, self._pending = take(self._pending + data)
        while asked is not None:
            self._transport.write(self._stub.answer(asked))
            asked, self._pending = take(self._pending)


async def _serve(answers: StubAnswers) -> None:
    stub = Stub(answers)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(stub), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


def main() -> None:
    """Serve until standard input closes."""
    asyncio.run(_serve(StubAnswers.model_validate_json(Path(sys.argv[1]).read_bytes())))


if __name__ == "__main__":
    main()
