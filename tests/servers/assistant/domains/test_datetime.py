"""Times and days are right around the world, summer times included."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_dataset.normalise.places import normalise_place
from ossia_servers.assistant.domains._zones import UTC, zone_of_name, zone_of_place

from .support import (
    asked_back,
    check_gold,
    check_session,
    ok,
    refused,
    requests_of,
    tasks_of,
    world,
)

PLACES = {
    "New York, New York": "America/New_York",
    "Dallas, Texas": "America/Chicago",
    "El Paso, Texas": "America/Denver",
    "Phoenix, Arizona": "America/Phoenix",
    "Anchorage, Alaska": "America/Anchorage",
    "Honolulu, Hawaii": "Pacific/Honolulu",
    "Halifax, Canada": "America/Halifax",
    "Mexico City, Mexico": "America/Mexico_City",
    "Tijuana, Mexico": "America/Tijuana",
    "Havana, Cuba": "America/Havana",
    "Santiago, Chile": "America/Santiago",
    "London, United Kingdom": "Europe/London",
    "Lisbon, Portugal": "Europe/Lisbon",
    "Berlin, Germany": "Europe/Berlin",
    "Athens, Greece": "Europe/Athens",
    "Moscow, Russia": "Europe/Moscow",
    "Cairo, Egypt": "Africa/Cairo",
    "Jerusalem, Israel": "Asia/Jerusalem",
    "Beirut, Lebanon": "Asia/Beirut",
    "Lagos, Nigeria": "Africa/Lagos",
    "Tehran, Iran": "Asia/Tehran",
    "Mumbai, India": "Asia/Kolkata",
    "Kathmandu, Nepal": "Asia/Kathmandu",
    "Jakarta, Indonesia": "Asia/Jakarta",
    "Tokyo, Japan": "Asia/Tokyo",
    "Sydney, Australia": "Australia/Sydney",
    "Adelaide, Australia": "Australia/Adelaide",
    "Brisbane, Australia": "Australia/Brisbane",
    "Perth, Australia": "Australia/Perth",
    "Auckland, New Zealand": "Pacific/Auckland",
}
HOURS_OF_2026 = st.integers(0, 365 * 24 * 2 - 1).map(
    lambda half: datetime(2026, 1, 1) + timedelta(minutes=30 * half)
)


def result(pair, intent, **params):
    return ok(pair, "datetime", intent=f"datetime_{intent}", **params).record.result


@settings(deadline=None)
@given(HOURS_OF_2026)
def test_the_zones_agree_with_the_public_database(moment):
    try:
        zones = {place: ZoneInfo(key) for place, key in PLACES.items()}
    except ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone database to compare with")
    aware = moment.replace(tzinfo=ZoneInfo("UTC"))
    for place, zone in zones.items():
        ours = zone_of_place(place)
        local = aware.astimezone(zone).replace(tzinfo=None)
        assert ours.from_utc(moment) == local, place
        # The hour that comes twice in autumn is taken for its first coming.
        assert ours.to_utc(local) in (moment, moment - timedelta(hours=1)), place


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("g. m. t.", 0),
        ("EST", -300),
        ("eastern standard time", -300),
        ("east coast of the united states", -300),
        ("central european time", 60),
        ("utc plus two", 120),
        ("gmt-3", -180),
        ("tokyo time", 540),
        ("my time", -300),
    ],
)
def test_zones_are_known_by_many_names(name, offset):
    assert zone_of_name(name, "New York, New York").offset == offset


@pytest.mark.parametrize("name", ["mars", "utc plus forty", "gmt plus a lot"])
def test_an_unknown_zone_is_none(name):
    assert zone_of_name(name, "New York, New York") is None


def test_the_time_here_and_elsewhere():
    pair = world()
    here = {
        "place": "New York, New York",
        "zone": "Eastern Time",
        "date": "2026-03-13",
        "weekday": "Friday",
        "time": "10:00",
    }
    assert result(pair, "query") == here
    assert result(pair, "query", date="2026-03-13") == here
    assert result(pair, "query", place_name="new york") == here
    tokyo = result(pair, "query", place_name="Tokyo, Japan")
    assert (tokyo["date"], tokyo["time"]) == ("2026-03-13", "23:00")
    assert result(pair, "query", place_name="tokyo") == tokyo
    assert result(pair, "query", time_zone="pacific")["time"] == "07:00"
    assert result(world(home="Austin, Texas"), "query", place_name="london")["time"] == "15:00"


def test_the_day_of_a_date():
    pair = world()
    assert result(pair, "query", date="2026-12-25")["days"] == [
        {"date": "2026-12-25", "weekday": "Friday", "days_away": 287}
    ]
    assert [day["weekday"] for day in result(pair, "query", date="2026-03-16..2026-03-22")["days"]]
    assert result(pair, "query", date="every monday")["days"][0]["date"] == "2026-03-16"
    assert result(pair, "query", date="2026-03-16..")["days"][0]["weekday"] == "Monday"


def test_a_time_is_converted():
    pair = world()
    done = result(pair, "convert", time="15:30", time_zone="eastern", time_zone2="mountain")
    assert done["readings"] == [
        {
            "from": "Eastern Time",
            "to": "Mountain Time",
            "time": "15:30",
            "converted": "13:30",
            "days_later": 0,
        }
    ]
    assert done["hours"] == -2
    there_and_back = result(pair, "convert", time="05:00", place_name="Berlin, Germany")
    there_and_back = there_and_back["readings"]
    assert [(item["from"], item["converted"], item["days_later"]) for item in there_and_back] == [
        ("New York, New York", "10:00", 0),
        ("Berlin, Germany", "00:00", 0),
    ]
    late = result(pair, "convert", time="22:00", time_zone="pst", time_zone2="tokyo")
    assert (late["readings"][0]["converted"], late["readings"][0]["days_later"]) == ("14:00", 1)
    span = result(pair, "convert", time="09:00..17:00", time_zone="gmt", time_zone2="cet")
    assert span["readings"][0]["converted"] == "10:00..18:00"


def test_summer_time_moves_the_difference():
    pair = world()
    march = result(pair, "convert", time_zone="eastern", time_zone2="cet")
    april = result(pair, "convert", time_zone="eastern", time_zone2="cet", date="2026-04-03")
    assert (march["hours"], april["hours"]) == (5, 6)


def test_a_difference_needs_no_time():
    pair = world()
    assert result(pair, "convert", time_zone="central", time_zone2="eastern")["hours"] == 1
    assert result(pair, "convert", place_name="New York And Lagos")["hours"] == 5
    assert result(pair, "convert", time_zone="central and eastern")["hours"] == 1
    assert result(pair, "convert", place_name="sydney")["hours"] == 15
    mixed = result(pair, "convert", place_name="new york", time_zone="mountain", time="12:00")
    assert len(mixed["readings"]) == 2
    same = result(pair, "query", place_name="berlin", time="05:00")
    assert same == result(pair, "convert", place_name="berlin", time="05:00")


def test_what_cannot_be_told_is_asked_or_refused():
    pair = world()
    assert asked_back(pair, "datetime", intent="datetime_convert") == ("time_zone", "place_name")
    query = {"intent": "datetime_query"}
    assert refused(pair, "datetime", **query, place_name="Atlantis") == "NOT_FOUND"
    assert refused(pair, "datetime", **query, time_zone="mars") == "NOT_FOUND"
    convert = {"intent": "datetime_convert", "place_name": "london"}
    assert refused(pair, "datetime", **convert, date="0001-01-01") == "BAD_REQUEST"


@pytest.mark.parametrize("task", tasks_of("datetime"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


def test_every_known_city_has_a_zone():
    cities = ["denver", "madrid", "bali", "sao paulo", "kyiv", "dubai", "hong kong", "singapore"]
    assert all(zone_of_place(normalise_place(city, "")) for city in cities)
    assert UTC.offset == 0


@settings(max_examples=50, deadline=None)
@given(requests_of("datetime"))
def test_any_request_is_answered_or_refused(session):
    check_session("datetime", session)
