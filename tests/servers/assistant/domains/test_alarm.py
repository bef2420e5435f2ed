"""Alarms are set, found, moved and removed; a day of a recurring alarm can be skipped."""

import pytest
from hypothesis import given, settings

from .support import (
    ask,
    asked_back,
    check_gold,
    check_session,
    ok,
    refused,
    requests_of,
    rows,
    tasks_of,
    world,
)


def test_a_new_alarm_is_found_and_removed():
    pair = world()
    ok(pair, "alarm", intent="alarm_set", time="05:45", date="2026-03-15", event_name="the flight")
    found = rows(pair, "alarm", intent="alarm_query", event_name="flight alarm")
    assert [(row["time"], row["date"]) for row in found] == [("05:45", "2026-03-15")]
    ok(pair, "alarm", intent="alarm_remove", event_name="flight")
    assert rows(pair, "alarm", intent="alarm_query", event_name="flight") == []
    assert not pair[1].diff()


def test_without_a_date_the_alarm_rings_when_the_time_comes_next():
    pair = world()
    late = rows(pair, "alarm", intent="alarm_set", time="11:00")
    early = rows(pair, "alarm", intent="alarm_set", time="09:00", event_name="wake up")
    assert (late[0]["date"], early[0]["date"]) == ("2026-03-13", "2026-03-14")
    assert early[0]["name"] == ""


@pytest.mark.parametrize("time", [{}, {"time": "06:00..12:00"}])
def test_an_alarm_needs_a_clock_time(time):
    assert asked_back(world(), "alarm", intent="alarm_set", **time) == ("time",)


def test_a_time_that_has_passed_is_refused():
    given = {"intent": "alarm_set", "time": "07:00", "date": "2026-03-13"}
    assert refused(world(), "alarm", **given) == "CONFLICT"


def test_the_query_filters_by_day_time_and_descriptor():
    pair = world()
    monday = rows(pair, "alarm", intent="alarm_query", date="2026-03-16")
    assert [row["name"] for row in monday] == ["get up", "take out the bins", "medicine"]
    morning = rows(pair, "alarm", intent="alarm_query", date="2026-03-16", time="06:00..12:00")
    assert [row["name"] for row in morning] == ["get up"]
    after = rows(pair, "alarm", intent="alarm_query", from_time="18:00", to_time="22:00")
    assert [row["time"] for row in after] == ["18:00", "21:00"]
    coming = rows(pair, "alarm", intent="alarm_query", descriptor="next")
    assert [row["name"] for row in coming] == ["lunch with the team"]
    assert len(rows(pair, "alarm", intent="alarm_query", event_name="alarms")) == 6


def test_removing_one_day_of_a_recurring_alarm_keeps_the_others():
    pair = world()
    gone = rows(pair, "alarm", intent="alarm_remove", date="2026-03-16", event_name="get up")
    assert gone[0]["skipped"] == ["2026-03-16"]
    assert not rows(pair, "alarm", intent="alarm_query", date="2026-03-16", event_name="get up")
    assert rows(pair, "alarm", intent="alarm_query", date="2026-03-17", event_name="get up")


def test_removing_a_week_keeps_the_alarm_for_the_others():
    pair = world()
    week = {"date": "2026-03-16..2026-03-22", "event_name": "get up"}
    gone = rows(pair, "alarm", intent="alarm_remove", **week)
    assert gone[0]["skipped"] == [f"2026-03-{day}" for day in range(16, 21)]
    assert rows(pair, "alarm", intent="alarm_query", **week) == []
    assert rows(pair, "alarm", intent="alarm_query", date="2026-03-23", event_name="get up")


def test_all_alarms_are_removed_at_once():
    pair = world()
    assert len(rows(pair, "alarm", intent="alarm_remove", descriptor="all")) == 6
    assert rows(pair, "alarm", intent="alarm_query") == []
    assert refused(pair, "alarm", intent="alarm_remove") == "NOT_FOUND"


def test_an_alarm_is_moved_to_another_time_or_day():
    pair = world()
    ok(pair, "alarm", intent="alarm_change", from_time="07:00", to_time="06:30")
    assert rows(pair, "alarm", intent="alarm_query", time="06:30")[0]["name"] == "get up"
    ok(pair, "alarm", intent="alarm_change", time="06:30", to_time="06:15")
    ok(pair, "alarm", intent="alarm_change", event_name="yoga", time="10:00")
    ok(pair, "alarm", intent="alarm_change", event_name="bins", date="every tuesday")
    changed = {row["name"]: (row["time"], row["date"]) for row in pair[1].rows("alarm.alarms")}
    assert changed["get up"] == ("06:15", "every weekday")
    assert changed["yoga"] == ("10:00", "every weekend")
    assert changed["take out the bins"] == ("18:00", "every tuesday")


def test_a_change_asks_for_what_is_open_and_refuses_what_is_not_there():
    pair = world()
    assert asked_back(pair, "alarm", intent="alarm_change", event_name="yoga") == ("to_time",)
    assert asked_back(pair, "alarm", intent="alarm_change", to_time="08:00") == (
        "event_name",
        "from_time",
    )
    assert refused(pair, "alarm", intent="alarm_change", event_name="gym", time="08:00") == (
        "NOT_FOUND"
    )


def test_a_malformed_time_is_refused():
    assert ask(world(), "alarm", intent="alarm_set", time="25:99").status == 400


@pytest.mark.parametrize("task", tasks_of("alarm"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("alarm"))
def test_any_request_is_answered_or_refused(session):
    check_session("alarm", session)


def test_a_stretch_of_time_is_the_same_in_two_parameters_as_in_one():
    def rung(**params):
        return rows(world(), "alarm", intent="alarm_query", **params)

    assert len(rung(from_time="06:00", to_time="12:00")) == len(rung(time="06:00..12:00")) == 2
    assert rung(from_time="17:00") == rung(time="17:00..")
    assert rung(to_time="08:00") == rung(time="..08:00")
