"""The published measure, as its evaluator computes it, defects included.

What it gets wrong is kept, since its figures are to be compared; `corrected` is the measure to use.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import networkx as nx

from ossia_evaluation.worfbench.measures.matching import THRESHOLD, Matrix, Pairing, pair
from ossia_evaluation.worfbench.plan import Plan

__all__ = ["ZERO", "Score", "Unscored", "chain", "graph", "score_of"]

_ORDERS: Final = 20
"""So many of the gold plan's orders are tried."""
_RAW_FROM: Final = 10
"""From so many nodes on, START and END counted, the gold plan's list is its only order."""


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean.

    Attributes:
        precision: The share of the prediction that is right.
        recall: The share of the gold plan that was found.
        f1: The harmonic mean.
        unique: Whether all pairings that are best led here; where not, another would score
            otherwise, perhaps.
    """

    precision: float
    recall: float
    f1: float
    unique: bool = True


@dataclass(frozen=True, slots=True)
class Unscored:
    """The published evaluator ends with an error here.

    Attributes:
        reason: Which, in one line.
    """

    reason: str


ZERO: Final = Score(0.0, 0.0, 0.0)


def score_of(right: int, predicted: int, gold: int, *, unique: bool = True) -> Score:
    """Return the score of so many nodes that are right, at least one, of so many on each side."""
    precision, recall = right / predicted, right / gold
    return Score(precision, recall, 2 * precision * recall / (precision + recall), unique)


def chain(
    predicted: Plan, gold: Plan, similarities: Matrix, threshold: float = THRESHOLD
) -> Score | Unscored:
    """Score the nodes in their order.

    Args:
        predicted: The plan.
        gold: What it should be.
        similarities: Of each predicted node (row) with each gold node (column).
        threshold: What similarities of pairs have to exceed.
    """
    if len(gold.nodes) >= _RAW_FROM:
        orders: Sequence[tuple[int, ...]] = (tuple(range(len(gold.nodes))),)
    else:
        found = _orders(len(gold.nodes), gold.edges)
        if found is None:
            return Unscored("the gold plan has a cycle or an edge to no node")
        named = set(gold.tasks)
        orders = [tuple(at for at in order if at in named) for order in found]
    rows = predicted.tasks
    if not rows:
        return Unscored("the prediction has no node besides START and END")
    if not orders[0]:
        return Unscored("the gold plan has no node besides START and END")
    return _best(similarities[list(rows)], orders, len(rows), threshold)


def _best(
    similarities: Matrix, orders: Sequence[tuple[int, ...]], predicted: int, threshold: float
) -> Score:
    """The best score of all orders; all have equally many nodes, so the longest chain is best."""
    first = orders[0]
    in_list = first == tuple(range(similarities.shape[1]))
    paired = pair(similarities if in_list else similarities[:, first], threshold)
    longest, unique = 0, paired.unique
    for order in orders:
        if paired.unique:
            place = {column: at for at, column in enumerate(order)}
            golds = [place[first[column]] for column in paired.gold_of if column >= 0]
        else:
            # Which of the best pairings is taken depends on the order of the columns.
            again = pair(similarities[:, order], threshold)
            golds = [column for column in again.gold_of if column >= 0]
        longest = max(longest, _increasing(golds))
        if longest == len(golds) and paired.unique:
            break
    # One node counts even where none is paired: the published chain begins with length 1.
    right = max(1, longest)
    return score_of(right, predicted, len(first), unique=unique)


def _increasing(places: Sequence[int]) -> int:
    """The length of the longest increasing subsequence of numbers that are all different."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


@lru_cache(maxsize=4096)
def _orders(count: int, edges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...] | None:
    """The first orders of a gold plan as networkx yields them; None where it raises an error."""
    made: nx.DiGraph[Any] = nx.DiGraph()
    made.add_nodes_from(range(count))
    made.add_edges_from(edges)
    if len(made) > count:
        return None
    try:
        return tuple(tuple(order) for order in islice(nx.all_topological_sorts(made), _ORDERS))
    except nx.NetworkXUnfeasible:
        return None


def graph(
    predicted: Plan, gold: Plan, similarities: Matrix, threshold: float = THRESHOLD
) -> Score | Unscored:
    """Score the graph: the largest part that hangs together by edges of both sides.

    Edges are compared by position, whatever their nodes are paired with, and START and END count.
    """
    if not predicted.nodes or not gold.nodes:
        return ZERO
    paired = pair(similarities, threshold)
    if not paired.pairs:
        return Unscored("no predicted node is paired with a gold node")
    return _hanging_together(predicted, gold, paired)


def _hanging_together(predicted: Plan, gold: Plan, paired: Pairing) -> Score:
    ours = {row for row, _ in paired.pairs}
    theirs = {column for _, column in paired.pairs}
    common = {
        edge
        for edge in set(predicted.edges) & set(gold.edges)
        if ours.issuperset(edge) and theirs.issuperset(edge)
    }
    # Either side is paired nodes and the same edges, which join nothing but nodes of both sides.
    joined: nx.Graph[Any] = nx.Graph()
    joined.add_edges_from(common)
    largest = max((len(part) for part in nx.connected_components(joined)), default=1)
    return score_of(largest, len(predicted.nodes), len(gold.nodes), unique=paired.unique)
