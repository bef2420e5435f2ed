"""The published evaluator of WorFBench as it works: what our own is measured against.

Written anew from what it does, not copied. Each pairing embeds both its lists again, every order of
a gold plan is made before 20 of them are taken, and all pairing is networkx's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np

from ossia_evaluation.worfbench.measures.embedding import Embedder
from ossia_evaluation.worfbench.plan import END, START, Plan

__all__ = ["PublishedWay"]

_THRESHOLD = 0.6


class PublishedWay:
    """Scores plans in the published way.

    Attributes:
        calls: How often the embedder was called.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Take an embedder; nothing of what it says is kept."""
        self.calls = 0
        self._embedder = embedder

    def chain(self, predicted: Plan, gold: Plan) -> float:
        """Return the best F1 of the node chain over the orders of the gold plan."""
        ours = [text for text in predicted.nodes if text not in (START, END)]
        return max(self._of_order(ours, order) for order in _orders(gold))

    def graph(self, predicted: Plan, gold: Plan) -> float:
        """Return the F1 of the graph."""
        paired = self._pair(predicted.nodes, gold.nodes)
        ours, theirs = list(paired), list(paired.values())
        kept = [edge for edge in predicted.edges if edge[0] in ours and edge[1] in ours]
        wanted = [edge for edge in gold.edges if edge[0] in theirs and edge[1] in theirs]
        common = [edge for edge in kept if edge in wanted]
        return _f1(
            _largest(ours, common) / len(predicted.nodes),
            _largest(theirs, common) / len(gold.nodes),
        )

    def _of_order(self, ours: Sequence[str], order: Sequence[str]) -> float:
        paired = self._pair(ours, order)
        lengths = [1] * len(ours)
        for at in range(len(ours)):
            for before in range(at):
                if at in paired and before in paired and paired[at] > paired[before]:
                    lengths[at] = max(lengths[at], lengths[before] + 1)
        return _f1(max(lengths) / len(ours), max(lengths) / len(order))

    def _pair(self, ours: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
        rows, columns = self._embed(ours), self._embed(theirs)
        alike = np.maximum(rows.astype(np.float64) @ columns.T.astype(np.float64), 0)
        graph: nx.Graph[Any] = nx.Graph()
        for row in range(len(ours)):
            for column in range(len(theirs)):
                if alike[row][column] > _THRESHOLD:
                    graph.add_edge(row, str(column), weight=alike[row][column])
        paired = {}
        for one, other in nx.max_weight_matching(graph):
            row, column = (one, other) if isinstance(one, int) else (other, one)
            paired[row] = int(column)
        return paired

    def _embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        return self._embedder.embed(texts)


def _orders(gold: Plan) -> list[list[str]]:
    if len(gold.nodes) >= 10:
        return [list(gold.nodes)]
    made: nx.DiGraph[Any] = nx.DiGraph()
    made.add_nodes_from(range(len(gold.nodes)))
    made.add_edges_from(gold.edges)
    orders = [
        [gold.nodes[at] for at in order if gold.nodes[at] not in (START, END)]
        for order in list(nx.all_topological_sorts(made))
    ]
    return orders[:20]


def _largest(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> int:
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return len(max(nx.connected_components(graph), key=len))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)
