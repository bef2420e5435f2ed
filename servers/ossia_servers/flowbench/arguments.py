"""Arguments of a scenario's tools on the wire: texts, read as what their types say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any, Final

import orjson
from pydantic import JsonValue

from ossia_servers.worlds.schema import Field, Refusal
from ossia_servers.worlds.schema import Kind as FieldKind
from ossia_workflows.scenario import Kind

__all__ = ["argument_field", "argument_text", "read_argument", "same_arguments"]

_WHOLE: Final = re.compile(r"[0-9]{1,12}(\.0{1,6})?")
_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?")
_GAP: Final = re.compile(r"[\s-]+")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?")

_SAID: Final[Mapping[str, str]] = {
    "text": "any words",
    "count": "a whole number from 0, in digits",
    "number": "a number in digits",
    "boolean": "true or false",
    "date": "a day, YYYY-MM-DD",
    "time": "a time of day, HH:MM",
    "list": 'a JSON list of texts, such as ["one", "two"]',
}
_SCHEMA: Final[Mapping[str, Mapping[str, Any]]] = {
    "text": {},
    "count": {"pattern": rf"^{_WHOLE.pattern}$"},
    "number": {"pattern": rf"^{_NUMBER.pattern}$"},
    "boolean": {"enum": ["true", "false"]},
    "date": {"pattern": rf"^{_DAY.pattern}$", "examples": ["2026-03-14"]},
    "time": {"pattern": rf"^{_TIME.pattern}$", "examples": ["18:30"]},
    "list": {"examples": ['["one", "two"]']},
}


def argument_field(name: str, kind: Kind) -> Field:
    """Return how a domain server declares a tool's parameter."""
    schema = {"enum": [*kind]} if isinstance(kind, tuple) else _SCHEMA[kind]
    return Field(name, FieldKind.TEXT, _said(kind), schema=schema)


def argument_text(value: JsonValue) -> str:
    """Return an argument as a request has it; `read_argument` reads it again."""
    if isinstance(value, bool):
        return str(value).lower()
    return orjson.dumps(value).decode() if isinstance(value, list) else str(value)


def read_argument(name: str, kind: Kind, text: str) -> JsonValue:
    """Read an argument from the text of a request.

    Args:
        name: the parameter.
        kind: its type.
        text: what came, without surplus space.

    Raises:
        Refusal: it is none of this type; one sentence says what one is.
    """
    if isinstance(kind, tuple):
        said = text.casefold()
        spellings = (said, _GAP.sub("_", said))
        found: JsonValue = next((each for each in spellings if each in kind), None)
    else:
        found = _READ[kind](text)
    if found is None:
        shown = "".join(each if each.isprintable() else "?" for each in text[:60])
        raise Refusal(
            f"The parameter '{name}' is {_said(kind)}, and not '{shown}'.", code="WRONG_TYPE"
        )
    return found


def same_arguments(one: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> bool:
    """Whether two calls' arguments are equal: numbers by value, texts without case."""
    return one.keys() == other.keys() and all(_plain(one[n]) == _plain(other[n]) for n in one)


def _said(kind: Kind) -> str:
    return f"one of {', '.join(kind)}" if isinstance(kind, tuple) else _SAID[kind]


def _plain(value: JsonValue) -> object:
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, list):
        return [_plain(each) for each in value]
    # In Python true is 1; nobody counts by it.
    return str(value) if isinstance(value, bool) else value


def _whole(text: str) -> int | None:
    return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else None


def _number(text: str) -> float | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return int(value) if value.is_integer() else value


def _boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.casefold())


def _day(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _time(text: str) -> str | None:
    try:
        found = time.fromisoformat(text.zfill(5)) if _TIME.fullmatch(text) else None
    except ValueError:
        return None
    return None if found is None else found.isoformat("seconds" if found.second else "minutes")


def _list(text: str) -> JsonValue:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        return None
    return found


_READ: Final[Mapping[str, Callable[[str], JsonValue]]] = {
    "text": str,
    "count": _whole,
    "number": _number,
    "boolean": _boolean,
    "date": _day,
    "time": _time,
    "list": _list,
}
