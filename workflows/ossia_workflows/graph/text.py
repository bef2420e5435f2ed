"""A workflow graph as WorFBench writes it: numbered tasks, then pairs of numbers.

Tools, slots and conditions have no place in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_EDGES = re.compile(r"\W*(?:workflow\s+)?edges?\b(.*)", re.IGNORECASE)
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
    the published prompt (`1.task`) as well as that of the published data (`1: task`).

    Raises:
        GraphError: there are no nodes or no edges, or they do not fit together.
    """
    listed, paired = _parts(text)
    nodes = list(_nodes(listed))
    if not nodes:
        raise GraphError("no numbered node stands under a line 'Node:'")
    if len(nodes) > MOST_NODES:
        raise GraphError(f"the plan has {len(nodes)} nodes; at most {MOST_NODES} are read")
    edges = [(one.upper(), other.upper()) for one, other in _EDGE.findall(paired)]
    if not edges:
        raise GraphError("no edge such as (1,2) stands behind 'Edge:'")
    try:
        return WorkflowGraph(
            nodes=tuple(Node(id=name, task=task) for name, task in nodes),
            edges=tuple(Edge(source=_number(one), target=_number(other)) for one, other in edges),
        )
    except ValidationError as error:
        raise GraphError(first_sentence(error)) from None


def _parts(text: str) -> tuple[list[str], str]:
    """The lines between the first heads of nodes and of edges, and what stands behind the latter.

    A second list of nodes ends the edges: what comes then is another plan.
    """
    listed: list[str] = []
    paired: list[str] = []
    place = "before"
    for line in text.split("\n"):
        numbered = _node(line) is not None
        if place == "before":
            if _NODES.fullmatch(line.strip()):
                place = "nodes"
            elif numbered and re.match(r"\W*node\s", line, re.IGNORECASE):
                place = "nodes"
                listed.append(line)
        elif place == "nodes":
            edges = None if numbered else _EDGES.fullmatch(line.strip())
            if edges is None:
                listed.append(line)
            else:
                place = "edges"
                paired.append(edges.group(1))
        elif _NODES.fullmatch(line.strip()):
            break
        else:
            paired.append(line)
    return listed, "\n".join(paired)


def _nodes(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        found = _node(line)
        if found is not None:
            yield _number(found.group(1)), " ".join(found.group(2).split())


def _node(line: str) -> re.Match[str] | None:
    return _NODE.fullmatch(line.strip()) or _BOLD.fullmatch(line.strip())


def _number(text: str) -> str:
    """A number without leading zeros and in ASCII, whatever digits it was written with."""
    return str(int(text)) if text.isdecimal() else text
