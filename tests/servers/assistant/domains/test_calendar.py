"""Events are entered, found by what the user says of them, and removed."""

import pytest
from hypothesis import given, settings

from ossia_dataset.tasks import DEFAULT_NOW

from .support import (
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


def enter(pair, **params):
    return rows(pair, "calendar", intent="calendar_set", **params)[0]


def found(pair, **params):
    return [row["name"] for row in rows(pair, "calendar", intent="calendar_query", **params)]


def test_an_entered_event_is_found_and_removed():
    pair = world()
    event = enter(
        pair,
        event_name="piano recital",
        relation="my sister",
        date="2026-03-21",
        from_time="17:00",
        to_time="18:30",
        place_name="Boston, Massachusetts",
    )
    assert (event["time"], event["people"]) == ("17:00..18:30", ["Megan Hayes"])
    for clue in (
        {"event_name": "my piano recital"},
        {"date": "2026-03-21", "time": "12:00..18:00"},
        {"person": "megan", "date": "2026-03-16..2026-03-22"},
        {"place_name": "Boston", "event_name": "recital"},
    ):
        assert "piano recital" in found(pair, **clue)
    ok(pair, "calendar", intent="calendar_remove", event_name="recital")
    assert not pair[1].diff()


def test_names_of_people_are_the_same_however_they_are_said():
    pair = world()
    ways = [
        {"event_name": "lunch with tom"},
        {"event_name": "lunch", "person": "Tom Baker"},
        {"event_name": "lunch", "person": "tom", "relation": "friend"},
    ]
    events = [enter(pair, date="2026-03-20", **way) for way in ways]
    assert {(row["name"], *row["people"]) for row in events} == {("lunch", "Tom Baker")}
    stranger = enter(pair, person="gwendolyn", date="2026-03-20")
    assert (stranger["name"], stranger["people"]) == ("meeting", ["gwendolyn"])
    assert len(enter(pair, relation="my parents", date="2026-03-20")["people"]) == 2


def test_what_is_missing_is_asked_for_or_has_a_default():
    pair = world()
    assert asked_back(pair, "calendar", intent="calendar_set") == ("event_name", "date", "time")
    lunch = {"intent": "calendar_set", "event_name": "lunch"}
    assert asked_back(pair, "calendar", **lunch) == ("date", "time")
    assert enter(pair, event_name="call the bank", time="09:00")["date"] == "2026-03-14"
    assert enter(pair, event_name="stretch", descriptor="daily")["date"] == "every day"


def test_queries_filter_and_order():
    pair = world()
    assert found(pair, date="2026-03-13") == ["project meeting", "dinner"]
    assert found(pair, date="2026-03-16") == ["team meeting", "budget meeting"]
    assert found(pair, descriptor="next") == ["project meeting"]
    assert found(pair, event_name="events", time="18:00..22:00", date="2026-03-17") == [
        "yoga class"
    ]
    assert found(pair, event_name="meetings", person="michael") == [
        "team meeting",
        "budget meeting",
    ]
    assert found(pair, event_name="haircut") == ["haircut"]
    assert found(pair, date="2026-03-22") == ["fishing trip", "dinner"]
    assert found(pair, event_name="skydiving") == []
    assert found(pair, event_name="my husband's birthday") == ["Sam's birthday"]
    assert found(pair, event_name="mia's birthday", date="2026-09-05") == ["Mia's birthday"]
    assert "haircut" not in found(pair)
    assert found(pair, time="17:00") == []
    assert found(pair)[0] == "project meeting"


def test_one_day_of_a_series_can_be_left_out():
    pair = world()
    ok(pair, "calendar", intent="calendar_remove", event_name="team meeting", date="2026-03-16")
    assert found(pair, event_name="team meeting", date="2026-03-16") == []
    assert found(pair, event_name="team meeting", date="2026-03-23") == ["team meeting"]
    ok(pair, "calendar", intent="calendar_remove", event_name="team meeting")
    assert found(pair, event_name="team meeting", date="2026-03-23") == []


def test_removal_asks_where_one_of_several_is_meant():
    pair = world()
    meeting = {"intent": "calendar_remove", "event_name": "meeting"}
    assert asked_back(pair, "calendar", **meeting) == ("date", "time")
    assert asked_back(pair, "calendar", intent="calendar_remove", descriptor="that event") == (
        "event_name",
        "date",
    )
    assert refused(pair, "calendar", intent="calendar_remove", event_name="opera") == "NOT_FOUND"
    gone = rows(pair, "calendar", intent="calendar_remove", event_name="meetings")
    assert {row["name"] for row in gone} == {
        "project meeting",
        "budget meeting",
        "design review meeting",
        "team meeting",
    }


@pytest.mark.parametrize("clue", [{}, {"descriptor": "all"}])
def test_the_calendar_is_cleared(clue):
    pair = world()
    ok(pair, "calendar", intent="calendar_remove", **clue)
    assert found(pair) == []
    assert pair[1].rows("calendar.events") == []
    assert refused(pair, "calendar", intent="calendar_remove", **clue) == "NOT_FOUND"


def test_the_next_event_is_removed():
    pair = world(now=DEFAULT_NOW.replace(hour=16))
    gone = rows(pair, "calendar", intent="calendar_remove", descriptor="next")
    assert [row["name"] for row in gone] == ["dinner"]


@pytest.mark.parametrize("task", tasks_of("calendar"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("calendar"))
def test_any_request_is_answered_or_refused(session):
    check_session("calendar", session)


@pytest.mark.parametrize("date", ["2026-07-01", "2026-07-02..", "2026-06-28..2026-07-01"])
def test_an_event_of_several_days_is_found_by_each_of_them(date):
    pair = world()
    enter(pair, event_name="regatta", date="2026-07-01..2026-07-02")
    assert "regatta" in found(pair, date=date)
    assert "regatta" not in found(pair, date="2026-07-03..2026-07-05")
    ok(pair, "calendar", intent="calendar_remove", event_name="regatta", date=date)
    assert "regatta" not in found(pair, date=date)


def test_an_event_is_going_on_until_its_end():
    pair = world()
    enter(pair, event_name="regatta", date="2026-07-01", time="14:00..16:00")
    assert found(pair, date="2026-07-01", time="15:00") == ["regatta"]
    assert found(pair, date="2026-07-01", time="15:30..18:00") == ["regatta"]
    assert found(pair, date="2026-07-01", time="16:00..18:00") == []


def test_a_stretch_of_time_is_the_same_in_two_parameters_as_in_one():
    pair, day = world(), "2026-03-16"
    whole = found(pair, date=day, time="10:00..12:00")
    assert whole == found(pair, date=day, from_time="10:00", to_time="12:00") != []
    assert whole == found(pair, date=day, time="10:00", to_time="12:00")
    assert found(pair, date=day, from_time="09:45") == found(pair, date=day, time="09:45..")
    assert found(pair, date=day, to_time="09:45") == found(pair, date=day, time="..09:45")
