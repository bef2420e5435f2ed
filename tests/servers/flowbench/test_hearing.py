import pytest

from ossia_servers.flowbench.offline.hearing import act_in, is_aside, mentioned, slots_in
from ossia_servers.flowbench.offline.known import Slot
from ossia_workflows.scenario import Act

SLOTS = {
    "car": Slot(("standard", "van", "xl", "l"), "the kind of car"),
    "day": Slot("date", "the day of the ride"),
    "goods": Slot("text", "what is in the parcel"),
    "ride": Slot("text", "the number of the ride"),
}


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("Sure, go ahead.", Act.ACCEPTS),
        ("Nope, forget it.", Act.DECLINES),
        ("I'll take the second one.", Act.CHOOSES),
        ("Could we make it an earlier hour instead?", Act.CHANGES),
        ("Tell me more about the fee.", Act.ASKS),
        ("This bill cannot be right.", Act.DISPUTES),
        ("Who won the match?", None),
    ],
)
def test_what_the_user_does_is_heard_in_various_words(words, act):
    assert act_in(words, Act) is act


def test_of_two_acts_one_that_the_step_waits_for_is_meant():
    words = "No, that is wrong."
    assert act_in(words, [Act.DECLINES]) is Act.DECLINES
    assert act_in(words, [Act.DISPUTES]) is Act.DISPUTES


@pytest.mark.parametrize(
    "words", ["Do I really have to tell you?", "Hurry up, please.", "How is the weather?"]
)
def test_what_leads_nowhere_is_an_aside(words):
    assert is_aside(words)
    assert slots_in(words, SLOTS, ["goods"]) == {}


def test_lines_name_their_slots():
    words = "Sure:\nWhat is in the parcel: a box: red\nThe kind of car: XL, please"
    assert slots_in(words, SLOTS, ["goods", "car"]) == {"goods": "a box: red", "car": "xl"}


def test_a_bare_value_is_of_the_one_slot_that_it_fits():
    assert slots_in("a red box", SLOTS, ["goods"]) == {"goods": "a red box"}
    assert slots_in("2026-05-11", SLOTS, ["day", "car"]) == {"day": "2026-05-11"}
    assert slots_in("a red box", SLOTS, ["goods", "ride"]) == {}


def test_a_reference_behind_a_slots_name_is_its_value():
    assert mentioned("Where is my ride RB-4711 now?", SLOTS) == {"ride": "RB-4711"}
    assert mentioned("Where is my ride now?", SLOTS) == {}
