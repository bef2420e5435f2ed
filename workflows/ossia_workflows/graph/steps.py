"""The whole workflow graph as text: a paragraph for each step, with what it leads to."""

from __future__ import annotations

import json
import re

from ossia_workflows.graph.labels import graph_of, lines_of, node_of
from ossia_workflows.graph.model import END, START, GraphError, Node, WorkflowGraph

__all__ = ["read_steps", "write_steps"]

_STEP = re.compile(r"([A-Za-z0-9_]{1,64}): (.+)")
_NEXT = re.compile(r"(?:(.+): )?(?:go on with ([A-Za-z0-9_]{1,64})|the end)")
_ENTRY = "  - "


def write_steps(graph: WorkflowGraph) -> str:
    """Return the whole graph as steps in their order; edges stand with the step they lead from.

    What is no plain line, such as a task with a line break, is written as a JSON string.
    """
    blocks = [[START, *_ways(graph, START)]]
    for node in graph.nodes:
        lines = [_ENTRY + line for line in lines_of(node)[1:]]
        blocks.append([f"{node.id}: {_line(node.task)}", *lines, *_ways(graph, node.id)])
    return "\n\n".join("\n".join(block) for block in blocks)


def read_steps(text: str) -> WorkflowGraph:
    """Read text in the form that `write_steps` writes.

    Raises:
        GraphError: a line is of another form, or the names do not fit together.
    """
    nodes: list[Node] = []
    edges: list[tuple[str, str, str | None]] = []
    blocks = [block.split("\n") for block in text.strip("\n").split("\n\n")]
    if blocks[0][0] != START:
        raise GraphError(f"the text begins with {START} and what it leads to")
    for head, *entries in blocks:
        step = _STEP.fullmatch(head)
        if step is None and head != START:
            raise GraphError(f"no step begins like this: {head[:60]!r}")
        name = START if step is None else step.group(1)
        lines = []
        for entry in entries:
            said = entry.removeprefix(_ENTRY)
            if (way := _NEXT.fullmatch(said)) is not None:
                condition = None if way.group(1) is None else _plain(way.group(1))
                edges.append((name, way.group(2) or END, condition))
            else:
                lines.append(said)
        if step is not None:
            nodes.append(node_of(name, [_plain(step.group(2)), *lines]))
        elif lines:
            raise GraphError(f"{START} only leads on, and has no line {lines[0][:60]!r}")
    return graph_of(nodes, edges)


def _ways(graph: WorkflowGraph, source: str) -> list[str]:
    return [
        _ENTRY
        + ("" if edge.condition is None else f"{_line(edge.condition)}: ")
        + ("the end" if edge.target == END else f"go on with {edge.target}")
        for edge in graph.edges
        if edge.source == source
    ]


def _line(text: str) -> str:
    """A text as it is where it is a plain line, else as a JSON string."""
    plain = text.isprintable() and text == text.strip() and not text.startswith('"')
    return text if plain else json.dumps(text)


def _plain(line: str) -> str:
    if not line.startswith('"'):
        return line
    try:
        return str(json.loads(line))
    except ValueError:
        raise GraphError(f"no JSON string: {line[:60]!r}") from None
