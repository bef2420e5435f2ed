"""What the gateway itself answers where it refuses, and bodies that it does not read."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ossia_servers.gateway.chat import ChatRequest, error_body, read_request
from ossia_servers.gateway.records import BudgetPart

__all__ = [
    "MOST_BODY_BYTES",
    "budget_spent",
    "http_error",
    "read_body",
    "refusal",
    "unknown_episode",
]

MOST_BODY_BYTES = 16 * 1024 * 1024
"""Longer requests are malformed."""

_JSON = "application/json"


async def read_body(http: Request) -> ChatRequest:
    """Return the request in a body; one that is too long or broken off says what its fault is."""
    parts: list[bytes] = []
    size = 0
    try:
        async for part in http.stream():
            size += len(part)
            if size > MOST_BODY_BYTES:
                return ChatRequest({}, fault=f"The body exceeds {MOST_BODY_BYTES} bytes.")
            parts.append(part)
    except ClientDisconnect:
        return ChatRequest({}, fault="The body did not arrive in full.")
    return read_request(b"".join(parts))


def refusal(status: int, message: str, kind: str, code: str) -> Response:
    """Return an error that the gateway itself answers with."""
    # The gateway has already retried what can be retried; clients that know this header obey it.
    headers = {"x-should-retry": "false"}
    return Response(error_body(message, kind, code), status, headers, _JSON)


def unknown_episode() -> Response:
    """Return the answer to a key that no open episode has."""
    message = "The API key belongs to no open episode."
    return refusal(401, message, "ossia_unknown_episode", "unknown_episode")


def budget_spent(message: str, part: BudgetPart) -> Response:
    """Return the answer to a call that the budget does not allow."""
    return refusal(403, message, "ossia_budget", part)


async def http_error(http: Request, error: Exception) -> Response:
    """Return the answer to a request that is not served."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = (
        f"{http.method} {http.url.path} is not served; there are POST /v1/chat/completions "
        "and GET /v1/models."
    )
    return refusal(status, message, "invalid_request_error", "not_served")
