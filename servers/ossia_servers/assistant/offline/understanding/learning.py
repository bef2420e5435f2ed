"""How the linear models learn: logistic regression for intents, a perceptron for slots.

Only training needs numpy; the trained models answer without it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ossia_servers.assistant.offline.understanding.linear import (
    OUTSIDE,
    Classifier,
    Rows,
    Tagger,
    may_follow,
)
from ossia_servers.assistant.offline.understanding.markup import Span
from ossia_servers.assistant.offline.understanding.text import Token

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

_RATE = 1.0
_MEANING = 0.6
"""How much the vector of an utterance counts beside all of its other features."""
_LEAST_INTENT_WEIGHT = 0.15
_LEAST_SLOT_WEIGHT = 0.1
"""Lighter weights are dropped: the file is half as large, and less than 1 % of answers change."""
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance to learn intents from.

    Attributes:
        features: Its features, each once.
        meaning: Its vector; as long for every utterance.
        intent: The right intent.
    """

    features: Sequence[str]
    meaning: Sequence[float]
    intent: str


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


def _interned(rows: Iterable[Sequence[str]], least: int) -> dict[str, int]:
    """Number the features that occur at least so often, in the order of their first use."""
    counts = Counter(feature for row in rows for feature in row)
    kept = (feature for feature, count in counts.items() if count >= least)
    return {feature: number for number, feature in enumerate(kept)}


def train_classifier(examples: Sequence[Said], *, epochs: int, seed: int) -> Classifier:
    """Learn a multinomial logistic regression by stochastic gradient descent.

    Args:
        examples: The utterances.
        epochs: How often to go through them.
        seed: Of the order in which they are gone through.

    Returns:
        The classifier, its weights averaged over the second half of the epochs.
    """
    names = tuple(sorted({example.intent for example in examples}))
    number = {name: n for n, name in enumerate(names)}
    known = _interned((example.features for example in examples), 1)
    rows = [np.array([known[f] for f in example.features], dtype=np.int64) for example in examples]
    right = [number[example.intent] for example in examples]
    meanings = np.array([example.meaning for example in examples], dtype=np.float32) * _MEANING
    weights: Floats = np.zeros((len(known), len(names)), dtype=np.float32)
    dense: Floats = np.zeros((meanings.shape[1], len(names)), dtype=np.float32)
    total, dense_total = np.zeros_like(weights), np.zeros_like(dense)
    order = list(range(len(rows)))
    chance = random.Random(seed)
    averaged = 0
    for epoch in range(epochs):
        chance.shuffle(order)
        rate = _RATE / (1.0 + 0.3 * epoch)
        for index in order:
            _correct(weights, dense, rows[index], meanings[index], right[index], rate)
        if epoch >= epochs // 2:
            averaged += 1
            total += weights
            dense_total += dense
    total /= max(averaged, 1)
    dense_total *= _MEANING / max(averaged, 1)
    kept = _sparse(total, known, _LEAST_INTENT_WEIGHT)
    columns = tuple(tuple(float(w) for w in column) for column in dense_total.T)
    return Classifier(names, kept, columns)


def _correct(
    weights: Floats, dense: Floats, row: Numbers, meaning: Floats, right: int, rate: float
) -> None:
    """Move the weights of one utterance's features towards its right label."""
    scale = np.float32(len(row) ** -0.5) if len(row) else np.float32(1)
    scores = weights[row].sum(axis=0) * scale + meaning @ dense
    powers = np.exp(scores - scores.max())
    shares = powers / powers.sum()
    change = -shares
    change[right] += 1.0
    change *= np.float32(rate)
    weights[row] += change * scale
    dense += np.outer(meaning, change)


def _sparse(weights: Floats, known: dict[str, int], least: float) -> Rows:
    """Return the weights that are not light, by feature and number of the label."""
    rows = {}
    for feature, place in known.items():
        row = weights[place]
        heavy = np.flatnonzero(np.abs(row) > least)
        if len(heavy):
            rows[feature] = {int(n): float(row[n]) for n in heavy}
    return rows


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


@dataclass(slots=True)
class _Averaged:
    """Perceptron weights with what is needed for their running average."""

    weights: Floats
    steps: Floats
    weights_sum: Floats
    steps_sum: Floats
    time: int = 1

    @classmethod
    def empty(cls, features: int, labels: int) -> _Averaged:
        def zeros(rows: int) -> Floats:
            return np.zeros((rows, labels), dtype=np.float32)

        return cls(zeros(features), zeros(labels), zeros(features), zeros(labels))

    def add(self, row: Numbers, label: int, change: float) -> None:
        self.weights[row, label] += change
        self.weights_sum[row, label] += change * self.time

    def add_step(self, label: int, before: int, change: float) -> None:
        self.steps[label, before] += change
        self.steps_sum[label, before] += change * self.time


@dataclass(frozen=True, slots=True)
class _Row:
    """An utterance in numbers: the features of all words, where each word's begin, its labels."""

    features: Numbers
    starts: Numbers
    right: Sequence[int]
    numbers: Numbers
    forbidden: Floats


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
    known = _interned((row for example in examples for row in example.features), 2)
    rows = _numbered(examples, known, labels)
    learned = _Averaged.empty(len(known), len(labels))
    order = list(range(len(rows)))
    chance = random.Random(seed)
    for _ in range(epochs):
        chance.shuffle(order)
        for index in order:
            _learn_from(learned, rows[index])
            learned.time += 1
    learned.weights_sum /= -learned.time
    learned.weights_sum += learned.weights
    steps = learned.steps - learned.steps_sum / learned.time
    found = {(int(a), int(b)): float(steps[a, b]) for a, b in np.argwhere(steps)}
    return Tagger(labels, _sparse(learned.weights_sum, known, _LEAST_SLOT_WEIGHT), found)


def _numbered(
    examples: Sequence[Tagged], known: dict[str, int], labels: Sequence[str]
) -> list[_Row]:
    number = {label: n for n, label in enumerate(labels)}
    choices: dict[frozenset[str], tuple[Numbers, Floats]] = {}
    rows = []
    for example in examples:
        if not example.features:
            continue
        if example.slots not in choices:
            choices[example.slots] = _choices(labels, example.slots)
        words = [[known[f] for f in row if f in known] for row in example.features]
        sizes = np.cumsum([0, *map(len, words)])
        rows.append(
            _Row(
                np.array([f for row in words for f in row], dtype=np.int64),
                np.array(sizes[:-1], dtype=np.int64),
                [number[label] for label in example.labels],
                *choices[example.slots],
            )
        )
    return rows


def _choices(labels: Sequence[str], slots: Collection[str]) -> tuple[Numbers, Floats]:
    """Return the numbers of the labels to choose from, and what no label may follow."""
    numbers = [n for n, label in enumerate(labels) if n == 0 or label[2:] in slots]
    forbidden = [
        [0.0 if may_follow(labels[n], labels[m]) else _IMPOSSIBLE for m in numbers] for n in numbers
    ]
    return np.array(numbers, dtype=np.int64), np.array(forbidden, dtype=np.float32)


def _guess(learned: _Averaged, row: _Row) -> list[int]:
    """Return the labels with the highest score, under the weights so far."""
    # Every word has features that all words have, so that no stretch of them is empty.
    sums = np.add.reduceat(learned.weights[row.features], row.starts, axis=0)
    emissions = sums[:, row.numbers]
    steps = learned.steps[np.ix_(row.numbers, row.numbers)] + row.forbidden
    scores = emissions[0] + row.forbidden[:, 0]
    pointers: list[Any] = []
    for emission in emissions[1:]:
        reached = steps + scores
        pointer = reached.argmax(axis=1)
        pointers.append(pointer)
        scores = reached[np.arange(len(pointer)), pointer] + emission
    path = [int(scores.argmax())]
    for pointer in reversed(pointers):
        path.append(int(pointer[path[-1]]))
    return [int(row.numbers[n]) for n in reversed(path)]


def _learn_from(learned: _Averaged, row: _Row) -> None:
    """Correct the weights where the best path is not the right one."""
    guess = _guess(learned, row)
    if guess == list(row.right):
        return
    ends = [*row.starts[1:], len(row.features)]
    for i, (wrong, wanted) in enumerate(zip(guess, row.right, strict=True)):
        if wrong != wanted:
            features = row.features[row.starts[i] : ends[i]]
            learned.add(features, wanted, 1.0)
            learned.add(features, wrong, -1.0)
        if i:
            learned.add_step(wanted, row.right[i - 1], 1.0)
            learned.add_step(wrong, guess[i - 1], -1.0)
