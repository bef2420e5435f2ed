"""Statistics of a comparison. Pure functions, exact where the counts are small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, sqrt
from random import Random
from typing import NamedTuple

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

RESAMPLES = 1000
"""How often a bootstrap draws."""


class Interval(NamedTuple):
    """A confidence interval; both ends are shares between 0 and 1."""

    low: float
    high: float


def wilson(successes: float, trials: int) -> Interval:
    """Return the 95 % Wilson score interval of a share.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927).

    Args:
        successes: how often, 0 to `trials`; a mean of repeats times the tasks need not be whole.
        trials: out of how many; 0 gives the whole range.

    Raises:
        ValueError: the counts contradict each other.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials is not possible")
    if trials == 0:
        return Interval(0.0, 1.0)
    share = successes / trials
    spread = Z_95 * Z_95 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 / (1 + spread) * sqrt(share * (1 - share) / trials + spread / (4 * trials))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high)


def bootstrap_means(
    rows: Sequence[tuple[float, ...]], seed: int = 0
) -> tuple[Interval, ...] | None:
    """Return the 95 % percentile bootstrap interval of each column's mean.

    Source: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7
    (1979). All columns are drawn together, so the same rows give the same intervals.

    Args:
        rows: the observations, of the same length each.
        seed: decides what is drawn.

    Returns:
        None for fewer than two observations, which say nothing about how they vary.
    """
    if len(rows) < 2:
        return None
    draw = Random(seed)
    # Few rows differ, so counting what was drawn is much faster than adding it up.
    kinds = tuple(dict.fromkeys(rows))
    numbers = {kind: number for number, kind in enumerate(kinds)}
    known = [numbers[row] for row in rows]
    means: list[list[float]] = [[] for _ in rows[0]]
    for _ in range(RESAMPLES):
        drawn = Counter(draw.choices(known, k=len(known)))
        for column, found in enumerate(means):
            total = sum(kinds[number][column] * count for number, count in drawn.items())
            found.append(total / len(known))
    return tuple(middle(found) for found in means)


def middle(values: Sequence[float]) -> Interval:
    """Return the interval that holds the middle 95 % of some values.

    Raises:
        ValueError: there is no value.
    """
    low, high = percentile(values, 0.025), percentile(values, 0.975)
    if low is None or high is None:
        raise ValueError("nothing has no middle")
    return Interval(low, high)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    Source: Q. McNemar, Psychometrika 12 (1947), in the exact binomial form.

    Args:
        only_first: pairs in which only the first succeeded.
        only_second: pairs in which only the second succeeded.

    Raises:
        ValueError: a count is negative.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts of pairs cannot be negative")
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**discordant))


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return a percentile by linear interpolation, or None without values.

    Args:
        values: in any order.
        share: between 0 and 1; 0.5 is the median.

    Raises:
        ValueError: the share is out of range.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a percentile's share is between 0 and 1, not {share}")
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def pass_hat_k(successes: int, trials: int, k: int) -> float:
    """Return the chance that k repeats of one task all succeed.

    Source: tau-bench (arXiv 2406.12045), section 4: C(successes, k) / C(trials, k).

    Raises:
        ValueError: there are fewer than k trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"pass^{k} needs at least {k} repeats, not {trials}")
    return float(comb(successes, k) / comb(trials, k))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for their number, in the given order.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6 (1979).
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)
