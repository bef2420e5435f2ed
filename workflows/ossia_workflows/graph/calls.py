"""Steps that are calls: `calendar.create_event(event_name="Review", duration=30)`, read as text.

A call stands where a step's words stand, so that every form of a plan can hold it. An argument may
name what an earlier step gave: `$2` is the answer of step 2, a value or else its sentence,
`$2.event_id` a field of its result or of the first of its rows, `$2.1.event_id` that of its second
row. `$$` is a dollar sign.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue, TypeAdapter, ValidationError

from ossia_workflows.graph.model import Node, WorkflowGraph
from ossia_workflows.graph.stored import read_json
from ossia_workflows.graph.text import read_text

__all__ = [
    "REFERENCE",
    "Call",
    "read_call",
    "read_plan",
    "references_of",
    "with_calls",
    "write_call",
]

REFERENCE: Final = re.compile(r"\$(?:(\$)|(\w{1,64})((?:\.\w[\w/]{0,63})*))", re.ASCII)
"""A dollar sign for itself, or the name of a step and the way into its result."""

_BEGINS: Final = re.compile(r"[A-Za-z_][\w.]*\(", re.ASCII)
_MOST_CHARACTERS: Final = 20_000
_WORDS: Final = {"true": True, "false": False, "null": None}
_ARGUMENTS: Final = TypeAdapter(dict[str, JsonValue])


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and what it is called with.

    Attributes:
        tool: Its name.
        arguments: Its arguments by name.
    """

    tool: str
    arguments: dict[str, JsonValue]


def read_call(text: str) -> Call | None:
    """Read the call that a step's text ends in; None where it holds none.

    Arguments have names, and plain values. Nothing is carried out.
    """
    begins = _BEGINS.search(text)
    if begins is None or len(text) > _MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            parsed = ast.parse(text[begins.start() :].rstrip(" `.;"), mode="eval").body
        if not isinstance(parsed, ast.Call) or parsed.args:
            return None
        tool = begins.group()[:-1]
        if ast.unparse(parsed.func) != tool:
            return None
        given = {str(each.arg): _value(each.value) for each in parsed.keywords if each.arg}
        if len(given) < len(parsed.keywords):
            return None
        return Call(tool, _ARGUMENTS.validate_python(given))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def write_call(call: Call) -> str:
    """Return a call as one line of text."""
    given = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items()
    )
    return f"{call.tool}({given})"


def with_calls(graph: WorkflowGraph) -> WorkflowGraph:
    """Return the graph whose steps name the tools and arguments that their words hold."""
    return WorkflowGraph(nodes=tuple(map(_with_call, graph.nodes)), edges=graph.edges)


def read_plan(text: str) -> WorkflowGraph:
    """Read a plan: a graph as JSON, or the published text, whose steps may be calls.

    Raises:
        GraphError: it is neither.
    """
    plain = text.strip().removeprefix("```json").strip("`").strip()
    return with_calls(read_json(plain) if plain.startswith("{") else read_text(text))


def references_of(node: Node) -> Iterator[str]:
    """Yield the names of the steps whose results a step's arguments name, once each."""
    found = (
        match.group(2) for text in _texts(node.arguments) for match in REFERENCE.finditer(text)
    )
    yield from dict.fromkeys(name for name in found if name is not None)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _with_call(node: Node) -> Node:
    call = None if node.tool is not None else read_call(node.task)
    if call is None:
        return node
    try:
        return Node(**{**dict(node), "tool": call.tool, "arguments": call.arguments})
    except ValidationError:
        return node


class _JsonWords(ast.NodeTransformer):
    """Makes values of the words that JSON writes for them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_WORDS[node.id]) if node.id in _WORDS else node


def _value(expression: ast.expr) -> object:
    return ast.literal_eval(_JsonWords().visit(expression))
