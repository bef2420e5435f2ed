"""The slot-level score: every leniency of the published judge, and what it does not forgive."""

import pytest

from ossia_evaluation.assistant.slots import score_slots
from tests.evaluation.support import (
    BY_NAME,
    CHAT,
    WAKE,
    WAKE_URL,
    WEATHER,
    WEATHER_URL,
    Play,
    request,
    task,
)


def slots_of(wanted, *urls, answer="done", method="GET"):
    play = Play(wanted)
    for url in urls:
        play.http(url, method)
    return score_slots(wanted, play.requests, answer, BY_NAME)


def judge(domain, intent, gold, actual, **normal):
    """Score one request with the given parameters against a gold frame."""
    wanted = task(domain, intent, "answer", gold, **normal)
    query = "&".join(f"{name}={value}" for name, value in actual.items())
    return slots_of(wanted, f"/{domain}?intent={intent}" + (f"&{query}" if query else ""))


def test_equal_slots_are_right():
    assert slots_of(WAKE, WAKE_URL).correct


def test_both_empty_is_right():
    assert judge("alarm", "alarm_query", {}, {}).correct


def test_post_requests_are_judged_too():
    assert slots_of(WAKE, WAKE_URL, method="POST").correct
    assert slots_of(WAKE, WAKE_URL.replace("07", "08"), method="POST").wrong == ("time",)


@pytest.mark.parametrize(
    ("domain", "intent", "gold", "actual"),
    [
        ("calendar", "calendar_query", {"event_name": "lunch"}, {"event_name": "dinner party"}),
        ("calendar", "calendar_query", {"event_name": "lunch"}, {}),
        ("lists", "lists_query", {"list_name": "packing"}, {"list_name": "shopping"}),
        ("lists", "lists_query", {}, {"list_name": "shopping"}),
        ("alarm", "alarm_query", {"descriptor": "all"}, {}),
        ("alarm", "alarm_query", {}, {"descriptor": "all"}),
        ("email", "email_query", {"person": "sarah"}, {"from_person": "sarah"}),
        ("email", "email_query", {"to_person": "sarah"}, {"person": "Sarah"}),
        ("music", "music_query", {"query": "song name"}, {}),
    ],
)
def test_what_the_published_judge_neglects(domain, intent, gold, actual):
    score = judge(domain, intent, gold, actual)
    assert (score.correct, score.wrong) == (True, ())


@pytest.mark.parametrize(
    ("domain", "intent", "gold", "actual", "wrong"),
    [
        ("alarm", "alarm_query", {"descriptor": "next"}, {}, ("descriptor",)),
        ("alarm", "alarm_query", {"descriptor": "all"}, {"descriptor": "next"}, ("descriptor",)),
        ("email", "email_query", {"person": "sarah"}, {"from_person": "sam"}, ("person",)),
        (
            "email",
            "email_query",
            {"to_person": "sarah", "from_person": "sam"},
            {"to_person": "sam", "from_person": "sarah"},
            ("to_person", "from_person"),
        ),
        ("music", "music_query", {"query": "artist"}, {}, ("query",)),
        (
            "iot",
            "iot_hue_lightchange",
            {"change_to": "30"},
            {"change_amount": "30"},
            ("change_to", "change_amount"),
        ),
        ("lists", "lists_query", {}, {"item_name": "soap"}, ("item_name",)),
    ],
)
def test_what_it_does_not_forgive(domain, intent, gold, actual, wrong):
    score = judge(domain, intent, gold, actual)
    assert (score.correct, score.wrong) == (False, wrong)


@pytest.mark.parametrize(
    ("gold", "actual", "right"),
    [
        ({}, {"date": "2026-03-13"}, True),
        ({"date": "2026-03-13"}, {}, True),
        ({}, {"date": "2026-03-14"}, False),
        ({"date": "2026-03-14"}, {}, False),
    ],
)
def test_today_may_be_left_out_of_a_question_for_the_time(gold, actual, right):
    score = judge("datetime", "datetime_query", {"date": "x"} if gold else {}, actual, time=gold)
    assert score.correct is right


def test_today_may_not_be_left_out_elsewhere():
    score = judge("alarm", "alarm_query", {"date": "today"}, {}, time={"date": "2026-03-13"})
    assert score.wrong == ("date",)


@pytest.mark.parametrize(
    ("said", "actual", "right"),
    [
        ("half past seven", "19:30", True),
        ("half past seven", "07:31", False),
        ("half past seven in the morning", "19:30", False),
        ("seven thirty am", "19:30", False),
        ("half past seven", "07:30..19:30", False),
    ],
)
def test_the_half_of_the_day_is_forgiven_where_it_was_not_said(said, actual, right):
    wanted = task("alarm", "alarm_set", "change", {"time": said}, time={"time": "07:30"})
    score = slots_of(wanted, f"/alarm?intent=alarm_set&time={actual}")
    assert score.correct is right


@pytest.mark.parametrize(
    ("place", "right"), [("Dallas", True), ("dallas+tx", True), ("Austin%2C+Texas", False)]
)
def test_a_place_may_be_completed_by_state_or_country(place, right):
    assert slots_of(WEATHER, WEATHER_URL.replace("Dallas%2C+Texas", place)).correct is right


def test_the_intent_is_checked():
    score = slots_of(WAKE, WAKE_URL.replace("alarm_set", "alarm_query"))
    assert (score.correct, score.intent_correct) == (False, False)
    assert slots_of(WAKE).intent_correct is False


def test_the_last_request_counts():
    wrong = WAKE_URL.replace("07", "08")
    assert slots_of(WAKE, wrong, WAKE_URL).correct
    assert not slots_of(WAKE, WAKE_URL, wrong).correct
    assert not slots_of(WAKE, WAKE_URL, "/weather?intent=weather_query").intent_correct


def test_every_gold_request_has_its_counterpart():
    both = task("alarm", "alarm_set", "change", requests=[WEATHER_URL, WAKE_URL])
    assert slots_of(both, WAKE_URL, WEATHER_URL).correct
    assert not slots_of(both, WAKE_URL).correct


def test_chit_chat_needs_a_reply_and_no_server():
    assert slots_of(CHAT).correct
    assert not slots_of(CHAT, answer=" ").correct
    assert not slots_of(CHAT, WEATHER_URL).intent_correct


def test_addresses_of_the_tests_are_the_gold_ones():
    assert request(WAKE_URL) == WAKE.gold.gold_requests()[0]
    assert request(WEATHER_URL).params == WEATHER.gold.gold_requests()[0].params
