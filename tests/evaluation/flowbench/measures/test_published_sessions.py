"""The published session-level measure: no text ends it with another error than its own."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.flowbench.measures.judging import Crash
from ossia_evaluation.flowbench.measures.published_sessions import (
    Session,
    actions_of,
    same_call,
    score_session,
    shares,
)
from tests.evaluation.flowbench.measures.support import PROMPT, call
from tests.evaluation.flowbench.measures.test_published_turns import SAID

GOALS = "Result: yes\nTotal number of goals: {}\nNumber of accomplished goals: {}"


@given(SAID, SAID, st.text(max_size=5), st.booleans())
def test_whatever_is_called_is_equal_or_not(one, other, reply, bound):
    found = same_call(one, other, PROMPT, lambda prompt: reply, names_bound=bound)
    assert found in (True, False)
    session = score_session(f"assistant:\n{one}", other, PROMPT, lambda _: reply, names_bound=bound)
    assert session.right_api_num <= session.all_api_num_gt
    assert session.success_gpt == "0" and session.progress_gpt == 0


def test_a_text_is_never_equal_as_shipped():
    said = call("book", {"note": "a door"})
    assert not same_call(said, said, PROMPT, lambda prompt: "yes", names_bound=False)
    assert same_call(said, said, PROMPT, lambda prompt: "no", names_bound=True)


@pytest.mark.parametrize(
    ("goals", "crash"), [("9" * 5000, "ValueError"), ("1" + "0" * 400, "OverflowError")]
)
def test_more_goals_than_a_number_has_are_a_crash(goals, crash):
    reply = GOALS.format(1, goals)
    with pytest.raises(Crash, match=crash):
        score_session("", "", "", lambda prompt: reply, names_bound=True)


def test_nothing_scored_is_nothing():
    (every,) = shares({})
    assert (every.scenarios, every.success_rate, every.tool_recall) == ("All", 0, 0)
    with pytest.raises(Crash, match="ZeroDivisionError"):
        shares({"a": [Session("1", 1.0, 0, 0, 0)]})


def test_calls_of_a_long_line_are_found_in_time():
    began = time.process_time()
    assert actions_of("Action: " * 12_500) == ""
    assert time.process_time() - began < 5
