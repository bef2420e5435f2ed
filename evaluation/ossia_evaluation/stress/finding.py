"""What a run under stress found, in sentences made of its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ossia_evaluation.stress.figures import ALL, Cell, Difference, Ranking, Stress, StressLine
from ossia_evaluation.stress.played import Outcome
from ossia_evaluation.words import counted, shortened

__all__ = ["finding"]

_NAMED: Final = 3
_MODEL_SHOWN: Final = 60


def finding(result: Stress) -> tuple[str, ...]:
    """Return what was found; sentences claim no more than the tests do.

    Args:
        result: the figures, whose own `finding` is not read.
    """
    return tuple(_sentences(result))


def _sentences(result: Stress) -> Iterator[str]:
    for model in result.models:
        lines = [line for line in result.with_model(model) if line.by_group[ALL].recovery.of]
        told = [*_of_model(result, model, lines)]
        if not told:
            told = ["No fault was injected into an episode that succeeds without it."]
        several = len(result.models) > 1
        mark = f"With {shortened(model, _MODEL_SHOWN)}: " if several else ""
        yield mark + " ".join(told)
    yield from (_order(result, each) for each in result.rankings)


def _of_model(result: Stress, model: str, lines: Sequence[StressLine]) -> Iterator[str]:
    if not lines:
        return
    yield _overall(lines)
    yield from _tested(result, model)
    yield from _alike(result, lines)
    yield from _silent(lines)
    yield from _twice(result, lines)


def _overall(lines: Sequence[StressLine]) -> str:
    ordered = sorted(lines, key=lambda line: -(line.by_group[ALL].recovery.value or 0.0))
    first, *others = (
        f"{line.label} {'still succeeds ' if at == 0 else ''}in"
        f" {_percent(line.by_group[ALL].recovery.value)}"
        for at, line in enumerate(ordered)
    )
    rest = f", {', '.join(others)}" if others else ""
    return f"With a fault injected, {first} of the episodes that it passes without one{rest}."


def _tested(result: Stress, model: str) -> Iterator[str]:
    """Where frameworks differ significantly, the largest differences first."""
    pairs = [one for one in result.differences if one.model == model and one.difference is not None]
    whole = [one for one in pairs if one.faults == ALL]
    if not whole:
        return
    apart = [one for one in whole if one.significant]
    yield f"{len(apart)} of {len(whole)} pairs differ significantly over all faults."
    found = [one for one in pairs if one.faults != ALL and one.significant]
    largest: dict[str, Difference] = {}
    for one in sorted(found, key=lambda each: -abs(each.difference or 0.0)):
        largest.setdefault(one.faults, one)
    told = [_apart(result, one) for one in list(largest.values())[:_NAMED]]
    if told:
        yield f"Largest by class: {'; '.join(told)}."


def _apart(result: Stress, one: Difference) -> str:
    better, worse = one.first, one.second
    if (one.difference or 0.0) < 0:
        better, worse = worse, better
    shares = {
        line.framework: line.by_group[one.faults].recovery.value
        for line in result.with_model(one.model)
    }
    return (
        f"{one.faults}: {result.label(better)} {_percent(shares[better])},"
        f" {result.label(worse)} {_percent(shares[worse])}"
    )


def _alike(result: Stress, lines: Sequence[StressLine]) -> Iterator[str]:
    """Classes in which every framework recovers equally often."""
    if len(lines) < 2:
        return
    shares = {
        group: {line.by_group[group].recovery.value for line in lines} for group in result.groups
    }
    alike = [group for group, values in shares.items() if len(values) == 1 and None not in values]
    if alike:
        yield f"No difference between frameworks for: {', '.join(alike)}."


def _silent(lines: Sequence[StressLine]) -> Iterator[str]:
    """Who says least of its failures."""

    def share(line: StressLine) -> float:
        lost, quiet = _lost(line.by_group[ALL])
        return quiet / lost if lost else 0.0

    line = max(lines, key=share)
    lost, quiet = _lost(line.by_group[ALL])
    if quiet:
        yield (
            f"{line.label} does not tell the user about {_percent(quiet / lost)} of its"
            f" {counted(lost, 'failure')}, the highest share."
            if len(lines) > 1
            else f"It does not tell the user about {quiet} of its {counted(lost, 'failure')}."
        )


def _lost(cell: Cell) -> tuple[int, int]:
    """Failures, and those of which the user is told nothing."""
    lost = sum(count for ended, count in cell.outcomes.items() if ended is not Outcome.RECOVERED)
    return lost, cell.outcomes[Outcome.SILENT]


def _twice(result: Stress, lines: Sequence[StressLine]) -> Iterator[str]:
    """The fault that makes most act twice, and whom."""

    def share(line: StressLine, key: str) -> float:
        cell = line.by_fault[key]
        return cell.acted_twice / cell.recovery.of if cell.recovery.of else 0.0

    def most(key: str) -> float:
        return sum(share(line, key) for line in lines)

    fault = max(result.faults, key=lambda one: most(one.key), default=None)
    if fault is None or not most(fault.key):
        return
    alike: dict[float, list[str]] = {}
    for line in sorted(lines, key=lambda line: -share(line, fault.key)):
        alike.setdefault(share(line, fault.key), []).append(line.label)
    every = "both" if len(lines) == 2 else f"all {len(lines)}"
    told = [
        f"{', '.join(names) if len(names) < max(2, len(lines)) else every} in {_percent(twice)}"
        for twice, names in alike.items()
    ]
    yield f"`{fault.key}` ({fault.what}) makes them act twice: {'; '.join(told)}."


def _order(result: Stress, ranking: Ranking) -> str:
    models = " and ".join(
        shortened(model, _MODEL_SHOWN) for model in (ranking.first, ranking.second)
    )
    if ranking.tau is None:
        return f"The order of the frameworks cannot be compared between {models}."
    swapped = [" and ".join(map(result.label, pair)) for pair in ranking.swapped]
    change = f"change places: {'; '.join(swapped)}" if swapped else "no two change places"
    return f"Order of the frameworks with {models}: Kendall's tau {ranking.tau:.2f}; {change}."


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
