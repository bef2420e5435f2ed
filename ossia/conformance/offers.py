"""What members are offered and shown: their own tools, told as they are, and whole results."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ossia.adapters import AdapterInfo
from ossia.conformance.findings import words_of
from ossia.conformance.scenes import text_of, texts_of
from ossia.conformance.stage import Played
from ossia.conformance.texts import source_files

__all__ = ["offered_names", "plain", "repeated_offer", "strange_offer", "unseen"]

# A framework may quote a text again, or print it as Python prints it.
_QUOTING = re.compile(r"[\\\s\"']+")
_SHOWN = 80


def unseen(played: Played) -> str | None:
    """Return the start of a server's answer that no role was shown as a whole; None for none.

    Args:
        played: An episode in which nothing went wrong.
    """
    shown = plain("\n".join(map(text_of, played.gateway.exchanges)))
    for asked in played.asked:
        try:
            told = json.dumps(json.loads(asked.answer))
        except ValueError:
            continue
        # The tool that tells the date leaves out the rest of what the clock says, and a framework
        # may write other letters than those of ASCII in a form of its own.
        known = not asked.target.startswith("/clock") and "\\u" not in told
        if known and plain(told) not in shown:
            return told[:_SHOWN]
    return None


def strange_offer(info: AdapterInfo, played: Played) -> str | None:
    """Return what is wrong with the tools that members are offered; None for nothing.

    Args:
        info: The adapter.
        played: An episode in which every role was asked.
    """
    tools = {tool for role in played.team.roles for tool in role.tools}
    known = _known(info, tools)
    strange = tools | _own_names(info)
    for role in played.team.members:
        requests = [each.request for each in played.of_role(role.name)]
        offered = {name for request in requests for name in offered_names(request)}
        others = sorted((offered - {*role.tools}) & strange)
        if others:
            return f"{role.name} is offered {', '.join(others)}, which it was not given"
        asked = plain(texts_of(played.gateway, role.name))
        for name in role.tools:
            if asked and plain(known[name].purpose) not in asked:
                return f"{role.name} is not told what {name} is for"
        for name, taken in (each for request in requests for each in _parameters(request)):
            if name in role.tools and not taken >= known[name].parameters:
                return f"{role.name} is offered {name} without its parameters"
    return None


def repeated_offer(played: Played, role: str, rounds: int) -> str | None:
    """Return what a role that calls tools again and again is not shown again; None for nothing.

    Args:
        played: The episode.
        role: The role.
        rounds: So many of its requests belong to its first turn.
    """
    requests = [each.request for each in played.of_role(role)[:rounds]]
    offers = [offered_names(each) for each in requests]
    if offers[0] and not all(offers):
        return "tools are offered only before the first result"
    sizes = [len("".join(map(words_of, each["messages"]))) for each in requests]
    if any(later <= earlier for earlier, later in pairwise(sizes)):
        return "earlier rounds of the turn are not shown again"
    return None


def offered_names(request: Mapping[str, Any]) -> set[str]:
    """Return the names of the tools that a request offers."""
    tools = request.get("tools") or ()
    return {str(each["function"]["name"]) for each in tools if each.get("type") == "function"}


def plain(text: str) -> str:
    """Return a text without what frameworks change when they quote it again."""
    return _QUOTING.sub("", text).casefold().replace("none", "null")


def _parameters(request: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield the tools of a request, each with the parameters that have a type and are required."""
    for each in request.get("tools") or ():
        function = each.get("function") or {}
        schema = function.get("parameters") or {}
        described, required = schema.get("properties") or {}, schema.get("required") or ()
        yield str(function.get("name")), {name for name in required if described.get(name)}


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool as the SDK has it: what it is for, in a sentence, and its parameters."""

    purpose: str
    parameters: frozenset[str]


def _known(info: AdapterInfo, tools: set[str]) -> dict[str, _Tool]:
    """Return the SDK's tools by name; its code is read and not imported."""
    source = (info.sdk / "ossia_adapter" / "tools.py").read_text("utf-8")
    return {
        node.name: _Tool(
            (ast.get_docstring(node) or "").partition("\n")[0].rstrip("."),
            frozenset(each.arg for each in node.args.args),
        )
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name in tools
    }


def _own_names(info: AdapterInfo) -> set[str]:
    """Return the functions and texts in an adapter's sources that it has not declared."""
    found: set[str] = set()
    for path in source_files(info):
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found - {*info.own_words}
