"""The grade of a session."""

from dataclasses import replace

import pytest

from ossia_dataset.flowbench.sessions import Wish
from ossia_dataset.tasks import TaskError
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.grades import SessionGrade
from ossia_evaluation.flowbench.measures.corrected import Tally
from ossia_evaluation.flowbench.session_grader import SessionGrader
from ossia_evaluation.grade import Verdict
from ossia_servers.flowbench.walk import Call
from tests.evaluation.flowbench.support import (
    GOLDS,
    GRADER,
    RIDE,
    SCENARIOS,
    TWICE,
    edited,
    given,
    graded,
    right_turns,
    saying,
    trace_of,
    without,
)

SESSIONS = pytest.mark.parametrize("session", [RIDE, TWICE], ids=lambda session: session.id)


@SESSIONS
def test_the_gold_run_gets_everything(session):
    grade = graded(session, right_turns(session))
    assert grade.verdict is Verdict.SUCCESS
    assert (grade.fitness, grade.deviations, grade.side_effects) == (1.0, (), ())
    for tally in (grade.goals, grade.calls, grade.in_order, grade.parameters, grade.nodes):
        assert tally.gold == tally.predicted == tally.right > 0
    assert grade.turns == len(right_turns(session))


@SESSIONS
def test_who_does_nothing_gets_nothing(session):
    idle = [replace(turn, calls=(), answer="One moment.") for turn in right_turns(session)]
    grade = graded(session, idle)
    assert grade.verdict is Verdict.FAILURE
    assert (grade.fitness, grade.goals.right, grade.calls.right, grade.nodes.right) == (0, 0, 0, 0)


def test_a_grade_is_read_as_it_was_stored():
    grade = graded(RIDE, without(right_turns(RIDE), "locate"))
    assert grade.deviations
    assert SessionGrade.model_validate_json(grade.model_dump_json()) == grade


def test_a_fact_that_is_not_told_is_named_with_step_and_turn():
    grade = graded(RIDE, saying(right_turns(RIDE), "12.4", "12"))
    assert grade.verdict is Verdict.FAILURE
    assert grade.reason == "step quote (turn 3): the user was not told the price 12.4"
    assert grade.goals == Tally(8, 8, 7)
    assert graded(RIDE, saying(right_turns(RIDE), "12.4", "$12.40")).verdict is Verdict.SUCCESS


def test_a_fact_may_be_told_later_in_its_wish():
    turns = right_turns(RIDE)
    late = [*saying(turns, "price: 12.4, ", ""), replace(turns[0], answer="The first was 12.40.")]
    assert graded(RIDE, late).verdict is Verdict.SUCCESS


def test_a_fact_is_told_neither_before_its_call_nor_in_the_next_wish():
    turns = right_turns(TWICE)

    def told_in(number):
        moved = saying(turns, "pin: 0472", "done")
        moved[number] = replace(moved[number], answer=f"The PIN is 0472. {moved[number].answer}")
        return graded(TWICE, moved)

    missing = "step order (turn 6): the user was not told the pin 0472"
    found = [number for number in range(len(turns)) if told_in(number).reason != missing]
    assert found == [5]


def test_what_is_told_without_its_call_is_guessed():
    grade = graded(TWICE, without(right_turns(TWICE), "fare", 1))
    assert grade.reason == "step quote (turn 4): fare was not called with the right arguments"


def test_a_row_with_other_arguments_is_missing_and_a_side_effect():
    turns = edited(right_turns(RIDE), "order_car", lambda call: [given(call, car="standard")])
    grade = graded(RIDE, turns)
    assert grade.reason == "step order (turn 6): order_car was called with car standard, not van"
    assert len(grade.side_effects) == 1
    assert "car standard" in grade.side_effects[0]


def test_a_second_row_is_a_side_effect_and_a_call_too_many():
    grade = graded(RIDE, edited(right_turns(RIDE), "order_car", lambda call: [call, call]))
    assert grade.verdict is Verdict.FAILURE
    assert grade.reason.startswith("side effect: order_car (")
    assert grade.goals.right == grade.goals.gold
    assert grade.calls == Tally(4, 5, 4)


def test_arguments_are_the_same_but_for_case_and_surplus_space():
    turns = edited(
        right_turns(RIDE),
        "order_car",
        lambda call: [given(call, passenger="  ida   HOLM", car="VAN")],
    )
    grade = graded(RIDE, turns)
    assert grade.verdict is Verdict.SUCCESS
    assert grade.calls.right == 4


def test_refused_calls_count_as_made_and_hurt_precision_alone():
    def doubled(call):
        return [given(call, address="nowhere"), Call("no_such_tool", {}, {}), call]

    grade = graded(RIDE, edited(right_turns(RIDE), "locate", doubled))
    assert grade.verdict is Verdict.SUCCESS
    assert grade.calls == Tally(4, 6, 4)
    assert grade.calls.recall == 1


def test_calls_in_another_order_are_right_and_not_in_order():
    turns = right_turns(RIDE)
    order = turns[5].calls
    turns[1] = replace(turns[1], calls=(*order, *turns[1].calls))
    turns[5] = replace(turns[5], calls=())
    grade = graded(RIDE, turns)
    assert (grade.calls.right, grade.in_order.right) == (4, 3)


@pytest.mark.parametrize("ending", ["timeout", "framework_error", "worker_died"])
def test_what_ends_in_an_error_fails_and_is_counted(ending):
    whole = graded(RIDE, right_turns(RIDE), ending)
    assert (whole.verdict, whole.reason) == (Verdict.FAILURE, f"it ended in {ending}")
    cut = graded(RIDE, right_turns(RIDE)[:3], ending)
    assert cut.reason.startswith(f"it ended in {ending}; step quote (turn 4): fare was not called")
    assert cut.calls == Tally(4, 2, 2)
    nothing = graded(RIDE, [], ending)
    assert nothing.calls == Tally(4, 0, 0)
    assert nothing.verdict is Verdict.FAILURE


def test_infrastructure_makes_it_invalid():
    grade = graded(RIDE, right_turns(RIDE), "infrastructure")
    assert grade.verdict is Verdict.INVALID
    assert grade.calls == Tally()


def test_too_many_turns_fail():
    turns = right_turns(RIDE)
    for most, verdict in ((15, Verdict.SUCCESS), (16, Verdict.FAILURE)):
        longer = [*turns, *[replace(turns[0], answer="Anything else?")] * (most - len(turns))]
        assert graded(RIDE, longer).verdict is verdict


def test_a_session_that_cannot_be_graded_is_refused():
    GRADER.check(RIDE)
    unknown = RIDE.model_copy(update={"wishes": (Wish(scenario="no-such-one"),)})
    with pytest.raises(TaskError, match="there is no scenario no-such-one"):
        GRADER.check(unknown)
    unfit = RIDE.model_copy(update={"id": "unfit", "answers": ()})
    with pytest.raises(TaskError, match="no move at outside"):
        GRADER.check(unfit)
    aimless = SessionGrader(
        GoldRuns(SCENARIOS, lambda session: [replace(GOLDS.visits(RIDE)[0], tells={})])
    )
    with pytest.raises(TaskError, match="no goal"):
        aimless.check(RIDE)


def test_the_published_measure_parts_where_one_call_serves_two():
    grade = graded(TWICE, without(right_turns(TWICE), "fare", 2))
    assert grade.calls == Tally(6, 5, 5)
    assert grade.published == Tally(6, 5, 6)
    assert grade.published.precision == 1.2


def test_what_follows_the_last_turn_is_in_it():
    trace = trace_of(RIDE, right_turns(RIDE))
    cut = trace.model_copy(update={"turns": trace.turns[:3]})
    assert GRADER.score(RIDE, cut).calls.right == 4
