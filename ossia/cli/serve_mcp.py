"""`ossia serve --mcp`: the domain servers as tools of the Model Context Protocol."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from ossia.errors import UserError
from ossia_servers.worlds.domain import Domain

if TYPE_CHECKING:
    from starlette.types import ASGIApp

WithMcp = Annotated[
    bool,
    typer.Option(
        "--mcp",
        envvar="OSSIA_MCP",
        help="Offer the domains as MCP tools, too, at /mcp over streamable HTTP; needs the extra"
        " ossia[mcp].",
    ),
]


def import_mcp() -> None:
    """Import what `with_tools` needs.

    Raises:
        UserError: it is not installed.
    """
    if find_spec("mcp") is None:
        raise UserError(f"--mcp needs an extra: {_how_to_install()}")
    try:
        import ossia_servers.http.mcp_tools  # noqa: F401
    except ImportError as error:
        raise UserError(f"--mcp needs mcp 2 or later: {_how_to_install()} ({error})") from None


def _how_to_install() -> str:
    return f"{shlex.quote(sys.executable)} -m pip install 'ossia[mcp]'"


@asynccontextmanager
async def with_tools(
    app: ASGIApp, domains: Sequence[Domain], *, wanted: bool
) -> AsyncIterator[ASGIApp]:
    """Stand tools before an application while the block runs, if they are wanted.

    Args:
        app: Answers for the domains.
        domains: What the tools are made of.
        wanted: Whether the user asked for them.

    Yields:
        What answers for both.
    """
    if not wanted:
        yield app
        return
    from ossia_servers.http.mcp_tools import McpTools

    tools = McpTools(domains, app)
    async with tools.running():
        yield tools


def told_of_mcp(url: str, world: str, *, bearer: bool) -> str:
    """Return the line that tells where the tools are."""
    from ossia_servers.http.mcp_tools import MCP_PATH

    token = " and `Authorization: Bearer $TOKEN`" if bearer else ""
    return f"MCP tools at {url}{MCP_PATH}, with the header `X-Ossia-World: {world}`{token}\n"
