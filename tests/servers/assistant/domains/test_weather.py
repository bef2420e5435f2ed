"""The forecast is the same whenever it is asked, and differs by place, day and time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, check_gold, ok, rows, tasks_of, world


def _forecast(**params):
    return rows(world(), "weather", intent="weather_query", **params)


def test_without_anything_the_weather_is_that_of_today_at_home():
    (row,) = _forecast()
    assert (row["place"], row["date"]) == ("New York, New York", "2026-03-13")
    assert row["low"] < row["high"]


def test_the_same_question_has_the_same_answer_in_another_world():
    asked = {"place_name": "Oslo, Norway", "date": "2026-12-24"}
    assert _forecast(**asked) == _forecast(**asked)


@pytest.mark.parametrize(
    "change",
    [{"place_name": "Chicago"}, {"date": "2026-03-15"}, {"time": "20:00"}],
    ids=["place", "date", "time"],
)
def test_another_question_has_another_answer(change):
    asked = {"place_name": "Boston", "date": "2026-03-14"}
    assert _forecast(**asked) != _forecast(**asked | change)


def test_two_names_of_one_place_have_one_weather():
    assert _forecast(place_name="nyc") == _forecast(place_name="New York, New York")
    assert _forecast(place_name="my area") == _forecast()


def test_a_range_and_a_recurrence_have_a_row_for_each_day():
    week = _forecast(date="2026-03-16..2026-03-22")
    assert [row["date"][-2:] for row in week] == ["16", "17", "18", "19", "20", "21", "22"]
    assert [row["date"] for row in _forecast(date="every sunday")] == ["2026-03-15"]
    assert len(_forecast(date="2026-01-01..2026-12-31")) == 14
    assert [row["date"] for row in _forecast(date="..2026-03-14")] == ["2026-03-13", "2026-03-14"]


def test_a_time_narrows_the_temperatures_and_comes_next():
    (day,) = _forecast(date="2026-03-13")
    (hour,) = _forecast(date="2026-03-13", time="06:00")
    assert day["low"] <= hour["low"] == hour["high"] <= day["high"]
    (over,) = _forecast(time="08:00")
    (running,) = _forecast(time="06:00..12:00")
    assert (over["date"], running["date"]) == ("2026-03-14", "2026-03-13")


def test_winters_are_cold_and_snow_falls_only_then():
    january = _forecast(place_name="Minneapolis", date="2026-01-05..2026-01-18")
    july = _forecast(place_name="Minneapolis", date="2026-07-05..2026-07-18")
    assert max(row["high"] for row in january) < min(row["high"] for row in july)
    assert all(row["snow_chance"] == 0 for row in july)
    assert any(row["snow_chance"] > 0 for row in january)
    sydney = _forecast(place_name="Sydney, Australia", date="2026-01-05")[0]
    assert sydney["high"] > january[0]["high"]


def test_the_sentence_answers_what_was_asked():
    pair = world()
    told = ok(pair, "weather", intent="weather_query", weather_descriptor="umbrella")
    (row,) = told.record.result
    assert told.record.response.startswith("Yes" if row["rain_chance"] >= 50 else "No")
    assert row["condition"] in told.record.response
    assert told.record.result == _forecast()


@given(st.text(min_size=1, max_size=30), st.sampled_from(["place_name", "weather_descriptor"]))
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text, name):
    assert ask(world(domains=["weather"]), "weather", intent="weather_query", **{name: text})


def test_the_first_and_the_last_days_are_answered():
    assert _forecast(date="2199-12-31..")[0]["date"] == "2199-12-31"
    assert _forecast(date="..1900-01-01")[0]["date"] == "1900-01-01"


@pytest.mark.parametrize("task", tasks_of("weather"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
