"""What is wrong with a graph is told in sentences."""

import pytest

from ossia_workflows.graph import findings
from tests.workflows.graph.graphs import graph


def test_nothing_is_wrong_with_a_graph_that_can_be_carried_out():
    made = graph("START-1 1-2 2-END", **{"1": {"gives": ("x",)}, "2": {"needs": ("x",)}})
    assert findings(made) == ()


@pytest.mark.parametrize(
    ("made", "sentences"),
    [
        (graph(""), ["the graph has no node"]),
        (
            graph("START-1 1-1 1-END"),
            ["1 -> 1 is a cycle: none of it can come first"],
        ),
        (
            graph("START-1 1-END 2-END"),
            ["node 2 is never reached: no way leads to it from START"],
        ),
        (
            graph("START-1 START-2 1-END"),
            ["node 2 is a dead end: no way leads from it to END"],
        ),
        (
            graph("START-1 1-END", **{"1": {"gives": ("x",), "needs": ("y",)}}),
            [
                "node 1 gives x, which no node needs",
                "node 1 needs y, which no node before it gives",
            ],
        ),
        (
            graph("START-1 1-2 2-END", **{"2": {"gives": ("x",)}, "1": {"needs": ("x",)}}),
            ["node 1 needs x, which no node before it gives"],
        ),
    ],
)
def test_flaws(made, sentences):
    assert [finding.sentence for finding in findings(made)] == sentences


def test_a_longer_cycle_is_told_as_a_way():
    (found,) = findings(graph("START-1 1-2 2-3 3-1 3-END"))
    assert found.flaw == "cycle" and set(found.nodes) == {"1", "2", "3"}
