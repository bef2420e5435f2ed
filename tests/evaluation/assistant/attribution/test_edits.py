from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.assistant.attribution.edits import AddressEdit, address, values_edit
from ossia_evaluation.urls import read_url

NAMES = st.sampled_from(["date", "time", "place_name", "item_name", "list_name"])
VALUES = st.dictionaries(NAMES, st.sampled_from(["one", "two", "07:30", "half past seven"]))


def differing(right, said):
    return [name for name in {**right, **said} if right.get(name) != said.get(name)]


@given(VALUES, VALUES, VALUES)
def test_about_the_same_input_an_edit_gives_what_was_said(right, said, words):
    edit = values_edit(right, said, differing(right, said), words)
    assert edit.apply(right, words) == said
    assert bool(edit) == (right != said)


@given(VALUES, VALUES)
def test_without_a_difference_the_new_right_values_are_said(right, other):
    assert values_edit(right, right, (), {}).apply(other, {}) == other


def test_a_dropped_slot_stays_dropped_and_a_wrong_value_stays_wrong():
    right = {"time": "18:30", "date": "2026-03-14"}
    edit = values_edit(right, {"time": "16:30"}, ["time", "date"], {})
    assert edit.apply({"time": "19:30", "date": "2026-03-15"}, {}) == {"time": "16:30"}


def test_words_left_as_they_were_are_the_new_words():
    edit = values_edit({"time": "18:30"}, {"time": "half six"}, ["time"], {"time": "half six"})
    assert edit.apply({"time": "19:30"}, {"time": "half seven"}) == {"time": "half seven"}


def test_a_renamed_parameter_carries_the_new_value():
    edit = values_edit({"time": "18:30"}, {"hour": "18:30"}, ["time", "hour"], {})
    assert edit.renamed == {"time": "hour"}
    assert edit.apply({"time": "19:30"}, {}) == {"hour": "19:30"}


def test_a_wrong_domain_stays_wrong():
    right = address("alarm", {"intent": "alarm_set", "time": "18:30"})
    _, params = read_url(right)
    edit = AddressEdit("calendar", values_edit(params, params, (), {}))
    new = address("alarm", {"intent": "alarm_set", "time": "19:30"})
    assert edit.apply(new, {}) == address("calendar", {"intent": "alarm_set", "time": "19:30"})
