"""What a set holds is counted, shown, and put where a file wants it."""

from ossia_dataset.assistant.tasks import AssistantTask
from ossia_dataset.datasheet import (
    datasheet,
)
from ossia_dataset.statistics import SetStatistics, statistics_of
from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import Gold, GoldKind, Part

WAKE = AssistantTask(
    id="a",
    utterance="wake me at six tomorrow",
    gold=Gold(
        domain="alarm",
        intent="alarm_set",
        slots={"time": "six", "date": "tomorrow"},
        time={"time": "18:00", "date": "2026-03-14"},
        kind=GoldKind.CHANGE,
        facts=("18:00", "2026-03-14"),
    ),
)
WEEK = AssistantTask(
    id="b",
    utterance="is it cold in boston this week",
    home="Austin, Texas",
    setup=(Request(domain="alarm", params={"intent": "alarm_remove", "descriptor": "all"}),),
    gold=Gold(
        domain="weather",
        intent="weather_query",
        slots={"place_name": "boston", "date": "this week"},
        time={"date": "2026-03-09..2026-03-15", "time": "06:00..12:00"},
        place={"place_name": "Boston, Massachusetts"},
        kind=GoldKind.ANSWER,
    ),
)


def test_a_set_is_counted() -> None:
    found = statistics_of([WAKE, WEEK])
    assert (found.tasks, found.kinds) == (2, {"answer": 1, "change": 1})
    assert found.domains == {"alarm": {"alarm_set": 1}, "weather": {"weather_query": 1}}
    assert found.slots == {"date": 2, "place_name": 1, "time": 1}
    assert found.times == {"clock time": 1, "day": 1, "range of days": 1, "range of time": 1}
    assert (found.words, found.median_words) == ({"5": 1, "7": 1}, 6.0)
    assert (found.places, found.setups, found.facts, found.days) == (1, 1, 2, 1)
    assert found.homes == {"Austin, Texas": 1, "New York, New York": 1}
    assert (found.weekdays, found.months, found.hours) == ({"Friday": 2}, {"March": 2}, {"10": 2})


def test_each_part_of_a_compound_task_is_a_frame() -> None:
    parts = tuple(
        Part(domain=one.gold.domain, intent=one.gold.intent, slots=one.gold.slots)
        for one in (WAKE, WEEK)
    )
    gold = Gold(domain="alarm", intent="alarm_set", kind=GoldKind.CHANGE, parts=parts)
    found = statistics_of([WAKE.model_copy(update={"gold": gold})])
    assert found.tasks == 1
    assert found.domains == {"alarm": {"alarm_set": 1}, "weather": {"weather_query": 1}}


def test_long_utterances_are_counted_together() -> None:
    long = WAKE.model_copy(update={"utterance": " ".join(["word"] * 30)})
    assert statistics_of([long]).words == {"21+": 1}


def test_statistics_are_stored_with_their_version() -> None:
    found = statistics_of([WAKE])
    assert found.version == 1
    assert SetStatistics.model_validate_json(found.model_dump_json()) == found


def test_the_datasheet_lays_sets_side_by_side() -> None:
    made = datasheet({"test": statistics_of([WAKE]), "train": statistics_of([WAKE, WEEK])}, "1.0")
    assert "Version 1.0 of the dataset." in made
    assert "| tasks | 1 | 2 |" in made
    assert "| alarm | 1 | 1 | alarm_set 1/1 |" in made
    assert "| weather | 0 | 1 | weather_query 0/1 |" in made
    assert "| range of days | 0 | 1 |" in made
    assert "5 ######################################## 1" in made
