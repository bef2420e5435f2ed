"""The corrected measure: by definition on small plans, and against recorded figures."""

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.worfbench.measures.corrected import corrected, steps_of, steps_of_plan
from ossia_evaluation.worfbench.measures.embedding import same_text
from ossia_evaluation.worfbench.measures.oracle import matrix_of
from ossia_evaluation.worfbench.plan import END, START, Plan
from ossia_workflows.graph import Edge, Node, WorkflowGraph
from tests.evaluation.worfbench.support import ORACLE, cases, needs_data, plan


def judge(predicted: Plan, gold: Plan):
    texts = [[one.nodes[at] for at in one.tasks] for one in (predicted, gold)]
    return corrected(steps_of_plan(predicted), steps_of_plan(gold), same_text(*texts))


@needs_data
def test_nodes_and_chain_equal_what_was_recorded_where_the_pairing_is_unique():
    compared = 0
    for case in cases(ORACLE):
        ours, gold = plan(case["pred"]), plan(case["gold"])
        sim = matrix_of(case["sim"], len(ours.nodes), len(gold.nodes))[1:-1, 1:-1]
        found = corrected(steps_of_plan(ours), steps_of_plan(gold), sim)
        assert found.nodes.f1 == pytest.approx(case["clean"]["node_match"]["f1_score"], abs=1e-9)
        if case["clean"]["n_optimal"] == 1:
            compared += 1
            assert found.chain.f1 == pytest.approx(case["clean"]["chain"]["f1_score"], abs=1e-9)
    assert compared > 130


@st.composite
def plans(draw):
    """A gold plan without cycles, and a prediction of some of its nodes in any order."""
    count = draw(st.integers(1, 5))
    inner = range(1, count + 1)
    pairs = [(a, b) for a in inner for b in inner if a < b]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    gold = Plan((START, *(f"do {at}" for at in inner), END), tuple(edges))
    listed = draw(st.permutations([f"do {at}" for at in (*inner, count + 1)]))
    nodes = (START, *listed[: draw(st.integers(1, len(listed)))], END)
    places = st.integers(0, len(nodes) + 1)
    return Plan(nodes, tuple(draw(st.lists(st.tuples(places, places), max_size=8)))), gold


def longest_common(predicted: Plan, gold: Plan) -> int:
    """The longest common subsequence with any order of the gold plan, by trying all."""
    ours = list(predicted.nodes[1:-1])
    inner = range(1, len(gold.nodes) - 1)
    best = 0
    for order in permutations(inner):
        if all(order.index(a) < order.index(b) for a, b in gold.edges):
            theirs = [gold.nodes[at] for at in order]
            table = np.zeros((len(ours) + 1, len(theirs) + 1), dtype=int)
            for i, one in enumerate(ours):
                for j, other in enumerate(theirs):
                    table[i + 1, j + 1] = (
                        table[i, j] + 1 if one == other else max(table[i, j + 1], table[i + 1, j])
                    )
            best = max(best, int(table[-1, -1]))
    return best


@given(both=plans())
def test_chain_and_precedence_are_what_their_definitions_say(both):
    predicted, gold = both
    found = judge(predicted, gold)
    ours, theirs = predicted.nodes[1:-1], gold.nodes[1:-1]
    common = set(ours) & set(theirs)
    longest = longest_common(predicted, gold)
    assert found.nodes.f1 == pytest.approx(2 * len(common) / (len(ours) + len(theirs)))
    assert found.chain.f1 == pytest.approx(2 * longest / (len(ours) + len(theirs)))

    def pairs(one: Plan) -> set:
        last = len(one.nodes) - 1
        inside = [e for e in one.edges if min(e) > 0 and max(e) < last]
        # With what comes before itself, on a cycle.
        closed = nx.transitive_closure(nx.DiGraph(inside), reflexive=False)
        return {
            (one.nodes[a], one.nodes[b])
            for a, b in closed.edges
            if {one.nodes[a], one.nodes[b]} <= common
        }

    claimed, asked = pairs(predicted), pairs(gold)
    expected = 2 * len(claimed & asked) / (len(claimed) + len(asked)) if claimed or asked else 1.0
    assert found.precedence.f1 == pytest.approx(expected if common else 0.0)
    assert found.graph == pytest.approx(found.precedence.f1 * found.nodes.f1)


def test_steps_of_the_same_words_are_told_apart_by_their_place():
    nodes = (START, "go to sink", "clean pan", "go to sink", "put pan", END)
    gold = Plan(nodes, tuple((at, at + 1) for at in range(5)))
    found = judge(gold, gold)
    assert (found.chain.f1, found.graph) == (1.0, 1.0) and not found.nodes.unique


def graph_of(*nodes: Node) -> WorkflowGraph:
    names = [START, *(node.id for node in nodes), END]
    edges = tuple(Edge(source=a, target=b) for a, b in pairwise(names))
    return WorkflowGraph(nodes=nodes, edges=edges)


def by_tools(predicted: WorkflowGraph, gold: WorkflowGraph):
    ours, theirs = steps_of(predicted), steps_of(gold)
    return corrected(ours, theirs, same_text(ours.texts, theirs.texts))


def test_calls_are_paired_by_tool_and_arguments_not_by_words():
    gold = graph_of(
        Node(id="1", task="find it", tool="mail.find", arguments={"from": "Ann"}),
        Node(id="2", task="send it", tool="mail.send", arguments={"to": "Bob", "n": 1}),
    )
    other_words = graph_of(
        Node(id="1", task="look", tool="mail.find", arguments={"from": "Ann"}),
        Node(id="2", task="pass on", tool="mail.send", arguments={"to": "Bob", "n": 1}),
    )
    assert by_tools(other_words, gold).graph == 1.0
    wrong_tool = graph_of(
        Node(id="1", task="find it", tool="mail.delete", arguments={"from": "Ann"}),
        *other_words.nodes[1:],
    )
    assert by_tools(wrong_tool, gold).nodes.f1 == 0.5
    wrong_argument = graph_of(
        other_words.nodes[0],
        Node(id="2", task="send it", tool="mail.send", arguments={"to": "Eve", "n": True}),
    )
    assert by_tools(wrong_argument, gold).nodes.f1 == pytest.approx((1 + 1 / 3) / 2)
    assert by_tools(wrong_argument, gold).chain.f1 == 1.0


def test_a_plan_in_words_alone_is_paired_by_words():
    gold = graph_of(Node(id="1", task="find it", tool="mail.find"))
    assert by_tools(graph_of(Node(id="1", task="find it")), gold).nodes.f1 == 1.0
    assert by_tools(graph_of(Node(id="1", task="else")), gold).nodes.f1 == 0.0
