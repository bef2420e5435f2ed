"""Bearer tokens in front of an application: for everything, or for managing worlds alone."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

_REFUSED = b'{"code":"UNAUTHORIZED","msg":"The bearer token is missing or wrong.","data":null}'
_NOT_ADMIN = (
    b'{"code":"UNAUTHORIZED","msg":"Making, reading and deleting worlds needs the admin token.",'
    b'"data":null}'
)

WORLDS_PATH = "/worlds"
"""What the paths by which worlds are managed begin with."""


def new_token() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def demand_token(app: ASGIApp, *tokens: str) -> ASGIApp:
    """Return an application that answers only requests with `Authorization: Bearer <token>`.

    Args:
        app: what is served to those who have a token.
        tokens: the secrets, each of which is enough, compared in constant time.

    Raises:
        ValueError: a token is empty.
    """
    return _demand(app, tokens, lambda path: True, _REFUSED)


def demand_admin_token(app: ASGIApp, token: str) -> ASGIApp:
    """Return an application that lets only those manage worlds who have the token.

    Whoever knows a world's id may act in it all the same.

    Args:
        app: the domain servers.
        token: the secret, compared in constant time.

    Raises:
        ValueError: the token is empty.
    """

    def manages(path: str) -> bool:
        return path == WORLDS_PATH or path.startswith(f"{WORLDS_PATH}/")

    return _demand(app, (token,), manages, _NOT_ADMIN)


def _demand(
    app: ASGIApp, tokens: tuple[str, ...], guards: Callable[[str], bool], refused: bytes
) -> ASGIApp:
    if not tokens or not all(tokens):
        raise ValueError("an empty token guards nothing")
    expected = [f"Bearer {token}".encode() for token in tokens]

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not guards(scope["path"]) or _carries(scope, expected):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": refused})

    return guarded


def _carries(scope: Scope, expected: list[bytes]) -> bool:
    given = _authorization(scope)
    return any(hmac.compare_digest(given, each) for each in expected)


def _authorization(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return bytes(value)
    return b""
