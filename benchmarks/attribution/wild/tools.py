"""Ways to change a tool call or an address that know nothing of what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from benchmarks.attribution.wild.material import Material, Rewrite, Way
from benchmarks.attribution.wild.messages import Called, Message, calls, with_fresh_ids

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get")
NAMES = ("fetch", "http_get", "get_date", "http_request", "search")
"""Names that a tool might have, whatever it is."""

HEADERS = ({"Accept": "text/html"}, {"X-Trace": "1"}, {"Content-Type": "text/plain"})

_ADDRESS = re.compile(r"^/[^\s{}\"]+$")


def _of_calls(edit: Callable[[Called, Random], Message | None]) -> Way:
    """Return a change of one tool call of a message."""

    def way(message: Message, material: Material, draw: Random) -> Message | None:
        found = calls(message)
        return edit(draw.choice(found), draw) if found else None

    return way


def _method(call: Called, draw: Random) -> Message | None:
    names = [n for n, v in call.arguments.items() if isinstance(v, str) and v in METHODS]
    if not names:
        return None
    name = draw.choice(names)
    other = draw.choice([each for each in METHODS if each != call.arguments[name]])
    return call.put(call.name, {**call.arguments, name: other})


def _name(call: Called, draw: Random) -> Message | None:
    options = [*NAMES, call.name.upper(), f"{call.name}_", call.name.replace("_", "-")]
    return call.put(draw.choice([each for each in options if each != call.name]), call.arguments)


def _argument_added(call: Called, draw: Random) -> Message | None:
    name = draw.choice(("timeout", "verbose", "format", "lang", "body"))
    return call.put(call.name, {**call.arguments, name: draw.choice((1, True, "json", ""))})


def _argument_dropped(call: Called, draw: Random) -> Message | None:
    if not call.arguments:
        return None
    gone = draw.choice(sorted(call.arguments))
    return call.put(call.name, {n: v for n, v in call.arguments.items() if n != gone})


def _header(call: Called, draw: Random) -> Message | None:
    given = call.arguments.get("headers")
    had: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    headers = {**had, **draw.choice(HEADERS)}
    return call.put(call.name, {**call.arguments, "headers": headers})


method = _of_calls(_method)
"""Ask with another HTTP method."""
name = _of_calls(_name)
"""Call a tool of another name."""
argument_added = _of_calls(_argument_added)
"""Give a tool an argument that it does not know."""
argument_dropped = _of_calls(_argument_dropped)
"""Leave out an argument."""
header_added = _of_calls(_header)
"""Send a header with the request."""


def twice(message: Message, material: Material, draw: Random) -> Message | None:
    """Make the native calls of a message twice, in the same message."""
    every = list(message.get("tool_calls") or ())
    if not every:
        return None
    again = [{**item, "id": f"{item['id']}b"} for item in every]
    return {**message, "tool_calls": [*every, *again]}


def again(message: Message, material: Material, draw: Random) -> Message | None:
    """Make the role's last call once more, in place of what it says when it has its answer."""
    if not material.earlier or calls(message) == calls(material.earlier[-1]):
        return None
    last = material.earlier[-1]
    return with_fresh_ids(last, "again") if calls(last) else None


def spoken(message: Message, material: Material, draw: Random) -> Message | None:
    """Write the arguments of a native call down instead of calling the tool."""
    every = message.get("tool_calls") or ()
    if not every:
        return None
    return {"role": "assistant", "content": every[0]["function"]["arguments"]}


def _of_addresses(edit: Callable[[str, str, Random], str | None]) -> Rewrite:
    """Return a change of a text that is an address without a host: its path and its query."""

    def rewrite(text: str, material: Material, draw: Random) -> str | None:
        if _ADDRESS.match(text) is None:
            return None
        path, mark, query = text.partition("?")
        return edit(path, mark + query, draw)

    return rewrite


def _path_case(path: str, query: str, draw: Random) -> str:
    return draw.choice((path.upper(), path.title(), path.swapcase())) + query


def _slash(path: str, query: str, draw: Random) -> str:
    return draw.choice((f"{path}/", f"/{path}", f"{path}//", path.lstrip("/"))) + query


def _percent(path: str, query: str, draw: Random) -> str | None:
    text = path + query
    changes = (
        text.replace("%", "%25"),
        text.replace("+", "%20"),
        text.replace("%2C", ",").replace("%3A", ":"),
        "".join(f"%{ord(c):02X}" if c.isascii() and c.isalpha() else c for c in text[1:]),
        text.replace("&", "&amp;"),
        text.replace("=", "%3D"),
    )
    able = [each for each in changes if each != text]
    return draw.choice(able) if able else None


def _parts(query: str) -> list[str]:
    return query[1:].split("&") if query else []


def _query_dropped(path: str, query: str, draw: Random) -> str | None:
    parts = _parts(query)
    if not parts:
        return None
    del parts[draw.randrange(len(parts))]
    return f"{path}?{'&'.join(parts)}"


def _query_added(path: str, query: str, draw: Random) -> str:
    new = draw.choice(("debug=1", "lang=en", "page=2", "id=", "v"))
    return f"{path}?{'&'.join([*_parts(query), new])}"


def _query_doubled(path: str, query: str, draw: Random) -> str | None:
    parts = _parts(query)
    if not parts:
        return None
    number = draw.randrange(len(parts))
    name = parts[number].partition("=")[0]
    return f"{path}?{'&'.join([*parts, draw.choice((parts[number], f'{name}=', f'{name}=1'))])}"


path_case = _of_addresses(_path_case)
"""Write the path of an address in another case."""
slash = _of_addresses(_slash)
"""Add or take a slash of the path."""
percent = _of_addresses(_percent)
"""Write an address with another percent-encoding."""
query_dropped = _of_addresses(_query_dropped)
"""Leave out a part of the query."""
query_added = _of_addresses(_query_added)
"""Add a part to the query."""
query_doubled = _of_addresses(_query_doubled)
"""Say a part of the query once more, with the same value or another."""
