"""Mails are sent, found and deleted; contacts are looked up, added and completed."""

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


def send(pair, **params):
    return rows(pair, "email", intent="email_sendemail", **params)[0]


def names(found):
    return [row["name"] for row in found]


def test_a_sent_mail_is_found_and_deleted():
    pair = world()
    sent = send(pair, to_person="tom", content="fishing sounds great")
    assert (sent["folder"], sent["to"], sent["addresses"]) == (
        "sent",
        ["Tom Baker"],
        ["tom.baker@mail.example"],
    )
    assert (sent["date"], sent["time"]) == ("2026-03-13", "10:00")
    found = rows(pair, "email", intent="email_query", to_person="tom", content="fishing great")
    assert found == [sent]
    ok(pair, "email", intent="email_remove", to_person="tom", content="fishing sounds great")
    assert rows(pair, "email", intent="email_query", to_person="tom", content="sounds") == []
    trash = rows(pair, "email", intent="email_query", email_folder="trash", content="sounds")
    assert len(trash) == 1


def test_receivers_are_resolved_by_name_relation_group_and_address():
    pair = world()
    assert send(pair, to_relation="my husband", content="hi")["to"] == ["Sam Reyes"]
    assert send(pair, to_person="aunt ruth", content="hi")["to"] == ["Ruth Palmer"]
    assert send(pair, to_relation="boss", to_person="michael", content="a")["to"] == [
        "Michael Chen"
    ]
    assert send(pair, to_person="tom and my sister", content="hi")["to"] == [
        "Tom Baker",
        "Megan Hayes",
    ]
    assert send(pair, to_relation="my parents", content="hi")["to"] == [
        "Linda Hayes",
        "George Hayes",
    ]
    known = send(pair, email_address="Tom dot Baker at mail dot example", content="hi")
    assert known["to"] == ["Tom Baker"]
    new = send(pair, to_person="jack at mail dot com", content="hi")
    assert (new["to"], new["addresses"]) == (["jack@mail.com"], ["jack@mail.com"])
    work = send(pair, to_person="tom", personal_info="work email", content="hi")
    assert work["addresses"] == ["tom@bakerandsons.example"]


def test_a_mail_without_receiver_is_not_sent():
    pair = world()
    ask = {"intent": "email_sendemail", "content": "hello"}
    assert asked_back(pair, "email", **ask) == ("to_person",)
    assert asked_back(pair, "email", **ask, to_person="rajesh") == ("email_address",)
    assert asked_back(pair, "email", **ask, to_person="jack", to_relation="friend") == (
        "email_address",
    )
    assert asked_back(pair, "email", **ask, to_person="palmer") == ("to_person",)
    assert refused(pair, "email", **ask, email_address="not an address") == "BAD_REQUEST"


def test_a_mail_without_content_or_to_be_saved_is_a_draft():
    pair = world()
    assert send(pair, to_person="tom")["folder"] == "drafts"
    assert send(pair, to_person="tom", content="hi", setting="save")["folder"] == "drafts"
    assert len(rows(pair, "email", intent="email_query", email_folder="drafts")) == 3


def test_a_mail_waits_for_its_day():
    pair = world()
    mail = send(pair, to_person="laura", content="good luck", date="2026-03-14", time="09:00")
    assert (mail["folder"], mail["send_date"], mail["send_time"]) == (
        "scheduled",
        "2026-03-14",
        "09:00",
    )
    assert send(pair, to_person="laura", content="hi", time="09:30")["send_date"] == "2026-03-14"
    assert send(pair, to_person="laura", content="hi", date="2026-03-12")["folder"] == "sent"


def test_replies_answer_the_newest_mail_and_forwards_carry_it():
    pair = world()
    reply = send(pair, setting="reply", to_relation="my boss", content="it is done")
    original = pair[1].get("email.messages", reply["answers"])
    assert original["subject"] == "Budget review"
    assert reply["subject"] == "Re: Budget review"
    forward = send(pair, setting="forward", from_person="jane", to_relation="my accountant")
    assert forward["to"] == ["Omar Haddad"]
    assert "resend the invoice" in forward["content"]
    answer = send(pair, query="last", from_person="emily", content="see you there")
    assert (answer["to"], answer["subject"]) == (["Emily Clark"], "Re: School play")
    newest = send(pair, setting="reply", content="ok")
    assert (newest["to"], newest["addresses"]) == (["Amazon"], [])
    missing = {"intent": "email_sendemail", "setting": "reply", "to_relation": "grandma"}
    assert refused(pair, "email", **missing, content="hi") == "NOT_FOUND"
    assert asked_back(pair, "email", intent="email_sendemail", setting="forward") == ("to_person",)


def test_mails_are_filtered_by_what_the_user_says():
    pair = world()

    def found(**params):
        return [row["subject"] for row in rows(pair, "email", intent="email_query", **params)]

    assert found(date="2026-03-13") == [
        "Your order has shipped",
        "Budget review",
        "Sunday dinner",
    ]
    assert found(date="2026-03-13", time="..08:30") == ["Budget review", "Sunday dinner"]
    assert found(from_relation="boss", query="last") == ["Budget review"]
    assert found(person="michael", query="oldest") == ["Quarterly goals"]
    assert found(query="unread", from_person="david") == ["Birthday party"]
    assert found(from_person="northside bank") == ["Credit card statement"]
    assert found(email_folder="junk", query="new")[0] == "You have won"
    assert len(found(query="new")) == 7
    assert len(found(query="read")) == 15
    assert found(from_person="nobody i know") == []
    assert found(email_address="jane@acmesupplies.example") == ["Invoice 2041"]
    assert len(found()) == 22
    assert len(found(from_relation="family")) == 4
    assert refused(pair, "email", intent="email_query", email_folder="yodel") == "NOT_FOUND"


def test_deleting_asks_first_and_moves_to_the_trash():
    pair = world()
    assert asked_back(pair, "email", intent="email_remove") == ("from_person", "content")
    gone = rows(pair, "email", intent="email_remove", query="all", email_folder="spam")
    assert len(gone) == 3
    assert rows(pair, "email", intent="email_query", email_folder="spam") == []
    odd = {"intent": "email_remove", "query": "all promotional"}
    assert refused(pair, "email", **odd) == "NOT_FOUND"
    moved = rows(pair, "email", intent="email_remove", query="last")
    assert moved[0]["folder"] == "trash"
    assert len(rows(pair, "email", intent="email_remove", email_folder="trash")) == 2
    assert rows(pair, "email", intent="email_query", email_folder="trash") == []
    assert refused(pair, "email", intent="email_remove", from_person="elvis") == "NOT_FOUND"


def test_contacts_are_looked_up():
    pair = world()

    def facts(**params):
        return rows(pair, "email", intent="email_querycontact", **params)

    assert facts(person="john", personal_info="work number") == [
        {"id": "contact-13", "name": "John Smith", "work_phone": "646-555-0122"}
    ]
    assert facts(relation="mom", personal_info="email address")[0]["email"].startswith("linda")
    assert facts(person="me", personal_info="phone number")[0]["name"] == "Robin Hayes"
    assert names(facts(relation="friend")) == [
        "Sarah Johnson",
        "Tom Baker",
        "David Okafor",
        "Emma Larsen",
        "Anna Rossi",
        "Mike Turner",
    ]
    assert names(facts(email_address="omar@haddadtax.example")) == ["Omar Haddad"]
    assert facts(person="zebulon") == []
    assert len(facts()) == 32


def test_contacts_are_added_and_completed():
    pair = world()

    def add(**params):
        return rows(pair, "email", intent="email_addcontact", **params)[0]

    new = add(person="lucia gomez", relation="my friend", email_address="lucia at gomez dot org")
    assert (new["name"], new["relation"], new["email"]) == (
        "Lucia Gomez",
        "friend",
        "lucia@gomez.org",
    )
    assert send(pair, to_person="lucia", content="hi")["addresses"] == ["lucia@gomez.org"]
    tom = add(person="tom", email_address="tom@new.example")
    assert (tom["name"], tom["email"]) == ("Tom Baker", "tom@new.example")
    nancy = add(person="nancy wright", personal_info="number five five five oh one two three")
    assert nancy["phone"] == "5550123"
    assert add(relation="sister", email_address="m@hayes.example")["name"] == "Megan Hayes"
    assert add(email_address="kim@store.com")["name"] == "Kim"
    add_params = {"intent": "email_addcontact"}
    assert asked_back(pair, "email", **add_params) == ("person",)
    assert asked_back(pair, "email", **add_params, relation="my boss") == ("email_address",)
    assert refused(pair, "email", **add_params, person="Tom Baker") == "CONFLICT"
    assert refused(pair, "email", **add_params, email_address="kim@store.com") == "CONFLICT"
    assert refused(pair, "email", **add_params, email_address="kim") == "BAD_REQUEST"


def test_alerts_are_kept_once():
    pair = world()
    alert = {"intent": "email_subscription", "from_person": "alice", "content": "the draft"}
    assert rows(pair, "email", **alert)[0]["sender"] == "Alice Novak"
    assert refused(pair, "email", **alert) == "CONFLICT"
    assert rows(pair, "email", intent="email_subscription")[0]["sender"] == ""
    lowry = rows(pair, "email", intent="email_subscription", from_person="principal lowry")
    assert lowry[0]["sender"] == "principal lowry"


@pytest.mark.parametrize("hour", [0, 23])
def test_no_seeded_mail_lies_in_the_future(hour):
    pair = world(now=DEFAULT_NOW.replace(hour=hour))
    now = pair[1].now
    for row in pair[1].rows("email.messages"):
        assert (row["date"], row["time"]) < (now.date().isoformat(), now.strftime("%H:%M"))


@pytest.mark.parametrize("task", tasks_of("email"), ids=lambda task: task.id)
def test_gold_runs(task):
    check_gold(task)


@settings(max_examples=50, deadline=None)
@given(requests_of("email"))
def test_any_request_is_answered_or_refused(session):
    check_session("email", session)


def test_a_sent_mail_stays_known_as_sent():
    pair = world()
    send = {"intent": "email_sendemail", "to_person": "tom", "content": "zyzzyva"}
    (mail,) = rows(pair, "email", **send)
    delete = {"intent": "email_remove", "content": "zyzzyva"}
    ok(pair, "email", **delete, email_folder="sent")
    found = {"intent": "email_query", "content": "zyzzyva"}
    assert len(rows(pair, "email", **found, email_folder="trash")) == 1
    assert rows(pair, "email", **found, email_folder="sent") == []
    ok(pair, "email", **delete, email_folder="trash")
    assert rows(pair, "email", **found, email_folder="trash") == []
    (change,) = pair[1].diff().changes
    assert (change.kind, change.id) == ("added", mail["id"])
    assert "sent" in change.after["folder"]


def test_a_draft_that_is_deleted_leaves_nothing():
    pair = world()
    draft = {"intent": "email_sendemail", "to_person": "tom", "setting": "draft"}
    ok(pair, "email", **draft, content="zyzzyva")
    for folder in ("drafts", "trash"):
        ok(pair, "email", intent="email_remove", content="zyzzyva", email_folder=folder)
    assert not pair[1].diff().changes
