"""What a failed session does wrong first, by planted faults."""

from dataclasses import replace

import pytest

from ossia_evaluation.flowbench.deviations import Cause
from tests.evaluation.flowbench.support import (
    RIDE,
    TWICE,
    edited,
    given,
    graded,
    right_turns,
    saying,
    without,
)


def early_order(turns):
    moved = [*turns]
    moved[3] = replace(turns[3], calls=(*turns[3].calls, *turns[5].calls))
    moved[5] = replace(turns[5], calls=(), answer="Done.")
    return moved


FAULTS = {
    Cause.MISSED_CALL: lambda turns: without(turns, "order_car"),
    Cause.WRONG_ARGUMENT: lambda turns: edited(
        turns, "order_car", lambda call: [given(call, passenger="Ida")]
    ),
    Cause.WRONG_TRANSITION: early_order,
    Cause.FORGOTTEN_FACT: lambda turns: saying(turns, "12.4", "some money"),
    Cause.NEEDLESS_CALL: lambda turns: edited(turns, "order_car", lambda call: [call, call]),
    Cause.USER: lambda turns: turns[:5],
}


@pytest.mark.parametrize("session", [RIDE, TWICE], ids=lambda session: session.id)
@pytest.mark.parametrize("cause", Cause)
def test_a_planted_fault_is_named(session, cause):
    grade = graded(session, FAULTS[cause](right_turns(session)))
    assert (grade.verdict, grade.cause) == ("failure", cause)
    assert f"first wrong: {cause}" in list(grade.detail_lines())


def test_a_needless_call_is_not_to_blame_for_a_later_fault():
    turns = edited(right_turns(RIDE), "locate", lambda call: [call, call])
    assert graded(RIDE, saying(turns, "0472", "0")).cause is Cause.FORGOTTEN_FACT


def test_nobody_is_named_for_a_success_or_where_the_episode_broke_off():
    turns = right_turns(RIDE)
    assert graded(RIDE, turns).cause is None
    assert graded(RIDE, turns[:5], "timeout").cause is None
    assert graded(RIDE, without(turns, "locate")[:5], "timeout").cause is Cause.MISSED_CALL


@pytest.mark.parametrize("session", [RIDE, TWICE], ids=lambda session: session.id)
def test_whoever_leaves_early_leaves_the_rest_out(session):
    turns = right_turns(session)
    for number in range(1, 6):
        grade = graded(session, turns[:number])
        assert grade.cause is Cause.USER
        assert set(grade.failures) == {"missing step"}
        right = grade.nodes.right
        assert grade.nodes.gold == len(grade.deviations) + right
