"""Questions are answered from facts, words are explained, sums are worked out."""

import contextlib
from datetime import datetime
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.assistant.domains._arithmetic import CannotCompute, NotASum, evaluate, shown
from ossia_servers.assistant.domains._units import converted

from .support import ask, asked_back, check_gold, refused, rows, tasks_of, world


def _answer(intent, pair=None, **params):
    (row,) = rows(pair or world(), "qa", intent=intent, **params)
    return row["answer"]


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("the capital of china", "Beijing"),
        ("capital of texas", "Austin"),
        ("how many people live in los angeles", "about 3.8 million"),
        ("how high is pikes peak", "14,115 feet"),
        ("arnold schwarzenegger's birthday", "1947-07-30"),
        ("when did michael jackson die", "2009-06-25"),
        ("how old was elvis when he died", "42"),
        ("where was albert einstein born", "Ulm, Germany"),
        ("largest ocean in the world", "the Pacific Ocean"),
        ("is the pacific the largest ocean", "the Pacific Ocean"),
        ("where in the world is lyon", "in France"),
        ("who painted the mona lisa", "Leonardo da Vinci"),
        ("how do you spell treble", "T-R-E-B-L-E"),
        ("what is a banana", "a long curved fruit with a soft inside and a yellow skin"),
    ],
)
def test_facts_are_known(content, answer):
    assert _answer("qa_factoid", content=content) == answer


def test_the_question_may_be_in_two_parameters():
    assert _answer("qa_factoid", content="france", query="capital") == "Paris"


def test_an_age_depends_on_the_day():
    asked = {"content": "how old is brad pitt"}
    assert _answer("qa_factoid", **asked) == "62"
    assert _answer("qa_factoid", world(now=datetime(2026, 12, 18, 9, 0)), **asked) == "63"


@pytest.mark.parametrize(
    "content", ["the capital of narnia", "prime minister of india", "who is janet jackson"]
)
def test_what_is_not_known_is_admitted(content):
    done = ask(world(), "qa", intent="qa_factoid", content=content)
    assert done.record.response == "I do not know that."
    assert done.record.result[0]["answer"] is None


def test_unknown_things_are_told_apart():
    first, second = (
        rows(world(), "qa", intent="qa_factoid", content=content)
        for content in ("the capital of narnia", "the king of narnia")
    )
    assert first != second
    assert first == rows(world(), "qa", intent="qa_factoid", content="what is narnia's capital")


def test_words_are_explained():
    assert "between steep cliffs" in _answer("qa_definition", definition_word="fjords")
    assert "Tokyo" in _answer("qa_definition", definition_word="japan")
    assert _answer("qa_definition", definition_word="xyzzy") is None


def test_nothing_asked_is_asked_back():
    assert asked_back(world(), "qa", intent="qa_factoid", content="the") == ("content",)
    assert asked_back(world(), "qa", intent="qa_definition") == ("definition_word",)
    assert asked_back(world(), "qa", intent="qa_maths", content="what does one plus") == (
        "content",
    )


def test_sums_are_worked_out_or_refused():
    assert _answer("qa_maths", content="what is two times two") == 4
    assert _answer("qa_maths", content="10 / 4") == 2.5
    assert _answer("qa_maths", content="how many inches are in a foot") == "12 inches"
    refused(world(), "qa", intent="qa_maths", content="one divided by zero")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("how many cm make one foot", "30.48 centimeters"),
        ("feet in a mile", "5280 feet"),
        ("half a mile in feet", "2640 feet"),
        ("convert two and a half miles to yards", "4400 yards"),
        ("in meters how tall is six feet", "1.8288 meters"),
        ("how many ounces are there in a cup", "8 fluid ounces"),
        ("what's 1,500 grams in kilos", "1.5 kilograms"),
        ("thirty degrees celsius in fahrenheit", "86 degrees Fahrenheit"),
        ("zero kelvin in celsius", "-273.15 degrees Celsius"),
        ("how many square feet are in an acre", "43560 square feet"),
        ("how many minutes in two hours", "120 minutes"),
    ],
)
def test_amounts_are_told_in_other_units(text, amount):
    assert converted(text) == amount
    assert _answer("qa_maths", content=text) == _answer("qa_factoid", content=text) == amount


@pytest.mark.parametrize(
    "text",
    ["", "how many feet", "miles in a pound", "a foot in feet", "1" + 400 * "0" + " feet in miles"],
)
def test_what_is_no_question_for_another_unit_is_left_alone(text):
    assert converted(text) is None


@given(st.text(max_size=60) | st.lists(st.sampled_from(
    "how many what is in a an half one zero 1e9 3 . , - feet foot mile cup ounce pound degrees"
    " kelvin celsius square fluid minus nine hundred million and point".split()
)).map(" ".join))  # fmt: skip
def test_any_words_about_units_are_converted_or_left_alone(text):
    found = converted(text)
    assert found is None or found[0] in "-0123456789"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 * (3+4)", 84),
        ("twenty percent of 80", 16),
        ("fifty plus ten percent", 55),
        ("sum of two and three", 5),
        ("add one hundred and five", 105),
        ("one hundred and five minus 3", 102),
        ("subtract five from twelve", 7),
        ("difference between 4 and 10", 6),
        ("the square root of 144", 12),
        ("5 squared plus 3 cubed", 52),
        ("2^3^2", 512),
        ("-2^2", -4),
        ("minus five times -3", 15),
        ("half of ninety", 45),
        ("thirty-five over seven", 5),
        ("1,250 \xd7 2", 2500),
        ("seventeen mod five", 2),
        ("0.1 + 0.2", 0.3),
    ],
)
def test_the_arithmetic(text, value):
    assert shown(evaluate(text)) == value


@pytest.mark.parametrize("text", ["1/0", "0 ^ -1", "square root of -4", "9^9^9", "1/(2-2)"])
def test_sums_without_an_answer(text):
    with pytest.raises(CannotCompute):
        evaluate(text)


@pytest.mark.parametrize("text", ["", "seven", "2 2", "(1 + 2", "one plus", "import os", "(" * 500])
def test_what_is_no_sum(text):
    with pytest.raises((NotASum, CannotCompute)):
        evaluate(text)


_NUMBERS = st.integers(0, 10**6)
_SUMS = st.recursive(
    _NUMBERS.map(lambda number: (str(number), Fraction(number))),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda parts: (
            f"({parts[0][0]} {parts[1]} {parts[2][0]})",
            {
                "+": parts[0][1] + parts[2][1],
                "-": parts[0][1] - parts[2][1],
                "*": parts[0][1] * parts[2][1],
            }[parts[1]],
        )
    ),
    max_leaves=4,
).filter(lambda pair: "(" in pair[0])


@given(_SUMS)
@settings(deadline=None)
def test_written_sums_are_exact(pair):
    text, value = pair
    assert evaluate(text) == value


@given(st.text(alphabet="0123456789+-*/^%(). x", max_size=40) | st.text(max_size=40))
@settings(deadline=None)
def test_any_text_is_a_sum_or_none(text):
    with contextlib.suppress(NotASum, CannotCompute):
        assert isinstance(evaluate(text), Fraction)


@pytest.mark.parametrize("task", tasks_of("qa"), ids=lambda task: task.id)
def test_the_gold_run_of_each_task(task):
    check_gold(task)
