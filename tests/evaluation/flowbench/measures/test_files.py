"""Predictions that others wrote: what cannot be read is told in one line."""

import json

import pytest

from ossia_evaluation.flowbench.measures.files import FlowBenchError, read_samples
from tests.evaluation.flowbench.measures.support import call, gold, line

GOOD = line(gold("book", {"n": 1}), call("book", {"n": 1}))


def test_turns_are_read(tmp_path):
    file = tmp_path / "p"
    file.write_text(f"\n{json.dumps(GOOD)}\n{json.dumps(GOOD | {'id': 't_agent_turn1'})}\n")
    one, two = read_samples(file)
    assert (one.id, two.id, one.gold["Action"]) == ("s_agent_turn1", "t_agent_turn1", "book")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}", "line 2: the id s_agent_turn1 occurs twice"),
        (json.dumps([GOOD]), "line 1: Input should be an object"),
        (json.dumps(GOOD | {"id": 1}), "line 1: id"),
        (json.dumps(GOOD | {"gt_thought": "Action"}), "gt_thought"),
        (json.dumps(GOOD | {"predict": float("nan")}), "predict"),
        (json.dumps(GOOD | {"predict": "x" * 10_000_000}), "100000"),
        (json.dumps(GOOD | {"messages": [{"role": "user", "content": ["x"]}]}), "content"),
        ("{" * 100_000, "line 1"),
        ("", "is empty"),
    ],
)
def test_what_is_no_turn_is_refused(tmp_path, text, said):
    file = tmp_path / "p"
    file.write_text(text)
    with pytest.raises(FlowBenchError, match=said) as caught:
        read_samples(file)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
