"""Frameworks, or models, two by two on the same tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev
from typing import Final, Literal

from ossia_evaluation.clustered import difference_interval, sign_flip
from ossia_evaluation.comparison import Pair, PairedCost
from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import EpisodeRow
from ossia_evaluation.stats import Z_95, holm

Lines = Mapping[tuple[str, str], Sequence[EpisodeRow]]
"""Episodes by framework and model."""

_Rows = Mapping[tuple[str, int], EpisodeRow]
"""Valid episodes by task and repeat."""

_COSTS: Final[Mapping[str, Callable[[EpisodeRow], float]]] = {
    "calls": lambda row: row.calls,
    "tokens": lambda row: row.prompt_tokens + row.completion_tokens,
    "wall_s": lambda row: row.wall_s,
}


def framework_pairs(models: Sequence[str], lines: Lines) -> tuple[Pair, ...]:
    """Return every two frameworks with the same model."""
    drafts = [
        (model, one, two, lines[one, model], lines[two, model])
        for model in models
        for one, two in combinations([f for f, m in lines if m == model], 2)
    ]
    return _pairs("frameworks", drafts)


def model_pairs(frameworks: Sequence[str], lines: Lines) -> tuple[Pair, ...]:
    """Return every two models in the same framework."""
    drafts = [
        (framework, one, two, lines[framework, one], lines[framework, two])
        for framework in frameworks
        for one, two in combinations([m for f, m in lines if f == framework], 2)
    ]
    return _pairs("models", drafts)


def _pairs(
    of: Literal["frameworks", "models"],
    drafts: Sequence[tuple[str, str, str, Sequence[EpisodeRow], Sequence[EpisodeRow]]],
) -> tuple[Pair, ...]:
    """Test pairs, given what they share, their names and their episodes, as one family."""
    found = [
        _pair(of, within, one, two, _valid(ones), _valid(twos))
        for within, one, two, ones, twos in drafts
    ]
    adjusted = holm([pair.p_value for pair in found])
    return tuple(
        pair.model_copy(update={"p_holm": p_holm})
        for pair, p_holm in zip(found, adjusted, strict=True)
    )


def _pair(
    of: Literal["frameworks", "models"],
    within: str,
    one: str,
    two: str,
    first: _Rows,
    second: _Rows,
) -> Pair:
    """One pair, whose p-value is not yet adjusted."""
    both = {key: (first[key], second[key]) for key in first if key in second}
    outcomes = {key: (_succeeded(one), _succeeded(other)) for key, (one, other) in both.items()}
    differences = _differences(outcomes)
    test = sign_flip(differences)
    interval = difference_interval(differences).interval if differences else None
    return Pair(
        of=of,
        within=within,
        first=one,
        second=two,
        both=sum(pair == (True, True) for pair in outcomes.values()),
        neither=sum(pair == (False, False) for pair in outcomes.values()),
        only_first=_named(key for key, pair in outcomes.items() if pair == (True, False)),
        only_second=_named(key for key, pair in outcomes.items() if pair == (False, True)),
        tasks=len(differences),
        difference=float(sum(differences) / len(differences)) if differences else None,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        p_value=test.p_value,
        test=test.method,
        p_holm=test.p_value,
        costs={name: _cost(both, read) for name, read in _COSTS.items()} if both else {},
    )


def _cost(
    both: Mapping[tuple[str, int], tuple[EpisodeRow, EpisodeRow]],
    read: Callable[[EpisodeRow], float],
) -> PairedCost:
    """A cost on both sides: the mean over tasks of the means over their repeats."""
    by_task: dict[str, tuple[list[float], list[float]]] = {}
    for (task, _), pair in both.items():
        sides = by_task.setdefault(task, ([], []))
        sides[0].append(read(pair[0]))
        sides[1].append(read(pair[1]))
    # A whole run has ten thousands of them: exact sums take as long as all the rest.
    firsts, seconds = (
        [sum(sides[side]) / len(sides[side]) for sides in by_task.values()] for side in (0, 1)
    )
    differences = [one - other for one, other in zip(firsts, seconds, strict=True)]
    mean, half = fmean(differences), None
    if len(differences) > 1:
        half = Z_95 * stdev(differences) / sqrt(len(differences))
    return PairedCost(
        first=fmean(firsts),
        second=fmean(seconds),
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
    )


def _differences(outcomes: Mapping[tuple[str, int], tuple[bool, bool]]) -> list[Fraction]:
    """For each task the mean over its repeats of the first one's success minus the second's."""
    repeats = Counter(task for task, _ in outcomes)
    gained: Counter[str] = Counter()
    for (task, _), (first, second) in outcomes.items():
        gained[task] += first - second
    return [Fraction(gained[task], count) for task, count in sorted(repeats.items())]


def _valid(rows: Sequence[EpisodeRow]) -> _Rows:
    return {(r.task, r.repeat): r for r in rows if r.verdict is not Verdict.INVALID}


def _succeeded(row: EpisodeRow) -> bool:
    return row.verdict is Verdict.SUCCESS


def _named(keys: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(task if repeat == 1 else f"{task}#{repeat}" for task, repeat in sorted(keys))
