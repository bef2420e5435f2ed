"""The tools of the roles: the same real functions for every framework.

Annotations are kept as real types here (no postponed evaluation), since some frameworks read
``__annotations__`` directly when they derive a tool's schema.
"""

import json
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from ossia_adapter.client import TooLarge, send

__all__ = ["CALL_HEADER", "TOOLS", "WORLD_HEADER", "UnknownToolError", "bind"]

WORLD_HEADER = "X-Ossia-World"
# Another value for each call of a tool, by which the checks tell it from a request past the tools.
CALL_HEADER = "X-Ossia-Tool-Call"
TIMEOUT_SECONDS = 30.0
MAX_BODY_BYTES = 1_000_000
# Worlds are made and compared by the runner; an agent acts inside one and does not manage them.
PRIVATE_PATHS = ("worlds",)
METHODS = ("GET", "POST")

Tool = Callable[..., str]


class UnknownToolError(LookupError):
    """A tool was asked for that does not exist."""


class _Refused(ValueError):
    """An address or a method that the tools do not allow."""


@dataclass(frozen=True, slots=True)
class _Servers:
    """The servers of one world, and how long one answer may take."""

    url: str
    world: str
    seconds: float


def _failure(code: str, message: str) -> str:
    body = {"code": code, "msg": message, "data": None}
    return json.dumps({"status": 0, "body": body}, ensure_ascii=False)


def _target(servers_url: str, url: str) -> str:
    """Return the full address of ``url`` on the servers.

    Raises:
        _Refused: It is an address elsewhere, no path, or a path that is not for agents.
    """
    base = servers_url.rstrip("/")
    path = url.strip()
    if path.startswith((base + "/", base + "?")):
        path = path[len(base) :]
    if not path.startswith("/") or path.startswith("//") or "\\" in path:
        raise _Refused("the url must be a path on the servers, such as /weather?intent=...")
    if any(ord(letter) < 32 for letter in path):
        raise _Refused("the url must not contain control characters")
    segments = unquote(urlsplit(path).path).strip("/").split("/")
    if ".." in segments or "." in segments or segments[0].casefold() in PRIVATE_PATHS:
        raise _Refused("this path of the servers is not for agents")
    return base + path


def _fetch(method: str, address: str, world: str, seconds: float) -> tuple[int, Any]:
    """Make one request and return its status and body, parsed when it is JSON."""
    headers = {
        WORLD_HEADER: world,
        CALL_HEADER: secrets.token_hex(8),
        "Accept": "application/json",
    }
    answer = send(method, address, seconds=seconds, headers=headers, most_bytes=MAX_BODY_BYTES)
    try:
        return answer.status, json.loads(answer.body)
    except ValueError:
        return answer.status, answer.body.decode("utf-8", "replace")


def _request(servers: _Servers, method: str, url: str) -> str:
    """Make one request to the servers and return its status and body as JSON text."""
    try:
        # Arguments come from a model through a framework, so their kinds are not certain.
        verb = str(method).strip().upper()
        if verb not in METHODS:
            raise _Refused(f"the method must be one of {', '.join(METHODS)}")
        status, body = _fetch(verb, _target(servers.url, str(url)), servers.world, servers.seconds)
    except (_Refused, TooLarge) as refusal:
        return _failure("REFUSED", str(refusal))
    except TimeoutError:
        return _failure("TIMEOUT", "the server did not answer in time")
    except (OSError, ValueError) as error:
        return _failure("UNREACHABLE", f"the server could not be reached ({type(error).__name__})")
    return json.dumps({"status": status, "body": body}, ensure_ascii=False)


def _bind_get_date(servers: _Servers) -> Tool:
    def get_date() -> str:
        """Return today's date, the weekday and the time of day as JSON text."""
        answer = _request(servers, "GET", "/clock")
        found = json.loads(answer)
        if found["status"] != 200 or not isinstance(found["body"], dict):
            return answer
        clock = {key: found["body"].get(key) for key in ("date", "weekday", "time")}
        return json.dumps(clock, ensure_ascii=False)

    return get_date


def _bind_http_request(servers: _Servers) -> Tool:
    def http_request(method: str, url: str) -> str:
        """Send one HTTP request to the servers and return its status and body as JSON text.

        Args:
            method: GET or POST.
            url: The path with its query, such as /calendar?intent=calendar_query&date=2026-03-14
        """
        return _request(servers, method, url)

    return http_request


_BINDERS: dict[str, Callable[[_Servers], Tool]] = {
    "get_date": _bind_get_date,
    "http_request": _bind_http_request,
}
TOOLS = tuple(_BINDERS)


def bind(
    names: Iterable[str], *, servers_url: str, world: str, seconds: float = TIMEOUT_SECONDS
) -> tuple[Tool, ...]:
    """Return the functions of these tools for one world.

    Args:
        names: The tools' names, in the order wanted.
        servers_url: The base URL of the domain servers.
        world: The id of the world that every request carries.
        seconds: The longest one answer may take; `TIMEOUT_SECONDS` where that is shorter.

    Returns:
        One plain function for each name; it returns JSON text and never raises for what a
        server answers or fails to answer.

    Raises:
        UnknownToolError: A name is not a tool.
    """
    servers = _Servers(servers_url, world, min(seconds, TIMEOUT_SECONDS))
    functions = []
    for name in names:
        if name not in _BINDERS:
            raise UnknownToolError(f"there is no tool {name!r}")
        functions.append(_BINDERS[name](servers))
    return tuple(functions)
