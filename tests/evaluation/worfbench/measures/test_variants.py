"""What the measures say of changed gold plans."""

import pytest

from ossia_evaluation.worfbench.measures.embedding import HashedWords, Similarities, same_text
from ossia_evaluation.worfbench.measures.scores import floors, judge_variant, means
from ossia_evaluation.worfbench.measures.variants import FLOORS, VARIANTS, make_variant
from ossia_evaluation.worfbench.plan import END, START, Plan, parse_published
from tests.evaluation.worfbench.support import golds, needs_data


@needs_data
def test_the_published_golds_score_themselves_as_published_and_correctly():
    judged = [judge_variant("gold", parse_published(gold.workflow)) for gold in golds()]
    found = means(judged)
    assert (round(found.chain, 3), round(found.graph, 3)) == (0.970, 0.997)
    assert (found.nodes, found.precedence, found.true_graph) == (1.0, 1.0, 1.0)
    # The three that break the quality rule list a step before one that it needs.
    assert sum(one.chain.f1 < 1 for _, _, one in judged) == 3


@needs_data
def test_a_reversed_plan_passes_for_perfect_in_the_published_graph_measure():
    judged = [judge_variant("reversed", parse_published(gold.workflow)) for gold in golds()]
    assert sum(graph.f1 == 1.0 for _, graph, _ in judged) == 1604
    assert means(judged).true_graph < 0.05


def test_variants_by_hand():
    gold = Plan((START, "a", "b", "c", END), ((0, 1), (1, 2), (1, 3), (2, 4), (3, 4)))
    made = {name: make_variant(name, gold) for name in VARIANTS}
    line = ((0, 1), (1, 2), (2, 3), (3, 4))
    assert made["reversed"] == Plan((START, "c", "b", "a", END), line)
    assert made["linearised"] == Plan(gold.nodes, line)
    assert made["closure"] == gold
    assert set(made["extra edges"].edges) - set(gold.edges) == {(2, 3)}
    renumbered = made["renumbered"]
    assert sorted(renumbered.nodes) == sorted(gold.nodes) and renumbered.nodes[0] == START
    named = {(renumbered.nodes[a], renumbered.nodes[b]) for a, b in renumbered.edges}
    assert named == {(gold.nodes[a], gold.nodes[b]) for a, b in gold.edges}
    assert [floor.name for floor in floors([gold])] == list(FLOORS)


def test_each_text_is_embedded_once():
    calls = []

    class Counting(HashedWords):
        def embed(self, texts):
            calls.append(list(texts))
            return super().embed(texts)

    alike = Similarities(Counting())
    alike.learn(["a b", "c", "a b"])
    matrix = alike.matrix(["a b", "c"], ["c", "d"])
    assert calls == [["a b", "c"], ["d"]] and alike.embedded == 3
    assert matrix[1, 0] == pytest.approx(1.0) and matrix.min() >= 0


def test_the_small_embedder_knows_spelling():
    alike = Similarities(HashedWords())
    near, far = alike.matrix(
        ["Find the red pan in the kitchen."], ["find a red pan in the kitchen", "Buy stocks"]
    )[0]
    assert near > 0.6 > far
    assert alike.matrix(["", "\x00"], ["", "a"]).tolist() == [[0, 0], [0, 0]]
    assert alike.matrix([], ["a"]).shape == (0, 1)


def test_the_same_text_is_alike():
    assert same_text(["a", "b"], ["b"]).tolist() == [[0.0], [1.0]]
