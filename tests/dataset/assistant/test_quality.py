"""Each rule finds what breaks it, names the task, and leaves sound tasks alone."""

from typing import Any

import pytest

from ossia_dataset.assistant.quality import (
    Coverage,
    Problem,
    Rule,
    Split,
    find_problems,
    pattern_of,
    strip_markup,
    training_utterances,
)
from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import Gold, GoldKind, WorldTask

SOUND: dict[str, Any] = {
    "domain": "weather",
    "intent": "weather_query",
    "slots": {"place_name": "boston", "date": "tomorrow"},
    "time": {"date": "2026-03-14"},
    "place": {"place_name": "Boston, Massachusetts"},
    "kind": GoldKind.ANSWER,
}


def task(
    name: str = "weather-001", text: str = "is it cold in boston tomorrow", **gold: Any
) -> WorldTask:
    """Make a sound task; `gold` are changes of its gold run."""
    return AssistantTask(id=name, utterance=text, gold=Gold.model_validate({**SOUND, **gold}))


def rules(*tasks: AssistantTask, utterances: tuple[str, ...] = ()) -> list[tuple[str, Rule]]:
    return [(found.task, found.rule) for found in find_problems([Split(tasks)], utterances)]


def test_a_sound_set_has_no_problem() -> None:
    other = task("weather-002", "boston tomorrow, will there be snow")
    assert find_problems([Split((task(), other))], ["what's the weather"]) == ()


@pytest.mark.parametrize(
    ("gold", "rule"),
    [
        ({"intent": "weather_set"}, Rule.INTENT),
        ({"intent": "alarm_query"}, Rule.INTENT),
        ({"slots": {**SOUND["slots"], "food_type": "cold"}}, Rule.SLOT_NAME),
        ({"dropped": ("time",)}, Rule.SLOT_NAME),
        ({"slots": {**SOUND["slots"], "weather_descriptor": "freezing"}}, Rule.SLOT_WORDS),
        ({"slots": {**SOUND["slots"], "weather_descriptor": "col"}}, Rule.SLOT_WORDS),
        ({"slots": {**SOUND["slots"], "weather_descriptor": "?"}}, Rule.SLOT_WORDS),
        ({"time": {"date": "2026-03-15"}}, Rule.TIME),
        ({"time": {}}, Rule.TIME),
        ({"time": {**SOUND["time"], "time": "10:00"}}, Rule.TIME),
        ({"place": {"place_name": "boston"}}, Rule.PLACE),
        ({"place": {}}, Rule.PLACE),
        ({"kind": GoldKind.CHANGE}, Rule.KIND),
        ({"kind": GoldKind.CHAT}, Rule.KIND),
    ],
)
def test_a_broken_gold_run_is_found(gold: dict[str, Any], rule: Rule) -> None:
    assert ("weather-001", rule) in rules(task(**gold))


def test_a_slot_without_a_normal_form_is_dropped() -> None:
    slots = {"place_name": "boston", "date": "cold"}
    assert rules(task(slots=slots, time={}, dropped=("date",))) == []
    assert rules(task(slots=slots, time={})) == [("weather-001", Rule.TIME)]


def test_an_intent_that_acts_may_only_ask() -> None:
    missed = {"slots": {"event_name": "missed calls"}, "time": {}, "place": {}}
    frame = {"domain": "phone", "intent": "phone_notification", **missed}
    assert rules(task("a", "any missed calls", **frame)) == []
    assert rules(task("a", "any missed calls", **frame, kind=GoldKind.CHAT)) == [("a", Rule.KIND)]


def test_the_requests_say_what_a_task_of_several_intents_does() -> None:
    told = Request(domain="email", params={"intent": "email_sendemail"})
    both = task(requests=(task().gold.gold_requests()[0], told), kind=GoldKind.CHANGE)
    assert rules(both) == []


def test_chat_is_chat() -> None:
    frame = {"domain": "general", "intent": "general_joke", "slots": {}, "time": {}, "place": {}}
    assert rules(task("a", "tell me one", **frame, kind=GoldKind.CHAT)) == []
    assert rules(task("a", "tell me one", **frame)) == [("a", Rule.KIND)]


def test_ids_and_texts_may_not_repeat() -> None:
    again = task("weather-002", "Is it cold in Boston tomorrow?")
    assert rules(task(), again) == [("weather-002", Rule.REPETITION)]
    assert ("weather-001", Rule.ID) in rules(task(), task(text="boston tomorrow any snow"))


def test_training_utterances_may_not_be_repeated() -> None:
    marked = "is it [cold](weather_descriptor) in [boston](place_name) [tomorrow](date)"
    (found,) = find_problems([Split((task(),))], [marked, "how hot is it in dallas"])
    known = "is it cold in boston tomorrow"
    assert found == Problem(
        "weather-001", Rule.LEAK, f"It is nearly the known utterance '{known}'."
    )


def test_one_sentence_may_not_serve_many_tasks() -> None:
    places = {
        "boston": "Boston, Massachusetts",
        "san francisco": "San Francisco, California",
        "new orleans": "New Orleans, Louisiana",
        "los angeles": "Los Angeles, California",
    }
    tasks = [
        task(
            f"weather-{number}",
            f"{place} weather",
            slots={"place_name": place},
            place={"place_name": exact},
            time={},
        )
        for number, (place, exact) in enumerate(places.items())
    ]
    assert pattern_of(tasks[0]) == "<place_name> weather"
    assert rules(*tasks[:3]) == []
    assert rules(*tasks) == [("weather-3", Rule.PATTERN)]
    bare = [one.model_copy(update={"utterance": one.gold.slots["place_name"]}) for one in tasks]
    assert rules(*bare) == []


def test_counts_are_checked_where_they_are_asked_for() -> None:
    found = find_problems([Split((task(),), Coverage(per_domain=1, per_intent=1))])
    assert {problem.rule for problem in found} == {Rule.COVERAGE}
    told = {problem.message for problem in found}
    assert "The domain alarm has 0 of at least 1 tasks." in told
    assert "The intent general_joke has 0 of at least 1 tasks." in told
    assert not any("weather" in message for message in told)


def test_markup_is_taken_off() -> None:
    assert strip_markup("wake me at [six](time) [today](date) ") == "wake me at six today"


def test_training_utterances_are_plain() -> None:
    found = training_utterances()
    assert len(found) > 1000
    assert not any("](" in text or text.startswith("#") for text in found)


def test_sets_are_held_against_one_another() -> None:
    held_out = Split((task(),))
    again = task("train-weather-001", "Is it cold in Boston, tomorrow?")
    training = Split((again,), held_out=False)
    found = find_problems([held_out, training])
    assert [(one.task, one.rule) for one in found] == [("train-weather-001", Rule.REPETITION)]


def test_only_held_out_sets_have_to_differ_from_what_is_trained_on() -> None:
    known = ("is it cold in boston tomorrow",)
    assert find_problems([Split((task(),), held_out=False)], known) == ()
    (found,) = find_problems([Split((task(),))], known)
    assert found.rule is Rule.LEAK


def test_frames_and_ids_are_counted_over_all_sets() -> None:
    places = {"boston": "Boston, Massachusetts", "new orleans": "New Orleans, Louisiana"}
    pairs = [
        task(
            name,
            f"{place} weather",
            slots={"place_name": place},
            place={"place_name": full},
            time={},
        )
        for name in ("a", "b")
        for place, full in places.items()
    ]
    found = find_problems([Split(tuple(pairs[:2])), Split(tuple(pairs[2:]))])
    assert [one.rule for one in found if one.task == "b"].count(Rule.PATTERN) == 1
    assert Rule.ID in {one.rule for one in found}


def test_a_task_of_a_complete_set_says_what_a_reply_tells() -> None:
    (found,) = find_problems([Split((task(),), facts=True)])
    assert (found.task, found.rule) == ("weather-001", Rule.FACTS)
    assert find_problems([Split((task(facts=("cold",)),), facts=True)]) == ()
    frame = {"domain": "general", "intent": "general_joke", "slots": {}, "time": {}, "place": {}}
    chat = task("a", "tell me one", **frame, kind=GoldKind.CHAT)
    assert find_problems([Split((chat,), facts=True)]) == ()
