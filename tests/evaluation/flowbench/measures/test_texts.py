"""Patterns of the published code, found without them."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.flowbench.measures.judging import Question
from ossia_evaluation.flowbench.measures.texts import (
    balanced_input,
    first_action,
    first_input,
    loads,
    rooted_input,
)

PIECES = st.sampled_from(
    ["Action: ", "Action Input: ", "Action Input: {", "{", "}", "\n", "x", '"']
)
TEXTS = st.lists(PIECES, max_size=16).map("".join) | st.text()


@given(TEXTS)
def test_actions_and_inputs_are_those_of_the_patterns(text):
    found = re.search(r"Action: (.*)\n", text)
    assert first_action(text) == (found and found.group(1))
    found = re.search(r"Action Input: (.*?)}", text)
    assert first_input(text) == (found and found.group(0)[len("Action Input: ") :])


def closing(text, at, prefix):
    """The end of balanced braces behind a prefix, by recursion as in the patterns."""
    if not text.startswith(f"{prefix}{{", at):
        return None
    at += len(prefix) + 1
    while at < len(text) and text[at] != "}":
        inner = closing(text, at, prefix)
        if inner is None and text[at] == "{":
            return None
        at = inner or at + 1
    return at + 1 if at < len(text) else None


@given(TEXTS)
def test_balanced_and_rooted_inputs_are_those_of_a_recursive_reading(text):
    prefix = "Action Input: "
    starts = [found.start() for found in re.finditer(prefix, text)]
    rooted = [text[at + 14 : end] for at in starts if (end := closing(text, at, prefix))]
    plain = [text[at + 14 : end] for at in starts if (end := closing(text, at + 14, ""))]
    assert rooted_input(text) == next(iter(rooted), None)
    assert balanced_input(text) == next(iter(plain), None)


def test_nesting_is_found_by_one_pattern_and_not_by_the_other():
    text = 'Action Input: {"a": {"b": 1}}'
    assert balanced_input(text) == '{"a": {"b": 1}}' and rooted_input(text) is None


@pytest.mark.parametrize("piece", ["Action: ", "Action Input: ", "Action Input: {", "{", "}"])
@pytest.mark.parametrize("find", [first_action, first_input, balanced_input, rooted_input])
def test_the_time_grows_with_the_text_alone(find, piece):
    began = time.process_time()
    find(piece * 100_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("text", [None, 1, {}, "", "{", "[" * 100_000, "9" * 5000])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        loads(text)


def test_a_question_is_known_in_other_words_by_what_it_is_about():
    question = Question(("book", "API: book\n\n", "now is noon", "day", "Monday", "mon"))
    assert question.is_in("API book.\nAPI: book\n\nnow is noon\nthe day: a = Monday b = mon")
    assert not question.is_in("API book.\nAPI: book\n\nnow is noon\nthe day: a = mon b = Monday")
    assert not question.is_in("")
    assert "Monday" in question.text and question.is_in(question.text)
