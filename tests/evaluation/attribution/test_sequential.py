"""The paired sequential test: which pairs decide, and how often it errs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.attribution.sequential import (
    ERROR,
    LARGE,
    MOST_PAIRS,
    Conclusion,
    conclude,
    fewest_more,
)

HELPS, SMALL, OPEN = Conclusion.HELPS, Conclusion.NO_LARGE_EFFECT, Conclusion.UNDECIDED
KINDS = {"+": (True, False), "-": (False, True), "=": (False, False), "#": (True, True)}


def told(kinds):
    return conclude([KINDS[kind] for kind in kinds])


@pytest.mark.parametrize(
    ("kinds", "conclusion"),
    [
        ("", OPEN),
        ("++++", OPEN),
        ("+++++", HELPS),
        ("+=+#+=+=+", HELPS),
        ("-++++++", OPEN),
        ("-++++++++", HELPS),
        ("====", OPEN),
        ("=====", SMALL),
        ("#####", SMALL),
        ("=#=#=", SMALL),
        ("---", SMALL),
        ("+=======", OPEN),
        ("+========", SMALL),
        ("+=" * 7 + "+", HELPS),
        ("++++" + 11 * "=", OPEN),
        ("+++++=====", HELPS),
    ],
)
def test_five_of_a_kind_or_three_more_for_each_other_decide(kinds, conclusion):
    assert told(kinds) is conclusion


@given(st.text("+-=#", max_size=2 * MOST_PAIRS))
def test_a_decision_stays_and_none_comes_after_the_last_pair(kinds):
    first = next((n for n in range(len(kinds) + 1) if told(kinds[:n]) is not OPEN), None)
    assert told(kinds) is (OPEN if first is None else told(kinds[:first]))
    assert first is None or first <= MOST_PAIRS


def chances(repaired, held):
    """The exact chance of each conclusion, summed over the counts of all sequences of pairs."""
    better, worse = repaired * (1 - held), held * (1 - repaired)
    weights = (better, worse, 1 - better - worse)
    found = dict.fromkeys(Conclusion, 0.0)
    undecided = {(0, 0, 0): 1.0}
    for _ in range(MOST_PAIRS):
        after = {}
        for counts, weight in undecided.items():
            for number, chance in enumerate(weights):
                now = tuple(n + (place == number) for place, n in enumerate(counts))
                # A decision depends on the counts alone while none has been made before.
                one = reached(now)
                if one is OPEN:
                    after[now] = after.get(now, 0.0) + weight * chance
                else:
                    found[one] += weight * chance
        undecided = after
    found[OPEN] = sum(undecided.values())
    return found


def reached(counts):
    """Which product has reached its bound, written down anew from the two formulas."""
    better, worse, same = counts
    helps = (11 / 6) ** better * (1 / 6) ** worse
    small = (1 / 6) ** better * 3.5**worse * (11 / 6) ** same
    return HELPS if helps >= 20 else SMALL if small >= 20 else OPEN


@pytest.mark.parametrize("chance", [n / 20 for n in range(21)])
def test_wrong_conclusions_are_as_rare_as_stated(chance):
    assert chances(chance, chance)[HELPS] <= ERROR
    for lower in (0.0, chance / 2, chance):
        assert chances(lower, chance)[HELPS] <= ERROR, "it does not help, or does harm"
    if chance <= 1 - LARGE:
        assert chances(chance + LARGE, chance)[SMALL] <= ERROR
        assert chances(1.0, chance)[SMALL] <= ERROR


@pytest.mark.parametrize(
    ("repaired", "held", "conclusion", "least"),
    [
        (1.0, 0.0, HELPS, 1.0),
        (0.9, 0.1, HELPS, 0.99),
        (0.8, 0.2, HELPS, 0.88),
        (0.0, 0.0, SMALL, 1.0),
        (0.9, 0.9, SMALL, 0.94),
        (0.5, 0.2, OPEN, 0.44),
    ],
)
def test_what_the_documentation_says_of_its_power(repaired, held, conclusion, least):
    assert chances(repaired, held)[conclusion] >= least - 1e-9


@given(st.text("+-=#", max_size=MOST_PAIRS))
def test_the_fewest_further_pairs_are_enough_and_never_too_many(kinds):
    more = fewest_more([KINDS[kind] for kind in kinds])
    assert 0 <= more <= MOST_PAIRS - len(kinds)
    ends = [told(kinds + best * more) for best in "+="]
    done = told(kinds) is not OPEN or len(kinds) == MOST_PAIRS
    assert (more == 0) is done
    assert any(end is not OPEN for end in ends) or len(kinds) + more == MOST_PAIRS
    for fewer in range(more):
        assert {told(kinds + best * fewer) for best in "+="} == {OPEN}
