"""Whether injected faults look like faults: a classifier that sees a step's words alone.

If it could tell injected from natural errors, an attributor might find faults by their looks. The
classifier is a logistic regression on character n-grams, the length and the shape of the JSON; it
is trained on some tasks and tried on others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp, sqrt
from random import Random
from zlib import crc32

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.stats import percentile

_SIZE = 1 << 15
_LONGEST = 3
_EPOCHS = 6
_RATE = 0.2
_DECAY = 1e-4
_FOLDS = 5
_RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One wrong step.

    Attributes:
        task: the task, so that none is in both training and trial.
        stratum: the role and whatever else is to be held equal; only equals are compared.
        text: what the step said.
        injected: whether the error was put in.
    """

    task: str
    stratum: str
    text: str
    injected: bool


class Leakage(BaseModel):
    """How well injected steps can be told from natural errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    against: str
    injected: int
    natural: int
    pairs: int
    """Pairs of an injected and a natural error of the same stratum and fold."""
    auc: float | None
    """Share of these pairs that the classifier puts in the right order; 0.5 is chance."""
    low: float | None
    high: float | None
    """95 % bootstrap interval, over tasks."""


def leakage(against: str, samples: Sequence[Sample], draw: Random) -> Leakage:
    """Try to tell injected from natural errors.

    Args:
        against: what the natural errors are, for the reader.
        samples: injected and natural errors.
        draw: decides on folds, the order of training and the bootstrap samples.
    """
    shared = _strata(samples)
    used = [sample for sample in samples if sample.stratum in shared]
    scored = _cross_validated(used, draw)
    injected = sum(sample.injected for sample in used)
    pairs, auc = _auc(scored)
    low, high = _interval(scored, draw) if auc is not None else (None, None)
    natural = len(used) - injected
    return Leakage(
        against=against,
        injected=injected,
        natural=natural,
        pairs=pairs,
        auc=auc,
        low=low,
        high=high,
    )


def features(text: str) -> tuple[int, ...]:
    """Return what the classifier sees of a text, as places in its table of weights."""
    names = {f"length {len(text).bit_length()}", f"lines {text.count(chr(10))}", _shape(text)}
    for size in range(1, _LONGEST + 1):
        names.update(text[at : at + size] for at in range(len(text) - size + 1))
    return tuple(sorted({crc32(name.encode("utf-8", "replace")) % _SIZE for name in names}))


def _shape(text: str) -> str:
    """The kinds of a text's JSON, without its values; whether there is any."""
    try:
        value = json.loads(text)
    except ValueError:
        return "no JSON, " + ("one is begun" if text.lstrip().startswith("{") else "words")
    return f"JSON {_kinds(value, 3)}"


def _kinds(value: object, depth: int) -> str:
    if isinstance(value, dict) and depth:
        return "{" + ",".join(f"{k}:{_kinds(v, depth - 1)}" for k, v in sorted(value.items())) + "}"
    return type(value).__name__


def _strata(samples: Sequence[Sample]) -> frozenset[str]:
    """The strata that have errors of both kinds."""
    kinds = ({s.stratum for s in samples if s.injected is injected} for injected in (True, False))
    return frozenset(next(kinds) & next(kinds))


@dataclass(frozen=True, slots=True)
class _Scored:
    sample: Sample
    group: tuple[str, int]
    """Stratum and fold; the scores of two classifiers have no common scale."""
    score: float
    times: int = 1


def _cross_validated(samples: Sequence[Sample], draw: Random) -> list[_Scored]:
    tasks = sorted({sample.task for sample in samples})
    draw.shuffle(tasks)
    fold = {task: number % _FOLDS for number, task in enumerate(tasks)}
    seen = [features(sample.text) for sample in samples]
    scored = []
    for tried in range(_FOLDS):
        train = [n for n, sample in enumerate(samples) if fold[sample.task] != tried]
        weights = _train([(seen[n], samples[n].injected) for n in train], draw)
        for n, sample in enumerate(samples):
            if fold[sample.task] == tried:
                score = sum(weights[f] for f in seen[n]) / sqrt(len(seen[n]))
                scored.append(_Scored(sample, (sample.stratum, tried), score))
    return scored


def _train(examples: Sequence[tuple[tuple[int, ...], bool]], draw: Random) -> list[float]:
    """Logistic regression by stochastic gradients; both classes weigh the same."""
    weights = [0.0] * _SIZE
    positive = sum(injected for _, injected in examples)
    if not 0 < positive < len(examples):
        return weights
    weight = {True: len(examples) / (2 * positive), False: len(examples) / 2}
    weight[False] /= len(examples) - positive
    order = list(examples)
    for epoch in range(_EPOCHS):
        draw.shuffle(order)
        rate = _RATE / (1 + epoch)
        for seen, injected in order:
            norm = 1 / sqrt(len(seen))
            margin = norm * sum(weights[f] for f in seen)
            chance = 1 / (1 + exp(-max(-30.0, min(30.0, margin))))
            step = rate * weight[injected] * (injected - chance) * norm
            for f in seen:
                weights[f] += step - rate * _DECAY * weights[f]
    return weights


def _auc(scored: Sequence[_Scored]) -> tuple[int, float | None]:
    """Return the number of comparable pairs, and the share in the right order."""
    groups: dict[tuple[str, int], list[_Scored]] = {}
    for each in scored:
        groups.setdefault(each.group, []).append(each)
    pairs, right = 0, 0.0
    for group in groups.values():
        natural = 0
        injected_in_all = sum(each.times for each in group if each.sample.injected)
        for _, equals in groupby(sorted(group, key=_score), key=_score):
            same = list(equals)
            injected = sum(each.times for each in same if each.sample.injected)
            beside = sum(each.times for each in same if not each.sample.injected)
            right += injected * (natural + beside / 2)
            natural += beside
        pairs += injected_in_all * natural
    return pairs, right / pairs if pairs else None


def _score(each: _Scored) -> float:
    return each.score


def _interval(scored: Sequence[_Scored], draw: Random) -> tuple[float | None, float | None]:
    tasks = sorted({each.sample.task for each in scored})
    found = []
    for _ in range(_RESAMPLES):
        times = dict.fromkeys(tasks, 0)
        for task in draw.choices(tasks, k=len(tasks)):
            times[task] += 1
        drawn = [replace(each, times=times[each.sample.task]) for each in scored]
        _, auc = _auc(drawn)
        if auc is not None:
            found.append(auc)
    return percentile(found, 0.025), percentile(found, 0.975)
