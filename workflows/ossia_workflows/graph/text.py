"""A workflow graph as WorFBench writes it: numbered tasks, then pairs of numbers.

Tools, slots and conditions have no place in it.
"""

from __future__ import annotations

import re

from pydantic import ValidationError

from ossia_workflows.graph.model import (
    MOST_NODES,
    Edge,
    GraphError,
    Node,
    WorkflowGraph,
    first_sentence,
)

__all__ = ["read_text", "write_text"]

_NODES = re.compile(r"\W*(?:workflow\s+)?nodes?\W*", re.IGNORECASE)
_EDGES = re.compile(r"\W*(?:workflow\s+)?edges?\b.*", re.IGNORECASE)
_LEAD = re.compile(r"\W*node\s", re.IGNORECASE)
_NUMBER = r"(?:node\s+)?(\d{1,9})"
_BEHIND = r"(?:\s+|(?=[^\s\d]))(\S.*)"
_NODE = re.compile(rf"{_NUMBER}\s*[.:)\uff1a]{_BEHIND}", re.IGNORECASE)
_BOLD = re.compile(rf"\*\*{_NUMBER}\s*(?:[.:)\uff1a]\*\*|\*\*[.:)\uff1a]){_BEHIND}", re.IGNORECASE)
_EDGE = re.compile(
    r"\(\s*+[\"']?(START|\d{1,9})[\"']?\s*+,\s*+[\"']?(END|\d{1,9})[\"']?\s*+\)", re.IGNORECASE
)


def write_text(graph: WorkflowGraph) -> str:
    """Return the graph in the published form; a task of several lines becomes one line."""
    plain = graph.tasks_alone()
    nodes = "\n".join(f"{node.id}: {node.task}" for node in plain.nodes)
    edges = " ".join(f"({edge.source},{edge.target})" for edge in plain.edges)
    return f"Node:\n{nodes}\nEdge: {edges}"


def read_text(text: str) -> WorkflowGraph:
    """Read a plan: numbers are names, nodes stand before the edges, and prose is passed over.

    What the published parser reads by position this one reads by number, and it knows the form of
    the published prompt (`1.task`) as well as that of the published data (`1: task`). Of several
    plans it reads the first.

    Raises:
        GraphError: there are no nodes or no edges, or they do not fit together.
    """
    lines = [line.strip() for line in text.split("\n")]
    nodes, behind = _nodes(lines, _first(lines))
    if not nodes:
        raise GraphError("no numbered node stands under a line 'Node:'")
    if len(nodes) > MOST_NODES:
        raise GraphError(f"the plan has {len(nodes)} nodes; at most {MOST_NODES} are read")
    edges = _edges(lines[behind:])
    if not edges:
        raise GraphError("no edge such as (1,2) stands behind the nodes")
    try:
        return WorkflowGraph(
            nodes=tuple(Node(id=name, task=task) for name, task in nodes),
            edges=tuple(Edge(source=one, target=other) for one, other in edges),
        )
    except ValidationError as error:
        raise GraphError(first_sentence(error)) from None


def _first(lines: list[str]) -> int:
    """Where the list of nodes begins: behind its head, or at a line such as `Node 1: task`."""
    for at, line in enumerate(lines):
        if _NODES.fullmatch(line):
            return at + 1
        if _LEAD.match(line) and _node(line):
            return at
    return len(lines)


def _nodes(lines: list[str], first: int) -> tuple[list[tuple[str, str]], int]:
    """The nodes, and the line behind the last of them.

    They go on to the head of the edges, of another plan, or to where prose counts anew.
    """
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    behind = first
    for at in range(first, len(lines)):
        node = _node(lines[at])
        if node is None:
            if _EDGES.fullmatch(lines[at]) or _NODES.fullmatch(lines[at]):
                break
            continue
        name = _number(node.group(1))
        if name in seen and behind < at:
            break
        found.append((name, " ".join(node.group(2).split())))
        seen.add(name)
        behind = at + 1
    return found, behind


def _edges(lines: list[str]) -> list[tuple[str, str]]:
    """The pairs behind the head of the edges; where none stand there, all behind the nodes."""
    another = next((at for at, line in enumerate(lines) if _NODES.fullmatch(line)), len(lines))
    heads = [at for at, line in enumerate(lines[:another]) if _EDGES.fullmatch(line)]
    for begin in (*heads[:1], 0):
        pairs = _EDGE.findall("\n".join(lines[begin:another]))
        if pairs:
            return [(_number(one), _number(other)) for one, other in pairs]
    return []


def _node(line: str) -> re.Match[str] | None:
    return _NODE.fullmatch(line) or _BOLD.fullmatch(line)


def _number(text: str) -> str:
    """A number without leading zeros and in ASCII, whatever digits it was written with."""
    return str(int(text)) if text.isdecimal() else text.upper()
