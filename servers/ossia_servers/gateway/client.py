"""The HTTP client towards an endpoint: what it sends along, and what goes wrong, in words."""

from __future__ import annotations

import re
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final

from ossia_servers.gateway.replies import ACCEPTED_ENCODINGS

if TYPE_CHECKING:
    import httpx

__all__ = ["LOCATION", "connection_error", "open_client"]

LOCATION: Final = "x-ossia-location"
"""The header under which the address of a redirect is kept."""

_WORDS: Final = {
    "ConnectError": "no connection",
    "ConnectTimeout": "no connection in time",
    "ReadError": "the connection broke before the answer was complete",
    "WriteError": "the connection broke before the request was sent",
    "RemoteProtocolError": "the answer is not valid HTTP",
    "LocalProtocolError": "the request is not valid HTTP",
    "ProxyError": "the proxy refused the connection",
    "UnsupportedProtocol": "the address has an unsupported protocol",
    "InvalidURL": "the address is not valid",
}
"""By the classes of httpx's errors."""

_BYTES: Final = re.compile(r"(?:bytearray\()?\bb('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\)?")
"""How Python writes bytes: what is in the quotes is enough."""


def open_client(api_key: str | None, connections: int) -> httpx.AsyncClient:
    """Return a client without time-outs, which follows no redirect and keeps no cookie.

    Args:
        api_key: The endpoint's key; None where it needs none.
        connections: Most connections at once.
    """
    import httpx

    headers = {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": ACCEPTED_ENCODINGS,
    }
    if api_key:
        headers["authorization"] = f"Bearer {api_key}"
    return httpx.AsyncClient(
        headers=headers,
        cookies=_no_cookies(),
        timeout=None,
        limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        event_hooks={"response": [_keep_location]},
    )


def connection_error(error: Exception) -> str:
    """Return what went wrong with a connection, in words.

    Args:
        error: As httpx raised it.
    """
    words = _WORDS.get(type(error).__name__, "the connection failed")
    details = _BYTES.sub(r"\1", str(error)).strip().rstrip(".")
    return f"{words}: {details}" if details else words


def _no_cookies() -> CookieJar:
    """Return a jar that keeps nothing and reads nothing.

    A cookie would tie the requests of one framework to those of another, and the standard library
    prints a traceback for one that it cannot read.
    """
    return CookieJar(DefaultCookiePolicy(netscape=False, rfc2965=False))


async def _keep_location(response: httpx.Response) -> None:
    """Keep the address of a redirect from httpx, which reads it and fails where it is not valid.

    No redirect is followed, so none has to be valid.
    """
    if "location" in response.headers:
        response.headers[LOCATION] = response.headers.pop("location")
