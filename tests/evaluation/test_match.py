"""Match rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.match import same
from ossia_servers.domain import Match


@pytest.mark.parametrize(
    ("rule", "gold", "actual", "wanted"),
    [
        (Match.EXACT, "a", "A", False),
        (Match.EXACT, "a", "a", True),
        (Match.NUMBER, "fifty percent", "50", True),
        (Match.NUMBER, 3, 3.0, True),
        (Match.NUMBER, "3", "4", False),
        (Match.DATETIME, "2026-03-14", "2026-03-14..2026-03-14", True),
        (Match.DATETIME, "18:30", "06:30", False),
        (Match.DATETIME, "every day", "every week", False),
        (Match.CASEFOLD, "The Beatles", "the beatles!", True),
        (Match.CASEFOLD, "beatles", "stones", False),
        (Match.ALIAS, "Dallas, Texas", "dallas", True),
        (Match.ALIAS, "Dallas, Texas", "Austin, Texas", False),
        (Match.FREE_TEXT, "work party details", "details of the work party", True),
        (Match.FREE_TEXT, "work party", "dentist", False),
        (Match.IGNORABLE, "x", None, True),
        (Match.CASEFOLD, None, "x", False),
        (Match.CASEFOLD, ["milk", "eggs"], ["Eggs", "milk"], True),
        (Match.CASEFOLD, ["milk", "milk"], ["milk", "eggs"], False),
    ],
)
def test_same(rule, gold, actual, wanted):
    assert same(rule, gold, actual) is wanted


values = st.one_of(
    st.text(max_size=30), st.integers(), st.none(), st.lists(st.text(max_size=8), max_size=4)
)


@given(st.sampled_from(Match), values)
def test_everything_is_the_same_as_itself(rule, value):
    assert same(rule, value, value)


@given(st.sampled_from(Match), values, values)
def test_the_rules_are_symmetric(rule, first, second):
    if isinstance(first, list) != isinstance(second, list):
        return
    assert same(rule, first, second) == same(rule, second, first)
