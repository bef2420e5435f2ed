"""Calls without an answer are part of the tape, and an end from outside has its status."""

import pytest

from ossia_evaluation.assistant.attribution.director import Director
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.reading import read_recording
from ossia_evaluation.attribution import EVERYTHING, Repair, Status
from ossia_evaluation.attribution.ending import end_of
from ossia_servers.gateway.models import RequestRefused
from tests.evaluation.support import BY_NAME, WAKE, Play

ORACLE = Oracle(WAKE, BY_NAME)


def refused():
    """Two calls are answered, the third is refused for its content, and the episode ends."""
    play = (
        Play(WAKE)
        .manager("intent")
        .call("intent", "hm")
        .call("manager", None, status="bad_request")
    )
    return play.trace(ending="framework_error")


def spent():
    play = Play(WAKE).manager("time").call("time", "x").manager("time").call("time", "x")
    return play.call("manager", None, status="budget").trace(ending="framework_error")


def test_a_refused_call_is_a_cut_with_its_moment_and_its_reason():
    (cut,) = read_recording(refused(), ORACLE).cuts
    assert (cut.situation, cut.call, cut.reason, cut.times) == (
        "manager@intent",
        0,
        "as told",
        None,
    )


def test_a_refusal_that_was_followed_by_an_answer_comes_once():
    play = Play(WAKE).call("manager", None, status="bad_request").manager("intent")
    (cut,) = read_recording(play.trace(), ORACLE).cuts
    assert (cut.situation, cut.times) == ("manager@start", 1)


def test_a_spent_budget_of_calls_comes_about_by_itself():
    assert read_recording(spent(), ORACLE).cuts == ()


def played(repair):
    """A director that has come to the refused call."""
    director = Director(ORACLE, read_recording(refused(), ORACLE), repair)
    for role in ("manager", "intent"):
        director.answer(role, {"messages": [{"role": "user", "content": "..."}]})
    return director


def test_a_replay_refuses_again_and_as_often_as_it_is_asked():
    director = played(Repair())
    for _ in range(3):
        with pytest.raises(RequestRefused, match="as told"):
            director.answer("manager", {"messages": [{"role": "user", "content": "..."}]})


def test_a_repaired_step_is_not_refused():
    message = played(EVERYTHING).answer(
        "manager", {"messages": [{"role": "user", "content": "..."}]}
    )
    assert message["content"]


def test_the_end_says_who_refused_in_whose_turn_and_who_spent_how_much():
    end = end_of(refused())
    assert end is not None and end.status is Status.REFUSED
    assert end.told.startswith("The endpoint refused call 3, in *manager*'s turn: as told.")
    assert "*manager* 67 % (24), *intent* 33 % (12)" in end.told


def test_a_refusal_ends_the_work_of_its_role_though_the_manager_goes_on():
    play = Play(WAKE).manager("time").call("time", None, status="bad_request").manager("url")
    end = end_of(play.call("url", "no address").trace())
    assert end is not None and end.status is Status.REFUSED
    assert end.told.startswith("The endpoint refused call 2, in *time*'s turn: as told.")
    assert end_of(play.manager("time").call("time", "x").trace()) is None


def test_the_end_says_which_limit_was_spent_by_whom():
    end = end_of(spent())
    assert end is not None and end.status is Status.LIMIT
    assert end.told == (
        "The episode's calls were spent, in *manager*'s turn."
        " Spent of 5 calls: *manager* 60 % (3), *time* 40 % (2)."
    )


def test_a_timeout_is_a_limit_of_seconds():
    end = end_of(Play(WAKE).manager("intent").trace(ending="timeout"))
    assert end is not None and end.status is Status.LIMIT
    assert "seconds" in end.told


@pytest.mark.parametrize("ending", ["answered", "framework_error", "worker_died"])
def test_any_other_end_is_none(ending):
    assert end_of(Play(WAKE).manager("intent").trace(ending=ending)) is None
