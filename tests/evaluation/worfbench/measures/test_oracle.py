"""The published measure equals the recorded scores of the published evaluator."""

import json

import pytest

from ossia_evaluation.worfbench.measures.oracle import check_case, check_oracle
from ossia_evaluation.worfbench.measures.published import Unscored, chain, graph
from ossia_evaluation.worfbench.plan import PlanError
from tests.evaluation.worfbench.support import ORACLE, PARSER, cases, needs_data, plan


@needs_data
@pytest.mark.parametrize(("file", "count"), [(ORACLE, 155), (PARSER, 43)])
def test_every_recorded_case_is_equal(file, count):
    results = list(check_oracle(file))
    assert [result for result in results if result.outcome != "equal"] == []
    assert len(results) == count


@needs_data
def test_even_ties_are_broken_as_recorded():
    from ossia_evaluation.worfbench.measures.oracle import matrix_of

    for case in cases(ORACLE):
        ours, gold = plan(case["pred"]), plan(case["gold"])
        sim = matrix_of(case["sim"], len(ours.nodes), len(gold.nodes))
        for score, name, measure in (
            (chain(ours, gold, sim), "node", "chain"),
            (graph(ours, gold, sim), "graph", "graph"),
        ):
            recorded = case["ref"][name]
            if isinstance(score, Unscored):
                assert "crash" in recorded
                continue
            figures = (score.precision, score.recall, score.f1)
            assert figures == (recorded["precision"], recorded["recall"], recorded["f1_score"])
            assert score.unique == case["ref_detail"][f"{measure}_unique"], case["id"]


def counted(case: dict) -> dict:
    """The case without its texts."""
    return {
        "id": case["id"],
        "gold_n": len(case["gold"]["nodes"]),
        "pred_n": len(case["pred"]["nodes"]),
        "gold_edges": case["gold"]["edges"],
        "pred_edges": case["pred"]["edges"],
        **{name: case[name] for name in ("sim", "ref", "ref_detail")},
    }


@needs_data
def test_cases_without_texts_are_equal_too():
    for case in cases(ORACLE):
        result = check_case(json.dumps(counted(case)).encode(), "x")
        assert result.outcome == "equal", result


@needs_data
def test_another_score_is_a_difference():
    for case in cases(ORACLE)[::20]:
        case["ref"]["graph"]["f1_score"] += 2e-9
        case["ref_detail"]["graph_unique"] = True
        result = check_case(json.dumps(case).encode(), "x")
        assert result.outcome == "different" and "graph f1" in result.reason


SCORE = {"precision": 1.0, "recall": 1.0, "f1_score": 1.0}
GOOD = {
    "gold_n": 3,
    "pred_n": 3,
    "gold_edges": [[0, 1], [1, 2]],
    "pred_edges": [[0, 1], [1, 2]],
    "sim": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "ref": {"node": SCORE, "graph": SCORE},
}


def test_a_case_by_hand():
    assert check_case(json.dumps(GOOD).encode(), "x").outcome == "equal"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sim": [[1, 0, 0], [0, 1, 0]]}, "2 x 3; 3 predicted and 3 gold nodes need 3 x 3"),
        ({"sim": [[1, 0, 0], [0, 1], [0, 0, 1]]}, "ragged"),
        ({"sim": [[1, 0, 0], [0, float("nan"), 0], [0, 0, 1]]}, "not a finite number"),
        ({"sim": [[1, 0, 0], [0, float("inf"), 0], [0, 0, 1]]}, "not a finite number"),
        ({"sim": None}, "no similarities"),
        ({"sim": [["1", 0, 0], [0, 1, 0], [0, 0, 1]]}, "sim.0.0"),
        ({"gold_n": 10_000}, "has 10000 nodes; at most 2000"),
        ({"gold_n": 10**30}, "at most 2000"),
        ({"gold_n": -1}, "gold_n"),
        ({"gold_n": None}, "neither gold nor gold_n"),
        ({"pred_edges": [[0, -1]]}, "negative"),
        ({"pred_edges": [[0]]}, "pred_edges.0"),
        ({"ref": {}}, "neither node nor graph"),
        ({"ref": {"node": {"f1_score": "1"}}}, "not a number"),
        ({"ref": {"node": {"f1_score": 10**400}}}, "not a number"),
        ({"ref": {"node": [1]}}, "not a score"),
        ({"threshold_op": ">="}, "threshold_op"),
    ],
)
def test_a_malformed_case_is_refused_in_one_line(change, said):
    result = check_case(json.dumps(GOOD | change).encode(), "line 7")
    assert result.outcome == "refused" and said in result.reason and "\n" not in result.reason


def test_what_is_no_case_is_refused(tmp_path):
    assert check_case(b"{", "line 1").outcome == "refused"
    assert check_case(b"[]", "line 1").outcome == "refused"
    (tmp_path / "empty").write_text("\n\n")
    for path, said in ((tmp_path / "empty", "no case"), (tmp_path / "none", "No such file")):
        with pytest.raises(PlanError, match=said):
            list(check_oracle(path))


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [([[0, 1], [1, 1], [1, 2]], 3), ([[0, 1], [1, 5]], 3), ([[0, 1], [1, 2], [2, 0]], 3)],
)
def test_the_published_evaluator_crashes_on_a_gold_plan_that_has_no_order(edges, nodes):
    case = GOOD | {"gold_edges": edges, "ref": {"node": {"crash": "UnboundLocalError"}}}
    assert check_case(json.dumps(case).encode(), "x").outcome == "equal"
    as_score = GOOD | {"gold_edges": edges}
    assert "unscored" in check_case(json.dumps(as_score).encode(), "x").reason


def test_from_ten_nodes_on_not_even_a_cycle_is_noticed():
    size = 10
    alike = [[float(row == column) for column in range(size)] for row in range(size)]
    edges = [[at, at + 1] for at in range(size - 1)]
    # START and END stay in the gold list alone, so 8 of 10 are found.
    score = {"precision": 1.0, "recall": 0.8, "f1_score": 2 * 0.8 / 1.8}
    case = GOOD | {
        "gold_n": size,
        "pred_n": size,
        "gold_edges": [*edges, [5, 2]],
        "pred_edges": edges,
        "sim": alike,
        "ref": {"node": score, "graph": SCORE},
    }
    assert check_case(json.dumps(case).encode(), "x").outcome == "equal"


def test_nothing_paired_is_a_crash_of_the_graph_measure_and_one_node_of_the_chain():
    case = GOOD | {
        "sim": [[0.6] * 3] * 3,
        "ref": {"node": SCORE, "graph": {"crash": "ValueError"}},
    }
    assert check_case(json.dumps(case).encode(), "x").outcome == "equal"
