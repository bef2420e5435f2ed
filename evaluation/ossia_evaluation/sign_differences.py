"""By what kind of fault an answer would differ so from the one that its repair gives.

The repair comes from contracts, and not from what would have come: the two may say the same in
other words. A kind is told where the difference is of its making, whoever made it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from ossia_servers.wire.answers import read_calls, words_in
from ossia_servers.wire.conversation import Conversation
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import FINISH, GARBAGE, read_choice

__all__ = ["kind_of_difference"]

_SHARED_NAMES: Final = frozenset(
    "arlington bristol cambridge clayton clinton dayton dover fairview franklin georgetown"
    " greenville jackson lexington madison manchester marion milford newport oxford paris portland"
    " richmond salem springfield washington winchester".split()
)
"""Names that many places have; no list can be whole."""

_SHORT: Final = 4
"""A shorter text begins many others."""


def kind_of_difference(
    message: Mapping[str, Any],
    repaired: Mapping[str, Any],
    earlier: Sequence[Mapping[str, Any]],
    asked: Conversation,
) -> str:
    """Return the kind of fault that makes a difference; empty where none of them does.

    Args:
        message: the answer.
        repaired: the answer that its contract demands.
        earlier: the answers of the episode before it.
        asked: its request.
    """
    if any(_same(message, one) for one in earlier):
        return "stale"
    calls, right = read_calls(message), read_calls(repaired)
    if asked.role == MANAGER:
        chosen = read_choice(message, asked), read_choice(repaired, asked)
        if chosen[0] != chosen[1] and not {*chosen} & {GARBAGE, FINISH}:
            return "wrong-role"
    elif calls or right:
        same = [*calls] == [*right]
        return "broken-arguments" if same and _is_broken(message) else _of_calls(calls, right)
    return _of_words(words_in(message), words_in(repaired), asked)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one.get("content") or "") == (other.get("content") or "") and _written(one) == _written(
        other
    )


def _written(message: Mapping[str, Any]) -> list[object]:
    return [mapping(call).get("function") for call in items(message.get("tool_calls"))]


def _is_broken(message: Mapping[str, Any]) -> bool:
    """Whether the arguments of a call are no JSON, such as none at all for a tool without any."""
    for function in _written(message):
        try:
            json.loads(str(mapping(function).get("arguments")))
        except ValueError:
            return True
    return False


_Calls = Sequence[tuple[str, Mapping[str, Any]]]


def _of_calls(calls: _Calls, right: _Calls) -> str:
    if not calls:
        return "stripped-calls"
    if not right:
        return ""
    if len(calls) > len(right):
        return "doubled-call" if all(call == right[0] for call in calls) else ""
    if len(calls) < len(right):
        return "dropped-call"
    for (name, given), (other, meant) in zip(calls, right, strict=True):
        if name != other:
            return ""
        if given != meant:
            return _of_arguments(given, meant)
    return ""


def _of_arguments(given: Mapping[str, Any], meant: Mapping[str, Any]) -> str:
    """How arguments are others; a URL's query is compared by its own fields."""
    ours, theirs = _flat(given), _flat(meant)
    if not given:
        return "no-arguments"
    if ours.keys() == theirs.keys():
        others = [ours[name] for name in ours if ours[name] != theirs[name]]
        if len(others) != 1:
            return ""
        shared = str(others[0]).casefold() in _SHARED_NAMES
        return "ambiguous-argument" if shared else "wrong-argument"
    if {*given} < {*meant}:
        return "missing-argument"
    return "" if {*given} & {*meant} else "other-arguments"


def _flat(given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in given.items():
        split = urlsplit(value) if isinstance(value, str) else None
        if split is None or not split.query:
            found[key] = value
            continue
        found[key] = split._replace(query="").geturl()
        found |= {f"{key}?{name}": each for name, each in parse_qsl(split.query)}
    return found


def _of_words(text: str, right: str, asked: Conversation) -> str:
    said, meant = text.strip(), right.strip()
    if not said:
        return "empty"
    if len(said) >= _SHORT and said != meant and meant.startswith(said):
        return "cut"
    # A report ends somewhere: in the middle of what the request holds, it was cut.
    whole = said[-1:] in ".!?)\"'}]`"
    if not whole and len(said) > _SHORT * _SHORT and said in asked.said:
        return "cut"
    return "two-answers" if meant and meant in said and said != meant else ""
