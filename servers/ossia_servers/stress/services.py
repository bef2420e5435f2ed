"""Faults between the domain servers and a tool, put before the application that serves them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qsl

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ossia_servers.http.body import MAX_BODY
from ossia_servers.http.ending import end_connection
from ossia_servers.stress.injected import NOT_ASKED, Injected, capped
from ossia_servers.stress.instruction import Instruction, instruction_for, mark_of
from ossia_servers.stress.plan import Aim
from ossia_servers.stress.service_faults import Answer, Came, Served, refusal, spoilt
from ossia_servers.stress.spoiling import Body
from ossia_servers.worlds import UnknownWorld, WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.parsing import parse_params
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Refusal
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.store import build_start
from ossia_servers.worlds.world import World

__all__ = ["ServiceFaults", "fitting"]

_WORLD: Final = b"x-ossia-world"
_CLOCK: Final = "/clock"
_TOOLS: Final = ("http_request", "get_date")
_LONGEST_HANG: Final = 60.0
"""Seconds after which a hanging request is cut whose client does not give up."""


@dataclass
class _Struck:
    """An episode's world and the fault that strikes its requests."""

    aim: Aim
    slow_seconds: float
    met: int = 0
    """Requests so far that the fault fits."""
    answers: dict[str, list[Body]] = field(default_factory=dict)
    """What each service has answered so far."""
    injected: list[Injected] = field(default_factory=list)

    def holds(self, path: str) -> bool:
        """Say whether a request is in the fault's place; the clock is where it is named."""
        tool = _TOOLS[path == _CLOCK]
        return self.aim.fault.place.tool == tool or (
            not self.aim.fault.place.tool and path != _CLOCK
        )

    def strikes(self) -> bool:
        """Count a request that the fault fits, and say whether it is hit."""
        self.met += 1
        return self.aim.hits(self.met - 1)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request to a service."""

    world: str
    scope: Scope
    body: bytes

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    @property
    def domain(self) -> str:
        return self.path.strip("/")

    @property
    def text(self) -> str:
        query = self.scope["query_string"].decode("latin-1")
        return f"{self.scope['method']} {self.path}{'?' if query else ''}{query}"

    @property
    def params(self) -> dict[str, str]:
        """Its parameters, those of a JSON body included; for one that is refused, some of them."""
        given = dict(parse_qsl(self.scope["query_string"].decode("latin-1")))
        sent = Answer(200, self.body).json or {}
        return given | {name: str(value) for name, value in sent.items()}


class ServiceFaults:
    """An ASGI application that serves another, and spoils what some worlds are answered."""

    def __init__(self, app: ASGIApp, worlds: WorldStore, domains: Sequence[Domain]) -> None:
        """Serve an application; nothing is struck yet.

        Args:
            app: The domain servers.
            worlds: Where their worlds live.
            domains: The domain servers' declarations.
        """
        self._app = app
        self._worlds = worlds
        self._domains = {domain.name: domain for domain in domains}
        self._struck: dict[str, _Struck] = {}

    def open(self, world: str, aim: Aim, *, slow_seconds: float) -> None:
        """Let a fault strike the requests that name a world.

        Args:
            world: The world's id.
            aim: Which of its requests are hit by what; of the requests those count that the fault
                fits.
            slow_seconds: How late a late answer comes.
        """
        self._struck[world] = _Struck(aim, slow_seconds)

    def close(self, world: str) -> tuple[Injected, ...]:
        """Leave a world alone, and return what struck it."""
        struck = self._struck.pop(world, None)
        return () if struck is None else tuple(struck.injected)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        world = self._world(scope) if self._struck else None
        if world is None or not self._struck[world].holds(scope["path"]):
            await self._app(scope, receive, send)
            return
        asked = _Asked(world, scope, await _body(receive))
        await self._serve(asked, self._struck[world], receive, send)

    def _world(self, scope: Scope) -> str | None:
        if scope["type"] != "http":
            return None
        if scope["path"] != _CLOCK and scope["path"].strip("/") not in self._domains:
            return None
        named = (value.decode("latin-1") for name, value in scope["headers"] if name == _WORLD)
        return next((world for world in named if world in self._struck), None)

    async def _serve(self, asked: _Asked, struck: _Struck, receive: Receive, send: Send) -> None:
        kind, place = struck.aim.fault.kind, len(self._records(asked.world))
        came, would, mark = refusal(kind), NOT_ASKED, ""
        if came is None:
            answer = await self._answer(asked)
            would = answer.text
            came, mark = self._spoilt(asked, struck, answer, place)
            struck.answers.setdefault(asked.path, []).append(answer.json or {})
            if came is None or not struck.strikes():
                await _send(send, answer)
                return
        elif not struck.strikes():
            await _send(send, await self._answer(asked))
            return
        struck.injected.append(
            Injected(
                fault=struck.aim.fault.key,
                kind=kind,
                where="service",
                seq=place,
                tool=_TOOLS[asked.path == _CLOCK],
                request=capped(asked.text),
                mark=mark,
                would=capped(would),
                came=capped(came.text),
            )
        )
        if came.twice:
            await self._answer(asked)
        if came.late:
            await asyncio.sleep(struck.slow_seconds)
        if came.answer is None:
            await _cut(asked.scope, receive, came)
        else:
            await _send(send, came.answer)

    def _spoilt(
        self, asked: _Asked, struck: _Struck, answer: Answer, place: int
    ) -> tuple[Came | None, str]:
        """Return what comes in place of an answer, and the mark of a hidden instruction."""
        chance, hidden = struck.aim.random(struck.met), list[Instruction]()

        def instruction() -> str | None:
            world = self._worlds.get(asked.world)
            made = instruction_for(
                world, tuple(self._domains.values()), asked.domain, mark_of(chance)
            )
            hidden.extend([] if made is None else [made])
            return None if made is None else made.note

        earlier = struck.answers.get(asked.path, ())
        served = Served(
            tuple(asked.params.values()),
            answer,
            any(orjson.loads(each)["changes"] for each in self._records(asked.world)[place:]),
            lambda: self._stale(asked, answer.json, earlier),
            instruction,
        )
        came = spoilt(struck.aim.fault.kind, served, chance)
        return came, hidden[0].mark if hidden else ""

    def _stale(self, asked: _Asked, now: Body | None, earlier: Sequence[Body]) -> Body | None:
        """Return a service's last other answer, or else what it would have told a day before."""
        for body in reversed(earlier):
            if body and body != now:
                return body
        domain = self._domains.get(asked.domain)
        if domain is None or now is None or not now.get("data"):
            return None
        old = _a_day_before(self._worlds.get(asked.world), tuple(self._domains.values()))
        try:
            intent, params = parse_params(domain, asked.params)
            with old.transaction():
                reply = intent.answer(old, params)
        except Refusal:
            return None
        data = {**now["data"], "response": reply.response, "result": reply.result}
        body = orjson.loads(orjson.dumps({**now, "data": data}))
        return None if reply.clarification is not None or body == now else body

    def _records(self, world: str) -> list[bytes]:
        try:
            return self._worlds.records(world)
        except UnknownWorld:
            # The episode has ended meanwhile.
            return []

    async def _answer(self, asked: _Asked) -> Answer:
        """Let the application answer."""
        status, body = 500, b""

        async def receive() -> Message:
            return {"type": "http.request", "body": asked.body}

        async def take(message: Message) -> None:
            nonlocal status, body
            status = message.get("status", status)
            body += message.get("body", b"")

        await self._app(dict(asked.scope), receive, take)
        return Answer(status, body)


def fitting(kind: str, requests: Sequence[ServerRequest]) -> int:
    """Return how many of an episode's requests a fault fits, as far as their records tell.

    Args:
        kind: A fault of a service.
        requests: Those of the same episode without the fault.
    """
    if refusal(kind) is not None:
        return len(requests)
    found = sum(_fits(kind, request) for request in requests)
    # Whether an answer was another one before, records do not tell: the first such is hit.
    return min(found, 1) if kind == "stale-value" else found


def _fits(kind: str, request: ServerRequest) -> bool:
    data = {"response": request.response, "result": request.result}
    body = {"code": request.code, "msg": "", "data": data if request.status == 200 else None}
    served = Served(
        tuple(request.params.values()),
        Answer(request.status, orjson.dumps(body)),
        bool(request.changes),
        lambda: body,
        lambda: "-",
    )
    # Whether it fits is not a matter of chance.
    return spoilt(kind, served, random.Random(0)) is not None


def _a_day_before(world: World, domains: Sequence[Domain]) -> World:
    """Return a world as it would have begun a day before."""
    context = world.start.context
    start = build_start(domains, SeedContext(context.name, world.now - timedelta(1), context.home))
    return World(world.id, start, {}, dict(world.base))


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        # What is too large is refused as such by the application.
        body += message.get("body", b"") if len(body) <= MAX_BODY else b""
        more = message["type"] != "http.disconnect" and message.get("more_body", False)
    return body


async def _send(send: Send, answer: Answer) -> None:
    headers = [(b"content-type", answer.kind), (b"content-length", b"%d" % len(answer.body))]
    if answer.retry_after is not None:
        headers.append((b"retry-after", b"%d" % answer.retry_after))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


async def _cut(scope: Scope, receive: Receive, came: Came) -> None:
    """End a connection without an answer."""
    if came.cut == "hung":
        with suppress(TimeoutError):
            await asyncio.wait_for(_gone(receive), _LONGEST_HANG)
    await end_connection(scope, receive, reset=came.cut == "reset")


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
