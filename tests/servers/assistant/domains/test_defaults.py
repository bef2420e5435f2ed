"""What is asked of now, of today and of home is the same whether that is said or not."""

import pytest

from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW

from .support import ok, world

NOW = DEFAULT_NOW.strftime("%H:%M")
TODAY = DEFAULT_NOW.date().isoformat()
EVERYTHING = {"date": TODAY, "time": NOW, "place_name": DEFAULT_HOME}
MOMENT = {"date": TODAY, "time": NOW}


def _outcome(domain, **params):
    pair = world()
    result = ok(pair, domain, **params).record.result
    return result, pair[1].diff()


@pytest.mark.parametrize(
    ("domain", "params", "made_explicit"),
    [
        ("weather", {"intent": "weather_query"}, EVERYTHING),
        ("weather", {"intent": "weather_query", "weather_descriptor": "humid"}, EVERYTHING),
        ("transport", {"intent": "transport_traffic"}, EVERYTHING),
        ("transport", {"intent": "transport_traffic", "to_place_name": "Airport"}, MOMENT),
        ("transport", {"intent": "transport_taxi", "to_place_name": "Airport"}, MOMENT),
        ("transport", {"intent": "transport_taxi", "transport_type": "cab"}, EVERYTHING),
        ("transport", {"intent": "transport_ticket", "to_place_name": "Boston"}, MOMENT),
        (
            "transport",
            {"intent": "transport_query", "transport_type": "train", "to_place_name": "Newark"},
            MOMENT,
        ),
        ("recommendation", {"intent": "recommendation_movies"}, EVERYTHING),
        ("recommendation", {"intent": "recommendation_locations"}, EVERYTHING),
        ("recommendation", {"intent": "recommendation_events", "date": TODAY}, EVERYTHING),
        ("takeaway", {"intent": "takeaway_order", "food_type": "pizza"}, EVERYTHING),
        ("takeaway", {"intent": "takeaway_query", "food_type": "pizza"}, EVERYTHING),
        ("news", {"intent": "news_query", "date": TODAY}, MOMENT),
        ("stock", {"intent": "qa_stock", "business_name": "ford"}, MOMENT),
        ("currency", {"intent": "qa_currency", "currency": "euro"}, MOMENT),
        ("datetime", {"intent": "datetime_query", "place_name": "Tokyo"}, MOMENT),
        ("datetime", {"intent": "datetime_query", "time_zone": "pacific"}, EVERYTHING),
        ("social", {"intent": "social_query", "date": TODAY}, MOMENT),
        ("calendar", {"intent": "calendar_query", "date": TODAY}, {"place_name": DEFAULT_HOME}),
        (
            "email",
            {"intent": "email_sendemail", "to_person": "tom", "content": "hello"},
            MOMENT,
        ),
        ("iot", {"intent": "iot_coffee"}, MOMENT),
        ("radio", {"intent": "play_radio", "radio_name": "wnyc"}, MOMENT),
    ],
)
def test_what_goes_without_saying_may_be_said(domain, params, made_explicit):
    silent = _outcome(domain, **params)
    for name, value in made_explicit.items():
        assert _outcome(domain, **{name: value} | params) == silent
    assert _outcome(domain, **made_explicit | params) == silent


@pytest.mark.parametrize("other", [{"time": "23:00"}, {"date": "2026-03-14"}])
@pytest.mark.parametrize(
    ("domain", "intent"), [("weather", "weather_query"), ("transport", "transport_traffic")]
)
def test_another_moment_is_another_answer(domain, intent, other):
    assert _outcome(domain, intent=intent, **other) != _outcome(domain, intent=intent)


def test_now_is_told_in_degrees():
    said = ok(world(), "weather", intent="weather_query", time=NOW).record.response
    assert said.endswith("degrees now.")


@pytest.mark.parametrize("place", ["Downtown", "Los Angeles, California", "Airport", "Highway 9"])
def test_the_traffic_of_a_place_is_the_traffic_to_it(place):
    asked = {"intent": "transport_traffic"}
    there = _outcome("transport", **asked, place_name=place)
    assert there == _outcome("transport", **asked, to_place_name=place)
    assert there == _outcome("transport", **asked, to_place_name=place, from_place_name="home")
    assert there != _outcome("transport", **asked, to_place_name=place, from_place_name="Boston")
