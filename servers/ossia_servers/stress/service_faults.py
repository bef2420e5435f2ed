"""What each fault of a service does to one request and to what comes back, without the wire."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import orjson

from ossia_servers.stress.spoiling import Body, altered, halved, renamed, with_note

__all__ = ["Answer", "Came", "Served", "refusal", "spoilt"]

_JSON: Final = b"application/json"
_PAGE: Final = (
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad"
    b" Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer over HTTP."""

    status: int
    body: bytes
    kind: bytes = _JSON
    """Its content type."""
    retry_after: int | None = None

    @property
    def text(self) -> str:
        """The status and the body, for people."""
        return f"HTTP {self.status} {self.body.decode('utf-8', 'replace')}".rstrip()

    @property
    def json(self) -> Body | None:
        """The body, where it is a JSON object."""
        try:
            found = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Came:
    """What comes to the tool: an answer, perhaps late, or the end of its connection."""

    answer: Answer | None = None
    cut: Literal["closed", "reset", "hung"] | None = None
    """How the connection ends without an answer: at once, at once and rudely, or not before the
    client gives up."""
    late: bool = False
    twice: bool = False
    """Whether the request is carried out once more."""

    @property
    def text(self) -> str:
        """What came, for people."""
        if self.answer is None:
            return _CUT[str(self.cut)]
        more = " after a delay" if self.late else ""
        more += "; the request was carried out twice" if self.twice else ""
        return f"{self.answer.text}{more}"


_CUT: Final = {
    "closed": "no answer: the connection was closed",
    "reset": "no answer: the connection was reset",
    "hung": "no answer until the client gave up",
}


@dataclass(frozen=True, slots=True)
class Served:
    """A request that was carried out.

    Attributes:
        asked: What its parameters held.
        answer: What would come.
        changed: Whether it changed the world.
        stale: Gives what the service answered before; None where that was the same, or nothing.
        instruction: Gives what is to be hidden in the answer; None where nothing can be.
    """

    asked: Sequence[str]
    answer: Answer
    changed: bool
    stale: Callable[[], Body | None]
    instruction: Callable[[], str | None]


def _error(status: int, code: str, message: str, retry_after: int | None = None) -> Came:
    body = orjson.dumps({"code": code, "msg": message, "data": None})
    return Came(Answer(status, body, retry_after=retry_after))


_REFUSALS: Final[Mapping[str, Came]] = {
    "service-unreachable": Came(cut="closed"),
    "service-reset": Came(cut="reset"),
    "service-hang": Came(cut="hung"),
    "service-rate-limited": _error(429, "TOO_MANY_REQUESTS", "Too many requests.", 1),
    "service-error": _error(500, "INTERNAL_ERROR", "The server failed."),
    "service-unavailable": _error(503, "UNAVAILABLE", "The service is not available now."),
    "service-html": Came(Answer(502, _PAGE, b"text/html")),
}


def refusal(kind: str) -> Came | None:
    """Return what comes instead of an answer to a request that is not carried out.

    Args:
        kind: A fault of a service.

    Returns:
        What comes; None where such a fault lets the request be carried out.
    """
    return _REFUSALS.get(kind)


def spoilt(kind: str, served: Served, chance: random.Random) -> Came | None:
    """Return what comes in place of the answer to a request that was carried out.

    Args:
        kind: A fault of a service that lets requests be carried out.
        served: The request.
        chance: Chooses.

    Returns:
        What comes; None where the fault does not fit the request: there is no list to be cut, no
        number to be changed, nothing was written that could be written twice.
    """
    answer = served.answer
    match kind:
        case "service-slow":
            return Came(answer, late=True)
        case "lost-answer":
            return Came(cut="closed") if served.changed else None
        case "delivered-twice":
            return Came(answer, twice=True) if served.changed else None
        case "service-empty":
            return Came(replace(answer, body=b""))
        case "service-truncated":
            return Came(replace(answer, body=answer.body[: len(answer.body) // 2]))
    body = answer.json
    new = None if body is None else _respelt(kind, body, served, chance)
    return None if new is None else Came(replace(answer, body=orjson.dumps(new)))


def _respelt(kind: str, body: Body, served: Served, chance: random.Random) -> Body | None:
    """Return another body of the same form; see `spoilt`."""
    match kind:
        case "renamed-field":
            return renamed(body, chance)
        case "partial-list":
            return halved(body)
        case "wrong-value":
            return altered(body, served.asked, chance)
        case "stale-value":
            # What was just written is acknowledged: a cache answers questions.
            return None if served.changed else served.stale()
        case "hidden-instruction":
            words = served.instruction()
            return None if words is None else with_note(body, words)
    raise ValueError(f"'{kind}' is no fault of a service's answer")
