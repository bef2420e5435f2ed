from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.attribution import hitting_sets, minimal, necessary, responsibility
from ossia_evaluation.attribution.families import sufficient

STEPS = "abcde"
FAMILIES = st.lists(st.frozensets(st.sampled_from(STEPS), min_size=1), max_size=5)


def subsets(steps):
    return map(
        frozenset, chain.from_iterable(combinations(steps, n) for n in range(len(steps) + 1))
    )


@given(FAMILIES)
def test_minimal_keeps_one_subset_of_everything_and_no_superset(families):
    kept = minimal(families)
    assert all(any(k <= family for k in kept) for family in families)
    assert not any(first < second for first in kept for second in kept)
    assert len(kept) == len(set(kept))


@given(FAMILIES)
def test_hitting_sets_are_exactly_the_minimal_ones(families):
    hitting = [s for s in subsets(STEPS) if all(s & family for family in families)]
    wanted = {s for s in hitting if not any(other < s for other in hitting)}
    assert set(hitting_sets(families)) == wanted


def test_two_ways_to_repair_share_the_blame():
    families = (frozenset("a"), frozenset("bc"))
    assert responsibility(families) == {"a": 1.0, "b": 0.5, "c": 0.5}
    assert necessary("a", families)
    assert not necessary("b", families)
    assert not sufficient("a", families)


def test_a_step_in_every_repair_is_sufficient():
    assert sufficient("a", (frozenset("ab"), frozenset("ac")))
    assert not sufficient("a", ())
