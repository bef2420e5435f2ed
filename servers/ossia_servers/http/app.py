"""The HTTP face of the worlds: all domain servers in one FastAPI application."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import orjson
from fastapi import FastAPI, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ossia_dataset.tasks import CLOCK_YEARS, MAX_HOME
from ossia_servers.http.agents import agent_document
from ossia_servers.http.body import read_body
from ossia_servers.http.openapi import domain_paths
from ossia_servers.worlds import GroupCommit, Overtaken, UnknownWorld, Worlds, WorldsUnavailable
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import Executed, execute, record_failure
from ossia_servers.worlds.schema import Refusal
from ossia_servers.worlds.world import World

_log = logging.getLogger(__name__)

AGENT_PATH = "/openapi.agent.json"
"""Where the OpenAPI document for agents is."""

WORLD_HEADER = "X-Ossia-World"
"""The request header that names the world."""

_MOST_TRIES = 50
"""How often a request may find that another process was first; each time, one has come through."""

_JSON = "application/json"
_WORLD_HEADER = WORLD_HEADER.lower().encode()


class NewWorld(BaseModel):
    """Body of `POST /worlds`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.~-]{1,100}$")
    """The world's id; a free one when left out."""
    seed: str = Field(default="home", pattern=r"^[a-z0-9-]{1,40}$")
    now: datetime
    home: str = Field(min_length=1, max_length=MAX_HOME)


def build_app(domains: Sequence[Domain], store: Worlds) -> FastAPI:
    """Build the application.

    Args:
        domains: the domain servers to mount, each under `/<its name>`.
        store: where worlds live; must be used from the application's event loop alone.
    """
    app = FastAPI(
        title="Ossia domain servers",
        version="1",
        # A path with a slash too many is refused in words like any other that is not served.
        redirect_slashes=False,
        # Pages with scripts from elsewhere, which could then ask in this server's own name.
        docs_url=None,
        redoc_url=None,
        # Made below, since FastAPI does not know what the domains take.
        openapi_url=None,
        description="Simulated domain servers; the header X-Ossia-World names the world."
        f" {AGENT_PATH} describes what agents are to see of them.",
    )
    group = GroupCommit(store)
    for domain in domains:
        _mount(app, domain, store, group)
    _mount_worlds(app, store, group)
    described = app.openapi()
    described["paths"] = domain_paths(domains) | described["paths"]
    _mount_document(app, "/openapi.json", described)
    _mount_document(app, AGENT_PATH, agent_document(domains))
    _answer_errors(app, domains)
    return app


def _answer_errors(app: FastAPI, domains: Sequence[Domain]) -> None:
    """Answer what is refused or cannot be served in the form of every other answer."""

    @app.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> Response:
        return _refused(refusal)

    @app.exception_handler(UnknownWorld)
    async def unknown(request: Request, error: UnknownWorld) -> Response:
        return _unknown(error)

    @app.exception_handler(sqlite3.OperationalError)
    async def unstored(request: Request, error: sqlite3.OperationalError) -> Response:
        # Such as a full disk, which whoever runs the servers is told once, and not at each request.
        return _answer(500, "NOT_STORED", f"The database of the worlds cannot be used: {error}.")

    @app.exception_handler(WorldsUnavailable)
    async def unavailable(request: Request, error: WorldsUnavailable) -> Response:
        return _answer(503, "UNAVAILABLE", f"{error}.")

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> Response:
        return Response()

    @app.exception_handler(HTTPException)
    async def unserved(request: Request, error: HTTPException) -> Response:
        names = ", ".join(domain.name for domain in domains)
        message = f"{request.method} {request.url.path} is not served; the domains are: {names}."
        return _answer(error.status_code, "NOT_SERVED", message)


def _mount_document(app: FastAPI, path: str, document: Mapping[str, Any]) -> None:
    written = orjson.dumps(document)

    @app.get(path, include_in_schema=False)
    async def read() -> Response:
        return Response(written, media_type=_JSON)


def _mount(app: FastAPI, domain: Domain, store: Worlds, group: GroupCommit) -> None:
    async def serve(request: Request) -> Response:
        if request.method == "HEAD":
            raise HTTPException(405)
        method: Literal["GET", "POST"] = "GET"
        given = _query(request)
        if request.method == "POST":
            method = "POST"
            body = await _body(request)
            if doubled := given.keys() & body.keys():
                raise Refusal(f"The parameter '{min(doubled)}' is in both the query and the body.")
            given |= body
        return await _serve(store, domain, request, given, method, group)

    # A route of Starlette: with those of FastAPI a request takes a fifth more CPU time.
    app.add_route(f"/{domain.name}", serve, methods=["GET", "POST"], include_in_schema=False)


async def _serve(
    store: Worlds,
    domain: Domain,
    request: Request,
    given: Mapping[str, str],
    method: Literal["GET", "POST"],
    group: GroupCommit,
) -> Response:
    world_id = _world_id(request)
    for _ in range(_MOST_TRIES):
        while store.is_pending(world_id):
            await group.durable()
        world = store.get(world_id)
        group.open()
        try:
            done = _done(store, world, domain, given, method)
            response = _json(done.body, done.status)
            await group.durable(world_id)
        except Overtaken:
            continue
        return response
    raise WorldsUnavailable("Too many others act in this world; try again")


def _done(
    store: Worlds,
    world: World,
    domain: Domain,
    given: Mapping[str, str],
    method: Literal["GET", "POST"],
) -> Executed:
    try:
        return execute(store, world, domain, given, method)
    except WorldsUnavailable:
        raise
    except Exception:  # noqa: BLE001
        # The boundary of the service: a handler's bug must reach the trace as an infrastructure
        # failure, so that no agent is blamed for it.
        _log.exception("the %s server failed on %s", domain.name, dict(given))
        return record_failure(store, world, domain, given, method)


def _mount_worlds(app: FastAPI, store: Worlds, group: GroupCommit) -> None:
    @app.get("/clock", response_class=Response, tags=["worlds"])
    async def clock(request: Request) -> Response:
        """Tell the world's frozen time and the home location."""
        world = store.get(_world_id(request))
        return _json(
            {
                "now": world.now.isoformat(timespec="minutes"),
                "date": world.today.isoformat(),
                "weekday": world.now.strftime("%A"),
                "time": world.now.strftime("%H:%M"),
                "home": world.home,
            }
        )

    @app.post("/worlds", response_class=Response, status_code=201, tags=["worlds"])
    async def create(request: Request) -> Response:
        """Create a world from a seed."""
        raw = await read_body(request.receive)
        group.open()
        created = _json({"id": _create(store, raw)}, 201)
        await group.durable()
        return created

    @app.get("/worlds/{world_id}/diff", response_class=Response, tags=["worlds"])
    async def diff(world_id: str) -> Response:
        """Tell what changed since the world's start."""
        return _json(store.get(world_id).diff().model_dump(mode="json"))

    @app.get("/worlds/{world_id}/requests", response_class=Response, tags=["worlds"])
    async def requests(world_id: str) -> Response:
        """Tell every request that the world has served, in order."""
        joined = b",".join(store.records(world_id))
        return Response(b"[" + joined + b"]", media_type=_JSON)

    @app.delete("/worlds/{world_id}", response_class=Response, tags=["worlds"])
    async def delete(world_id: str) -> Response:
        """Delete a world."""
        group.open()
        store.delete(world_id)
        await group.durable()
        return _json({"id": world_id})


def _create(store: Worlds, raw: bytes) -> str:
    try:
        new = NewWorld.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refusal(f"{where}: {first['msg']}") from None
    if new.now.tzinfo is not None:
        raise Refusal("now: a world's clock is local time without a zone.")
    if new.now.year not in CLOCK_YEARS:
        raise Refusal(
            f"now: the year must be one of {CLOCK_YEARS.start} to {CLOCK_YEARS.stop - 1}."
        )
    world_id = new.id or store.free_id()
    try:
        store.create(world_id, seed=new.seed, now=new.now, home=new.home)
    except ValueError as error:
        raise Refusal.conflict(f"{error}.") from None
    return world_id


def _world_id(request: Request) -> str:
    for name, value in request.scope["headers"]:
        if name == _WORLD_HEADER and value:
            return bytes(value).decode("latin-1")
    raise Refusal(f"The header {WORLD_HEADER} is missing; it names the world.")


def _query(request: Request) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in given:
            raise Refusal(f"The parameter '{name}' is given twice.")
        given[name] = value
    return given


async def _body(request: Request) -> dict[str, str]:
    body = await read_body(request.receive)
    if not body:
        return {}
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refusal("The body is not JSON.") from None
    if not isinstance(data, dict):
        raise Refusal("The body is not a JSON object.")
    for name, value in data.items():
        if isinstance(value, (bool, list, dict)) or value is None:
            raise Refusal(f"The parameter '{name}' is neither a text nor a number.")
    return {name: str(value) for name, value in data.items()}


def _json(content: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type=_JSON)


def _unknown(error: UnknownWorld) -> Response:
    return _answer(404, "UNKNOWN_WORLD", f"{error}.")


def _answer(status: int, code: str, message: str) -> Response:
    return _json({"code": code, "msg": message, "data": None}, status)


def _refused(refusal: Refusal) -> Response:
    return _answer(refusal.status, refusal.code, refusal.message)
