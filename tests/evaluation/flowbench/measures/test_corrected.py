"""The corrected measure: calls one to one, typed, in order; what failed counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.flowbench.measures.calls import (
    Call,
    Comparison,
    calls_of_dialog,
    enumerations_of,
    read_calls,
)
from ossia_evaluation.flowbench.measures.corrected import (
    Tally,
    match_calls,
    means_yes,
    read_verdict,
    score_dialog,
    score_turn,
)
from tests.evaluation.flowbench.measures.support import PROMPT, call, gold, sample
from tests.evaluation.flowbench.measures.test_published_turns import GOLD, JSON, NAMES, SAID

CALLS = st.lists(
    st.builds(Call, st.sampled_from("ab"), st.none() | st.dictionaries(st.text(max_size=2), JSON)),
    max_size=5,
)


@given(st.builds(sample, GOLD, SAID))
def test_whatever_is_said_is_scored(turn):
    found = score_turn(turn)
    if found is not None:
        for tally in (found.calls, found.in_order, found.parameters):
            assert 0 <= tally.right <= min(tally.gold, tally.predicted)


@given(CALLS, CALLS)
def test_no_call_counts_twice_and_order_takes_nothing_but_away(theirs, ours):
    found = match_calls(theirs, ours, Comparison())
    assert found.in_order.right <= found.calls.right <= min(len(theirs), len(ours))
    assert found.parameters.right <= min(found.parameters.gold, found.parameters.predicted)
    turned = match_calls(theirs, ours[::-1], Comparison())
    assert turned.calls == found.calls


@given(NAMES, JSON.filter(lambda value: "nan" not in repr(value) and "inf" not in repr(value)))
def test_what_is_wanted_is_right(name, value):
    wanted = {"n": value} if value not in ("", []) else {}
    (said,) = read_calls(call("x", wanted))
    assert Comparison().is_right(said, said)


@pytest.mark.parametrize(
    ("wanted", "said", "right"),
    [
        (3, 3.0, True),
        (3, "3", False),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        ([1, 2], [2, 1], False),
        ({"a": {"b": 1}}, {"a": {"b": 1}}, True),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, False),
        ({"a": 1}, {"a": 1, "c": 2}, False),
        ("near the door", "Near  the door.", True),
        ("A1", "ZZA123", False),
        ("--", "anything", False),
        ("a}b", "a}b", True),
    ],
)
def test_values_are_compared_by_type(wanted, said, right):
    found = score_turn(sample(gold("book", {"note": wanted}), call("book", {"note": said})))
    assert (found.calls.right, found.parameters.right) == (right, right)


def test_texts_of_an_enumeration_are_compared_exactly():
    assert enumerations_of(PROMPT) == {("book", "room")}
    for name, right in (("room", 0), ("note", 1)):
        found = score_turn(sample(gold("book", {name: "A1"}), call("book", {name: "a1"})))
        assert found.calls.right == right


def test_a_failed_turn_and_a_further_call_are_counted():
    wanted = gold("book", {"n": 1})
    assert score_turn(sample(wanted, "api call error")).calls == Tally(1, 0, 0)
    twice = "\n".join([call("book", {"n": 1})] * 2)
    assert score_turn(sample(wanted, twice)).calls == Tally(1, 2, 1)
    assert score_turn(sample({}, twice)).calls == Tally(0, 2, 0)
    assert score_turn(sample({}, "hello")).calls.f1 is None
    assert score_turn(sample({"Action": "book", "Action Input": "{bad"}, twice)) is None


def test_parameters_count_for_calls_of_the_same_tool_alone():
    found = score_turn(sample(gold("book", {"n": 1, "note": "x"}), call("book", {"n": 1, "o": 2})))
    assert (found.calls.right, found.parameters) == (0, Tally(2, 2, 1))
    found = score_turn(sample(gold("book", {"n": 1}), call("pay", {"n": 1})))
    assert found.parameters == Tally(1, 1, 0)


@pytest.mark.parametrize("parameters", ['{"n": NaN}', '{"n": True}', "[1]", "3", "{", ""])
def test_parameters_that_are_no_json_object_make_a_call_wrong(parameters):
    turn = sample(gold("book", {}), f"Action: book\nAction Input: {parameters}")
    assert score_turn(turn).calls == Tally(1, 1, 0)


def test_what_is_too_deep_to_be_compared_is_wrong():
    for depth in (100, 400, 900, 100_000):
        deep = f'{{"n": {"[" * depth}{"]" * depth}}}'
        said = f"Action: book\nAction Input: {deep}"
        found = score_turn(sample({"Action": "book", "Action Input": deep}, said))
        assert found is None or found.calls.right <= 1


def test_the_assistant_alone_calls():
    dialog = f"user:\n{call('book', {})}\n\nassistant:\n{call('pay', {})}\n\nfunction:\n{{}}"
    assert [one.name for one in calls_of_dialog(dialog)] == ["pay"]


def test_order_is_kept_by_alignment():
    one, two, three = (call("book", {"n": number}) for number in (1, 2, 3))
    said = "\n\n".join(f"assistant:\n{words}" for words in (two, one, three))
    found = score_dialog(said, "\n\n".join((one, two, three)))
    assert (found.calls.right, found.in_order.right) == (3, 2)


def test_a_thousand_calls_are_counted_and_two_hundred_matched():
    many = [Call("book", {"n": 1})] * 1000
    found = match_calls(many, many, Comparison())
    assert found.calls == Tally(1000, 1000, 200)


REPLY = "**Result:** {}\nTotal number of goals: {}\nNumber of accomplished goals: {}"


@pytest.mark.parametrize(
    ("said", "success"),
    [
        (("Yes", 2, 2), True),
        (("no", 2, 1), False),
        (("yes", 2, 1), None),
        (("no", 2, 2), None),
        (("yes", 2, 3), None),
        (("yes", 0, 0), None),
        (("yes", 10**6, 10**6), None),
        (("perhaps", 1, 1), None),
    ],
)
def test_a_judge_that_is_unclear_or_contradicts_itself_is_unscored(said, success):
    found = read_verdict(REPLY.format(*said))
    assert (found and found.success) == success


@given(st.text())
def test_any_words_of_a_judge_are_read(reply):
    assert read_verdict(reply) is None
    assert means_yes(f"Yes, {reply}") and not means_yes(f"No, {reply}")
