"""An answer says which words of the request its server could make nothing of."""

import pytest

from .support import ask, ok, rows, world

UNHEARD = "I could not take 'zyzzyva quux' into account."


@pytest.mark.parametrize(
    ("domain", "intent", "name"),
    [
        ("cooking", "cooking_recipe", "descriptor"),
        ("weather", "weather_query", "weather_descriptor"),
        ("recommendation", "recommendation_movies", "descriptor"),
        ("recommendation", "recommendation_events", "descriptor"),
        ("recommendation", "recommendation_locations", "descriptor"),
        ("stock", "qa_stock", "descriptor"),
        ("currency", "qa_currency", "descriptor"),
        ("transport", "transport_query", "descriptor"),
        ("transport", "transport_traffic", "query"),
        ("calendar", "calendar_query", "descriptor"),
        ("alarm", "alarm_query", "descriptor"),
        ("email", "email_query", "query"),
        ("social", "social_query", "descriptor"),
        ("music", "music_query", "query"),
        ("podcasts", "play_podcasts", "podcast_descriptor"),
        ("audiobook", "play_audiobook", "descriptor"),
        ("radio", "radio_query", "descriptor"),
    ],
)
def test_words_that_no_server_knows_are_said_to_be_ignored(domain, intent, name):
    given = {"food_type": "soup"} if domain == "cooking" else {}
    pair, silent = world(), world()
    said = ok(pair, domain, intent=intent, **given, **{name: "zyzzyva quux"}).record
    without = ok(silent, domain, intent=intent, **given).record
    assert said.response == f"{without.response} {UNHEARD}"
    assert said.result == without.result
    assert pair[1].diff() == silent[1].diff()


@pytest.mark.parametrize(
    ("domain", "params"),
    [
        ("cooking", {"intent": "cooking_recipe", "descriptor": "quick", "food_type": "pancakes"}),
        ("weather", {"intent": "weather_query", "weather_descriptor": "temperature"}),
        ("weather", {"intent": "weather_query", "weather_descriptor": "umbrella"}),
        ("recommendation", {"intent": "recommendation_movies", "descriptor": "the best films"}),
        ("stock", {"intent": "qa_stock", "business_name": "ford", "descriptor": "opening price"}),
        ("news", {"intent": "news_query", "descriptor": "latest headlines"}),
        ("news", {"intent": "news_query", "news_topic": "zyzzyva", "media_type": "quux"}),
        ("alarm", {"intent": "alarm_query", "descriptor": "all"}),
        ("radio", {"intent": "play_radio", "app_name": "zyzzyva", "device_type": "quux"}),
        ("iot", {"intent": "iot_hue_lightup", "change_amount": "twenty percent"}),
        ("takeaway", {"intent": "takeaway_query", "food_type": "sushi", "order_type": "delivers"}),
        ("email", {"intent": "email_query", "query": "unread emails"}),
    ],
)
def test_words_that_are_understood_need_no_excuse(domain, params):
    assert "into account" not in ok(world(), domain, **params).record.response


def test_what_was_tried_leaves_nothing_behind():
    pair = world()
    asked = {"intent": "alarm_set", "time": "19:00", "descriptor": "zyzzyva quux"}
    (alarm,) = rows(pair, "alarm", **asked)
    assert alarm["id"] == "alarm-7"
    assert len(pair[1].diff().changes) == 1
    assert len(pair[1].rows("alarm.alarms")) == 7


def test_a_question_or_a_refusal_says_nothing_of_it():
    asked = ask(world(), "alarm", intent="alarm_set", descriptor="zyzzyva quux").record
    assert asked.code == "CLARIFICATION"
    assert "into account" not in asked.response
    refused = ask(world(), "music", intent="music_settings", player_setting="zyzzyva").record
    assert refused.status == 400
    assert "into account" not in refused.response


def test_long_words_are_cut():
    said = ok(world(), "weather", intent="weather_query", weather_descriptor="zyzzyva " * 40)
    assert said.record.response.endswith("...' into account.")
