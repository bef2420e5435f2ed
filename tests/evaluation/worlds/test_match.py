"""Match rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.worlds.match import pair_off, same
from ossia_servers.worlds.schema import Match


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
        (Match.FREE_TEXT, "i'll be late", "I will be late.", True),
        (Match.FREE_TEXT, "don't wait for me", "do not wait for me", True),
        (Match.FREE_TEXT, "i will be there", "i will not be there", False),
        (Match.FREE_TEXT, "i can come to dinner", "i can't come to dinner", False),
        (Match.FREE_TEXT, "meet me at 3 pm", "meet me at three pm", True),
        (Match.FREE_TEXT, "meet me at 3 pm", "meet me at 4 pm", False),
        (Match.FREE_TEXT, "call the office at 3:30", "call the office at 3:45", False),
        (Match.FREE_TEXT, "", "anything", False),
        (Match.CASEFOLD, "!!!", "???", False),
        (Match.CASEFOLD, "!!!", "", False),
        (Match.NUMBER, "ten", "soon", False),
        (Match.ALIAS, "Dallas, Texas", "dallas tx", True),
        (Match.ALIAS, "Dallas, Texas", "Dallas, USA", True),
        (Match.ALIAS, "Portland, Oregon", "Portland", True),
        (Match.ALIAS, "Portland, Oregon", "Portland, Maine", False),
        (Match.ALIAS, "Work", "work", True),
        (
            Match.FREE_TEXT,
            ["buy milk", "buy milk today please"],
            ["buy milk today please", "buy milk"],
            True,
        ),
        (Match.EXACT, ["a"], ["A"], False),
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


SYMMETRIC = [rule for rule in Match if rule not in (Match.FREE_TEXT, Match.THING, Match.OPTIONAL)]
"""A text may say more than the gold text, and not the other way round."""


@given(st.sampled_from(SYMMETRIC), values, values)
def test_the_rules_are_symmetric(rule, first, second):
    if isinstance(first, list) != isinstance(second, list):
        return
    assert same(rule, first, second) == same(rule, second, first)


@given(st.lists(st.integers(0, 4), max_size=6), st.randoms(use_true_random=False))
def test_pairs_use_each_item_once(items, random):
    mixed = random.sample(items, len(items))
    partners = pair_off(items, mixed, lambda first, second: first == second)
    assert sorted(partner for partner in partners if partner is not None) == list(range(len(items)))
    assert all(mixed[partner] == item for item, partner in zip(items, partners, strict=True))


def test_as_many_pairs_as_possible_are_made():
    fits = {(0, 0), (0, 1), (1, 0)}
    assert pair_off([0, 1], [0, 1], lambda first, second: (first, second) in fits) == (1, 0)
    assert pair_off([0, 1], [0], lambda first, second: True) == (0, None)
