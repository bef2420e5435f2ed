"""The published turn-level measure: no text ends it with another error than its own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.flowbench.measures.published_turns import score_turns
from tests.evaluation.flowbench.measures.support import call, gold, sample

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(["book", "pay", "book.v2", "functions.book", ""]) | st.text(max_size=4)
SAID = st.builds(call, NAMES, JSON) | st.text() | st.just("api call error")
GOLD = st.fixed_dictionaries(
    {}, optional={"Action": NAMES | JSON, "Action Input": JSON.map(json.dumps) | JSON}
)


@given(st.lists(st.builds(sample, GOLD, SAID), max_size=4), st.text(max_size=5))
def test_whatever_is_said_is_scored_or_a_crash(samples, reply):
    found = score_turns(samples, lambda prompt: reply)
    assert (found.crash is None) == (found.figures is not None)
    for count in found.counters.values():
        assert count.right_function <= count.right_api <= count.all_function
        assert count.right_params <= min(count.all_params, count.all_params_pred)


@pytest.mark.parametrize(
    ("parameters", "crash"),
    [
        ("[1]", "AttributeError: 'list' object has no attribute 'keys'"),
        ('"a"', "AttributeError: 'str' object has no attribute 'keys'"),
        ("1", "TypeError: object of type 'int' has no len()"),
        ("null", "TypeError: object of type 'NoneType' has no len()"),
    ],
)
def test_gold_parameters_that_are_no_object_are_a_crash(parameters, crash):
    turn = sample({"Action": "book", "Action Input": parameters}, call("book", {}))
    assert score_turns([turn], lambda prompt: "yes").crash == crash


def test_a_gold_call_without_parameters_is_a_crash_of_the_whole_file():
    found = score_turns([sample({"Action": "book"}, "api call error")], lambda prompt: "yes")
    assert found.crash == "KeyError: 'Action Input'" and found.counters == {}


def test_what_is_too_deep_is_no_object():
    deep = '{"n": ' * 5000 + "1" + "}" * 5000
    turn = sample({"Action": "book", "Action Input": deep}, f"Action: book\nAction Input: {deep}")
    found = score_turns([turn], lambda prompt: "yes")
    assert found.turns[0].right_api == "" and found.counters["s"].all_params == 0


def test_ten_unclear_words_are_asked_for_and_then_taken_for_a_yes():
    asked = []

    def judge(prompt):
        asked.append(prompt)
        return "hm"

    turn = sample(gold("book", {"note": "near the door"}), call("book", {"note": "window"}))
    assert score_turns([turn], judge).turns[0].right_api == "1"
    assert len(asked) == 20
    assert "the tool book:" in asked[0].text and "time is: noon\n" in asked[0].text
