"""Arguments as texts on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.flowbench.arguments import argument_text, read_argument, same_arguments
from ossia_servers.worlds.schema import Refusal

VALUES = {
    "count": st.integers(0, 10**11),
    "number": st.integers(-(10**9), 10**9).map(lambda value: value / 100),
    "boolean": st.booleans(),
    "date": st.dates().map(str),
    "time": st.times().map(lambda value: value.isoformat("minutes")),
    "list": st.lists(st.text()),
}


@pytest.mark.parametrize("kind", VALUES)
def test_what_is_written_is_read_again(kind):
    @given(VALUES[kind])
    def same(value):
        assert read_argument("it", kind, argument_text(value)) == value

    same()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("count", "-1"),
        ("count", "9" * 5000),
        ("count", "2.5"),
        ("count", "\u0663"),
        ("number", "nan"),
        ("number", "1e999"),
        ("number", "1,200"),
        ("boolean", "maybe"),
        ("date", "2026-02-30"),
        ("date", "20260301"),
        ("time", "25:00"),
        ("time", "10:00+02:00"),
        ("list", "a, b"),
        ("list", "[1]"),
        ("list", "[" * 5000),
        (("a", "b"), "c"),
    ],
)
def test_a_value_of_another_type_is_refused_in_one_line(kind, text):
    with pytest.raises(Refusal) as found:
        read_argument("it", kind, text)
    assert found.value.code == "WRONG_TYPE"
    assert found.value.message.isprintable() and len(found.value.message) < 200


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("count", "4.0", 4),
        (("built_in", "dedicated"), "Built-in", "built_in"),
        (("built_in", "dedicated"), "built in", "built_in"),
        ("number", "4.50", 4.5),
        ("boolean", "True", True),
        ("time", "7:30", "07:30"),
        ("time", "07:30:00", "07:30"),
        (("van", "car"), "VAN", "van"),
    ],
)
def test_one_value_may_be_written_in_several_ways(kind, text, value):
    assert read_argument("it", kind, text) == value


def test_arguments_are_compared_by_value():
    assert same_arguments({"a": 3, "b": "Main  Street"}, {"a": 3.0, "b": "main street"})
    assert not same_arguments({"a": True}, {"a": 1})
    assert not same_arguments({"a": 1}, {})
