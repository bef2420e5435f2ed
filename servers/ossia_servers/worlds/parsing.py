"""From the text of a request to an intent with checked, typed parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from ossia_dataset.normalise import canonical_place, spoken_number
from ossia_dataset.normalise.values import (
    DateValue,
    TimeValue,
    parse_date_value,
    parse_time_value,
)
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.needs import either
from ossia_servers.worlds.params import Params, Value
from ossia_servers.worlds.schema import Field, Kind, Refusal

MAX_TEXT: Final = 2000
"""Longest accepted value in characters: longer than any spoken sentence, short enough to store."""

_UNSPEAKABLE: Final = re.compile("[\x00-\x1f\ud800-\udfff]")

MAX_VERBATIM: Final = 20_000
"""Longest accepted value that is taken as it is: a letter with all its paragraphs fits."""

YEARS: Final = range(1900, 2200)
"""Years that a request may name. Servers look days and months around a date, and nobody speaks to
an assistant about a day so far away that there would be none."""

_Moment = TypeVar("_Moment", DateValue, TimeValue)


def parse_params(domain: Domain, given: Mapping[str, str]) -> tuple[Intent, Params]:
    """Check a request against a domain's declaration.

    Args:
        domain: the domain that is asked.
        given: the parameters of the request, `intent` included.

    Returns:
        The intent, and the other parameters parsed.

    Raises:
        Refusal: no or an unsupported intent; an unknown, empty, overlong, malformed or missing
            required parameter.
    """
    name = given.get("intent", "")
    if not name:
        raise Refusal(f"The parameter 'intent' is missing; it is one of: {_intents(domain)}.")
    intent = domain.intent(name)
    if intent is None:
        raise Refusal(
            f"The {domain.name} server has no intent {_quoted(name)};"
            f" it supports: {_intents(domain)}.",
            code="UNSUPPORTED_INTENT",
        )
    raw = {key: value for key, value in given.items() if key != "intent"}
    values: dict[str, Value] = {}
    for key, text in raw.items():
        declared = domain.field(key)
        if declared is None:
            known = ", ".join(item.name for item in domain.fields)
            raise Refusal(
                f"The {domain.name} server has no parameter {_quoted(key)}; it knows: {known}.",
                code="UNKNOWN_PARAMETER",
            )
        values[key] = _parse(declared, text)
    for group in intent.required:
        if values.keys().isdisjoint(group):
            raise Refusal(f"{name} needs the parameter {either(group)}.", code="MISSING_PARAMETER")
    return intent, Params(values, raw)


def _parse(declared: Field, given: str) -> Value:
    if declared.kind is Kind.VERBATIM:
        return _as_it_is(declared, given)
    text = " ".join(given.split())
    if not text:
        raise Refusal(f"The parameter '{declared.name}' is empty.")
    if len(text) > MAX_TEXT:
        raise Refusal(f"The parameter '{declared.name}' is longer than {MAX_TEXT} characters.")
    if _UNSPEAKABLE.search(text):
        raise Refusal(f"The parameter '{declared.name}' holds a control character.")
    if declared.kind is Kind.DATE:
        return _within_years(declared, _parse_moment(declared, text, parse_date_value))
    if declared.kind is Kind.TIME:
        return _parse_moment(declared, text, parse_time_value)
    if declared.kind is Kind.NUMBER:
        number = spoken_number(text)
        if number is None:
            raise Refusal(f"The parameter '{declared.name}' is not a number: {_quoted(text)}.")
        return number
    if declared.kind is Kind.PLACE and not canonical_place(text):
        raise Refusal(f"The parameter '{declared.name}' names no place: {_quoted(text)}.")
    return text


def _as_it_is(declared: Field, given: str) -> str:
    if len(given) > MAX_VERBATIM:
        raise Refusal(f"The parameter '{declared.name}' is longer than {MAX_VERBATIM} characters.")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in given):
        raise Refusal(f"The parameter '{declared.name}' holds a lone surrogate.")
    return given


def _within_years(declared: Field, value: DateValue) -> DateValue:
    if any(day is not None and day.year not in YEARS for day in (value.start, value.end)):
        raise Refusal(
            f"The parameter '{declared.name}' lies outside the years"
            f" {YEARS.start} to {YEARS.stop - 1}: '{value}'."
        )
    return value


def _parse_moment(declared: Field, text: str, parser: Callable[[str], _Moment]) -> _Moment:
    try:
        return parser(text)
    except ValueError as error:
        raise Refusal(
            f"The parameter '{declared.name}' is not a {declared.kind}: {error}"
        ) from None


def _intents(domain: Domain) -> str:
    return ", ".join(intent.name for intent in domain.intents)


def _quoted(text: str) -> str:
    return "'" + "".join(c if c.isprintable() else "?" for c in text[:80]) + "'"
