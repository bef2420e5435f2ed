"""Conditions are read in one small form, and nothing else is."""

import pytest

from ossia_workflows.scenario import Act, Otherwise, ResultIs, UserDoes, read_condition


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("find.count > 0", ResultIs("find", "count", ">", 0)),
        ("find.price<=-1.5", ResultIs("find", "price", "<=", -1.5)),
        ("find.open = true", ResultIs("find", "open", "=", True)),
        ("find.state  !=  on-time", ResultIs("find", "state", "!=", "on-time")),
        ("user  declines", UserDoes(Act.DECLINES)),
        ("otherwise", Otherwise()),
    ],
)
def test_a_condition_is_read_and_written_again(text, condition):
    assert read_condition(text) == condition
    assert read_condition(str(condition)) == condition


@pytest.mark.parametrize(
    "text",
    [
        "",
        "find.count",
        "find.count > ",
        "count > 0",
        "user shouts",
        "find.count > 0 and find.count < 3",
        "find.count == 0",
        "__import__('os').system('x') = 0",
        "find.count = 1" + "0" * 400,
        "find.count = '0'",
        "find.count = nan()",
        "otherwise otherwise",
    ],
)
def test_nothing_else_is_a_condition(text):
    with pytest.raises(ValueError) as error:
        read_condition(text)
    assert len(str(error.value)) < 200


def test_a_result_meets_its_condition():
    assert read_condition("find.count >= 2").holds(2)
    assert not read_condition("find.state = open").holds("shut")
