"""The load generator: a process that keeps so many requests under way and counts the answers.

    python -m benchmarks.load < ORDER

It reads an `Order` and prints a `Count`, both as JSON.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import cast

import orjson
import uvloop
from pydantic import BaseModel, ConfigDict

from benchmarks.measure import quantile, wall_seconds

__all__ = ["Answered", "Count", "Order", "Shot", "Worlds", "main", "take"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shot(_Frozen):
    """One request of the mix.

    Attributes:
        port: Where it goes on this machine.
        method: `GET` or `POST`.
        target: Path and query.
    """

    port: int
    method: str
    target: str


class Worlds(_Frozen):
    """How worlds are made and used up; without this, requests name no world.

    Attributes:
        port: Where worlds are made.
        body: The body of `POST /worlds`.
        token: The servers' admin token.
        requests: Requests in one world before it is deleted and the next one made.
    """

    port: int
    body: str
    token: str
    requests: int


class Order(_Frozen):
    """What to do.

    Attributes:
        shots: The mix; each client goes round it from a start of its own.
        concurrency: Clients at once.
        most: Requests at most.
        seconds: Time at most.
        worlds: The worlds, if the servers know any.
    """

    shots: tuple[Shot, ...]
    concurrency: int
    most: int
    seconds: float
    worlds: Worlds | None = None


class Count(_Frozen):
    """What was counted. Requests that make and delete worlds take time but are not counted.

    Attributes:
        requests: Requests that were answered.
        good: Those of them with status 200.
        seconds: How long it took.
        p50_ms: Half of the answers took no longer.
        p99_ms: All but one in a hundred took no longer.
    """

    requests: int
    good: int
    seconds: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Answered:
    """One HTTP response.

    Attributes:
        status: Its status.
        body: Its body.
        last: Whether the server closes the connection after it.
    """

    status: int
    body: bytes
    last: bool


def take(received: bytes) -> Answered | None:
    """Read the response that has arrived on a connection.

    Args:
        received: Everything since the request was sent.

    Returns:
        The response; None while it is not there in full.

    Raises:
        ValueError: It does not tell its length.
    """
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = received[:end].lower()
    place = head.find(b"\r\ncontent-length:")
    if place < 0:
        raise ValueError("a response does not tell its length")
    length = int(head[place + 17 :].split(b"\r\n", 1)[0])
    body = received[end + 4 :]
    if len(body) < length:
        return None
    last = head.startswith(b"http/1.0") or b"\r\nconnection: close" in head
    return Answered(int(head[9:12]), body, last)


class _Line(asyncio.Protocol):
    """One connection with one request under way at most."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[Answered] | None = None
        self._received = b""
        self.open = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def ask(self, request: bytes) -> asyncio.Future[Answered]:
        """Send a request."""
        self._received = b""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._received += data
        answered = take(self._received)
        if answered is None or self._answer is None or self._answer.done():
            return
        if answered.last:
            self.close()
        self._answer.set_result(answered)

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionResetError("the server hung up"))

    def close(self) -> None:
        """Close the connection."""
        self.open = False
        self._transport.close()


class _Client:
    """One client with a connection to each server it has met."""

    def __init__(self, shots: Iterator[Shot], worlds: Worlds | None) -> None:
        self._shots = shots
        self._worlds = worlds
        self._lines: dict[int, _Line] = {}
        self._world = ""
        self._used = 0

    async def shoot(self) -> tuple[int, float]:
        """Make the next request of the mix; returns its status and its seconds."""
        if self._worlds is not None:
            await self._renew(self._worlds)
        shot = next(self._shots)
        started = wall_seconds()
        answered = await self._ask(shot.port, shot.method, shot.target)
        return answered.status, wall_seconds() - started

    def close(self) -> None:
        """Close all connections."""
        for line in self._lines.values():
            line.close()

    async def _renew(self, worlds: Worlds) -> None:
        if self._world and self._used < worlds.requests:
            self._used += 1
            return
        if self._world:
            gone = f"/worlds/{self._world}"
            await self._ask(worlds.port, "DELETE", gone, token=worlds.token)
        made = await self._ask(worlds.port, "POST", "/worlds", worlds.body, worlds.token)
        self._world, self._used = orjson.loads(made.body)["id"], 1

    async def _ask(
        self, port: int, method: str, target: str, body: str = "", token: str = ""
    ) -> Answered:
        line = self._lines.get(port)
        if line is None or not line.open:
            loop = asyncio.get_running_loop()
            _, line = await loop.create_connection(_Line, "127.0.0.1", port)
            self._lines[port] = line
        head = f"{method} {target} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n"
        if self._world:
            head += f"x-ossia-world: {self._world}\r\n"
        if token:
            head += f"authorization: Bearer {token}\r\n"
        if body or method == "POST":
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
        return await line.ask(f"{head}\r\n{body}".encode())


async def fire(order: Order) -> Count:
    """Keep `concurrency` requests under way until enough are made or the time is up.

    Args:
        order: What to do.

    Returns:
        The count.

    Raises:
        OSError: A server cannot be reached.
    """
    started = wall_seconds()
    until = started + order.seconds
    taken: list[float] = []
    good = [0]

    async def work(number: int) -> None:
        first = number * len(order.shots) // order.concurrency
        client = _Client(islice(cycle(order.shots), first, None), order.worlds)
        try:
            while len(taken) < order.most and wall_seconds() < until:
                status, seconds = await client.shoot()
                taken.append(seconds)
                good[0] += status == 200
        finally:
            client.close()

    async with asyncio.TaskGroup() as group:
        for number in range(order.concurrency):
            group.create_task(work(number))
    return Count(
        requests=len(taken),
        good=good[0],
        seconds=wall_seconds() - started,
        p50_ms=1000 * quantile(taken, 0.5),
        p99_ms=1000 * quantile(taken, 0.99),
    )


def main() -> None:
    """Do what standard input says."""
    order = Order.model_validate_json(sys.stdin.buffer.read())
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(runner.run(fire(order)).model_dump_json())


if __name__ == "__main__":
    main()
