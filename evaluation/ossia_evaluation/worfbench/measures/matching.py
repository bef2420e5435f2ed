"""Pairing predicted nodes with gold nodes: the heaviest pairing above a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["THRESHOLD", "Matrix", "Pairing", "heaviest", "pair"]

THRESHOLD: Final = 0.6
"""Nodes that are as similar as this are not yet paired."""

_TIE = 1e-9
"""Pairings whose weights differ by no more than this for each pair are equally good."""
_MOST_TIED_EDGES: Final = 2000
"""Up to so many candidate pairs, ties are broken as published; networkx takes seconds beyond."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which predicted node is paired with which gold node.

    Attributes:
        gold_of: For each predicted node the position of its gold node, or -1.
        unique: Whether no other pairing is as good.
    """

    gold_of: tuple[int, ...]
    unique: bool

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs, in the order of the prediction."""
        return tuple((at, gold) for at, gold in enumerate(self.gold_of) if gold >= 0)


def pair(similarities: Matrix, threshold: float = THRESHOLD) -> Pairing:
    """Return the heaviest pairing of rows and columns that are more similar than the threshold.

    Where several are equally good, the one that the published evaluator's library finds.
    """
    weights = np.where(similarities > threshold, similarities, 0.0)
    found = heaviest(weights)
    if found.unique or np.count_nonzero(weights) > _MOST_TIED_EDGES:
        return found
    return Pairing(_as_published(weights), unique=False)


def heaviest(weights: Matrix) -> Pairing:
    """Return a pairing of the greatest weight; a weight of 0 pairs nothing."""
    rows, columns = weights.shape
    if not rows or not columns:
        return Pairing((-1,) * rows, unique=True)
    best = _each_its_best(weights)
    if best is not None:
        return Pairing(best, unique=True)
    found = _assigned(weights)
    return Pairing(found, unique=_assigned(_weakened(weights, found)) == found)


def _each_its_best(weights: Matrix) -> tuple[int, ...] | None:
    """The pairing that gives every row its own best column, where that is one and no other.

    Then no pairing is as heavy. Most plans need no more than this.
    """
    best = weights.argmax(axis=1)
    most = weights[np.arange(len(weights)), best]
    some = most > 0
    rivals = (weights > (most - _TIE)[:, None]).sum(axis=1)
    if (rivals[some] > 1).any() or np.bincount(best[some]).max(initial=0) > 1:
        return None
    return tuple(np.where(some, best, -1).tolist())


def _assigned(weights: Matrix) -> tuple[int, ...]:
    rows, columns = linear_sum_assignment(weights, maximize=True)
    found = [-1] * len(weights)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if weights[row, column] > 0:
            found[row] = column
    return tuple(found)


def _weakened(weights: Matrix, found: tuple[int, ...]) -> Matrix:
    """The weights with every pair of a pairing a little lighter: a rival as good now wins."""
    weaker = weights.copy()
    for row, column in enumerate(found):
        if column >= 0:
            weaker[row, column] -= _TIE
    return weaker


def _as_published(weights: Matrix) -> tuple[int, ...]:
    """The pairing of networkx on the graph as it is built there: which of the best, it decides."""
    graph: nx.Graph[Any] = nx.Graph()
    for row, column in np.argwhere(weights > 0).tolist():
        graph.add_edge(row, str(column), weight=float(weights[row, column]))
    found = [-1] * len(weights)
    for one, other in nx.max_weight_matching(graph):
        row, column = (one, other) if isinstance(one, int) else (other, one)
        found[row] = int(column)
    return tuple(found)
