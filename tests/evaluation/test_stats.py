"""Statistics against scipy as an oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from ossia_evaluation.stats import (
    bootstrap_means,
    holm,
    mcnemar_exact,
    pass_hat_k,
    percentile,
    wilson,
)

counts = st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_wilson_is_the_textbook_interval(pair):
    successes, trials = pair
    interval = wilson(successes, trials)
    if trials == 0:
        assert interval == (0.0, 1.0)
        return
    wanted = oracle.binomtest(successes, trials).proportion_ci(method="wilson")
    assert interval.low == pytest.approx(wanted.low, abs=1e-9)
    assert interval.high == pytest.approx(wanted.high, abs=1e-9)
    assert interval.low <= successes / trials <= interval.high


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(first, second):
    p_value = mcnemar_exact(first, second)
    if first + second == 0:
        assert p_value == 1.0
    else:
        wanted = oracle.binomtest(min(first, second), first + second, 0.5).pvalue
        assert p_value == pytest.approx(wanted, rel=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 1))
def test_percentile_is_linear_interpolation(values, share):
    import numpy

    assert percentile(values, share) == pytest.approx(
        float(numpy.percentile(values, 100 * share)), rel=1e-9, abs=1e-6
    )


def test_percentile_of_nothing_is_unknown():
    assert percentile([], 0.5) is None


@pytest.mark.parametrize(
    ("p_values", "wanted"), [((0.01, 0.04, 0.03), (0.03, 0.06, 0.06)), ((), ())]
)
def test_holm(p_values, wanted):
    assert holm(p_values) == pytest.approx(wanted)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert all(raw <= new <= 1 for raw, new in pairs)
    assert [new for _, new in pairs] == sorted(new for _, new in pairs)


def test_pass_hat_k():
    assert pass_hat_k(3, 4, 1) == pytest.approx(0.75)
    assert pass_hat_k(3, 4, 4) == 0.0
    assert pass_hat_k(4, 4, 4) == 1.0
    with pytest.raises(ValueError, match="at least 5"):
        pass_hat_k(1, 4, 5)


@pytest.mark.parametrize(
    "call", [lambda: wilson(3, 2), lambda: mcnemar_exact(-1, 0), lambda: percentile([1], 2)]
)
def test_impossible_input_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_the_bootstrap_of_means_agrees_with_another():
    first = [0.0, 0.25, 0.5, 1.0, 1.0, 0.5, 0.0, 0.75] * 10
    rows = [(value, 1.0) for value in first]
    varying, steady = bootstrap_means(rows)
    made = oracle.bootstrap(
        (first,), lambda sample: sum(sample) / len(sample), method="percentile", vectorized=False
    )
    assert varying.low == pytest.approx(made.confidence_interval.low, abs=0.02)
    assert varying.high == pytest.approx(made.confidence_interval.high, abs=0.02)
    assert steady == (1.0, 1.0)
    assert bootstrap_means(rows) == (varying, steady)
    assert bootstrap_means(rows, seed=1) != (varying, steady)


def test_less_than_two_observations_have_no_bootstrap():
    assert bootstrap_means([]) is None
    assert bootstrap_means([(0.5,)]) is None
