"""A suite's domain servers alone, for agents of one's own: what `ossia serve` opens and answers."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites import find_suite
from ossia_dataset.tasks import CLOCK_YEARS, DEFAULT_HOME, DEFAULT_NOW, MAX_HOME
from ossia_servers.worlds.domain import Domain

if TYPE_CHECKING:
    from ossia.storage.postgres import Address
    from ossia_servers.worlds import Worlds

ANY_TASKS: Final = "test"
"""The tasks that are meant where none are named."""

_SEED: Final = "home"
"""The start state of a world that belongs to no task."""


@dataclass(frozen=True)
class Tokens:
    """What requests have to carry."""

    every: str | None
    """Each request; None where none is demanded."""
    admin: str
    """Requests that make, read and delete worlds; it does for every other, too."""
    admin_made: bool
    """Whether the admin token was made here, so that nobody knows it yet."""


@dataclass(frozen=True)
class Ready:
    """The servers of a suite, and the first world that is ready to use."""

    domains: Sequence[Domain]
    catalogue: str
    example: str
    seed: str
    now: datetime
    home: str
    release: str | None
    """The published release that they behave as."""


def tokens_of(
    host: str, variable: str | None, admin_variable: str | None, environ: Mapping[str, str]
) -> Tokens:
    """Return the tokens to demand; on loopback each request needs one only where one is named.

    Args:
        host: the address to listen on.
        variable: the variable that holds the token of every request.
        admin_variable: the variable that holds the admin token; one is made when left out.
        environ: the environment variables.

    Raises:
        UserError: the address is not loopback and no token is given, a variable that is named
            holds none, or both hold the same.
    """
    from ossia_servers.http.guard import is_loopback
    from ossia_servers.http.token import new_token

    every, admin = _held_in(variable, environ), _held_in(admin_variable, environ)
    if every is None and not is_loopback(host):
        raise UserError(
            f"{host} can be reached from other machines: give --token-env with the name of a"
            " variable"
            " that holds a token"
        )
    if every is not None and every == admin:
        raise UserError(f"{variable} and {admin_variable} hold the same token")
    return Tokens(every, admin or new_token(), admin_made=admin is None)


def address_of(
    store: str | None, database: Path | None, admin_variable: str | None
) -> Address | None:
    """Return the database that several servers share, or None where none is named.

    Raises:
        UserError: it is none, or an option does not fit it.
    """
    if store is None:
        return None
    from ossia.storage.postgres import Address

    if not store.startswith(("postgresql://", "postgres://")):
        raise UserError(
            "--store takes postgresql://USER@HOST:5432/NAME; to keep the worlds of one server in a"
            " file, use --database"
        )
    if database is not None:
        raise UserError(
            "--store and --database name two places for the worlds: give only one of them"
        )
    if admin_variable is None:
        raise UserError(
            "servers that share worlds need the same admin token: give --admin-token-env with the"
            " name of a variable that holds it"
        )
    return Address(store)


def _held_in(variable: str | None, environ: Mapping[str, str]) -> str | None:
    token = None if variable is None else environ.get(variable)
    if variable is not None and not token:
        raise UserError(f"the environment variable {variable} is empty or not set")
    return token


def ready_of(
    suite: str, tasks: str, now: str | None, home: str | None, release: str | None
) -> Ready:
    """Make the servers of a suite.

    Args:
        suite: its name.
        tasks: the tasks whose databases are served, where they bring some.
        now: the frozen clock of the first world; a default one when left out.
        home: its home location, likewise.
        release: the published release to behave as.

    Raises:
        UserError: an option does not fit the suite, or its value is none.
    """
    found = find_suite(suite)
    seed, clock = _SEED, DEFAULT_NOW if now is None else _clock(now)
    place = DEFAULT_HOME if home is None else home
    if found.starts_with_tasks:
        for name, given in (("--now", now), ("--home", home)):
            if given is not None:
                raise UserError(
                    f"{name} cannot be used with the suite {suite}: its tasks bring their own"
                )
        first = found.tasks(tasks)[0]
        seed, clock, place = first.seed, first.now, first.home
    elif tasks != ANY_TASKS:
        raise UserError(
            f"--tasks cannot be used with the suite {suite}: all its tasks have the same servers"
        )
    if not 1 <= len(place.strip()) <= MAX_HOME:
        raise UserError(f"--home is not a place: '{place[:MAX_HOME]}'")
    domains = found.domains(tasks) if release is None else _as_released(found, tasks, release)
    if not domains:
        raise UserError(f"the suite '{found.name}' has no domain servers")
    return Ready(domains, found.catalogue(domains), found.example, seed, clock, place, release)


def _clock(now: str) -> datetime:
    """Return the clock that a user names.

    Raises:
        UserError: it is none that a world may have.
    """
    try:
        clock = datetime.fromisoformat(now)
    except ValueError:
        raise UserError(f"--now is not a date and time: '{now}'") from None
    if clock.tzinfo is not None:
        raise UserError("--now must be local time without a time zone")
    if clock.year not in CLOCK_YEARS:
        raise UserError(f"--now must be in the years {CLOCK_YEARS.start} to {CLOCK_YEARS.stop - 1}")
    return clock


def _as_released(suite: Suite[Any], tasks: str, release: str) -> Sequence[Domain]:
    """Return the servers of a suite as a published release behaves.

    Raises:
        UserError: no such release of it is known.
    """
    made = suite.compat.get(release)
    if made is None:
        there = f"; there is: {', '.join(suite.compat)}" if suite.compat else ""
        raise UserError(f"the suite '{suite.name}' has no compatibility '{release}'{there}")
    return made(tasks)


def require_mcp() -> None:
    """Import what serves the domains as MCP tools.

    Raises:
        UserError: it is not installed.
    """
    how = f"{shlex.quote(sys.executable)} -m pip install 'ossia[mcp]'"
    if find_spec("mcp") is None:
        raise UserError(f"--mcp needs an extra: {how}")
    try:
        import ossia_servers.http.mcp_tools  # noqa: F401
    except ImportError as error:
        raise UserError(f"--mcp needs mcp 2 or later: {how} ({error})") from None


@contextmanager
def opened(
    host: str, port: int, kept: Path | Address | None, ready: Ready
) -> Iterator[tuple[socket.socket, Worlds]]:
    """Listen, and open the worlds, while the block runs; no other server may use their file.

    Args:
        host: the address.
        port: the port; 0 takes a free one.
        kept: the file of the worlds, or the database that servers share; None keeps them in memory.
        ready: what they are for.

    Raises:
        UserError: the port or the file is in use, or the place is none for worlds.
    """
    from ossia_servers.http.serving import listening

    with ExitStack() as held:
        try:
            listener = held.enter_context(listening(host, port))
        except OSError as error:
            raise UserError(error.strerror or str(error)) from None
        # After the port is had: this makes files.
        if kept is None or isinstance(kept, Path):
            store = held.enter_context(_in_file(kept, ready.domains))
        else:
            from ossia.storage.postgres_worlds import PostgresWorlds

            store = held.enter_context(closing(PostgresWorlds(ready.domains, kept, kind_of(ready))))
        yield listener, store


def kind_of(ready: Ready) -> str:
    """Return what is the same for servers that make the same worlds, and differs for others."""
    import orjson

    from ossia_servers.worlds.seeds import SeedContext
    from ossia_servers.worlds.store import build_start

    # Not of its own clock and home, which servers of one kind may begin with as they like.
    start = build_start(ready.domains, SeedContext(ready.seed, DEFAULT_NOW, DEFAULT_HOME))
    said = [(each.name, sorted(intent.name for intent in each.intents)) for each in ready.domains]
    tables = {name: list(table.columns) for name, table in start.tables.items()}
    told = orjson.dumps([ready.release, said, tables, start.rows], default=dict)
    return hashlib.sha256(told).hexdigest()[:16]


@contextmanager
def _in_file(database: Path | None, domains: Sequence[Domain]) -> Iterator[Worlds]:
    from ossia_servers.worlds import WorldStore

    if database is not None and database.is_file() and database.stat().st_nlink > 1:
        # Each name has a lock and a log of its own, so two servers would tear the file.
        raise UserError(
            f"--database {database} has several names (hard links), which may corrupt an SQLite"
            " file: serve a copy"
        )
    known = database is None or _lock_of(database).exists()
    with ExitStack() as held:
        try:
            if database is not None:
                held.callback(os.close, _locked(database))
            store = held.enter_context(closing(WorldStore(domains, database)))
        except BlockingIOError:
            raise UserError(f"--database {database} is in use by another `ossia serve`") from None
        except OSError as error:
            raise UserError(f"--database {database} cannot be used: {error.strerror}") from None
        except (ValueError, sqlite3.DatabaseError) as error:
            if database is not None and not known:
                # Nobody can serve it, so it needs no lock.
                _lock_of(database).unlink(missing_ok=True)
            raise UserError(f"--database {database} cannot be used: {error}") from None
        yield store


def _lock_of(database: Path) -> Path:
    """Return the file whose lock is the database's."""
    # Not Path.resolve(): of a link that points at itself it makes another kind of error.
    return Path(f"{os.path.realpath(database)}.lock")


def _locked(database: Path) -> int:
    """Lock a database to this process, and return the lock's descriptor."""
    # Beside the database: SQLite's own locks go when any descriptor of it closes.
    lock = os.open(_lock_of(database), os.O_RDWR | os.O_CREAT, 0o600)
    with ExitStack() as taken:
        taken.callback(os.close, lock)
        # The system ends it with the process; the file stays, or two servers could get in.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        taken.pop_all()
    return lock


@asynccontextmanager
async def answering(
    listener: socket.socket, store: Worlds, ready: Ready, tokens: Tokens, *, mcp: bool
) -> AsyncIterator[tuple[str, str]]:
    """Answer for a suite's domains while the block runs.

    Args:
        listener: where requests come in.
        store: the worlds.
        ready: what answers.
        tokens: what requests have to carry.
        mcp: also as tools of the Model Context Protocol.

    Yields:
        The base URL, and the first world's id.

    Raises:
        UserError: the first world cannot be stored.
    """
    from ossia_servers.http.app import build_app
    from ossia_servers.http.serving import serve
    from ossia_servers.http.token import demand_admin_token, demand_token
    from ossia_servers.worlds import WorldsUnavailable

    # Before anybody is answered, who may ask for it or be given its id.
    first = store.free_id()
    try:
        store.create(first, seed=ready.seed, now=ready.now, home=ready.home)
    except WorldsUnavailable as error:
        raise UserError(str(error)) from None
    app: Any = build_app(ready.domains, store)
    async with AsyncExitStack() as running:
        if mcp:
            from ossia_servers.http.mcp_tools import McpTools

            tools = McpTools(ready.domains, app)
            await running.enter_async_context(tools.running())
            app = tools
        app = demand_admin_token(app, tokens.admin)
        if tokens.every is not None:
            app = demand_token(app, tokens.every, tokens.admin)
        yield await running.enter_async_context(serve(app, listener=listener)), first


def welcome(url: str, world: str, ready: Ready, tokens: Tokens, *, mcp: bool) -> str:
    """Return what whoever has started the servers has to know of them.

    Args:
        url: their base URL.
        world: the first world's id.
        ready: what answers.
        tokens: what requests have to carry.
        mcp: whether the domains are tools of the Model Context Protocol, too.
    """
    from ossia_servers.worlds.needs import needs_text

    bearer = ' -H "Authorization: Bearer $TOKEN"' if tokens.every is not None else ""
    admin = tokens.admin if tokens.admin_made else "as in the variable that you named"
    catalogue = f"{ready.catalogue}\n\n" if ready.catalogue else ""
    # A suite whose world is empty at first has no request that would succeed.
    tried = f"Try:  curl{bearer} -H 'X-Ossia-World: {world}' '{url}{ready.example}'\n"
    return (
        f"Domain servers at {url}, OpenAPI at {url}/openapi.json, first world: {world}\n"
        f"For agents: OpenAPI at {url}/openapi.agent.json\n"
        f"{_told_of_mcp(url, world, tokens) if mcp else ''}\n"
        f"{catalogue}"
        "Parameters that intents need; the others need none:\n"
        f"{needs_text(ready.domains)}\n\n"
        f"{tried if ready.example else ''}"
        f"Admin token, only for {url}/worlds and not for agents: {admin}\n"
        "Stop with Ctrl-C."
    )


def _told_of_mcp(url: str, world: str, tokens: Tokens) -> str:
    from ossia_servers.http.mcp_tools import MCP_PATH

    bearer = " and `Authorization: Bearer $TOKEN`" if tokens.every is not None else ""
    return f"MCP tools at {url}{MCP_PATH}, with the header `X-Ossia-World: {world}`{bearer}\n"
