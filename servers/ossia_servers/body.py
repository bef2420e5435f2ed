"""The body of a request, as far as it is small enough."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from ossia_servers.schema import Refusal

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
    body = await read_until_too_large(receive)
    if len(body) > MAX_BODY:
        limit = f"The body is larger than {MAX_BODY} bytes."
        raise Refusal(limit, status=413, code="TOO_LARGE")
    return body


async def read_until_too_large(receive: Receive) -> bytes:
    """Return the body of a request, or so much of it that `MAX_BODY` is exceeded.

    Args:
        receive: The request's ASGI channel.

    Raises:
        ClientDisconnect: The client hung up before its end.
    """
    body, more = b"", True
    while more and len(body) <= MAX_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def channel_of(body: bytes) -> Receive:
    """Return an ASGI channel that brings a whole body.

    Args:
        body: The body, read already.
    """

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
