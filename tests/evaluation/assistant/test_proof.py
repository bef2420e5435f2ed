"""Proof of tasks: a sound one is proven, a bad one of every kind is found."""

import pytest

from ossia_evaluation.assistant.idle import SETTLED, UNUSED
from ossia_evaluation.assistant.mutations import ALIKE, mutations
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_servers.worlds.schema import Match
from tests.evaluation.support import CHAT, DENTIST, DOMAINS, LIST, WAKE, WEATHER, task

PROVER = AssistantProver(DOMAINS)


@pytest.mark.parametrize("sound", [WAKE, WEATHER, LIST, CHAT, DENTIST], ids=lambda t: t.id)
def test_a_sound_task_is_proven(sound):
    proof = PROVER.prove(sound)
    assert proof.problems == ()
    assert proof.surviving == ()
    assert proof.mutants > len(proof.idle)


def test_mutants_change_every_parameter_and_the_intent():
    proof = PROVER.prove(WAKE)
    assert (proof.mutants, proof.surviving) == (3, ())


def test_a_parameter_that_makes_no_difference_is_told():
    decorated = task("alarm", "alarm_query", "answer", {"descriptor": "all"})
    proof = PROVER.prove(decorated)
    assert proof.idle == ("descriptor is 'zyzzyva quux' or left out",)
    assert (proof.surviving, proof.proven) == ((), True)


def test_a_parameter_that_makes_no_difference_undeclared_is_found(monkeypatch):
    decorated = task("alarm", "alarm_query", "answer", {"descriptor": "all"})
    monkeypatch.setitem(UNUSED, "alarm_query", frozenset())
    proof = PROVER.prove(decorated)
    assert proof.surviving == ("descriptor is 'zyzzyva quux' or left out",)
    assert not proof.proven


def test_a_hole_in_the_scorer_is_found_though_the_parameter_is_declared(monkeypatch):
    # The wrong time changes the world otherwise, so no declaration may cover that it passes.
    monkeypatch.setitem(UNUSED, "alarm_set", frozenset({"time"}))
    assert PROVER.prove(WAKE).surviving == ()
    alarms = PROVER._scorer.runner.tables["alarm.alarms"]
    monkeypatch.setitem(alarms.columns, "time", Match.IGNORABLE)
    assert PROVER.prove(WAKE).surviving == ("time is '03:47' or left out",)


def test_every_declaration_is_of_a_parameter_that_the_server_takes():
    taken = {
        intent.name: {field.name for field in intent.fields or domain.fields}
        for domain in DOMAINS
        for intent in domain.intents
    }
    for declared in (UNUSED, SETTLED):
        assert {(i, p) for i in declared for p in declared[i] if p not in taken[i]} == set()
    assert all(intent in taken for group in ALIKE for intent in group)


def test_every_intent_is_exchanged_for_one_that_means_something_else():
    dim = task("iot", "iot_hue_lightdim", "change", {"change_to": "half"})
    (intent, *_) = mutations(dim, {domain.name: domain for domain in DOMAINS})
    asked = [one[0].params["intent"] for one in intent.variants]
    assert asked[-1] not in ALIKE[0]


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
        (
            task("alarm", "alarm_query", "answer", time={"date": "2026-03-14"}),
            "normal forms without a slot: date",
        ),
        (
            task("weather", "weather_query", "answer", place={"place_name": "Dallas, Texas"}),
            "normal forms without a slot: place_name",
        ),
        (task("alarm", "alarm_set", "change", requests=[]), "changes nothing, but the kind is"),
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
