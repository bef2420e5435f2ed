"""The corrected measure: what the published one means to say, without its defects.

START and END are no nodes. A chain is right where some order of the gold plan has it, all orders
considered. A graph is right where the same steps come before the same steps, whatever their numbers
and whether an edge or a way says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ossia_evaluation.worfbench.measures.matching import THRESHOLD, Matrix, Pairing, heaviest
from ossia_evaluation.worfbench.measures.published import ZERO, Score
from ossia_evaluation.worfbench.plan import Plan
from ossia_workflows.graph import Node, WorkflowGraph

__all__ = ["Corrected", "Steps", "before", "corrected", "paired", "steps_of", "steps_of_plan"]

_NUDGE: Final = 1e-7
"""How much likeness in place counts beside likeness in words: only where words leave a tie."""

_SHORT: Final = 32
"""Up to so many steps, what comes before what is kept by a plan's edges."""

Reach = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan's steps by their places in its list.

    Attributes:
        texts: What each step says.
        before: Which step comes before which, by any way of edges.
        nodes: The nodes of the workflow graph; empty where only texts are known.
    """

    texts: tuple[str, ...]
    before: Reach
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Corrected:
    """What the corrected measure says of a plan.

    Attributes:
        nodes: Steps that are there on both sides; a call with other arguments counts in part.
        chain: The longest part of the list that some order of the gold plan has, too.
        precedence: Pairs of paired steps of which one comes before the other.
        graph: F1 of precedence times F1 of nodes.
    """

    nodes: Score
    chain: Score
    precedence: Score
    graph: float


def steps_of(graph: WorkflowGraph) -> Steps:
    """Return the steps of a workflow graph."""
    places = {node.id: at for at, node in enumerate(graph.nodes)}
    edges = [(places[one], places[other]) for one, other in graph.edges_between()]
    texts = tuple(node.task for node in graph.nodes)
    return Steps(texts, before(len(places), edges), graph.nodes)


def steps_of_plan(plan: Plan) -> Steps:
    """Return the steps of a plan by position; edges of positions without a step are left out."""
    places = {position: at for at, position in enumerate(plan.tasks)}
    edges = [
        (places[one], places[other])
        for one, other in plan.edges
        if one in places and other in places
    ]
    return Steps(tuple(plan.nodes[at] for at in plan.tasks), before(len(places), edges))


def corrected(
    predicted: Steps, gold: Steps, similarities: Matrix, threshold: float = THRESHOLD
) -> Corrected:
    """Score a plan.

    Args:
        predicted: The plan's steps.
        gold: What they should be.
        similarities: Of the text of each predicted step (row) with that of each gold step.
        threshold: What similarities of pairs have to exceed.
    """
    pairing, credits = paired(predicted, gold, similarities, threshold)
    rows = [row for row, _ in pairing.pairs]
    columns = [column for _, column in pairing.pairs]
    counts = len(predicted.texts), len(gold.texts)
    nodes = _score(float(credits[rows, columns].sum()), *counts, unique=pairing.unique)
    inside = np.ix_(columns, columns)
    chain = _score(_longest(gold.before[inside]), *counts, unique=pairing.unique)
    precedence = _precedence(predicted.before[np.ix_(rows, rows)], gold.before[inside])
    return Corrected(nodes, chain, precedence, precedence.f1 * nodes.f1)


def paired(
    predicted: Steps, gold: Steps, similarities: Matrix, threshold: float = THRESHOLD
) -> tuple[Pairing, Matrix]:
    """Return which steps are paired, and how much each pair would count.

    Args:
        predicted: The plan's steps.
        gold: What they should be.
        similarities: Of the text of each predicted step (row) with that of each gold step.
        threshold: What similarities of pairs have to exceed.
    """
    weights = np.where(similarities > threshold, similarities, 0.0)
    credits = np.ones_like(weights)
    if _names_tools(predicted) and _names_tools(gold):
        weights, credits = _by_tools(predicted.nodes, gold.nodes, weights)
    return _paired(predicted, gold, weights), credits


def before(count: int, edges: Sequence[tuple[int, int]]) -> Reach:
    """Return which of so many steps comes before which, by any way of edges.

    A step on a cycle, also one that leads to itself alone, comes before itself, as no gold step
    does.
    """
    # Most plans are short chains, alike but for their words.
    return _known(count, tuple(edges)) if count <= _SHORT else _closed(count, edges)


@lru_cache(maxsize=4096)
def _known(count: int, edges: tuple[tuple[int, int], ...]) -> Reach:
    closed = _closed(count, edges)
    closed.flags.writeable = False
    return closed


def _closed(count: int, edges: Sequence[tuple[int, int]]) -> Reach:
    direct = np.zeros((count, count), dtype=np.bool_)
    if edges:
        direct[tuple(np.array(edges).T)] = True
    # Warshall's algorithm on rows of bits: as quick for a plan of all its edges as for a chain.
    rows = np.packbits(direct, axis=1)
    for at in range(count):
        byte, bit = divmod(at, 8)
        rows[(rows[:, byte] & (128 >> bit)) != 0] |= rows[at]
    return np.unpackbits(rows, axis=1, count=count).astype(np.bool_)


def _names_tools(steps: Steps) -> bool:
    return any(node.tool is not None for node in steps.nodes)


def _by_tools(
    predicted: Sequence[Node], gold: Sequence[Node], texts: Matrix
) -> tuple[Matrix, Matrix]:
    """Weights and credits where nodes name tools: calls are paired by tool and arguments.

    A node with a tool is never paired with one of another tool, nor with one without, whatever
    their words; its credit is the F1 of what the call says, the tool included.
    """
    weights, credits = texts.copy(), np.ones_like(texts)
    for row, ours in enumerate(predicted):
        for column, theirs in enumerate(gold):
            if ours.tool is None and theirs.tool is None:
                continue
            agreed = _arguments(ours, theirs) if ours.tool == theirs.tool else 0.0
            credits[row, column] = agreed
            # The same tool is worth a pair even with no argument right, so that what is wrong
            # is an argument and not a missing node.
            weights[row, column] = (1 + agreed) / 2 if ours.tool == theirs.tool else 0.0
    return weights, credits


def _arguments(ours: Node, theirs: Node) -> float:
    total = len(ours.arguments) + len(theirs.arguments)
    same = sum(
        name in ours.arguments and _same(ours.arguments[name], value)
        for name, value in theirs.arguments.items()
    )
    return (2 * same + 2) / (total + 2)


def _same(ours: object, theirs: object) -> bool:
    """Whether two JSON values are the same; for Python, true would be 1."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    return ours == theirs


def _paired(predicted: Steps, gold: Steps, weights: Matrix) -> Pairing:
    """The heaviest pairing; steps of the same words are told apart by where they stand."""
    found = heaviest(weights)
    if found.unique or not found.gold_of:
        return found
    ours, theirs = _places(predicted), _places(gold)
    apart = np.abs(ours[:, None, :] - theirs[None, :, :]).sum(axis=2)
    size = 1.0 + apart.max(initial=0.0)
    rows = min(weights.shape)
    nudged = np.where(weights > 0, weights - _NUDGE * apart / (size * rows), 0.0)
    return Pairing(heaviest(nudged).gold_of, unique=False)


def _places(steps: Steps) -> NDArray[np.float64]:
    """For each step: how many come before it, how many after it, and its place in the list."""
    count = len(steps.texts)
    return np.stack(
        [
            steps.before.sum(axis=0),
            steps.before.sum(axis=1),
            np.arange(count) / max(1, count),
        ],
        axis=1,
    ).astype(np.float64)


def _longest(before: Reach) -> int:
    """How many of these gold steps, in the prediction's order, some order of the gold plan has.

    Two steps contradict each other where the later one comes before the earlier one in the gold
    plan. That is an order itself, so the largest set without a contradiction is an antichain of it,
    as large as all steps less a largest matching (Dilworth, Fulkerson).
    """
    count = len(before)
    # The pair (later, earlier) of the prediction's order where gold has it the other way round.
    contradicting = np.tril(before, -1)
    if not contradicting.any():
        return count
    # Not by scipy's maximum_bipartite_matching, which does not end for some plans of 1,900 steps.
    pairs = linear_sum_assignment(contradicting, maximize=True)
    return count - int(np.count_nonzero(contradicting[pairs]))


def _precedence(ours: Reach, theirs: Reach) -> Score:
    """F1 of the pairs; where steps are paired and neither side orders them, nothing is wrong."""
    claimed, asked = int(ours.sum()), int(theirs.sum())
    if len(ours) and not claimed and not asked:
        return Score(1.0, 1.0, 1.0)
    return _score(int((ours & theirs).sum()), claimed, asked)


def _score(right: float, predicted: int, gold: int, *, unique: bool = True) -> Score:
    if not predicted or not gold or not right:
        return ZERO
    precision, recall = right / predicted, right / gold
    return Score(precision, recall, 2 * precision * recall / (precision + recall), unique)
