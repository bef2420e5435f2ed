"""Orders in which a plan can be carried out, and pairs of steps that it leaves in any order."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Final

import networkx as nx

from ossia_dataset.randomness import seeded_random
from ossia_workflows.graph import WorkflowGraph, closure, topological_orders
from ossia_workflows.graph.order import digraph

__all__ = ["MOST_ORDERS", "MOST_PAIRS", "both_ways", "parallel_pairs", "sampled_orders"]

MOST_ORDERS: Final = 24
"""Up to so many orders all are tried: those of four steps that nothing binds."""

MOST_PAIRS: Final = 66
"""Up to so many pairs all are tried: those of twelve steps."""

Order = tuple[str, ...]


def sampled_orders(graph: WorkflowGraph, seed: int) -> tuple[Order, ...]:
    """Return all orders of a graph where they are few, else some that a seed draws.

    Among those drawn are the two that take, of the steps that can come next, the first and the last
    one listed.

    Args:
        graph: The plan.
        seed: Decides what is drawn.

    Raises:
        GraphError: the graph has a cycle.
    """
    found = tuple(topological_orders(graph, MOST_ORDERS + 1))
    if len(found) <= MOST_ORDERS:
        return found
    names = [node.id for node in graph.nodes]
    rng = seeded_random("orders", seed)
    drawn = [names, names[::-1], *(rng.sample(names, len(names)) for _ in range(MOST_ORDERS - 2))]
    orders = (_ordered(graph, {name: at for at, name in enumerate(one)}) for one in drawn)
    return tuple(dict.fromkeys(orders))


def parallel_pairs(graph: WorkflowGraph, seed: int) -> tuple[tuple[str, str], ...]:
    """Return the pairs of steps neither of which has to come first, or some that a seed draws."""
    bound = closure(graph)
    pairs = [
        (one, other)
        for one, other in combinations([node.id for node in graph.nodes], 2)
        if (one, other) not in bound and (other, one) not in bound
    ]
    if len(pairs) > MOST_PAIRS:
        pairs = seeded_random("pairs", seed).sample(pairs, MOST_PAIRS)
    return tuple(pairs)


def both_ways(graph: WorkflowGraph, one: str, other: str) -> tuple[Order, Order]:
    """Return two orders that differ in nothing but two steps, which stand side by side.

    What has to come before them stands before them, all else behind.
    """
    way = digraph(graph)
    before = nx.ancestors(way, one) | nx.ancestors(way, other)
    places = {node.id: at for at, node in enumerate(graph.nodes)}
    count = len(places)
    ranks = {name: at if name in before else at + 2 * count for name, at in places.items()}
    first = _ordered(graph, {**ranks, one: count, other: count + 1})
    second = _ordered(graph, {**ranks, one: count + 1, other: count})
    return first, second


def _ordered(graph: WorkflowGraph, ranks: Mapping[str, int]) -> Order:
    return tuple(nx.lexicographical_topological_sort(digraph(graph), key=ranks.__getitem__))
