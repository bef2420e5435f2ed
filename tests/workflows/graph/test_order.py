"""Orders, closure and critical path, by hand and by definition."""

from itertools import permutations

import pytest
from hypothesis import given

from ossia_workflows.graph import GraphError, closure, critical_path, topological_orders
from tests.workflows.graph.graphs import graph, graphs

DIAMOND = graph("START-1 1-2 1-3 2-4 3-4 4-END")


def test_orders_of_a_diamond():
    assert set(topological_orders(DIAMOND, 10)) == {("1", "2", "3", "4"), ("1", "3", "2", "4")}
    assert len(list(topological_orders(DIAMOND, 1))) == 1
    assert list(topological_orders(graph(""), 5)) == [()]


def test_a_cycle_has_no_order_and_no_longest_way():
    cyclic = graph("START-1 1-2 2-1 2-END")
    with pytest.raises(GraphError, match="cycle"):
        list(topological_orders(cyclic, 5))
    with pytest.raises(GraphError, match="cycle"):
        critical_path(cyclic)
    assert closure(cyclic) == {("1", "2"), ("2", "1")}


def test_closure_and_critical_path():
    assert closure(DIAMOND) == {("1", "2"), ("1", "3"), ("1", "4"), ("2", "4"), ("3", "4")}
    assert critical_path(DIAMOND).length == 3
    slow = critical_path(DIAMOND, {"3": 5.0})
    assert slow.nodes == ("1", "3", "4") and slow.length == 7
    assert critical_path(graph("")).nodes == ()


@pytest.mark.slow
@given(made=graphs())
def test_orders_are_those_that_break_no_pair_of_the_closure(made):
    pairs = closure(made)
    cyclic = any((b, a) in pairs for a, b in pairs) or any(a == b for a, b in made.edges_between())
    if cyclic:
        with pytest.raises(GraphError):
            list(topological_orders(made, 1))
        return
    ids = [node.id for node in made.nodes]
    allowed = {
        order
        for order in permutations(ids)
        if all(order.index(a) < order.index(b) for a, b in pairs)
    }
    assert set(topological_orders(made, 1000)) == allowed
    assert critical_path(made).length <= len(ids)
