"""How a trajectory conforms to its workflow, and what its deviations are called."""

import random
import time
from dataclasses import replace

import pytest

from ossia_servers.flowbench.walk import Call
from tests.evaluation.flowbench.support import (
    RIDE,
    TWICE,
    edited,
    failures,
    given,
    graded,
    right_turns,
    saying,
    without,
)

SESSIONS = pytest.mark.parametrize("session", [RIDE, TWICE], ids=lambda session: session.id)


@SESSIONS
def test_a_call_that_is_left_out_is_a_missing_step(session):
    grade = graded(session, without(right_turns(session), "locate"))
    assert failures(grade) == {"missing step": 1}
    assert grade.deviations[0].step == "locate"
    assert (grade.nodes.gold - grade.nodes.right, grade.nodes.predicted) == (1, grade.nodes.right)


@SESSIONS
def test_facts_that_are_not_told_before_the_user_decides_are_a_missing_step(session):
    grade = graded(session, saying(right_turns(session), "12.4, pickup minutes: 7", "fair"))
    assert failures(grade) == {"missing step": 1}
    assert (grade.deviations[0].step, grade.deviations[0].turn) == ("quote", 2)


def test_an_order_without_the_users_yes_is_an_incorrect_transition():
    turns = right_turns(RIDE)
    turns[3] = replace(turns[3], calls=(*turns[3].calls, *turns[5].calls))
    turns[5] = replace(turns[5], calls=())
    grade = graded(RIDE, turns)
    assert failures(grade) == {"incorrect transition": 1}
    assert grade.deviations[0].told == "order came after quote, which was not due"
    assert (grade.nodes.gold, grade.nodes.predicted, grade.nodes.right) == (5, 6, 5)


def test_a_call_at_another_place_is_an_incorrect_sequence():
    turns = right_turns(RIDE)
    turns[1] = replace(turns[1], calls=(*turns[5].calls, *turns[1].calls))
    turns[5] = replace(turns[5], calls=())
    grade = graded(RIDE, turns)
    assert failures(grade) == {"incorrect sequence": 1}
    assert (grade.deviations[0].step, grade.deviations[0].turn) == ("order", 1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"car": "standard"}, "order_car was called with another car"),
        ({"car": "boat"}, "order_car was called with another car"),
        ({"passenger": "Ida"}, "order_car was called with another passenger"),
        ({"colour": "red"}, "order_car was called and refused"),
    ],
)
def test_other_arguments_are_tool_usage(arguments, told):
    turns = edited(right_turns(RIDE), "order_car", lambda call: [given(call, **arguments)])
    grade = graded(RIDE, turns)
    assert failures(grade) == {"tool usage": 1}
    assert (grade.deviations[0].step, grade.deviations[0].told) == ("order", told)


def test_a_tool_that_is_not_there_is_tool_usage():
    for name in ("fly", "", "order_car\nAction: fare"):
        turns = edited(right_turns(RIDE), "locate", lambda call, n=name: [Call(n, {}, {}), call])
        assert failures(graded(RIDE, turns)) == {"tool usage": 1}


def test_a_call_that_no_step_wants_and_a_forgotten_fact_are_other():
    repeated = graded(RIDE, edited(right_turns(RIDE), "locate", lambda call: [call, call]))
    assert failures(repeated) == {"other": 1}
    assert repeated.verdict == "success"
    forgotten = graded(RIDE, saying(right_turns(RIDE), "pin: 0472", "bye"))
    assert failures(forgotten) == {"other": 1}
    assert forgotten.deviations[0].told == "order_car.pin was not told"


def test_a_wish_that_is_not_begun_is_missing_steps():
    turns = right_turns(TWICE)[:6]
    grade = graded(TWICE, turns)
    assert failures(grade) == {"missing step": 3}
    assert {each.wish for each in grade.deviations} == {1}


def test_a_worse_trajectory_fits_less():
    turns = right_turns(RIDE)
    once = without(turns, "locate")
    twice = without(once, "fare")
    fits = [graded(RIDE, each).fitness for each in (turns, once, twice)]
    assert fits == sorted(fits, reverse=True)
    assert len(set(fits)) == 3


@pytest.mark.parametrize("seed", range(5))
def test_any_trajectory_is_aligned_in_bounds(seed):
    draw = random.Random(seed)
    turns = right_turns(TWICE)
    known = [call for turn in turns for call in turn.calls]
    known += [Call("fly", {}, {}), given(known[0], address="x")]
    wild = [replace(turn, calls=tuple(draw.choices(known, k=draw.randrange(6)))) for turn in turns]
    grade = graded(TWICE, wild)
    made = sum(len(turn.calls) for turn in wild)
    assert 0 <= grade.fitness <= 1
    assert len(grade.deviations) <= made + 9
    assert grade.nodes.right <= min(grade.nodes.gold, grade.nodes.predicted)


def test_more_calls_than_can_be_aligned_are_counted():
    turns = edited(right_turns(RIDE), "order_car", lambda call: [call] * 300)
    began = time.process_time()
    grade = graded(RIDE, turns)
    assert time.process_time() - began < 2
    assert failures(grade) == {"other": 299}
    assert (grade.calls.predicted, len(grade.side_effects)) == (303, 299)
