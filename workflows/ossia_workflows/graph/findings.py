"""What keeps a workflow graph from being carried out, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import networkx as nx

from ossia_workflows.graph.model import END, START, WorkflowGraph
from ossia_workflows.graph.order import digraph

__all__ = ["Finding", "Flaw", "findings"]


class Flaw(StrEnum):
    """What may be wrong with a graph."""

    EMPTY = "empty"
    CYCLE = "cycle"
    UNREACHABLE = "unreachable"
    DEAD_END = "dead end"
    UNUSED_SLOT = "unused slot"
    MISSING_SLOT = "missing slot"
    UNKNOWN_NAME = "unknown name"
    MISSING_ARGUMENT = "missing argument"
    WRONG_TYPE = "wrong type"
    UNCOVERED = "uncovered condition"
    UNUSED_TOOL = "unused tool"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        flaw: Its kind.
        nodes: The nodes that it is about.
        sentence: What is wrong, for a person.
        place: The keys that lead to it in a scenario's file; none of a graph alone.
    """

    flaw: Flaw
    nodes: tuple[str, ...]
    sentence: str
    place: tuple[str, ...] = ()


def findings(graph: WorkflowGraph) -> tuple[Finding, ...]:
    """Return all that is wrong with a graph; nothing where it can be carried out as it stands."""
    if not graph.nodes:
        return (Finding(Flaw.EMPTY, (), "the graph has no node"),)
    whole: nx.DiGraph[Any] = nx.DiGraph((edge.source, edge.target) for edge in graph.edges)
    whole.add_nodes_from((START, END, *(node.id for node in graph.nodes)))
    return (*_cycles(graph), *_ends(graph, whole), *_slots(graph))


def _cycles(graph: WorkflowGraph) -> Iterator[Finding]:
    made = digraph(graph)
    for part in nx.strongly_connected_components(made):
        if len(part) > 1 or any(made.has_edge(node, node) for node in part):
            way = [edge[0] for edge in nx.find_cycle(made.subgraph(part))]
            shown = " -> ".join((*way, way[0]))
            yield Finding(Flaw.CYCLE, tuple(way), f"{shown} is a cycle: none of it can come first")


def _ends(graph: WorkflowGraph, whole: nx.DiGraph[Any]) -> Iterator[Finding]:
    reached = nx.descendants(whole, START)
    ending = nx.ancestors(whole, END)
    for node in graph.nodes:
        if node.id not in reached:
            sentence = f"node {node.id} is never reached: no way leads to it from START"
            yield Finding(Flaw.UNREACHABLE, (node.id,), sentence)
        if node.id not in ending:
            sentence = f"node {node.id} is a dead end: no way leads from it to END"
            yield Finding(Flaw.DEAD_END, (node.id,), sentence)


def _slots(graph: WorkflowGraph) -> Iterator[Finding]:
    made = digraph(graph)
    needed = {slot for node in graph.nodes for slot in node.needs}
    givers: dict[str, list[str]] = {}
    for node in graph.nodes:
        for slot in node.gives:
            givers.setdefault(slot, []).append(node.id)
    for node in graph.nodes:
        for slot in node.gives:
            if slot not in needed:
                sentence = f"node {node.id} gives {slot}, which no node needs"
                yield Finding(Flaw.UNUSED_SLOT, (node.id,), sentence)
        earlier = nx.ancestors(made, node.id) if node.needs else set()
        for slot in node.needs:
            if earlier.isdisjoint(givers.get(slot, ())):
                sentence = f"node {node.id} needs {slot}, which no node before it gives"
                yield Finding(Flaw.MISSING_SLOT, (node.id,), sentence)
