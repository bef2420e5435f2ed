"""How the linear models learn: logistic regression for intents, a perceptron for slots."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ossia_servers.offline.understanding.linear import (
    OUTSIDE,
    Classifier,
    Tagger,
    add_scores,
    best_path,
)
from ossia_servers.offline.understanding.markup import Span
from ossia_servers.offline.understanding.text import Token

_RATE = 2.0
_LEAST_SHARE = 0.01
"""Classes that are less likely than this are not corrected: it saves most of the work."""
_SURE = 0.98
"""An utterance whose right class is at least this likely teaches nothing more."""
_LEAST_INTENT_WEIGHT = 0.15
_LEAST_SLOT_WEIGHT = 0.1
"""Lighter weights are dropped: the file is half as large, and less than 1 % of answers change."""


def train_classifier(
    rows: Sequence[Sequence[str]], labels: Sequence[str], *, epochs: int, seed: int
) -> Classifier:
    """Learn a multinomial logistic regression by stochastic gradient descent.

    Args:
        rows: The features of each utterance, each feature once.
        labels: The right label of each utterance.
        epochs: How often to go through all utterances.
        seed: Of the order in which they are gone through.

    Returns:
        The classifier, its weights averaged over the second half of the steps.
    """
    names = tuple(sorted(set(labels)))
    number = {name: n for n, name in enumerate(names)}
    size = len(names)
    weights: dict[str, list[float]] = {f: [0.0] * size for row in rows for f in row}
    totals: dict[str, list[float]] = {}
    order = list(range(len(rows)))
    chance = random.Random(seed)
    averaged = 0
    for epoch in range(epochs):
        chance.shuffle(order)
        rate = _RATE / (1.0 + 0.3 * epoch)
        for index in order:
            held = [weights[feature] for feature in rows[index]]
            _correct(held, number[labels[index]], rate)
        if epoch >= epochs // 2:
            averaged += 1
            for feature, row in weights.items():
                total = totals.get(feature)
                totals[feature] = (
                    list(row) if total is None else [a + b for a, b in zip(total, row, strict=True)]
                )
    share = 1.0 / max(averaged, 1)
    kept = {
        feature: {
            n: w * share for n, w in enumerate(total) if abs(w * share) > _LEAST_INTENT_WEIGHT
        }
        for feature, total in totals.items()
    }
    return Classifier(names, {feature: row for feature, row in kept.items() if row})


def _correct(held: Sequence[list[float]], right: int, rate: float) -> None:
    """Move the weights of one utterance's features towards its right label."""
    scale = 1.0 / math.sqrt(len(held))
    scores = [score * scale for score in map(sum, zip(*held, strict=True))]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    whole = sum(powers)
    shares = [power / whole for power in powers]
    if shares[right] > _SURE:
        return
    changes = [(n, -rate * scale * share) for n, share in enumerate(shares) if share > _LEAST_SHARE]
    changes.append((right, rate * scale))
    for row in held:
        for n, change in changes:
            row[n] += change


@dataclass(frozen=True, slots=True)
class Tagged:
    """An utterance to learn tagging from.

    Attributes:
        features: For each word its features.
        labels: For each word its mark.
        slots: The slots that may be marked in it.
    """

    features: Sequence[Sequence[str]]
    labels: Sequence[str]
    slots: frozenset[str]


def marks_of(tokens: Sequence[Token], spans: Sequence[Span]) -> list[str]:
    """Return the mark of each word: `B-slot`, `I-slot` or `O`."""
    marks = []
    for token in tokens:
        mark = OUTSIDE
        for span in spans:
            if span.start <= token.start and token.end <= span.end:
                first = not any(span.start <= other.start < token.start for other in tokens)
                mark = f"{'B' if first else 'I'}-{span.slot}"
        marks.append(mark)
    return marks


class _Averaged:
    """Perceptron weights with their running average."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[int, float]] = {}
        self.steps: dict[tuple[int, int], float] = {}
        self._row_sums: dict[tuple[str, int], float] = {}
        self._step_sums: dict[tuple[int, int], float] = {}
        self.time = 1

    def add(self, feature: str, label: int, change: float) -> None:
        row = self.rows.setdefault(feature, {})
        row[label] = row.get(label, 0.0) + change
        key = (feature, label)
        self._row_sums[key] = self._row_sums.get(key, 0.0) + change * self.time

    def add_step(self, step: tuple[int, int], change: float) -> None:
        self.steps[step] = self.steps.get(step, 0.0) + change
        self._step_sums[step] = self._step_sums.get(step, 0.0) + change * self.time

    def average(self) -> tuple[dict[str, dict[int, float]], dict[tuple[int, int], float]]:
        rows: dict[str, dict[int, float]] = {}
        for (feature, label), total in self._row_sums.items():
            weight = self.rows[feature][label] - total / self.time
            if abs(weight) > _LEAST_SLOT_WEIGHT:
                rows.setdefault(feature, {})[label] = weight
        steps = {
            step: weight - self._step_sums[step] / self.time for step, weight in self.steps.items()
        }
        return rows, steps


def train_tagger(examples: Sequence[Tagged], *, epochs: int, seed: int) -> Tagger:
    """Learn an averaged structured perceptron.

    Args:
        examples: The utterances.
        epochs: How often to go through them.
        seed: Of the order in which they are gone through.

    Returns:
        The tagger.
    """
    used = sorted({label for example in examples for label in example.labels} - {OUTSIDE})
    slots = sorted({label[2:] for label in used})
    labels = (OUTSIDE, *[f"{part}-{slot}" for slot in slots for part in "BI"])
    number = {label: n for n, label in enumerate(labels)}
    learned = _Averaged()
    candidates: dict[frozenset[str], list[int]] = {}
    order = list(range(len(examples)))
    chance = random.Random(seed)
    for _ in range(epochs):
        chance.shuffle(order)
        for index in order:
            example = examples[index]
            if not example.features:
                continue
            if example.slots not in candidates:
                candidates[example.slots] = _numbers(labels, example.slots)
            right = [number[label] for label in example.labels]
            _learn_from(learned, example, right, candidates[example.slots], labels)
            learned.time += 1
    rows, steps = learned.average()
    return Tagger(labels, rows, steps)


def _numbers(labels: Sequence[str], slots: Collection[str]) -> list[int]:
    return [n for n, label in enumerate(labels) if n == 0 or label[2:] in slots]


def _learn_from(
    learned: _Averaged,
    example: Tagged,
    right: Sequence[int],
    numbers: Sequence[int],
    labels: Sequence[str],
) -> None:
    """Correct the weights where the best path is not the right one."""
    emissions = [add_scores(learned.rows, row, len(labels), numbers) for row in example.features]
    guess = best_path(emissions, numbers, labels, learned.steps)
    if list(guess) == list(right):
        return
    for i, (wrong, wanted) in enumerate(zip(guess, right, strict=True)):
        if wrong != wanted:
            for feature in example.features[i]:
                learned.add(feature, wanted, 1.0)
                learned.add(feature, wrong, -1.0)
        if i:
            learned.add_step((wanted, right[i - 1]), 1.0)
            learned.add_step((wrong, guess[i - 1]), -1.0)
