"""Orders, reachability and the longest way of a workflow graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import networkx as nx

from ossia_workflows.graph.model import GraphError, WorkflowGraph

__all__ = ["Critical", "closure", "critical_path", "digraph", "topological_orders"]


@dataclass(frozen=True, slots=True)
class Critical:
    """The way that no parallel work can shorten.

    Attributes:
        nodes: Its nodes in order; none for a graph without nodes.
        length: What they take together.
    """

    nodes: tuple[str, ...]
    length: float


def digraph(graph: WorkflowGraph) -> nx.DiGraph[Any]:
    """Return the nodes and the edges between them, without START and END, as networkx has them."""
    made: nx.DiGraph[Any] = nx.DiGraph()
    made.add_nodes_from(node.id for node in graph.nodes)
    made.add_edges_from(graph.edges_between())
    return made


def topological_orders(graph: WorkflowGraph, most: int) -> Iterator[tuple[str, ...]]:
    """Yield orders in which the nodes can be done, at most so many.

    Raises:
        GraphError: the graph has a cycle.
    """
    if not graph.nodes:
        yield ()
        return
    try:
        for order in islice(nx.all_topological_sorts(digraph(graph)), most):
            yield tuple(order)
    except nx.NetworkXUnfeasible:
        raise GraphError("the graph has a cycle, so there is no order") from None


def closure(graph: WorkflowGraph) -> frozenset[tuple[str, str]]:
    """Return every pair of nodes of which the first comes before the second.

    In a cycle each comes before each other one; no node comes before itself.
    """
    after = nx.transitive_closure(digraph(graph), reflexive=None)
    return frozenset((one, other) for one, other in after.edges if one != other)


def critical_path(graph: WorkflowGraph, takes: Mapping[str, float] | None = None) -> Critical:
    """Return the longest way through the graph.

    Args:
        graph: The workflow.
        takes: How long each node takes; 1 for each that it does not name.

    Raises:
        GraphError: the graph has a cycle.
    """
    if not graph.nodes:
        return Critical((), 0.0)
    times = {node.id: float((takes or {}).get(node.id, 1.0)) for node in graph.nodes}
    made = digraph(graph)
    weighed: nx.DiGraph[Any] = nx.DiGraph()
    # A node's time lies on the edge behind it, since networkx weighs edges; the one place that
    # every way ends in takes nothing. A tuple can be no node's name.
    last = ("end",)
    for node in made:
        weighed.add_edge(node, last, weight=times[node])
        for target in made.successors(node):
            weighed.add_edge(node, target, weight=times[node])
    try:
        way = nx.dag_longest_path(weighed)
    except nx.NetworkXUnfeasible:
        raise GraphError("the graph has a cycle, so there is no longest way") from None
    nodes = tuple(node for node in way if node != last)
    return Critical(nodes, sum(times[node] for node in nodes))
