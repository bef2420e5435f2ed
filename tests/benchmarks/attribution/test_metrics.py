from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.attribution.metrics import (
    Guess,
    Known,
    calibration,
    compare,
    score_method,
    shares_of,
    spread,
)

PLACES = {"intent#1": 0, "time#1": 1, "url#1": 2, "request#1": 3}
FAMILIES = st.frozensets(
    st.frozensets(st.sampled_from(sorted(PLACES)), min_size=1), min_size=1, max_size=3
)


def known(*families):
    return Known(frozenset(map(frozenset, families)), PLACES)


def exactly(truth):
    steps = tuple(sorted(truth.steps, key=PLACES.__getitem__))
    return Guess(steps, truth.families)


def score(*cases):
    return score_method("method", "cell", cases, Random(0))


@given(st.lists(FAMILIES, min_size=1, max_size=5))
def test_who_tells_the_truth_is_right_everywhere(families):
    truths = [Known(each, PLACES) for each in families]
    found = score(*((truth, exactly(truth)) for truth in truths))
    assert found.cases == len(truths)
    for share in (found.agent_top1, found.step_exact, found.step_near, found.family_exact):
        assert share.count == share.of == len(truths)
    assert (found.precision, found.recall, found.f1, found.f1_low) == (1, 1, 1, 1)


def test_a_neighbour_is_near_and_no_hit():
    found = score((known(["url#1"]), Guess(("time#1",))), (known(["url#1"]), Guess(("intent#1",))))
    assert found.step_exact.count == 0
    assert found.step_near.count == 1
    assert found.f1 == 0


def test_roles_are_counted_over_all_cases():
    first = (known(["time#1", "url#1"]), Guess(("time#1",)))
    second = (known(["url#1"]), Guess(("url#1", "intent#1")))
    found = score(first, second)
    assert (found.precision, found.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found.f1_low <= found.f1 <= found.f1_high


def test_the_interval_follows_from_the_seed():
    cases = [(known(["url#1"]), Guess((step,))) for step in ("url#1", "time#1", "url#1")]
    assert score(*cases) == score(*cases)


def test_who_says_nothing_covers_nothing():
    found = score((known(["url#1"]), Guess()))
    assert (found.coverage.count, found.coverage.of) == (0, 1)
    assert found.precision is None
    assert found.f1 is None
    assert found.family_exact.of == 0


def test_roles_alone_name_no_step():
    found = score((known(["url#1"]), Guess(roles=("url",))))
    assert (found.agent_top1.count, found.step_exact.count) == (1, 0)


def test_controls_count_for_false_blame_alone():
    nobody = Known(frozenset(), PLACES)
    found = score((nobody, Guess(("url#1",))), (nobody, Guess()))
    assert found.cases == 0
    assert (found.false_blame.count, found.false_blame.of) == (1, 2)


def test_methods_are_compared_where_only_one_is_right():
    truths = [known(["url#1"])] * 6
    ours, others = [Guess(("url#1",))] * 6, [Guess(("time#1",))] * 5 + [Guess(("url#1",))]
    pair = compare("cell", ("ours", ours), ("others", others), truths)
    assert (pair.only_first, pair.only_second) == (5, 0)
    assert pair.p == pytest.approx(2 / 2**5)
    with pytest.raises(ValueError):
        compare("cell", ("ours", ours[1:]), ("others", others), truths)


@given(FAMILIES)
def test_shares_of_responsibility_sum_to_one(families):
    assert sum(shares_of(families).values()) == pytest.approx(1)


def test_of_two_ways_the_shorter_bears_more():
    shares = shares_of(map(frozenset, (["url#1"], ["intent#1", "time#1"])))
    assert shares == {"url": 0.5, "intent": 0.25, "time": 0.25}


@given(st.lists(FAMILIES, min_size=1, max_size=5))
def test_who_tells_the_truth_is_calibrated(families):
    found = calibration((Known(each, PLACES), each) for each in families)
    assert found.brier == pytest.approx(0)
    assert found.ece == pytest.approx(0)
    assert found.roles == len(families) * 4


def test_certainty_about_the_wrong_role_is_not():
    truth = known(["url#1"])
    found = calibration([(truth, frozenset({frozenset({"time#1"})}))])
    assert found.brier == pytest.approx(2 / 4)
    assert found.ece == pytest.approx(2 / 4)


def test_nothing_has_no_figure():
    assert calibration([]).brier is None
    assert spread([]).mean is None
    assert spread([1, 2, 3]).mean == 2
