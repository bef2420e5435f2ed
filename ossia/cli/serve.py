"""`ossia serve`: the domain servers alone, for agents of one's own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import uvloop

from ossia.cli import options
from ossia.cli.interrupt import end_undisturbed, stopped_as_by_ctrl_c, stopped_in_order
from ossia.cli.serve_mcp import WithMcp, import_mcp, told_of_mcp, with_tools
from ossia.cli.serve_tokens import AdminTokenEnv, TokenEnv, Tokens, tokens_of
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites import find_suite
from ossia_dataset.tasks import CLOCK_YEARS, DEFAULT_HOME, DEFAULT_NOW, MAX_HOME
from ossia_servers.worlds.domain import Domain

if TYPE_CHECKING:
    from ossia_servers.worlds import WorldStore

_SEED: Final = "home"
"""The start state of a world that belongs to no task."""

_ANY_TASKS: Final = "test"
"""The tasks that are meant where none are named."""

_NOW: Final = DEFAULT_NOW.isoformat(timespec="minutes")


_Compat = Annotated[
    str | None,
    typer.Option(
        envvar="OSSIA_COMPAT",
        help="2024 serves WorkBench's tools as the release of 2024 behaves, its kept bugs"
        " included.",
    ),
]


def serve_command(
    host: Annotated[
        str, typer.Option(envvar="OSSIA_HOST", help="Address to listen on; loopback by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="OSSIA_PORT", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = 8023,
    token_env: TokenEnv = None,
    admin_token_env: AdminTokenEnv = None,
    now: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_NOW",
            help=f"The frozen clock of the first world; {_NOW} when left out. Refused for a suite"
            " whose tasks bring databases: its clock is theirs.",
        ),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            "--home",
            envvar="OSSIA_HOME_LOCATION",
            help=f"The home location; {DEFAULT_HOME} when left out. Refused where --now is.",
        ),
    ] = None,
    database: Annotated[
        Path | None,
        typer.Option(envvar="OSSIA_DATABASE", help="Keep worlds in this file; else in memory."),
    ] = None,
    suite: options.Suite = "assistant",
    tasks: options.Tasks = _ANY_TASKS,
    compat: _Compat = None,
    mcp: WithMcp = False,
) -> None:
    """Serve all domains of a suite over HTTP until Ctrl-C, with one world ready to use.

    The first world of a suite whose tasks bring databases starts as its first task does. Stopped
    by Ctrl-C or SIGTERM it ends in order, with exit code 0.
    """
    tokens = tokens_of(host, token_env, admin_token_env)
    ready = _ready(suite, tasks, now, home, compat)
    if mcp:
        import_mcp()
    _serve(_Place(host, port, database, mcp), tokens, ready)


def _clock(now: str) -> datetime:
    """Return the clock that a user names.

    Raises:
        UserError: it is none that a world may have.
    """
    try:
        clock = datetime.fromisoformat(now)
    except ValueError:
        raise UserError(f"--now is no date and time: '{now}'") from None
    if clock.tzinfo is not None:
        raise UserError("--now is local time without a zone")
    if clock.year not in CLOCK_YEARS:
        raise UserError(f"--now lies outside {CLOCK_YEARS.start} to {CLOCK_YEARS.stop - 1}")
    return clock


@dataclass(frozen=True)
class _Place:
    """Where worlds are served and kept, and whether as MCP tools, too."""

    host: str
    port: int
    database: Path | None
    mcp: bool


@dataclass(frozen=True)
class _Ready:
    """The servers of a suite, and the first world that is ready to use."""

    domains: Sequence[Domain]
    catalogue: str
    example: str
    seed: str
    now: datetime
    home: str


def _ready(suite: str, tasks: str, now: str | None, home: str | None, compat: str | None) -> _Ready:
    """Make the servers of a suite.

    Raises:
        UserError: an option does not fit the suite, or its value is none.
    """
    found = find_suite(suite)
    seed, clock = _SEED, _clock(_NOW if now is None else now)
    place = DEFAULT_HOME if home is None else home
    if found.starts_with_tasks:
        for name, given in (("--now", now), ("--home", home)):
            if given is not None:
                raise UserError(f"{name} is not for the suite {suite}: its tasks bring their own")
        first = found.tasks(tasks)[0]
        seed, clock, place = first.seed, first.now, first.home
    elif tasks != _ANY_TASKS:
        raise UserError(f"--tasks is not for the suite {suite}: its servers are the same for all")
    if not 1 <= len(place.strip()) <= MAX_HOME:
        raise UserError(f"--home is no place: '{place[:MAX_HOME]}'")
    domains = found.domains(tasks) if compat is None else _compatible(found, tasks, compat)
    if not domains:
        raise UserError(f"the suite '{found.name}' has no domain servers")
    return _Ready(domains, found.catalogue(domains), found.example, seed, clock, place)


def _compatible(suite: Suite[Any], tasks: str, compat: str) -> Sequence[Domain]:
    """Return the servers of a suite as a published release behaves.

    Raises:
        UserError: no such release of it is known.
    """
    made = suite.compat.get(compat)
    if made is None:
        there = f"; there is: {', '.join(suite.compat)}" if suite.compat else ""
        raise UserError(f"the suite '{suite.name}' has no compatibility '{compat}'{there}")
    return made(tasks)


def _serve(place: _Place, tokens: Tokens, ready: _Ready) -> None:
    from ossia_servers.http.serving import listening

    with ExitStack() as held:
        try:
            listener = held.enter_context(listening(place.host, place.port))
        except OSError as error:
            raise UserError(error.strerror or str(error)) from None
        # After the port is had: this makes files.
        store = held.enter_context(_opened(place.database, ready.domains))
        with stopped_as_by_ctrl_c():
            try:
                uvloop.run(stopped_in_order(_answer(listener, store, place, tokens, ready)))
            except KeyboardInterrupt:
                # What a server is stopped by is no failure.
                end_undisturbed()


async def _answer(
    listener: socket.socket, store: WorldStore, place: _Place, tokens: Tokens, ready: _Ready
) -> None:
    from ossia_servers.http.app import build_app
    from ossia_servers.http.serving import serve
    from ossia_servers.http.token import demand_admin_token, demand_token

    # Before anybody is answered, who may ask for it or be given its id.
    first = store.free_id()
    store.create(first, seed=ready.seed, now=ready.now, home=ready.home)
    servers = build_app(ready.domains, store)
    async with with_tools(servers, ready.domains, wanted=place.mcp) as served:
        app = demand_admin_token(served, tokens.admin)
        if tokens.every is not None:
            app = demand_token(app, tokens.every, tokens.admin)
        async with serve(app, listener=listener) as url:
            say(_welcome(url, first, ready, tokens, mcp=place.mcp))
            await asyncio.Event().wait()


@contextmanager
def _opened(database: Path | None, domains: Sequence[Domain]) -> Iterator[WorldStore]:
    """Open the worlds, and let no other server use their database while the block runs.

    Raises:
        UserError: another does, or the place is none for a database.
    """
    from ossia_servers.worlds import WorldStore

    with ExitStack() as held:
        try:
            if database is not None:
                # Beside the database: SQLite's own locks go when any descriptor of it closes. Not
                # Path.resolve(): of a link that points at itself it makes another kind of error.
                name = f"{os.path.realpath(database)}.lock"
                lock = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
                held.callback(os.close, lock)
                # The system ends it with the process; the file stays, or two servers could get in.
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            store = held.enter_context(closing(WorldStore(domains, database)))
        except BlockingIOError:
            raise UserError(f"--database {database} is in use by another `ossia serve`") from None
        except OSError as error:
            raise UserError(f"--database {database} cannot be used: {error.strerror}") from None
        except (ValueError, sqlite3.DatabaseError) as error:
            raise UserError(f"--database {database} cannot be used: {error}") from None
        yield store


def _needs(domains: Sequence[Domain]) -> str:
    from ossia_servers.worlds.needs import needs_text

    return f"What intents need to be told; the others do without:\n{needs_text(domains)}"


def _welcome(url: str, world: str, ready: _Ready, tokens: Tokens, *, mcp: bool) -> str:
    bearer = ' -H "Authorization: Bearer $TOKEN"' if tokens.every is not None else ""
    example = f"{url}{ready.example}"
    tools = told_of_mcp(url, world, bearer=bool(bearer)) if mcp else ""
    admin = tokens.admin if tokens.admin_made else "as in the variable that you named"
    return (
        f"Domain servers at {url}, OpenAPI at {url}/openapi.json, first world: {world}\n"
        f"For agents: OpenAPI at {url}/openapi.agent.json\n"
        f"{tools}\n"
        f"{ready.catalogue}\n\n"
        f"{_needs(ready.domains)}\n\n"
        f"Try:  curl{bearer} -H 'X-Ossia-World: {world}' '{example}'\n"
        f"Admin token, for {url}/worlds alone and not for agents: {admin}\n"
        "Stop with Ctrl-C."
    )
