"""Intervals and tests by task, against scipy and against counting by hand."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from ossia_evaluation import clustered
from ossia_evaluation.clustered import TaskCount, difference_interval, share_interval, sign_flip
from ossia_evaluation.stats import mcnemar_exact, wilson

task_counts = st.integers(1, 4).flatmap(
    lambda of: st.builds(TaskCount, st.integers(0, of), st.just(of))
)
differences = st.sampled_from([Fraction(n, 3) for n in range(-3, 4)])


@pytest.mark.slow
@given(st.lists(task_counts, min_size=1, max_size=25), st.integers(1, 5), st.randoms())
def test_an_interval_holds_the_share_and_knows_neither_repeats_nor_order(tasks, times, random):
    found = share_interval(tasks)
    share = sum(task.hits for task in tasks) / sum(task.of for task in tasks)
    assert found.interval.low - 1e-9 <= share <= found.interval.high + 1e-9
    more = [TaskCount(times * task.hits, times * task.of) for task in tasks]
    random.shuffle(more)
    assert share_interval(more) == found


def test_repeats_that_differ_are_bootstrapped_by_task():
    tasks = [TaskCount(count, 3) for count in (0, 1, 2, 3, 3, 2, 0, 3, 3, 1)] * 6
    found = share_interval(tasks)
    means = [task.hits / task.of for task in tasks]
    wanted = oracle.bootstrap((means,), lambda x: sum(x) / len(x), vectorized=False)
    assert found.method == "bootstrap"
    assert found.interval.low == pytest.approx(wanted.confidence_interval.low, abs=0.02)
    assert found.interval.high == pytest.approx(wanted.confidence_interval.high, abs=0.02)


def test_an_interval_is_never_of_no_width():
    for tasks in ([TaskCount(3, 3)] * 5, [TaskCount(1, 2)] * 5, [TaskCount(0, 1)]):
        found = share_interval(tasks)
        assert found.method == "closed"
        assert found.interval.high - found.interval.low > 0.3
    assert share_interval([TaskCount(3, 3)] * 5).interval == wilson(5, 5)
    assert share_interval([]).interval == share_interval([TaskCount(0, 0)]).interval == (0.0, 1.0)


def test_a_task_cannot_count_more_often_than_it_was_repeated():
    with pytest.raises(ValueError, match="more often"):
        share_interval([TaskCount(2, 1)])


@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=400))
def test_whole_differences_are_tested_as_by_mcnemar(signs):
    found = sign_flip([Fraction(sign) for sign in signs])
    assert found == (mcnemar_exact(signs.count(1), signs.count(-1)), "exact")
    third = sign_flip([Fraction(sign, 3) for sign in signs])
    assert third == found


@given(st.lists(differences, max_size=9))
def test_the_exact_test_counts_all_assignments_of_signs(found):
    observed = abs(sum(found))
    signed = product((-1, 1), repeat=len(found))
    sums = [abs(sum(s * d for s, d in zip(signs, found, strict=True))) for signs in signed]
    wanted = sum(total >= observed for total in sums) / len(sums)
    assert sign_flip(found).p_value == pytest.approx(wanted)


@pytest.mark.slow
@given(st.lists(differences, min_size=4, max_size=40))
def test_drawn_signs_agree_with_all_signs(found):
    exact = sign_flip(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustered, "MOST_EXACT_STEPS", 0)
        drawn = sign_flip(found)
        assert sign_flip(list(reversed(found))) == drawn, "seeded, and whatever the order"
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.025)
    assert drawn.p_value > 0


@pytest.mark.slow
def test_many_tasks_are_drawn_and_never_certain():
    found = sign_flip([Fraction(n % 997 + 1, 997) for n in range(2000)])
    assert found == (1 / (clustered.FLIPS + 1), "monte carlo")


@given(st.lists(differences, min_size=1, max_size=30), st.randoms())
def test_the_interval_of_a_difference_holds_it_and_turns_round_with_it(found, random):
    estimate = difference_interval(found)
    mean = float(sum(found) / len(found))
    assert estimate.interval.low - 1e-9 <= mean <= estimate.interval.high + 1e-9
    assert -1 <= estimate.interval.low < estimate.interval.high <= 1
    shuffled = list(found)
    random.shuffle(shuffled)
    assert difference_interval(shuffled) == estimate


def test_the_interval_of_whole_differences_is_bonetts_and_prices():
    # Their formula by hand: 5 wins, 2 losses, 20 tasks.
    won, lost, tasks = 6 / 22, 3 / 22, 22
    half = 1.959964 * ((won + lost - (won - lost) ** 2) / tasks) ** 0.5
    found = difference_interval([Fraction(1)] * 5 + [Fraction(-1)] * 2 + [Fraction(0)] * 13)
    assert found.interval == pytest.approx((won - lost - half, won - lost + half), abs=1e-6)
    none = difference_interval([Fraction(0)] * 363)
    assert none.interval.low == pytest.approx(-0.0076, abs=1e-4)
    assert none.interval.high == -none.interval.low
    assert difference_interval([]).interval == (-1.0, 1.0)
