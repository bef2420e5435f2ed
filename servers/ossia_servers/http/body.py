"""The body of a request, as far as it is small enough."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from ossia_servers.worlds.schema import Refusal

MAX_BODY = 64 * 1024
"""Largest accepted request body in bytes: a long mail fits, a flood does not."""


async def read_body(receive: Receive) -> bytes:
    """Return the body of a request.

    Args:
        receive: The request's ASGI channel.

    Raises:
        Refusal: It is larger than `MAX_BODY`.
        ClientDisconnect: The client hung up before its end.
    """
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            limit = f"The body is larger than {MAX_BODY} bytes."
            raise Refusal(limit, status=413, code="TOO_LARGE")
        more = message.get("more_body", False)
    return body
