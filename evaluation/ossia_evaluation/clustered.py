"""Intervals and tests in which the task is the unit, however often each task was repeated.

Repeats of one task are not independent, so tasks are what is drawn again and what changes sides.
Where repeats of a task never differ they add nothing, and the closed forms for one observation per
task hold: the same outcomes repeated k times give the same interval and the same p-value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm, sqrt
from random import Random
from typing import Final, Literal, NamedTuple

from ossia_evaluation.stats import RESAMPLES, Z_95, Interval, mcnemar_exact, middle, wilson

FLIPS: Final = 10_000
"""How often the Monte Carlo test draws signs."""

MOST_EXACT_STEPS: Final = 500_000
"""Beyond this many additions the distribution of the exact test takes seconds to make."""

_SEED: Final = 0


class TaskCount(NamedTuple):
    """What came of one task: in how many of its repeats, out of how many."""

    hits: int
    of: int


class Estimate(NamedTuple):
    """A 95 % interval and how it was made."""

    interval: Interval
    method: Literal["closed", "bootstrap"]


class PairedTest(NamedTuple):
    """A two-sided p-value and how it was made."""

    p_value: float
    method: Literal["exact", "monte carlo"]


def share_interval(tasks: Sequence[TaskCount]) -> Estimate:
    """Return the 95 % interval of a share, clustered by task.

    Where repeats of a task differ: the percentile bootstrap over tasks of the ratio of their sums
    (A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application", 1997, section 3.8 on
    clusters). Otherwise, and where all tasks have the same share, of which a bootstrap could only
    say that it is certain: Wilson's score interval with the number of tasks.

    Args:
        tasks: one entry for each task, in any order; those out of nothing are left out.

    Raises:
        ValueError: a task counts more than it has repeats.
    """
    known = sorted(task for task in tasks if task.of)
    if any(not 0 <= task.hits <= task.of for task in known):
        raise ValueError("a task cannot count more often than it was repeated")
    if not known:
        return Estimate(wilson(0, 0), "closed")
    count, of = sum(task.hits for task in known), sum(task.of for task in known)
    means = {Fraction(task.hits, task.of) for task in known}
    if means <= {0, 1} or len(means) == 1:
        return Estimate(wilson(len(known) * count / of, len(known)), "closed")
    draw, drawn = Random(_SEED), []
    for _ in range(RESAMPLES):
        kinds = Counter(draw.choices(known, k=len(known))).items()
        total = sum(task.hits * times for task, times in kinds)
        drawn.append(total / sum(task.of * times for task, times in kinds))
    return Estimate(middle(drawn), "bootstrap")


def difference_interval(differences: Sequence[Fraction]) -> Estimate:
    """Return the 95 % interval of the mean difference of two paired shares.

    The percentile bootstrap over tasks where repeats of a task differ; otherwise the adjusted Wald
    interval for paired data (D. G. Bonett, R. M. Price, Journal of Educational and Behavioral
    Statistics 37 (2012)), which adds a task that each of the two wins, and so has a width where no
    task differs.

    Args:
        differences: of each task's two means, from -1 to 1.
    """
    if not differences:
        return Estimate(Interval(-1.0, 1.0), "closed")
    known = sorted(differences)
    if {abs(each) for each in known} <= {0, 1} or known[0] == known[-1]:
        tasks = len(known) + 2
        mean = float(sum(known) / tasks)
        squares = float((sum(each * each for each in known) + 2) / tasks)
        half = Z_95 * sqrt(max(0.0, squares - mean * mean) / tasks)
        return Estimate(Interval(max(-1.0, mean - half), min(1.0, mean + half)), "closed")
    draw, numbers = Random(_SEED), [float(each) for each in known]
    drawn = [sum(draw.choices(numbers, k=len(numbers))) / len(numbers) for _ in range(RESAMPLES)]
    return Estimate(middle(drawn), "bootstrap")


def sign_flip(differences: Sequence[Fraction]) -> PairedTest:
    """Return the paired randomisation test on task means: which side a task favours is chance.

    Source: R. A. Fisher, "The design of experiments" (1935), section 21. Exact where all
    differences that are not 0 are equally large, which is McNemar's exact test, and where few tasks
    differ; else by drawn signs with the correction of B. Phipson and G. K. Smyth (Statistical
    Applications in Genetics and Molecular Biology 9 (2010)): (hits + 1) / (draws + 1).

    Args:
        differences: of each task's two means.
    """
    known = [each for each in differences if each]
    if len({abs(each) for each in known}) < 2:
        wins = sum(each > 0 for each in known)
        return PairedTest(mcnemar_exact(wins, len(known) - wins), "exact")
    # As whole numbers, so that sums are equal exactly where they should be.
    scale = lcm(*(each.denominator for each in known))
    whole = [int(each * scale) for each in known]
    whole = [each // gcd(*whole) for each in whole]
    if len(whole) * sum(map(abs, whole)) <= MOST_EXACT_STEPS:
        return PairedTest(_exact(whole), "exact")
    return PairedTest(_drawn(whole), "monte carlo")


def _exact(whole: Sequence[int]) -> float:
    """The share of all assignments of signs whose sum is as far from 0 as the one observed."""
    ways = {0: 1}
    for each in whole:
        longer: Counter[int] = Counter()
        for total, count in ways.items():
            longer[total + each] += count
            longer[total - each] += count
        ways = longer
    observed = abs(sum(whole))
    return float(Fraction(sum(c for s, c in ways.items() if abs(s) >= observed), 2 ** len(whole)))


def _drawn(whole: Sequence[int]) -> float:
    observed, draw, hits = abs(sum(whole)), Random(_SEED), 0
    sizes = sorted(Counter(map(abs, whole)).items())
    for _ in range(FLIPS):
        # Of n signs, as many are positive as n random bits are set.
        total = sum(
            size * (2 * draw.getrandbits(count).bit_count() - count) for size, count in sizes
        )
        hits += abs(total) >= observed
    return (hits + 1) / (FLIPS + 1)
