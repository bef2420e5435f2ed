"""How an application ends the connection of a request, in place of an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

__all__ = ["CUT", "end_connection"]

CUT: Final = "ossia.cut"
"""The extension of ASGI by which an application ends a connection without an answer.

`scope["extensions"][CUT]["end"]` is a function: called with true it resets the connection, else it
closes it."""


async def end_connection(
    scope: Mapping[str, Any],
    receive: Callable[[], Awaitable[Mapping[str, Any]]],
    *,
    reset: bool,
) -> None:
    """End the connection of a request that `serve` serves; what was sent before may arrive.

    Args:
        scope: The request's.
        receive: Where the connection tells what comes.
        reset: Whether it is reset, and not closed.
    """
    scope["extensions"][CUT]["end"](reset)
    # Whoever returns without an answer while the connection is up is taken to be broken.
    while (await receive())["type"] != "http.disconnect":
        pass
