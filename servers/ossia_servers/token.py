"""A bearer token in front of an application that can be reached from elsewhere."""

from __future__ import annotations

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

_REFUSED = b'{"code":"UNAUTHORIZED","msg":"The bearer token is missing or wrong.","data":null}'


def demand_token(app: ASGIApp, token: str) -> ASGIApp:
    """Return an application that answers only requests with `Authorization: Bearer <token>`.

    Args:
        app: what is served to those who have the token.
        token: the secret, compared in constant time.

    Raises:
        ValueError: the token is empty.
    """
    if not token:
        raise ValueError("an empty token guards nothing")
    expected = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or hmac.compare_digest(_authorization(scope), expected):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": _REFUSED})

    return guarded


def _authorization(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return bytes(value)
    return b""
