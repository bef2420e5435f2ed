"""A role's answer is found in whatever envelope it arrives, and any text is borne."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ossia_workflows import json_objects, text_slots
from ossia_workflows.assistant import ROLE_KEYS, role_output

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
SLOTS = st.dictionaries(TEXTS, TEXTS, max_size=3)
OUTPUTS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "intent": st.fixed_dictionaries({"domain": TEXTS, "intent": TEXTS, "slots": SLOTS}),
    "time": st.fixed_dictionaries({"time_slots": SLOTS}),
    "location": st.fixed_dictionaries({"place_slots": SLOTS}),
    "url": st.fixed_dictionaries({"url": TEXTS}),
    "request": st.fixed_dictionaries({"status": st.integers(100, 599), "body": SLOTS}),
}
# Without a brace a text begins no object of its own.
TALK = st.text(st.characters(codec="utf-8", exclude_characters="{}"), max_size=15)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(OUTPUTS)))
    return name, draw(OUTPUTS[name])


@given(answers(), TALK, TALK)
def test_an_answer_is_found_between_words(
    answer: tuple[str, dict[str, Any]], before: str, after: str
) -> None:
    name, value = answer
    for indent in (None, 2):
        text = f"{before}{json.dumps(value, indent=indent)}{after}"
        assert role_output(name, text) == value


@given(answers(), TALK, TALK, st.integers(1, 3), st.booleans())
def test_an_answer_is_found_inside_strings_of_envelopes(
    answer: tuple[str, dict[str, Any]], before: str, after: str, levels: int, plain: bool
) -> None:
    name, value = answer
    text = json.dumps(value)
    for _ in range(levels):
        # The keys of an envelope must not be those of an answer.
        text = json.dumps({"content": f"{before}{text}{after}"}, ensure_ascii=plain)
    assert role_output(name, f"{before}{text}") == value


@given(answers(), st.lists(TALK, max_size=2))
def test_an_answer_is_found_inside_lists_and_objects(
    answer: tuple[str, dict[str, Any]], others: list[str]
) -> None:
    name, value = answer
    text = json.dumps({"messages": [*others, {"arguments": value}]})
    assert role_output(name, text) == value


@given(answers(), answers())
def test_the_last_answer_counts(
    first: tuple[str, dict[str, Any]], last: tuple[str, dict[str, Any]]
) -> None:
    assume(first[0] == last[0])
    text = f"First {json.dumps(first[1])}, no: {json.dumps(last[1])}"
    assert role_output(last[0], text) == last[1]


@given(JSON, st.sampled_from(sorted(ROLE_KEYS)))
def test_only_an_object_with_the_keys_of_the_role_is_its_answer(value: object, name: str) -> None:
    found = role_output(name, json.dumps(value))
    assert found is None or ROLE_KEYS[name] <= found.keys()


BROKEN = st.lists(
    st.sampled_from(
        ['{"url"', ":", '"', "{", "}", "[", "]", "\\", '{"url": "x"}', "\n", "NaN", "-"]
    )
).map("".join)


@given(st.text(max_size=60) | BROKEN, st.sampled_from(sorted(ROLE_KEYS)))
def test_no_text_makes_it_fail(text: str, name: str) -> None:
    found = role_output(name, text)
    assert found is None or isinstance(found, dict)


def test_objects_come_in_order_the_outer_one_first() -> None:
    text = 'so {"a": {"b": 1}} and {"c": "{\\"d\\": 2}"} and {broken {"e": 3}'
    assert list(json_objects(text)) == [
        {"a": {"b": 1}},
        {"b": 1},
        {"c": '{"d": 2}'},
        {"d": 2},
        {"e": 3},
    ]


def test_strings_are_opened_only_so_deep() -> None:
    text = json.dumps({"url": "/alarm"})
    for _ in range(3):
        text = json.dumps({"content": text})
    assert len(list(json_objects(text, depth=1))) == 2
    assert len(list(json_objects(text))) == 4


@pytest.mark.parametrize("name", ["manager", "response", "cook"])
def test_only_roles_that_answer_with_an_object_are_read(name: str) -> None:
    with pytest.raises(KeyError):
        role_output(name, "{}")


@given(JSON)
def test_slots_are_texts(value: object) -> None:
    slots = text_slots(value)
    assert all(isinstance(text, str) for pair in slots.items() for text in pair)


def test_slots_of_other_kinds_are_left_out() -> None:
    assert text_slots({"time": "six", "index": 3, "list": [], "none": None}) == {
        "time": "six",
        "index": "3",
    }
    assert text_slots("no mapping") == {}
