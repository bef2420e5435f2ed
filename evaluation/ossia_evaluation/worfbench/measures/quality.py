"""What is wrong with gold plans, by the publication's own rule and by reading them."""

from __future__ import annotations

from enum import StrEnum

import networkx as nx

from ossia_evaluation.worfbench.measures.files import Written
from ossia_evaluation.worfbench.plan import Plan
from ossia_workflows.graph import WorkflowGraph
from ossia_workflows.graph.order import digraph

__all__ = ["Defect", "defects"]


class Defect(StrEnum):
    """What may be wrong with a gold plan."""

    UNREADABLE = "unreadable"
    ORDER = "listed against the quality rule"
    """Listed by Kahn's sort, the smallest number first, its nodes are not in their order."""
    PROSE = "prose read as nodes"
    TRIVIAL = "one node or one edge"


def defects(gold: Written) -> tuple[Defect, ...]:
    """Return what is wrong with a gold plan; nothing of most."""
    plan = gold.published()
    if plan is None:
        return (Defect.UNREADABLE,)
    found = []
    if gold.graph is not None:
        if not _listed_in_order(gold.graph):
            found.append(Defect.ORDER)
        if _words(plan) != tuple(" ".join(node.task.split()) for node in gold.graph.nodes):
            found.append(Defect.PROSE)
    if len(plan.tasks) <= 1 or len(plan.edges) <= 1:
        found.append(Defect.TRIVIAL)
    return tuple(found)


def _words(plan: Plan) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in plan.nodes[1:-1])


def _listed_in_order(gold: WorkflowGraph) -> bool:
    """Whether the smallest node that can be next is the next one of the list."""
    names = [node.id for node in gold.nodes]
    places = {name: at for at, name in enumerate(names)}
    graph = digraph(gold)
    try:
        return list(nx.lexicographical_topological_sort(graph, key=places.__getitem__)) == names
    except nx.NetworkXUnfeasible:
        return False
