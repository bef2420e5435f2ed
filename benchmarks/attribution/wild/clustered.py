"""Figures of cases of which several are of one task, so that they are not independent."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import sqrt
from random import Random
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.rows import Share
from ossia_evaluation.stats import Z_95, Interval, percentile

RESAMPLES = 1000
"""How often a bootstrap draws."""

T = TypeVar("T")


class Estimate(BaseModel):
    """A figure with its 95 % interval; None out of nothing, the ends also out of one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    low: float | None
    high: float | None


def clustered_share(hits: Iterable[tuple[Hashable, bool]]) -> Share:
    """Return a share with its 95 % interval, by the number of cases that independent ones equal.

    Source: J. Rao and A. Scott, "A simple method for the analysis of clustered binary data",
    Biometrics 48 (1992): the variance of the ratio over clusters, by that of as many independent
    cases, is the design effect by which the cases are divided; then E. B. Wilson (1927). A design
    effect below 1 is taken for 1. Where all cases agree, or all are of one cluster, it cannot be
    estimated, and cases of one cluster are counted as one (the largest effect there can be).

    Args:
        hits: each case's cluster, and whether it is a hit.
    """
    clusters: dict[Hashable, list[bool]] = {}
    for cluster, hit in hits:
        clusters.setdefault(cluster, []).append(hit)
    found = list(clusters.values())
    cases, count = sum(map(len, found)), sum(map(sum, found))
    if not cases:
        return Share(count=0, of=0, low=0.0, high=1.0)
    interval = _wilson(count / cases, cases / _design_effect(found, count / cases))
    return Share(count=count, of=cases, low=interval.low, high=interval.high)


def _design_effect(clusters: Sequence[Sequence[bool]], share: float) -> float:
    number, cases = len(clusters), sum(map(len, clusters))
    if number == 1 or share in (0.0, 1.0):
        return sum(len(each) ** 2 for each in clusters) / cases
    squares = sum((sum(each) - share * len(each)) ** 2 for each in clusters)
    variance = number / (number - 1) * squares / cases**2
    return max(1.0, variance * cases / (share * (1 - share)))


def _wilson(share: float, cases: float) -> Interval:
    """Wilson's interval of a share out of a number of cases that need not be whole."""
    spread = Z_95**2 / cases
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 / (1 + spread) * sqrt(share * (1 - share) / cases + spread / (4 * cases))
    low = 0.0 if share == 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if share == 1 else min(1.0, centre + half))


def clustered_estimate(
    values: Mapping[Hashable, Sequence[float]],
    figure: Callable[[Sequence[float]], float | None],
    draw: Random,
) -> Estimate:
    """Return a figure with its 95 % percentile bootstrap interval, whole clusters being drawn.

    Args:
        values: each cluster's cases.
        figure: what is made of all cases; None without any.
        draw: decides what is drawn.
    """
    found = list(values.values())
    value = figure([v for each in found for v in each])
    if len(found) < 2:
        return Estimate(value=value, low=None, high=None)
    drawn = []
    for _ in range(RESAMPLES):
        again = figure([v for each in draw.choices(found, k=len(found)) for v in each])
        if again is not None:
            drawn.append(again)
    return Estimate(value=value, low=percentile(drawn, 0.025), high=percentile(drawn, 0.975))


def by_cluster(cases: Iterable[T], cluster: Callable[[T], Hashable]) -> dict[Hashable, list[T]]:
    """Return cases by cluster, in their order."""
    found: dict[Hashable, list[T]] = {}
    for case in cases:
        found.setdefault(cluster(case), []).append(case)
    return found
