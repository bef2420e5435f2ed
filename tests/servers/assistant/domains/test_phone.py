"""Texts go to contacts, numbers and devices; notifications are read and asked for."""

import pytest
from hypothesis import given, settings

from .support import (
    asked_back,
    check_gold,
    check_session,
    refused,
    requests_of,
    rows,
    tasks_of,
    world,
)


def text(pair, **params):
    return rows(pair, "phone", intent="phone_text", **params)[0]


def notices(pair, **params):
    return rows(pair, "phone", intent="phone_notification", **params)


def test_a_text_goes_to_a_contact_of_the_mailbox():
    pair = world()
    sent = text(pair, to_person="my husband", text="on my way")
    assert (sent["to"], sent["numbers"], sent["text"]) == (
        ["Sam Reyes"],
        ["212-555-0113"],
        "on my way",
    )
    assert text(pair, to_person="tom and megan", text="hi")["to"] == ["Tom Baker", "Megan Hayes"]
    rows(
        pair,
        "email",
        intent="email_addcontact",
        person="lucia gomez",
        personal_info="number 555 012 3456",
    )
    assert text(pair, to_person="lucia", text="welcome")["numbers"] == ["5550123456"]


def test_a_text_goes_to_a_number_or_to_a_device():
    pair = world()
    assert text(pair, to_person="(212) 555-0199", text="hi")["numbers"] == ["(212) 555-0199"]
    assert text(pair, device_type="lost android phone", text="ring")["to"] == ["phone"]


def test_a_text_without_receiver_or_words_is_not_sent():
    pair = world()
    send = {"intent": "phone_text"}
    assert asked_back(pair, "phone", **send) == ("to_person",)
    assert asked_back(pair, "phone", **send, text="hello") == ("to_person",)
    assert asked_back(pair, "phone", **send, to_person="mom") == ("text",)
    assert asked_back(pair, "phone", **send, to_person="elvis", text="hi") == ("to_person",)
    assert asked_back(pair, "phone", **send, to_person="palmer", text="hi") == ("to_person",)


def test_notifications_that_came_in_are_read():
    pair = world()
    assert len(notices(pair)) == 11
    assert notices(pair, event_name="new notifications") == notices(pair)
    missed = notices(pair, event_name="missed calls")
    assert [row["sender"] for row in missed] == ["Linda Hayes", "Victor Stone", "John Smith"]
    assert {row["device"] for row in notices(pair, device_type="ipad")} == {"tablet"}
    stone = notices(pair, event_name="missed calls", to_person="my landlord")
    assert [row["time"] for row in stone] == ["05:00"]
    assert not pair[1].diff()


def test_an_alert_is_set_once_and_taken_back():
    pair = world()
    alert = notices(pair, event_name="a text message", to_person="mom", device_type="watch")
    assert (alert[0]["event"], alert[0]["person"], alert[0]["device"]) == (
        "text message",
        "Linda Hayes",
        "watch",
    )
    again = {"event_name": "text message", "to_person": "mother", "device_type": "watch"}
    assert refused(pair, "phone", intent="phone_notification", **again) == "CONFLICT"
    assert notices(pair, **again, text="stop") == alert
    assert not pair[1].diff()
    gone = {"intent": "phone_notification", "event_name": "earthquake", "text": "stop"}
    assert refused(pair, "phone", **gone) == "NOT_FOUND"


def test_a_person_alone_means_their_calls():
    pair = world()
    assert notices(pair, to_person="my boss")[0]["event"] == "call"
    assert notices(pair, event_name="contact calls")[0]["person"] == ""


@pytest.mark.parametrize("task", tasks_of("phone"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("phone"))
def test_any_request_is_answered_or_refused(session):
    check_session("phone", session)
