"""A node as the lines of a label, which Mermaid and DOT share: the task, then call and slots."""

from __future__ import annotations

import json
import re

from pydantic import ValidationError

from ossia_workflows.graph.model import (
    Edge,
    GraphError,
    Node,
    WorkflowGraph,
    first_sentence,
)

_CALL = re.compile(r"call ([^\s(]+)\((.*)\)", re.DOTALL)
_SLOTS = re.compile(r"(needs|gives|asks|tells) (.+)")


def lines_of(node: Node) -> list[str]:
    """Return the label's lines: the first is the task, which may hold any character."""
    lines = [node.task]
    if node.asks:
        lines.append(f"asks {', '.join(node.asks)}")
    if node.tool is not None:
        arguments = json.dumps(node.arguments, ensure_ascii=False) if node.arguments else ""
        lines.append(f"call {node.tool}({arguments})")
    if node.needs:
        lines.append(f"needs {', '.join(node.needs)}")
    if node.gives:
        lines.append(f"gives {', '.join(node.gives)}")
    if node.tells:
        lines.append(f"tells {', '.join(node.tells)}")
    return lines


def node_of(name: str, lines: list[str]) -> Node:
    """Return the node whose label has these lines.

    Raises:
        GraphError: a line says nothing that is known.
    """
    given: dict[str, object] = {"id": name, "task": lines[0]}
    for line in lines[1:]:
        if (call := _CALL.fullmatch(line)) is not None:
            given["tool"] = call.group(1)
            given["arguments"] = _arguments(name, call.group(2))
        elif (slots := _SLOTS.fullmatch(line)) is not None:
            given[slots.group(1)] = tuple(slots.group(2).split(", "))
        else:
            raise GraphError(f"node {name} has a line that is no call and no slots: {line[:60]!r}")
    try:
        return Node.model_validate(given)
    except ValidationError as error:
        raise GraphError(f"node {name}: {first_sentence(error)}") from None


def graph_of(nodes: list[Node], edges: list[tuple[str, str, str | None]]) -> WorkflowGraph:
    """Return the graph of what a text named.

    Raises:
        GraphError: the names do not fit together.
    """
    try:
        return WorkflowGraph(
            nodes=tuple(nodes),
            edges=tuple(
                Edge(source=source, target=target, condition=condition)
                for source, target, condition in edges
            ),
        )
    except ValidationError as error:
        raise GraphError(first_sentence(error)) from None


def _arguments(name: str, text: str) -> object:
    try:
        return json.loads(text) if text else {}
    except (ValueError, RecursionError):
        raise GraphError(f"the arguments of node {name} are no JSON") from None
