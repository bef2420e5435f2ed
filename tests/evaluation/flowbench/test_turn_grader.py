"""The grade of a single turn, with those before given."""

from dataclasses import replace

import pytest

from ossia_dataset.flowbench.sessions import Aside, AsideKind
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.grades import TurnGrade
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.flowbench.turn_grader import TurnGrader
from ossia_evaluation.grade import Verdict
from tests.evaluation.flowbench.support import (
    GOLDS,
    RIDE,
    TWICE,
    edited,
    given,
    right_turns,
    saying,
    trace_of,
    turn_task,
    without,
)

LEFT = RIDE.model_copy(
    update={
        "id": "left",
        "seed": "left",
        "asides": (Aside(turn=1, kind=AsideKind.REFUSES), Aside(turn=4, kind=AsideKind.OFF_TOPIC)),
    }
)


def grade_of(session, number, change=lambda turns: turns, ending="answered"):
    turns = right_turns(session)
    before = [call for turn in turns[:number] for call in turn.calls]
    (turn,) = change(turns[number : number + 1])
    trace = trace_of(session, [turn], ending, before)
    return TurnGrader(GOLDS).score(turn_task(session, number), trace)


@pytest.mark.parametrize(
    ("session", "due", "idle"),
    [(RIDE, 11, []), (TWICE, 13, [7]), (LEFT, 12, [4])],
    ids=lambda given: getattr(given, "id", ""),
)
def test_every_turn_of_the_gold_run_is_right(session, due, idle):
    done, nothing = 0, []
    for number in range(len(right_turns(session))):
        TurnGrader(GOLDS).check(turn_task(session, number))
        grade = grade_of(session, number)
        assert (number, grade.verdict, grade.reason) == (
            number,
            Verdict.SUCCESS,
            "the turn is as in the gold run",
        )
        assert grade.calls.gold == grade.calls.predicted == grade.calls.right
        done += grade.response.right
        if not grade.response.gold and not grade.calls.gold:
            nothing.append(number)
    # Facts and slots; who is refused or led away asks again.
    assert (done, nothing) == (due, idle)


@pytest.mark.parametrize("number", range(6))
def test_a_turn_in_which_nothing_is_done_is_wrong(number):
    grade = grade_of(
        RIDE, number, lambda turns: [replace(turns[0], calls=(), answer="One moment.")]
    )
    assert grade.verdict is Verdict.FAILURE
    assert grade.response.right == grade.calls.right == 0


def test_a_turn_in_which_nothing_is_due_wants_an_answer_and_no_call():
    silent = grade_of(TWICE, 7, lambda turns: [replace(turns[0], answer=" ")])
    assert silent.reason == "nothing was answered"
    locate = right_turns(TWICE)[6].calls[0]
    called = grade_of(
        TWICE, 7, lambda turns: [replace(turns[0], calls=(given(locate, address="x"),))]
    )
    assert called.reason == "a call was made that the turn does not want"


def test_a_turn_without_a_gold_run_is_refused():
    task = turn_task(RIDE, 0).model_copy(update={"answers": ()})
    with pytest.raises(TaskError, match="no move at outside"):
        TurnGrader(GOLDS).check(task)


def test_what_is_wrong_is_named():
    untold = grade_of(RIDE, 2, lambda turns: saying(turns, "12.4", "12.5"))
    assert untold.reason == "step quote: the user was not told the price 12.4"
    assert untold.response == Tally(2, 2, 1)
    unasked = grade_of(RIDE, 1, lambda turns: saying(turns, "Please tell me the kind of car.", ""))
    assert unasked.reason == "step fare: the kind of car was not asked for"
    assert unasked.response == Tally(2, 2, 1)
    wrong = grade_of(
        RIDE, 2, lambda turns: edited(turns, "fare", lambda call: [given(call, car="van")])
    )
    assert wrong.reason == "0 of 1 calls are right and in order: fare"
    assert (wrong.calls, wrong.parameters) == (Tally(1, 1, 0), Tally(3, 3, 2))
    assert (wrong.nodes.gold, wrong.nodes.right) == (2, 2)
    missing = grade_of(RIDE, 2, lambda turns: without(turns, "fare"))
    assert (missing.calls, missing.nodes) == (Tally(1, 0, 0), Tally(2, 1, 1))


def test_a_call_too_many_is_wrong_and_one_of_before_is_not():
    early = right_turns(RIDE)
    again = grade_of(
        RIDE, 2, lambda turns: edited(turns, "fare", lambda call: [early[1].calls[0], call])
    )
    assert again.verdict is Verdict.SUCCESS
    assert again.calls == Tally(1, 1, 1)
    twice = grade_of(RIDE, 5, lambda turns: edited(turns, "order_car", lambda call: [call, call]))
    assert twice.reason == "a call was made that the turn does not want"


def test_errors_fail_and_infrastructure_is_invalid():
    assert grade_of(RIDE, 2, ending="timeout").reason == "it ended in timeout"
    assert grade_of(RIDE, 2, ending="infrastructure").verdict is Verdict.INVALID


def test_a_grade_is_read_as_it_was_stored():
    grade = grade_of(RIDE, 2)
    assert TurnGrade.model_validate_json(grade.model_dump_json()) == grade
