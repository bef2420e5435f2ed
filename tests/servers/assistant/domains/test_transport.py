"""Rides and tickets are booked, found and cancelled; timetables, ways and roads are told."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import ask, asked_back, check_gold, ok, refused, rows, tasks_of, world


def _taxi(pair=None, **params):
    (row,) = rows(pair or world(), "transport", intent="transport_taxi", **params)
    return row


def _ticket(pair=None, **params):
    (row,) = rows(pair or world(), "transport", intent="transport_ticket", **params)
    return row


def _told(pair=None, **params):
    return rows(pair or world(), "transport", intent="transport_query", **params)


def _roads(**params):
    return rows(world(), "transport", intent="transport_traffic", **params)


def test_a_taxi_comes_now_from_home_unless_told_otherwise():
    now = _taxi(transport_type="taxi")
    assert (now["agency"], now["from_place"]) == ("City Cab", "New York, New York")
    assert (now["date"], now["time"], now["to_place"]) == ("2026-03-13", "10:00", "")
    ride = _taxi(transport_type="uber", to_place_name="the airport", time="09:00")
    assert (ride["agency"], ride["date"], ride["time"]) == ("Uber", "2026-03-14", "09:00")
    assert _taxi(place_name="opera", time="18:00..23:59")["date"] == "2026-03-13"
    assert _taxi(place_name="brooklyn", to_place_name="queens")["from_place"].startswith("Brook")


def test_a_taxi_of_another_day_needs_a_time():
    given = {"intent": "transport_taxi", "date": "2026-03-14"}
    assert asked_back(world(), "transport", **given) == ("time",)
    assert refused(world(), "transport", intent="transport_taxi", date="2026-03-12") == "CONFLICT"


def test_a_ticket_is_booked_found_and_cancelled():
    pair = world()
    made = _ticket(pair, transport_type="train", to_place_name="Chicago", date="2026-03-20")
    assert made["to_place"] == "Chicago, Illinois"
    asked = {"transport_type": "train", "to_place_name": "Chicago", "descriptor": "booked"}
    assert _told(pair, **asked) == [made]
    ok(pair, "transport", intent="transport_ticket", descriptor="cancel", to_place_name="chicago")
    assert not pair[1].diff()
    assert _told(pair, **asked) == []


def test_only_one_booking_is_cancelled_unless_all_are_meant():
    pair = world()
    cancel = {"intent": "transport_ticket", "descriptor": "cancel"}
    assert asked_back(pair, "transport", **cancel) == ("to_place_name", "date")
    assert refused(pair, "transport", **cancel, to_place_name="Tokyo") == "NOT_FOUND"
    assert len(rows(pair, "transport", **cancel | {"descriptor": "cancel all"})) == 3


def test_a_ticket_needs_a_destination_and_a_departure():
    ticket = {"intent": "transport_ticket"}
    assert asked_back(world(), "transport", **ticket) == ("to_place_name",)
    late = {"to_place_name": "boston", "date": "2026-03-14", "time": "23:30"}
    assert refused(world(), "transport", **ticket, **late) == "NOT_FOUND"
    past = {"to_place_name": "boston", "date": "2026-03-01"}
    assert refused(world(), "transport", **ticket, **past) == "CONFLICT"


def test_a_ticket_is_for_a_departure_of_the_timetable():
    asked = {"transport_type": "bus", "to_place_name": "Boston", "date": "2026-03-15"}
    timetable = _told(**asked, time="00:00..23:59")
    assert _ticket(**asked)["time"] == timetable[0]["time"]
    last = _ticket(**asked, descriptor="last")
    assert last["time"] == _told(**asked, descriptor="last")[0]["time"] > timetable[2]["time"]
    afternoon = _ticket(**asked, time="12:00..18:00")
    assert "12:00" <= afternoon["time"] <= "18:00"
    assert _ticket(**asked, time="09:00")["time"] >= "09:00"
    assert _ticket(**asked, descriptor="cheapest")["price"] <= _ticket(**asked)["price"]
    assert _ticket(to_place_name="Boston", time="06:00")["date"] == "2026-03-14"


def test_the_next_departure_is_one_and_still_to_come():
    (leaving,) = _told(transport_type="train", to_place_name="Newark", descriptor="next")
    assert (leaving["date"], leaving["time"] >= "10:00") == ("2026-03-13", True)
    late = world(now=datetime(2026, 3, 13, 23, 30))
    assert _told(late, transport_type="train", to_place_name="Newark")[0]["date"] == "2026-03-14"


def test_directions_are_told_to_places_and_kinds_of_places():
    (way,) = _told(to_place_name="Philadelphia")
    assert 80 < way["miles"] < 120
    assert _told(place_name="nearest", business_type="bar")[0]["to_place"] == "Bar"
    assert _told(business_name="olive garden", place_name="dallas")[0]["to_place"] == (
        "Olive Garden, Dallas, Texas"
    )


def test_without_a_question_the_bookings_are_told():
    assert len(_told()) == 4
    assert [row["agency"] for row in _told(transport_type="taxi")] == ["City Cab"]


def test_traffic_depends_on_place_and_time():
    (here,) = _roads()
    assert (here["place"], here["time"]) == ("New York, New York", "10:00")
    assert _roads(place_name="my area", time="10:00", date="2026-03-13") == [here]
    (route,) = _roads(from_place_name="brooklyn", to_place_name="queens", time="17:00")
    assert route["place"] == "Brooklyn, New York to Queens, New York"
    nights = _roads(place_name="Dallas", date="2026-03-16..2026-03-20", time="03:00")
    rush = _roads(place_name="Dallas", date="2026-03-16..2026-03-20", time="08:00")
    assert sum(row["delay_minutes"] for row in nights) < sum(row["delay_minutes"] for row in rush)


@given(
    st.text(min_size=1, max_size=30),
    st.sampled_from(["taxi", "ticket", "query", "traffic"]),
    st.sampled_from(["transport_agency", "transport_type", "business_name", "query", "place_name"]),
)
@settings(max_examples=40, deadline=None)
def test_any_words_are_answered_or_refused(text, intent, name):
    given = {"intent": f"transport_{intent}", name: text}
    assert ask(world(domains=["transport"]), "transport", **given)


@pytest.mark.parametrize("task", tasks_of("transport"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)


def test_an_article_before_a_place_changes_nothing_on_the_way_there():
    (one,), (other,) = _roads(to_place_name="The Airport"), _roads(to_place_name="Airport")
    assert {**one, "place": ""} == {**other, "place": ""}
