"""Plans made of a gold plan by known changes, which show what a measure measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import numpy as np

from ossia_evaluation.worfbench.measures.corrected import steps_of_plan
from ossia_evaluation.worfbench.plan import END, START, Plan

__all__ = ["FLOORS", "NONSENSE", "VARIANTS", "make_variant"]

NONSENSE: Final = "qzx vlt wrn"
"""Says nothing that a task says."""


def make_variant(name: str, gold: Plan) -> Plan:
    """Return a plan of a gold plan; chance is drawn by the plan itself, so each time the same."""
    return VARIANTS[name](gold)


def _reversed(gold: Plan) -> Plan:
    """The last step first, one after the other."""
    return _linear(Plan((START, *reversed(gold.nodes[1:-1]), END), ()))


def _renumbered(gold: Plan) -> Plan:
    """The same graph, its nodes listed in another order."""
    inner = list(range(1, len(gold.nodes) - 1))
    Random(len(inner)).shuffle(inner)
    listed = [0, *inner, len(gold.nodes) - 1]
    place = {old: new for new, old in enumerate(listed)}
    edges = tuple((place.get(one, one), place.get(other, other)) for one, other in gold.edges)
    return Plan(tuple(gold.nodes[old] for old in listed), edges)


def _linear(gold: Plan) -> Plan:
    """One step after the other, as listed."""
    last = len(gold.nodes) - 1
    return Plan(gold.nodes, tuple((at, at + 1) for at in range(last)))


def _more_edges(gold: Plan) -> Plan:
    """An edge more for every second step, forward in the list and not there before."""
    steps = range(1, len(gold.nodes) - 1)
    there = set(gold.edges)
    free = [(one, other) for one in steps for other in steps if one < other]
    free = [edge for edge in free if edge not in there]
    more = Random(len(gold.edges)).sample(free, min(len(free), (len(steps) + 1) // 2))
    return Plan(gold.nodes, (*gold.edges, *sorted(more)))


def _closed(gold: Plan) -> Plan:
    """Every edge that follows from the others is there, too."""
    tasks = gold.tasks
    before = np.argwhere(steps_of_plan(gold).before).tolist()
    implied = ((tasks[one], tasks[other]) for one, other in before)
    return Plan(gold.nodes, tuple(dict.fromkeys((*gold.edges, *implied))))


def _one_nonsense(gold: Plan) -> Plan:
    """A single step that says nothing of the task."""
    return Plan((START, NONSENSE, END), ((0, 1), (1, 2)))


VARIANTS: Final[Mapping[str, Callable[[Plan], Plan]]] = {
    "gold": lambda gold: gold,
    "reversed": _reversed,
    "renumbered": _renumbered,
    "linearised": _linear,
    "extra edges": _more_edges,
    "closure": _closed,
    "one nonsense node": _one_nonsense,
}
"""How each is made."""

FLOORS: Final = ("one nonsense node", "linearised", "reversed")
"""What a plan has to beat to mean anything: they stand with every result."""
