"""The kinds of faults: what each does, and to which class it belongs in tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Where = Literal["model", "service"]
"""Between gateway and framework, or between a domain server and a tool."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault.

    Attributes:
        name: As it is asked for.
        where: Where it is injected.
        group: The class under which tables put it.
        what: What happens, in half a sentence.
    """

    name: str
    where: Where
    group: str
    what: str


_MODEL: Final[Mapping[str, Mapping[str, str]]] = {
    "API error": {
        "refused": "HTTP 400, by a content filter",
        "unauthorized": "HTTP 401",
        "rate-limited": "HTTP 429 with a short Retry-After",
        "server-error": "HTTP 500",
        "unavailable": "HTTP 503",
        "slow-unavailable": "HTTP 503 after a delay",
        "bad-gateway": "HTTP 502 with a page in HTML",
    },
    "time": {
        "hang": "no answer until the client gives up",
        "slow": "the answer after a delay",
    },
    "connection": {
        "reset": "the connection is reset before the answer",
        "reset-midway": "the connection is reset in the middle of the answer",
    },
    "omission": {
        "empty": "an answer without words and calls",
        "cut": "30 % of the answer, as if it were whole",
        "truncated": "half of the answer, finished by `length`",
        "filtered": "a filter's notice without calls, finished by `content_filter`",
        "stripped-calls": "the answer without its tool calls",
        "dropped-call": "the answer without the first of its tool calls",
    },
    "value": {
        "wrong-encoding": "UTF-8 read as Latin-1",
        "garbled": "one character in five replaced",
        "other-json": "valid JSON of another structure",
        "fenced": "JSON, or the text, within prose and a code fence",
        "two-answers": "two answers in one",
        "stale": "an earlier answer of the episode again",
        "too-long": "an answer of far more text than asked for",
        "error-text": "an error's message as the text of the answer",
        "timeout-text": "a time-out's message as the text of the answer",
        "html-text": "an error page as the text of the answer",
    },
    "tool call": {
        "unknown-tool": "a call of a tool that does not exist",
        "broken-arguments": "arguments cut to 30 %, so no JSON",
        "garbled-arguments": "one character in five of the arguments replaced",
        "no-arguments": "a call without arguments",
        "missing-argument": "a call that lacks one argument",
        "renamed-argument": "a call with one argument under another name",
        "other-arguments": "a call with arguments of another tool",
        "wrong-argument": "a call with another value, of the same type, in one argument",
        "ambiguous-argument": "a call with a name that many places have in one argument",
        "doubled-call": "a tool call twice in one answer",
        "call-without-id": "tool calls without ids",
    },
    "routing": {
        "unknown-role": "the manager chooses a role that does not exist",
        "wrong-role": "the manager chooses another role than it would",
    },
}

_SERVICE: Final[Mapping[str, Mapping[str, str]]] = {
    "service error": {
        "service-unreachable": "the connection is closed without an answer",
        "service-reset": "the connection is reset without an answer",
        "service-rate-limited": "HTTP 429 with a short Retry-After",
        "service-error": "HTTP 500",
        "service-unavailable": "HTTP 503",
        "service-html": "HTTP 502 with a page in HTML",
    },
    "service time": {
        "service-hang": "no answer until the client gives up",
        "service-slow": "the answer after a delay",
    },
    "service value": {
        "service-empty": "HTTP 200 with an empty body",
        "service-truncated": "HTTP 200 with half of the JSON",
        "renamed-field": "one field under another name, wherever it stands",
        "partial-list": "the longest list without its second half",
        "stale-value": "an earlier answer, or that of a day before",
        "wrong-value": "another number, time or date of plausible size",
    },
    "acting twice": {
        "lost-answer": "carried out, but the answer is lost",
        "delivered-twice": "the request is carried out twice",
    },
    "prompt injection": {
        "hidden-instruction": "an instruction in the result that asks for another action",
    },
}


def _kinds(where: Where, groups: Mapping[str, Mapping[str, str]]) -> dict[str, Kind]:
    return {
        name: Kind(name, where, group, what)
        for group, kinds in groups.items()
        for name, what in kinds.items()
    }


KINDS: Final[Mapping[str, Kind]] = {**_kinds("model", _MODEL), **_kinds("service", _SERVICE)}
"""All kinds by name, in the order of tables."""

GROUPS: Final = tuple(dict.fromkeys(kind.group for kind in KINDS.values()))
"""The classes of faults, in the order of tables."""
