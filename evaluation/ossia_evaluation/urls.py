"""The calls of a step, and the addresses of the domain servers in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ossia_evaluation.steps import Step
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import HTTP_TOOL


def called_urls(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the addresses that tool calls ask, in order."""
    return tuple(
        str(arguments.get("url", ""))
        for message in messages
        for name, arguments in read_calls(message)
        if name == HTTP_TOOL
    )


def calls_of(step: Step) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the tools that a step called, native or in a text protocol, with their arguments."""
    return tuple(
        call for exchange in step.exchanges for call in read_calls(exchange.response or {})
    )


def asked_urls(step: Step) -> tuple[str, ...]:
    """Return the addresses that a step asked by its tool, in order."""
    return called_urls([exchange.response or {} for exchange in step.exchanges])


def read_url(url: str) -> tuple[str, dict[str, str]]:
    """Return the domain and the parameters of an address; empty where it has none."""
    try:
        parts = urlsplit(url.strip())
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        return "", {}
    return parts.path.strip("/"), query
