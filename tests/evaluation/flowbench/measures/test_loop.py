"""The published simulation: what the assistant says is read as the published code reads it."""

import pytest

from ossia_evaluation.flowbench.measures.judging import Crash
from ossia_evaluation.flowbench.measures.loop import DONE, Players, dialog_of, simulate


def play(*words: str, tools=("book",)):
    said = iter(words)
    users = iter(("User: go", DONE))
    return simulate(Players(lambda: next(users), lambda: next(said), lambda: "{}", tools))


def test_a_call_keeps_its_first_thought_alone_and_no_response():
    one, two, three, four = play(
        "Thought: a\nThought: b\nResponse: c\nAction: functions.book\nAction Input: {}",
        "Thought: done",
    )
    assert one == {"role": "user", "content": "go"}
    assert two["content"] == "Thought: a\nAction: functions.book\nAction Input: {}"
    assert two["function_call"] == {"name": "book", "arguments": "{}"}
    assert (three["role"], four["content"]) == ("function", "Thought: done")
    assert dialog_of([one, four]) == "user:\ngo\n\nassistant:\nThought: done"


def test_a_call_without_a_name_loses_the_session():
    with pytest.raises(Crash, match="NoneType"):
        play("Thought: a\nAction: !\nAction Input: {}")
    with pytest.raises(Crash, match="KeyError: 'book'"):
        play("Thought: a\nAction: book\nAction Input: {}", tools=())
