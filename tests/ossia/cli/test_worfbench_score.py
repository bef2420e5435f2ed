"""`ossia score worfeval` at the command line."""

import csv
import json

import pytest

SCORE = {"precision": 1.0, "recall": 1.0, "f1_score": 1.0}
CASE = {
    "id": "one",
    "gold_n": 3,
    "pred_n": 3,
    "gold_edges": [[0, 1], [1, 2]],
    "pred_edges": [[0, 1], [1, 2]],
    "sim": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "ref": {"node": SCORE, "graph": SCORE},
}
GOLD = "Node:\n1: wash the cup\n2: dry the cup\nEdge: (START,1) (1,2) (2,END)"


def lines(path, *entries):
    path.write_text("\n".join(json.dumps(entry) for entry in entries), "utf-8")
    return path


def test_recorded_cases_are_counted_and_a_difference_is_an_error(ossia, tmp_path):
    done = ossia("score", "worfeval", "--oracle", lines(tmp_path / "o", CASE, CASE))
    assert done.returncode == 0, done.stderr
    assert "2 of 2 equal" in done.stdout and "one nonsense node" in done.stdout
    other = {"ref": {"node": SCORE, "graph": SCORE | {"f1_score": 1 - 2e-9}}, "id": "two\x1b[2J"}
    file = lines(tmp_path / "o", CASE, CASE | other, CASE | {"sim": []})
    done = ossia("score", "worfeval", "--oracle", file)
    assert done.returncode == 1 and "1 of 3 equal" in done.stdout
    assert "two\\u001b[2J: different: graph f1: 1, recorded is 0.999999998" in done.stdout
    assert "one: refused: the similarities are 0 x 0" in done.stdout
    done = ossia("score", "worfeval", "--oracle", file, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["equal"] == 1


def test_predictions_are_scored_with_the_floors_beside_them(ossia, tmp_path):
    gold = lines(tmp_path / "g", *({"id": name, "workflow": GOLD} for name in "ab"))
    ours = lines(tmp_path / "p", {"id": "a", "workflow": GOLD}, {"id": "b", "workflow": "[red]"})
    table = tmp_path / "t.csv"
    done = ossia("score", "worfeval", ours, gold, "--plans-csv", table)
    assert done.returncode == 0, done.stderr
    for said in ("not comparable with published figures", "linearised", "reversed"):
        assert said in done.stdout
    assert "b: unparsed: the published parser finds no plan" in done.stdout
    assert "1 scored, 1 unparsed" in done.stdout
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert [(row["id"], row["status"], row["true_graph"]) for row in rows] == [
        ("a", "scored", "1.0"),
        ("b", "unparsed", ""),
    ]
    found = json.loads(ossia("score", "worfeval", ours, gold, "--json").stdout)
    assert found["means"]["graph"] == 0.5 and found["cases"][1]["status"] == "unparsed"


def test_variants_are_told_for_every_measure(ossia, tmp_path):
    gold = lines(tmp_path / "g", {"id": "a", "workflow": GOLD})
    found = json.loads(ossia("score", "worfeval-variants", gold, "--json").stdout)
    assert (found["plans"], found["defects"]) == (1, {})
    reverse = next(row for row in found["variants"] if row["name"] == "reversed")
    assert (reverse["graph"], reverse["true_graph"]) == (1.0, 0.0)
    assert "1 gold plans, mean F1 in %" in ossia("score", "worfeval-variants", gold).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give the predictions and the gold plans"),
        (("p",), "give the predictions and the gold plans"),
        (("p", "g", "--oracle", "o"), "either predictions"),
        (("p", "no"), "No such file"),
        (("--oracle", "no"), "No such file"),
        (("--oracle", "empty"), "contains no case"),
        (("p", "empty"), "contains no plan"),
        (("p", "g", "--embedder", "x"), "no embedder x"),
        (("p", "g", "--embeddings", "p"), "no file of embeddings"),
        (("p", "g", "--similarities", "p"), "entry 1 is not an id with a matrix"),
        (("p", "g", "--plans-csv", "no/t.csv"), "there is no folder"),
    ],
)
def test_bad_input_is_one_line(ossia, tmp_path, words, said):
    lines(tmp_path / "g", {"id": "a", "workflow": GOLD})
    lines(tmp_path / "p", {"id": "a", "workflow": GOLD})
    (tmp_path / "empty").write_text("")
    named = [word if word.startswith("-") or word == "x" else tmp_path / word for word in words]
    done = ossia("score", "worfeval", *named)
    assert done.returncode == 2 and said in done.stderr, done
    assert len(done.stderr.strip().splitlines()) == 1


def test_defects_of_gold_plans_are_told(ossia, tmp_path):
    trivial = {"id": "a", "workflow": "Node:\n1: a\nEdge: (START,1) (1,END)"}
    gold = lines(tmp_path / "g", trivial, {"id": "b", "workflow": "none"})
    said = ossia("score", "worfeval-variants", gold).stdout
    assert "defects of gold plans: unreadable 1, one node or one edge 1" in said
    big = "Node:\n" + "\n".join(f"{at}: x" for at in range(3000)) + "\nEdge: (START,1)"
    done = ossia("score", "worfeval-variants", lines(tmp_path / "g", {"id": "c", "workflow": big}))
    assert done.returncode == 2 and "c has 3002 nodes; at most 2000" in done.stderr
