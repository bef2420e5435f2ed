"""What both measures say of one plan, and of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from ossia_evaluation.worfbench.measures.corrected import Corrected, corrected, steps_of_plan
from ossia_evaluation.worfbench.measures.embedding import same_text
from ossia_evaluation.worfbench.measures.matching import Matrix
from ossia_evaluation.worfbench.measures.published import Score, Unscored, chain, graph
from ossia_evaluation.worfbench.measures.variants import FLOORS, make_variant
from ossia_evaluation.worfbench.plan import Plan

__all__ = ["Floor", "Judged", "Means", "floors", "judge", "judge_variant", "means", "true_graph_of"]


@dataclass(frozen=True, slots=True)
class Means:
    """Mean F1 of plans; one that could not be scored counts 0.

    Attributes:
        chain: The published measure of node chains.
        graph: The published measure of graphs.
        nodes: The corrected measure of nodes.
        true_chain: The corrected measure of chains.
        precedence: The corrected measure of what comes before what.
        true_graph: The corrected measure of graphs.
    """

    chain: float
    graph: float
    nodes: float
    true_chain: float
    precedence: float
    true_graph: float


@dataclass(frozen=True, slots=True)
class Floor:
    """What plans get that need no model.

    Attributes:
        name: How they are made of the gold plans.
        means: Their scores, texts compared by being the same.
    """

    name: str
    means: Means


Judged = tuple[Score | Unscored | None, Score | Unscored | None, Corrected | None]
"""The published measure of the chain and of the graph, and the corrected one."""


def judge_variant(name: str, gold: Plan) -> tuple[Score | Unscored, Score | Unscored, Corrected]:
    """Score a plan made of a gold plan; texts are alike where they are the same."""
    made = make_variant(name, gold)
    return judge(made, gold, same_text(made.nodes, gold.nodes))


def judge(
    predicted: Plan, gold: Plan, similarities: Matrix
) -> tuple[Score | Unscored, Score | Unscored, Corrected]:
    """Score a plan by the published measure of chains and of graphs, and by the corrected one."""
    inner = similarities[np.ix_(predicted.tasks, gold.tasks)]
    return (
        chain(predicted, gold, similarities),
        graph(predicted, gold, similarities),
        corrected(steps_of_plan(predicted), steps_of_plan(gold), inner),
    )


def means(judged: Sequence[Judged]) -> Means:
    """Return the means over at least one plan; what was not scored counts 0."""
    right = [one for _, _, one in judged if one is not None]
    count = len(judged)
    return Means(
        chain=fsum(_f1(one) for one, _, _ in judged) / count,
        graph=fsum(_f1(one) for _, one, _ in judged) / count,
        nodes=fsum(one.nodes.f1 for one in right) / count,
        true_chain=fsum(one.chain.f1 for one in right) / count,
        precedence=fsum(one.precedence.f1 for one in right) / count,
        true_graph=fsum(one.graph for one in right) / count,
    )


def floors(golds: Sequence[Plan]) -> tuple[Floor, ...]:
    """Return what the plans without a model get on these gold plans, of which there is one."""
    return tuple(
        Floor(name, means([judge_variant(name, gold) for gold in golds])) for name in FLOORS
    )


def true_graph_of(name: str, golds: Sequence[Plan]) -> float:
    """Return the mean that plans made of gold plans, of which there is one, get as graphs.

    By the corrected measure alone, which is quicker than all of them.
    """
    return fsum(_true_graph(make_variant(name, gold), gold) for gold in golds) / len(golds)


def _true_graph(made: Plan, gold: Plan) -> float:
    texts = [[plan.nodes[at] for at in plan.tasks] for plan in (made, gold)]
    return corrected(steps_of_plan(made), steps_of_plan(gold), same_text(*texts)).graph


def _f1(score: Score | Unscored | None) -> float:
    return score.f1 if isinstance(score, Score) else 0.0
