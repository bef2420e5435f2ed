"""Tool calls of a model, changed: in native calls and in those of a text protocol alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from ossia_servers.stress import texts
from ossia_servers.stress.answers import Change, Changed, finished, text_of, with_arguments
from ossia_servers.stress.asked import Asked, Message
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.messages import arguments as read_arguments
from ossia_servers.wire.messages import items, mapping
from ossia_servers.wire.names import role_of
from ossia_servers.wire.protocols import protocol_of
from ossia_servers.wire.ways import ends_turn

_KEPT: Final = 0.3
_UNEXPECTED: Final = {"wrong_param": "unexpected value"}
_WRONG_WORDS: Final = ("Reykjavik", "umbrella", "Thelonious", "violet")
_AMBIGUOUS: Final = "Springfield"

Given: TypeAlias = dict[str, Any]
"""A call's arguments."""


def is_tool_call(name: str, asked: Asked) -> bool:
    """Say whether a call is of a tool: neither of another role, nor one that ends the turn."""
    leads = bool(asked.manager) and asked.role == asked.manager
    return bool(name) and not leads and role_of(name, asked.members) is None and not ends_turn(name)


def tool_called(message: Message, asked: Asked) -> str:
    """Return the first tool that an answer calls; empty for none."""
    named = (name for name, _ in read_calls(message))
    return next((name for name in named if is_tool_call(name, asked)), "")


def _raw(change: Callable[[str, Random], str]) -> Change:
    """The change to the text of the first call's arguments."""

    def changed(message: Message, asked: Asked, random: Random) -> Changed | None:
        place = _native(message, asked)
        if place is not None:
            calls = [*items(message.get("tool_calls"))]
            calls[place] = with_arguments(mapping(calls[place]), lambda text: change(text, random))
            return finished({**message, "tool_calls": calls})
        if not tool_called(message, asked):
            return None
        text = text_of(message)
        begin, end = text.find("{"), text.rfind("}") + 1
        if not 0 <= begin < end:
            begin, end = len(text) // 2, len(text)
        damaged = f"{text[:begin]}{change(text[begin:end], random)}{text[end:]}"
        return finished({**message, "content": damaged})

    return changed


def _made(change: Callable[[str, Given, Random], tuple[str, Given] | None]) -> Change:
    """The change to the name and the arguments of the first call."""

    def changed(message: Message, asked: Asked, random: Random) -> Changed | None:
        place = _native(message, asked)
        if place is not None:
            calls = [*items(message.get("tool_calls"))]
            call = mapping(calls[place])
            function = mapping(call.get("function"))
            given = dict(read_arguments(function.get("arguments")))
            made = change(str(function.get("name")), given, random)
            if made is None:
                return None
            written = {"name": made[0], "arguments": json.dumps(made[1], ensure_ascii=False)}
            calls[place] = {**call, "function": {**function, **written}}
            return finished({**message, "tool_calls": calls})
        protocol = protocol_of(asked.conversation)
        called = [each for each in read_calls(message) if is_tool_call(each[0], asked)]
        made = change(*called[0], random) if called else None
        if protocol is None or made is None:
            return None
        return finished({**message, "content": protocol.call_text(asked.conversation, *made)})

    return changed


def _native(message: Message, asked: Asked) -> int | None:
    """The place of the first native call of a tool; None without one."""
    for place, call in enumerate(items(message.get("tool_calls"))):
        if is_tool_call(str(mapping(mapping(call).get("function")).get("name", "")), asked):
            return place
    return None


def _unknown(name: str, given: Given, _random: Random) -> tuple[str, Given]:
    return f"{name}_v2", given


def _without_any(name: str, given: Given, _random: Random) -> tuple[str, Given] | None:
    return (name, {}) if given else None


def _missing(name: str, given: Given, random: Random) -> tuple[str, Given] | None:
    if not given:
        return None
    left_out = random.choice(sorted(given))
    return name, {key: value for key, value in given.items() if key != left_out}


def _renamed(name: str, given: Given, random: Random) -> tuple[str, Given] | None:
    if not given:
        return None
    other = random.choice(sorted(given))
    return name, {f"{key}_value" if key == other else key: given[key] for key in given}


def _others(name: str, _given: Given, _random: Random) -> tuple[str, Given]:
    return name, dict(_UNEXPECTED)


def _value(change: Callable[[Any, Random], Any]) -> Change:
    """The change to one value, in the query of a URL where it is one."""

    def changed(name: str, given: Given, random: Random) -> tuple[str, Given] | None:
        for key in random.sample(sorted(given), len(given)):
            value = given[key]
            query = parse_qsl(urlsplit(value).query) if isinstance(value, str) else []
            if query:
                return name, {**given, key: _in_query(value, query, change, random)}
            made = None if _is_address(value) else change(value, random)
            if made is not None:
                return name, {**given, key: made}
        return None

    return _made(changed)


def _is_address(value: Any) -> bool:
    """Whether a value says where or how something is asked for, and not what."""
    return isinstance(value, str) and (value.isupper() or "/" in value)


def _in_query(
    url: str,
    query: list[tuple[str, str]],
    change: Callable[[Any, Random], Any],
    random: Random,
) -> str:
    """The URL with its last value changed: what comes first says what is asked for."""
    place = random.randrange(1, len(query)) if len(query) > 1 else 0
    field, value = query[place]
    query[place] = (field, str(change(value, random) or value))
    return urlsplit(url)._replace(query=urlencode(query)).geturl()


def _wrong(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + random.choice([1, 2, 10])
    if not isinstance(value, str):
        return None
    digits = [place for place, character in enumerate(value) if character in "0123456789"]
    if not digits:
        return random.choice([word for word in _WRONG_WORDS if word != value])
    # The last one: a date stays a date, mostly, and a time a time.
    place = digits[-1]
    return f"{value[:place]}{(int(value[place]) + 1) % 10}{value[place + 1 :]}"


def _ambiguous(value: Any, _random: Random) -> Any:
    return _AMBIGUOUS if isinstance(value, str) else None


def _doubled(message: Message, asked: Asked, _random: Random) -> Changed | None:
    place = _native(message, asked)
    if place is not None:
        calls = [*items(message.get("tool_calls"))]
        again = dict(mapping(calls[place]))
        again["id"] = f"{again.get('id', 'call')}-2"
        calls.insert(place + 1, again)
        return finished({**message, "tool_calls": calls})
    if not tool_called(message, asked):
        return None
    text = text_of(message)
    return finished({**message, "content": f"{text}\n{text}"})


def _without_ids(message: Message, _asked: Asked, _random: Random) -> Changed | None:
    calls = [mapping(call) for call in items(message.get("tool_calls"))]
    if not calls:
        return None
    bare = [{key: value for key, value in call.items() if key != "id"} for call in calls]
    return finished({**message, "tool_calls": bare})


CALLS: Final[Mapping[str, Change]] = {
    "unknown-tool": _made(_unknown),
    "broken-arguments": _raw(lambda text, _random: texts.begin_of(text, _KEPT)),
    "garbled-arguments": _raw(texts.garbled),
    "no-arguments": _made(_without_any),
    "missing-argument": _made(_missing),
    "renamed-argument": _made(_renamed),
    "other-arguments": _made(_others),
    "wrong-argument": _value(_wrong),
    "ambiguous-argument": _value(_ambiguous),
    "doubled-call": _doubled,
    "call-without-id": _without_ids,
}
"""By the kind of fault."""
