"""Refuses what a web page can make a browser send, before any application sees it.

A page of a stranger reaches loopback too: by requests that need no leave (forms, plain text), or by
a name of its own that it points at 127.0.0.1 later (DNS rebinding). No agent sends such requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Fault", "guarded", "hosts_of", "is_loopback", "plainly"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request is refused.

    Attributes:
        status: The HTTP status of the answer.
        code: A word for programs.
        message: One sentence.
    """

    status: int
    code: str
    message: str


Told = Callable[[Fault], bytes]
"""Writes a fault as the JSON body of an answer."""

_HOSTS: Final = Fault(400, "BAD_REQUEST", "A request names its host in one Host header.")
_FOREIGN: Final = Fault(
    421, "FOREIGN_HOST", "This server answers for its own address alone: see the Host header."
)
_PAGE: Final = Fault(403, "WEB_PAGE", "This server does not answer web pages.")
_TYPE: Final = Fault(415, "NOT_JSON", "A body has to come with the content type application/json.")

_WATCHED: Final = frozenset(
    (
        b"content-length",
        b"content-type",
        b"host",
        b"origin",
        b"sec-fetch-site",
        b"transfer-encoding",
    )
)
_OWN_TAB: Final = frozenset((b"none", b"same-origin"))
"""What `Sec-Fetch-Site` says where a user typed the address, and where our own answer asks on."""


def plainly(fault: Fault) -> bytes:
    """Return a fault in the form of the domain servers' answers."""
    return orjson.dumps({"code": fault.code, "msg": fault.message, "data": None})


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address or name."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def hosts_of(address: str, port: int) -> frozenset[bytes] | None:
    """Return what `Host` may say to a server, or None where it may say anything.

    An address that others reach has names that nobody here can know.

    Args:
        address: The IP address that it listens on.
        port: Its port.
    """
    if not is_loopback(address):
        return None
    own = f"[{address}]" if ":" in address else address
    names = {"localhost", "127.0.0.1", "[::1]", own.lower()}
    return frozenset(text.encode() for name in names for text in (name, f"{name}:{port}"))


def guarded(app: ASGIApp, hosts: frozenset[bytes] | None, told: Told = plainly) -> ASGIApp:
    """Return an application that answers agents alone.

    Refused are a `Host` that is not the server's (421), an `Origin` or another sign of a web page
    (403), and a body that is not called `application/json` (415).

    Args:
        app: What is served.
        hosts: What `Host` may say, as `hosts_of` returns it.
        told: Writes the answer's body.
    """

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        fault = _fault(scope["headers"], hosts) if scope["type"] == "http" else None
        if fault is None:
            await app(scope, receive, send)
            return
        body = told(fault)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ]
        await send({"type": "http.response.start", "status": fault.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return guard


def _fault(headers: Sequence[tuple[bytes, bytes]], hosts: frozenset[bytes] | None) -> Fault | None:
    host: bytes | None = None
    types: list[bytes] = []
    has_body = False
    for name, value in headers:
        if name not in _WATCHED:
            continue
        if name == b"host":
            if host is not None:
                return _HOSTS
            host = value
        elif name == b"content-type":
            types.append(value)
        elif name == b"content-length":
            has_body = has_body or value.strip(b"0") != b""
        elif name == b"transfer-encoding":
            has_body = True
        elif name == b"origin" or value.lower() not in _OWN_TAB:
            return _PAGE
    if host is None:
        return _HOSTS
    if hosts is not None and host not in hosts and host.lower() not in hosts:
        return _FOREIGN
    if has_body and not (types and all(map(_is_json, types))):
        return _TYPE
    return None


def _is_json(value: bytes) -> bool:
    return value.partition(b";")[0].strip().lower() == b"application/json"
