"""Conditions are judged by what a server answered, and pointers take its values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.offline.compound.conditions import holds
from ossia_servers.assistant.offline.compound.references import add_content, resolve
from ossia_servers.assistant.offline.understanding.frames import Frame


def answer(response: str, *rows: dict[str, Any]) -> dict[str, Any]:
    data = {"response": response, "query": {}, "result": list(rows)}
    return {"status": 200, "body": {"code": "SUCCESS", "msg": "ok", "data": data}}


YES = answer("Yes, rain is likely.", {"rain_chance": 80, "high": 61, "low": 44})
NO = answer("No, rain is unlikely.", {"rain_chance": 10, "high": 75, "low": 60})
EMPTY = answer("There is nothing like that in your calendar.")
BUSY = answer("Your calendar has 2 entries.", {"name": "lunch"}, {"name": "tennis"})
GOLD = answer("Gold is at 95 dollars, up.", {"price": 95.0, "percent": 1.2})
JAM = answer("Heavy traffic.", {"level": "heavy", "delay_minutes": 25})


@pytest.mark.parametrize(
    ("condition", "given", "expected"),
    [
        ("it rains tomorrow", YES, True),
        ("it rains tomorrow", NO, False),
        ("there will be no rain", NO, True),
        ("it does not rain", YES, False),
        ("it gets warmer than seventy degrees", NO, True),
        ("it gets colder than fifty degrees", NO, False),
        ("i have nothing on monday", EMPTY, True),
        ("i am free on monday", BUSY, False),
        ("i am not free on monday", BUSY, True),
        ("i have more than two things on monday", BUSY, False),
        ("i have at least two things on monday", BUSY, True),
        ("it is above ninety dollars", GOLD, True),
        ("it is not above ninety dollars", GOLD, False),
        ("gold is up today", GOLD, True),
        ("gold is down today", GOLD, False),
        ("traffic is bad", JAM, True),
        ("the delay is more than half an hour", JAM, False),
        ("it rains tomorrow", None, False),
    ],
)
def test_a_condition_is_told_by_the_answer(
    condition: str, given: dict[str, Any] | None, expected: bool
) -> None:
    assert holds(condition, condition, given) is expected


@pytest.mark.parametrize(
    ("condition", "asked", "expected"),
    [
        ("so", "am i free on monday", False),
        ("not", "am i free on monday", True),
        ("so", "do i have anything on monday", True),
        ("not", "do i have anything on monday", False),
    ],
)
def test_a_bare_yes_or_no_affirms_what_was_asked(
    condition: str, asked: str, expected: bool
) -> None:
    assert holds(condition, asked, BUSY) is expected


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(st.text(max_size=30), st.dictionaries(st.sampled_from(["status", "body", "data"]), JSON))
def test_any_condition_and_answer_are_judged(condition: str, given: dict[str, Any]) -> None:
    assert holds(condition, condition, given) in (True, False)


ROWS = [
    {"name": "Cafe Luna", "address": "3 Elm Street", "miles": 2.0, "price": 9, "rating": 4.1},
    {"name": "Cafe Sol", "address": "9 Oak Street", "miles": 0.5, "price": 12, "rating": 4.8},
]
EVENT = [{"name": "lunch", "date": "2026-03-17", "time": "12:30..13:30", "place": "Dallas, Texas"}]


@pytest.mark.parametrize(
    ("slots", "text", "rows", "expected"),
    [
        ({"to_place_name": "it"}, "take me to it", ROWS, {"to_place_name": "Cafe Luna"}),
        ({"to_place_name": "the nearest one"}, "take me to the nearest one", ROWS,
         {"to_place_name": "Cafe Sol"}),
        ({"business_name": "there"}, "order cake from there", ROWS, {"business_name": "Cafe Luna"}),
        ({"content": "the address"}, "send the address of the best one", ROWS,
         {"content": "9 Oak Street"}),
        ({"place_name": "dallas"}, "in dallas", ROWS, {"place_name": "dallas"}),
        ({"time": "an hour before"}, "wake me an hour before it", EVENT,
         {"time": "11:30", "date": "2026-03-17"}),
        ({"time": "later"}, "wake me thirty minutes later", EVENT,
         {"time": "13:00", "date": "2026-03-17"}),
        ({"event_name": "tea"}, "plan tea for the same day", EVENT,
         {"event_name": "tea", "date": "2026-03-17"}),
        ({"content": "it"}, "post it", [], {"content": "All is well."}),
    ],
)  # fmt: skip
def test_pointers_take_values(
    slots: dict[str, str], text: str, rows: list[dict[str, Any]], expected: dict[str, str]
) -> None:
    frame = resolve(Frame("any", "any", slots), text, rows, "All is well.")
    assert frame.slots == expected


def test_a_message_without_words_gets_the_fact_that_it_is_about() -> None:
    frame = Frame("phone", "phone_text", {"to_person": "anna"})
    found = add_content(frame, "text anna the price", ROWS, "said", known=False)
    assert found.slots == {"to_person": "anna", "text": "9"}
    assert add_content(frame, "text anna", ROWS, "said", known=False) == frame
