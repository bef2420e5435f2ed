"""`ossia score flowbench` at the command line."""

import json

from tests.evaluation.flowbench.measures.support import call, gold, line
from tests.evaluation.flowbench.measures.test_oracle import TURN


def lines(path, *entries):
    path.write_text("\n".join(json.dumps(entry) for entry in entries), "utf-8")
    return path


def test_recorded_cases_are_counted_and_a_difference_is_an_error(ossia, tmp_path):
    file = lines(tmp_path / "o", TURN)
    done = ossia("score", "flowbench", "--oracle", file)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 of 1 equal\n"
    other = TURN | {"case": "two\x1b[2J", "out": TURN["out"] | {"call_pre": 0.5}}
    file = lines(tmp_path / "o", TURN, other, TURN, {})
    done = ossia("score", "flowbench", "--oracle", file)
    assert done.returncode == 1 and done.stdout.endswith("1 of 4 equal\n")
    assert "turn two\\u001b[2J: different: call_pre: 1.0, recorded is 0.5" in done.stdout
    assert "line 3: refused: turn by hand occurs twice" in done.stdout
    told = json.loads(ossia("score", "flowbench", "--oracle", file, "--json").stdout)
    assert (told["cases"], told["equal"], len(told["not_equal"])) == (4, 1, 3)


def test_predictions_are_scored_by_both_measures(ossia, tmp_path):
    file = lines(
        tmp_path / "p",
        line(gold("book", {"note": "door"}), call("book", {"note": "window"})),
        line(gold("book", {"n": 1}), "api call error", "s_agent_turn2"),
    )
    done = ossia("score", "flowbench", file)
    assert done.returncode == 0, done.stderr
    for said in ("a judge that says no", "a judge that says yes", "corrected", "2 turns, 1 failed"):
        assert said in done.stdout
    told = json.loads(ossia("score", "flowbench", file, "--json").stdout)
    assert told["mildest"]["figures"]["call_rec"] == 1.0
    assert told["corrected"]["calls"] == {"gold": 2, "predicted": 1, "right": 0}
    file = lines(tmp_path / "p", line(gold("book", {"note": "door"}), call("fly", {"note": "x"})))
    said = ossia("score", "flowbench", file).stdout
    assert "ends with an error: ValueError: matches is None." in said


def test_bad_input_is_one_line(ossia, tmp_path):
    file = lines(tmp_path / "p", {"id": "x"})
    for given, said in (
        ((), "give either predictions or a file with --oracle"),
        ((file, "--oracle", file), "give either"),
        ((file,), "line 1: messages: Field required"),
        ((tmp_path / "none",), "No such file"),
    ):
        done = ossia("score", "flowbench", *given)
        assert (done.returncode, done.stdout) == (2, "") and said in done.stderr
        assert done.stderr.count("\n") == 1
