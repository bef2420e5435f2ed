"""Frameworks, or models, two by two on the same tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal

from ossia_evaluation.clustered import difference_interval, sign_flip
from ossia_evaluation.comparison import Pair
from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import EpisodeRow
from ossia_evaluation.stats import holm

Lines = Mapping[tuple[str, str], Sequence[EpisodeRow]]
"""Episodes by framework and model."""

_Results = Mapping[tuple[str, int], bool]


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
        _pair(of, within, one, two, _results(ones), _results(twos))
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
    first: _Results,
    second: _Results,
) -> Pair:
    """One pair, whose p-value is not yet adjusted."""
    outcomes = {key: (first[key], second[key]) for key in first if key in second}
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
    )


def _differences(outcomes: Mapping[tuple[str, int], tuple[bool, bool]]) -> list[Fraction]:
    """For each task the mean over its repeats of the first one's success minus the second's."""
    repeats = Counter(task for task, _ in outcomes)
    gained: Counter[str] = Counter()
    for (task, _), (first, second) in outcomes.items():
        gained[task] += first - second
    return [Fraction(gained[task], count) for task, count in sorted(repeats.items())]


def _results(rows: Sequence[EpisodeRow]) -> _Results:
    """Whether each task and repeat succeeded; invalid ones left out."""
    return {
        (row.task, row.repeat): row.verdict is Verdict.SUCCESS
        for row in rows
        if row.verdict is not Verdict.INVALID
    }


def _named(keys: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(task if repeat == 1 else f"{task}#{repeat}" for task, repeat in sorted(keys))
