"""Requests for worlds that another process holds are answered by that process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from ossia_servers.app import WORLD_PREFIX, refused_by, world_in_header
from ossia_servers.body import channel_of, read_until_too_large
from ossia_servers.schema import Refusal
from ossia_servers.sharding.link import Asked, Link, LinkLost
from ossia_servers.worlds import Shard

_WORLDS = WORLD_PREFIX.rstrip("/")


class Forwarding:
    """An application that answers for its own worlds and asks other processes for theirs."""

    def __init__(self, app: ASGIApp, shard: Shard, links: Mapping[int, Link]) -> None:
        """Stand before an application.

        Args:
            app: Answers for the worlds of this process, and what names no world.
            shard: The worlds of this process.
            links: The other processes by the numbers of their shards.
        """
        self._app = app
        self._shard = shard
        self._links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # First: a client may send its world's header with each request, and here it counts nothing.
        if _makes_world(scope):
            await self._make(scope, receive, send)
            return
        world = named_world(scope)
        if world is None or self._shard.holds(world):
            await self._app(scope, receive, send)
        else:
            await self._forward(world, scope, receive, send)

    async def _make(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Make a world where it belongs; one without an id is made here."""
        try:
            body = await read_until_too_large(receive)
        except ClientDisconnect:
            return
        replayed = channel_of(body)
        world = _id_in(body)
        if world is None or self._shard.holds(world):
            await self._app(scope, replayed, send)
        else:
            await self._forward(world, scope, replayed, send)

    async def _forward(self, world: str, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            # Whether a body is too large is for the owner to say, as it is for a body at all.
            asked = Asked.of(scope, await read_until_too_large(receive))
            told = await self._links[self._shard.owner(world)].ask(asked)
        except ClientDisconnect:
            return
        except LinkLost as error:
            refusal = Refusal(
                f"The world is out of reach: {error}.", code="UNAVAILABLE", status=503
            )
            await refused_by(refusal)(scope, receive, send)
        else:
            for message in told.messages():
                await send(message)


def named_world(scope: Mapping[str, Any]) -> str | None:
    """Return the id of the world that a request's path or header names; None without one."""
    path: str = scope["path"]
    if path.startswith(WORLD_PREFIX):
        return path.split("/")[2] or None
    return world_in_header(scope)


def _makes_world(scope: Mapping[str, Any]) -> bool:
    return (scope["method"], scope["path"]) == ("POST", _WORLDS)


def _id_in(body: bytes) -> str | None:
    """Return the id that a new world is to have; None without one or where the body is wrong."""
    try:
        made = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    given = made.get("id") if isinstance(made, dict) else None
    return given if isinstance(given, str) else None
