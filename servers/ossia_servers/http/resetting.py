"""How an application resets the connection of a request, in place of an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

__all__ = ["RESET", "reset_connection"]

RESET: Final = "ossia.reset"
"""The extension of a request's scope that `serve` gives for it."""


async def reset_connection(
    scope: Mapping[str, Any], receive: Callable[[], Awaitable[Mapping[str, Any]]]
) -> None:
    """Reset the connection of a request that `serve` serves; what was sent before may arrive.

    Args:
        scope: The request's.
        receive: Where the connection tells what comes.
    """
    scope["extensions"][RESET]()
    # Whoever returns without an answer while the connection is up is taken to be broken.
    while (await receive())["type"] != "http.disconnect":
        pass
