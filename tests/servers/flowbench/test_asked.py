import pytest

from ossia_servers.flowbench.asked import asked_slots, asks_whether, is_asking, is_closing
from ossia_workflows.scenario import load_scenario, shipped_scenarios

WAYS = ("What is {}?", "Please tell me {}.", "I need:\n1. {}\n2. a moment", "May I have {}?")


def asked(scenario, reply, *due):
    return asked_slots(reply, load_scenario(scenario).slots, due)


def test_a_slot_of_each_scenario_is_asked_for_by_its_description_alone():
    for name in shipped_scenarios():
        slots = load_scenario(name).slots
        for slot in slots:
            for way in WAYS:
                assert asked_slots(way.format(slots[slot].about), slots, ()) == (slot,), name


@pytest.mark.parametrize(
    ("scenario", "reply", "due", "wanted"),
    [
        ("ride-booking", "Where would you like to be picked up?", ["pickup"], ["pickup"]),
        (
            "ride-booking",
            "Where would you like to go, and what kind of car do you want?",
            ["destination", "car"],
            ["destination", "car"],
        ),
        ("ride-booking", "What name should the driver ask for?", ["passenger"], ["passenger"]),
        ("ride-booking", "May I have your name, please?", ["passenger"], ["passenger"]),
        (
            "flight-booking",
            "Where do you fly from and to, on which date? Economy or business?",
            ["origin", "destination", "day", "cabin"],
            ["origin", "destination", "day", "cabin"],
        ),
        (
            "restaurant-booking",
            "For how many people, on which date and at what time?",
            ["day", "at", "guests"],
            ["day", "at", "guests"],
        ),
        ("hotel-booking", "I still need your guest_name.", [], ["guest_name"]),
        ("ride-booking", "Your car goes to the destination that you named.", ["destination"], []),
        ("ride-booking", "Please note that the passenger waits outside.", ["pickup"], []),
        ("ride-booking", "Can I do anything else for the passenger?", ["passenger"], []),
        ("shift-handover", "Let me know how you'd like to proceed.", [], []),
        ("ride-booking", "Could you kindly tell me the colour of it?", [], []),
        ("modify-reservation", "The goal is Bellevue, at 52.75. Let me know, please.", [], []),
    ],
)
def test_slots_are_asked_for_in_other_words(scenario, reply, due, wanted):
    assert asked(scenario, reply, *due) == tuple(wanted)


def test_of_what_a_reply_asks():
    assert not is_asking("Your ride number is R-1.")
    assert is_asking("Please tell me more.")
    assert is_closing("All done. Is there anything else?")
    assert not is_closing("All done. Shall I go on? Is there anything else?")
    assert asks_whether("It costs 20. Shall I order it?")
    assert not asks_whether("What does it cost?")


@pytest.mark.parametrize(
    ("scenario", "reply", "wanted"),
    [
        ("flight-information-search", "Do you know the flight's number?", []),
        ("flight-information-search", "Please tell me whether you know the flight's number.", []),
        ("flight-information-search", "May I have the flight's number?", ["flight"]),
        ("flight-information-search", "What is the flight's number?", ["flight"]),
        ("laptop-recommendations", "Are you a student? They pay less.", []),
        ("document-printing", "Please tell me whether colour is wanted.", ["colour"]),
        ("ride-booking", "Shall I order the standard car to your destination?", []),
    ],
)
def test_where_a_decision_is_due_a_question_for_yes_or_no_is_about_it(scenario, reply, wanted):
    slots = load_scenario(scenario).slots
    assert asked_slots(reply, slots, (), deciding=True) == tuple(wanted)
