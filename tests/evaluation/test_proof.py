"""Proof of tasks: a sound one is proven, a bad one of every kind is found."""

import pytest

from ossia_evaluation.proof import Prover

from .support import CHAT, DENTIST, DOMAINS, LIST, WAKE, WEATHER, task

PROVER = Prover(DOMAINS)


@pytest.mark.parametrize("sound", [WAKE, WEATHER, LIST, CHAT, DENTIST], ids=lambda t: t.id)
def test_a_sound_task_is_proven(sound):
    proof = PROVER.prove(sound)
    assert proof.problems == ()
    assert proof.mutants > len(proof.surviving)


def test_mutants_change_every_parameter_and_the_intent():
    proof = PROVER.prove(WAKE)
    assert (proof.mutants, proof.surviving) == (3, ())


def test_a_parameter_that_makes_no_difference_is_told():
    decorated = task("alarm", "alarm_query", "answer", {"descriptor": "all"})
    assert PROVER.prove(decorated).surviving == ("descriptor is 'zyzzyva quux'",)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (task("alarm", "alarm_sett", "change"), "is refused: The alarm server has no intent"),
        (task("alarms", "alarm_set", "change"), "no domain server is called 'alarms'"),
        (
            task("alarm", "alarm_set", "change", {"time": "seven"}),
            "is refused: The parameter 'time' is not a time",
        ),
        (
            task(
                "alarm",
                "alarm_query",
                "answer",
                setup=["/alarm?intent=alarm_remove&event_name=fencing"],
            ),
            "setup request",
        ),
        (task("alarm", "alarm_query", "change"), "changes nothing, but the kind is change"),
        (
            task("alarm", "alarm_remove", "answer", {"event_name": "yoga"}),
            "changes the world, but the kind is answer",
        ),
        (task("alarm", "alarm_set", "change"), "ends in CLARIFICATION: wrong kind"),
        (task("alarm", "alarm_query", "clarification"), "ends in SUCCESS: wrong kind"),
        (task("alarm", "alarm_set", "change"), "doing nothing passes"),
        (
            task("alarm", "alarm_query", "answer", time={"date": "2026-03-14"}),
            "normal forms without a slot: date",
        ),
        (
            task("weather", "weather_query", "answer", place={"place_name": "Dallas, Texas"}),
            "normal forms without a slot: place_name",
        ),
        (task("alarm", "alarm_set", "change", requests=[]), "doing nothing passes"),
    ],
)
def test_a_bad_task_is_found(bad, problem):
    assert any(problem in text for text in PROVER.prove(bad).problems)


def test_a_task_that_every_wrong_run_passes_is_found():
    # The gold run asks back, which leaves no change to be missed.
    asking = task("calendar", "calendar_set", "change", {"event_name": "dentist"})
    assert "every mutated gold run passes" in PROVER.prove(asking).problems


def test_tasks_of_one_name_are_not_taken_for_each_other():
    other = WAKE.model_copy(update={"gold": LIST.gold})
    assert PROVER.prove(WAKE).problems == PROVER.prove(other).problems == ()


def test_one_time_slot_may_say_date_and_time():
    both = task(
        "alarm",
        "alarm_set",
        "change",
        {"time": "seven tomorrow"},
        time={"time": "07:00", "date": "2026-03-14"},
    )
    assert PROVER.prove(both).problems == ()
