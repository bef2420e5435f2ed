"""Whether frameworks stand in the same order with one model as with another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from ossia_evaluation.stress.figures import ALL, Ranking, StressLine

__all__ = ["kendall_tau", "rankings"]


def rankings(lines: Sequence[StressLine], models: Sequence[str]) -> tuple[Ranking, ...]:
    """Compare the order of the frameworks by recovery from all faults, for every two models.

    Args:
        lines: every framework with every model.
        models: the models, in their order.
    """
    return tuple(_ranking(lines, first, second) for first, second in combinations(models, 2))


def _ranking(lines: Sequence[StressLine], first: str, second: str) -> Ranking:
    one, two = (_recoveries(lines, model) for model in (first, second))
    names = [name for name in one if name in two]
    tau, p_value = kendall_tau([one[name] for name in names], [two[name] for name in names])
    swapped = tuple(
        (ahead, behind)
        for ahead, behind in permutations(names, 2)
        if one[ahead] > one[behind] and two[ahead] < two[behind]
    )
    return Ranking(first=first, second=second, tau=tau, p_value=p_value, swapped=swapped)


def _recoveries(lines: Sequence[StressLine], model: str) -> dict[str, float]:
    """Frameworks with their recovery from all faults, in the order in which they are shown."""
    told = ((line, line.by_group[ALL].recovery.value) for line in lines if line.model == model)
    return {line.framework: value for line, value in told if value is not None}


def kendall_tau(
    first: Sequence[float], second: Sequence[float]
) -> tuple[float | None, float | None]:
    """Return Kendall's tau-b of two rows of values and its two-sided p-value.

    Source: M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).

    Returns:
        Both are None where there is no order: fewer than two values, or all of a row alike.
    """
    if len({*first}) < 2 or len({*second}) < 2:
        return None, None
    # Loaded when asked for: it takes a moment.
    from scipy.stats import kendalltau

    found = kendalltau(first, second)
    return float(found.statistic), float(found.pvalue)
