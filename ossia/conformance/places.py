"""Where the scenes are played: one gateway, the servers of every suite, and who asked them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse

from ossia.errors import UserError
from ossia.runner.services import MachineClock
from ossia.suite import Suite
from ossia.suites import find_suite, usable_suites
from ossia_dataset.tasks import Task
from ossia_servers.gateway import Gateway, Model, fault_body
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import AsgiApp, Message, Receive, Send, serve
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain

__all__ = [
    "Asked",
    "Place",
    "Places",
    "checked_suites",
    "open_places",
    "scenes_suite",
    "suite_domains",
    "suite_tasks",
]

_WORLD_HEADER = b"x-ossia-world"
_CALL_HEADER = b"x-ossia-tool-call"
_FAILURE = {"code": "INTERNAL_ERROR", "msg": "The server failed.", "data": None}


@dataclass(frozen=True, slots=True)
class Asked:
    """One HTTP request to the domain servers.

    Attributes:
        world: The world that it named.
        method: Its method.
        target: Its path with the query, as it came.
        token: The mark of the SDK's tool; empty for a request past the tools.
        answer: The body of the answer.
    """

    world: str
    method: str
    target: str
    token: str
    answer: str


@dataclass(frozen=True)
class Place:
    """The domain servers of a suite.

    Attributes:
        domains: Them.
        worlds: Their worlds.
        url: Their base URL.
        asked: Every request to them, in the order of the answers.
        failing: The worlds whose next POST request is answered with HTTP 500.
    """

    domains: Sequence[Domain]
    worlds: WorldStore
    url: str
    asked: list[Asked] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Places:
    """All services that a worker may reach.

    Attributes:
        gateway: The gateway.
        gateway_url: Its base URL, without `/v1`.
        by_suite: Suite to its domain servers.
    """

    gateway: Gateway
    gateway_url: str
    by_suite: dict[str, Place]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that a worker may connect to, as `host:port`."""
        urls = (self.gateway_url, *(place.url for place in self.by_suite.values()))
        return tuple(urlsplit(url).netloc for url in urls)


@asynccontextmanager
async def open_places(model: Model) -> AsyncIterator[Places]:
    """Start the gateway and the servers in the running loop, and stop them at the end.

    Args:
        model: What answers behind the gateway where an episode has no model of its own.

    Yields:
        The services.
    """
    gateway = Gateway(model, clock=MachineClock())
    try:
        async with (
            serve(gateway.app, told=fault_body) as gateway_url,
            AsyncExitStack() as opened,
        ):
            by_suite: dict[str, Place] = {}
            # Suites with the same servers share them.
            shared: dict[object, Place] = {}
            for name in (scenes_suite().name, *checked_suites()):
                made = find_suite(name).domains
                if made not in shared:
                    shared[made] = await opened.enter_async_context(_open(name))
                by_suite[name] = shared[made]
            yield Places(gateway, gateway_url, by_suite)
    finally:
        await gateway.aclose()


@asynccontextmanager
async def _open(suite: str) -> AsyncIterator[Place]:
    domains = suite_domains(suite)
    worlds = WorldStore(domains)
    asked: list[Asked] = []
    failing: set[str] = set()
    try:
        async with serve(_heard(build_app(domains, worlds), asked, failing)) as url:
            yield Place(domains, worlds, url, asked, failing)
    finally:
        worlds.close()


@cache
def scenes_suite() -> Suite[Any]:
    """Return the suite whose team, servers and offline model the scenes are played with.

    Raises:
        UserError: No suite that can be had brings any scenes.
    """
    for suite in usable_suites()[0].values():
        if suite.scenes:
            return suite
    raise UserError("no suite brings the tasks that adapters are checked with")


@cache
def checked_suites() -> tuple[str, ...]:
    """Return the names of the suites of which a few tasks are played."""
    found, _ = usable_suites()
    return tuple(name for name, suite in found.items() if suite.checked is not None)


@cache
def suite_tasks(suite: str) -> Mapping[str, Task]:
    """Return the tasks of a suite's set `test` by id."""
    return {task.id: task for task in find_suite(suite).tasks("test")}


@cache
def suite_domains(suite: str) -> Sequence[Domain]:
    """Return the domain servers of a suite's set `test`."""
    return find_suite(suite).domains("test")


def _heard(app: AsgiApp, asked: list[Asked], failing: set[str]) -> AsgiApp:
    """Return an application that does the same, or fails once, and notes who asked for what."""

    async def listening(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        parts: list[bytes] = []

        async def keep(message: Message) -> None:
            parts.append(message.get("body", b""))
            await send(message)

        headers = dict(scope["headers"])
        world = headers.get(_WORLD_HEADER, b"").decode("latin-1")
        if scope["method"] == "POST" and world in failing:
            failing.remove(world)
            await JSONResponse(_FAILURE, 500)(scope, receive, keep)
        else:
            await app(scope, receive, keep)
        query = scope.get("query_string", b"").decode("latin-1")
        asked.append(
            Asked(
                world=world,
                method=scope["method"],
                target=f"{scope['path']}?{query}" if query else scope["path"],
                token=headers.get(_CALL_HEADER, b"").decode("latin-1"),
                answer=b"".join(parts).decode("utf-8", "replace"),
            )
        )

    return listening
