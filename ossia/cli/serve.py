"""`ossia serve`: the domain servers alone, for agents of one's own."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final

import typer

from ossia import loop
from ossia.cli import options
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia_dataset.tasks import CLOCK_YEARS, DEFAULT_HOME, DEFAULT_NOW
from ossia_servers.domain import Domain

_SEED: Final = "home"
"""The start state of a world that belongs to no task."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("serve")(serve_command)


def serve_command(
    host: Annotated[
        str, typer.Option(envvar="OSSIA_HOST", help="Address to listen on; loopback by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="OSSIA_PORT", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = 8023,
    token_env: Annotated[
        str | None,
        typer.Option(
            "--token-env",
            envvar="OSSIA_TOKEN_ENV",
            help="Name of the environment variable with the token that requests must carry"
            " (`Authorization: Bearer`); demanded outside loopback.",
        ),
    ] = None,
    now: Annotated[
        str, typer.Option(envvar="OSSIA_NOW", help="The frozen clock of the first world.")
    ] = DEFAULT_NOW.isoformat(timespec="minutes"),
    home: Annotated[
        str, typer.Option("--home", envvar="OSSIA_HOME_LOCATION", help="The home location.")
    ] = DEFAULT_HOME,
    database: Annotated[
        Path | None,
        typer.Option(envvar="OSSIA_DATABASE", help="Keep worlds in this file; else in memory."),
    ] = None,
    suite: options.Suite = "assistant",
    tasks: options.Tasks = "test",
) -> None:
    """Serve all domains of a suite over HTTP until Ctrl-C, with one world ready to use.

    The first world of a suite whose tasks bring databases starts as its first task does.
    """
    token = _token(host, token_env)
    try:
        clock = datetime.fromisoformat(now)
    except ValueError:
        raise UserError(f"--now is no date and time: '{now}'") from None
    if clock.tzinfo is not None:
        raise UserError("--now is local time without a zone")
    if clock.year not in CLOCK_YEARS:
        raise UserError(f"--now lies outside {CLOCK_YEARS.start} to {CLOCK_YEARS.stop - 1}")
    loop.run(_serve(host, port, token, _ready(suite, tasks, clock, home), database))


@dataclass(frozen=True)
class _Ready:
    """The servers of a suite, and the first world that is ready to use."""

    domains: Sequence[Domain]
    catalogue: str
    example: str
    seed: str
    now: datetime
    home: str


def _ready(suite: str, tasks: str, now: datetime, home: str) -> _Ready:
    found, seed = find_suite(suite), _SEED
    if found.starts_with_tasks:
        first = found.tasks(tasks)[0]
        seed, now, home = first.seed, first.now, first.home
    domains = found.domains(tasks)
    return _Ready(domains, found.catalogue(domains), found.example, seed, now, home)


async def _serve(
    host: str, port: int, token: str | None, ready: _Ready, database: Path | None
) -> None:
    from ossia_servers.app import build_app
    from ossia_servers.serving import serve
    from ossia_servers.token import demand_token
    from ossia_servers.worlds import WorldStore

    try:
        store = WorldStore(ready.domains, database)
    except (ValueError, sqlite3.DatabaseError) as error:
        raise UserError(f"--database {database} cannot be used: {error}") from None
    try:
        world = store.create(store.free_id(), seed=ready.seed, now=ready.now, home=ready.home)
        app = build_app(ready.domains, store)
        try:
            async with serve(
                app if token is None else demand_token(app, token), host=host, port=port
            ) as url:
                typer.echo(_welcome(url, world.id, ready, token is not None))
                await asyncio.Event().wait()
        except OSError as error:
            raise UserError(error.strerror or str(error)) from None
    finally:
        store.close()


def _token(host: str, variable: str | None) -> str | None:
    """Return the token to demand, or None on loopback without one.

    Raises:
        UserError: the address is not loopback and no token is given.
    """
    token = os.environ.get(variable) if variable is not None else None
    if variable is not None and not token:
        raise UserError(f"the environment variable {variable} holds no token")
    if token is None and not _is_loopback(host):
        raise UserError(
            f"{host} can be reached from elsewhere: give --token-env with the name of a variable"
            " that holds a token"
        )
    return token


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _welcome(url: str, world: str, ready: _Ready, guarded: bool) -> str:
    bearer = ' -H "Authorization: Bearer $TOKEN"' if guarded else ""
    example = f"{url}{ready.example}"
    return (
        f"Domain servers at {url}, OpenAPI at {url}/openapi.json, first world: {world}\n\n"
        f"{ready.catalogue}\n\n"
        f"Try:  curl{bearer} -H 'X-Ossia-World: {world}' '{example}'\n"
        "Stop with Ctrl-C."
    )
