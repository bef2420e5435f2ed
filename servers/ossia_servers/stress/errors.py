"""Errors of an interface to models, as providers and the proxies before them send them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson

from ossia_servers.stress.texts import HTML_PAGE


@dataclass(frozen=True, slots=True)
class ApiError:
    """An HTTP error.

    Attributes:
        status: Its status.
        body: Its body.
        media: Its media type.
        headers: What it says beside.
    """

    status: int
    body: bytes
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


SOON: Final[Mapping[str, str]] = {"retry-after-ms": "20"}
"""Clients of OpenAI's that try again by themselves wait no longer: nobody learns from waiting."""


def _error(
    status: int, message: str, kind: str, code: str | None, headers: Mapping[str, str] | None = None
) -> ApiError:
    told = {"message": message, "type": kind, "param": None, "code": code}
    return ApiError(status, orjson.dumps({"error": told}), headers=headers or {})


_OVERLOADED: Final = _error(
    503, "The engine is currently overloaded, please try again later.", "server_error", None, SOON
)

ERRORS: Final[Mapping[str, ApiError]] = {
    "refused": _error(
        400,
        "The response was filtered due to the prompt triggering the content management policy.",
        "invalid_request_error",
        "content_filter",
    ),
    "unauthorized": _error(
        401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
    ),
    # A second is the least that the usual header can say without "at once".
    "rate-limited": _error(
        429,
        "Rate limit reached for requests. Please try again in 1s.",
        "requests",
        "rate_limit_exceeded",
        {"retry-after": "1", **SOON},
    ),
    "server-error": _error(
        500, "The server had an error while processing your request.", "server_error", None, SOON
    ),
    "unavailable": _OVERLOADED,
    "slow-unavailable": _OVERLOADED,
    "bad-gateway": ApiError(502, HTML_PAGE.encode(), "text/html", SOON),
}
"""By the kind of fault."""
