"""`ossia serve`: the domain servers alone, for agents of one's own."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from ossia import serving
from ossia.cli import options
from ossia.cli.groups import grouped
from ossia.cli.told import say
from ossia.loop import run_in_order
from ossia.stopping import end_undisturbed
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW

_NOW: Final = DEFAULT_NOW.isoformat(timespec="minutes")


@dataclass(frozen=True)
class ServeOptions:
    """What is served, where, and to whom."""

    host: Annotated[str, typer.Option(help="Address to listen on; loopback by default.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8023
    token_env: Annotated[
        str | None,
        typer.Option(
            help="Name of the environment variable with the token that requests must carry"
            " (`Authorization: Bearer`); required outside loopback."
        ),
    ] = None
    admin_token_env: Annotated[
        str | None,
        typer.Option(
            help="Name of the environment variable with the token for making, reading and deleting"
            " worlds; when left out, one is generated and printed."
        ),
    ] = None
    now: Annotated[
        str | None,
        typer.Option(
            help=f"The frozen clock of the first world; {_NOW} when left out. Refused for a suite"
            " whose tasks bring databases: its clock is theirs."
        ),
    ] = None
    home: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_HOME_LOCATION",
            help=f"The home location; {DEFAULT_HOME} when left out. Refused in the same cases as"
            " --now.",
        ),
    ] = None
    database: Annotated[
        Path | None, typer.Option(help="Keep worlds in this file instead of in memory.")
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            help="Share worlds with other servers by this database,"
            " postgresql://USER@HOST:5432/NAME; needs --admin-token-env and the extra"
            " ossia[scale]. A password is better in PGPASSWORD or ~/.pgpass."
        ),
    ] = None
    suite: options.Suite = "assistant"
    tasks: options.Tasks = serving.ANY_TASKS
    compat: Annotated[
        str | None,
        typer.Option(
            help="2024 makes WorkBench's tools behave as in the release of 2024, including its"
            " bugs."
        ),
    ] = None
    mcp: Annotated[
        bool,
        typer.Option(
            "--mcp",
            help="Offer the domains as MCP tools, too, at /mcp over streamable HTTP; needs the"
            " extra ossia[mcp].",
        ),
    ] = False


@grouped
def serve_command(wanted: ServeOptions) -> None:
    """Serve all domains of a suite over HTTP until Ctrl-C, with one world ready to use.

    If a suite's tasks bring databases, the first world starts as the first task does. Stopped by
    Ctrl-C or SIGTERM, it shuts down cleanly, with exit code 0.
    """
    mcp = wanted.mcp
    shared = serving.address_of(wanted.store, wanted.database, wanted.admin_token_env)
    tokens = serving.tokens_of(wanted.host, wanted.token_env, wanted.admin_token_env, os.environ)
    ready = serving.ready_of(wanted.suite, wanted.tasks, wanted.now, wanted.home, wanted.compat)
    if mcp:
        serving.require_mcp()

    opened = serving.opened(wanted.host, wanted.port, shared or wanted.database, ready)
    with opened as (listener, store):

        async def answer() -> None:
            async with serving.answering(listener, store, ready, tokens, mcp=mcp) as (url, world):
                say(serving.welcome(url, world, ready, tokens, mcp=mcp))
                await asyncio.Event().wait()

        try:
            run_in_order(answer())
        except KeyboardInterrupt:
            # What a server is stopped by is no failure.
            end_undisturbed()
