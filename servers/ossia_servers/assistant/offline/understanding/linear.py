"""Sparse linear models: an intent classifier and a slot tagger."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

Rows = Mapping[str, Mapping[int, float]]
"""Feature to the weights that it gives to labels, by the labels' numbers."""

OUTSIDE = "O"


def add_scores(
    rows: Rows, features: Iterable[str], size: int, numbers: Sequence[int] | None = None
) -> list[float]:
    """Sum the weights that features give to labels.

    Args:
        rows: The weights.
        features: The features.
        size: How many labels there are.
        numbers: The labels whose scores are wanted, or None for all; those of others are undefined.

    Returns:
        The score of every label.
    """
    scores = [0.0] * size
    few = len(numbers) if numbers is not None else size
    for feature in features:
        if feature not in rows:
            continue
        row = rows[feature]
        if numbers is None or len(row) <= few:
            for label, weight in row.items():
                scores[label] += weight
        else:
            for label in numbers:
                if label in row:
                    scores[label] += row[label]
    return scores


@dataclass(frozen=True, slots=True)
class Classifier:
    """Tells the intent of an utterance.

    Attributes:
        labels: The intents.
        rows: The weights of features.
        columns: For each label the weights of the numbers of an utterance's vector.
    """

    labels: tuple[str, ...]
    rows: Rows
    columns: tuple[tuple[float, ...], ...]

    def best(
        self,
        features: Sequence[str],
        meaning: Sequence[float],
        allowed: Collection[str] | None = None,
    ) -> str:
        """Return the likeliest label.

        Args:
            features: The features of the utterance, each once.
            meaning: Its vector.
            allowed: The labels to choose from, or None for all.

        Returns:
            The label with the highest score; the first of equals.
        """
        # The weights were learnt for features that weigh less the more of them there are.
        scale = math.sqrt(len(features)) if features else 1.0
        scores = [
            score + scale * sum(map(mul, column, meaning))
            for score, column in zip(
                add_scores(self.rows, features, len(self.labels)), self.columns, strict=True
            )
        ]
        numbers = [
            number
            for number, label in enumerate(self.labels)
            if allowed is None or label in allowed
        ] or range(len(self.labels))
        return self.labels[max(numbers, key=lambda number: (scores[number], -number))]


@dataclass(frozen=True, slots=True)
class Tagger:
    """Marks the words of slot values as `B-slot`, `I-slot` or `O`.

    Attributes:
        labels: The marks; the first is `O`.
        rows: Weights of features.
        steps: Weights of one mark (first) following another (second).
    """

    labels: tuple[str, ...]
    rows: Rows
    steps: Mapping[tuple[int, int], float]

    def candidates(self, slots: Collection[str]) -> list[int]:
        """Return the numbers of the marks that belong to `slots`, and of `O`."""
        return [n for n, label in enumerate(self.labels) if n == 0 or label[2:] in slots]

    def tag(self, features: Sequence[Sequence[str]], slots: Collection[str]) -> list[str]:
        """Return the best sequence of marks.

        Args:
            features: For each word its features.
            slots: The slots that may be marked.

        Returns:
            One mark for each word; `I-slot` follows only a mark of the same slot.
        """
        if not features:
            return []
        numbers = self.candidates(slots)
        emissions = [add_scores(self.rows, row, len(self.labels), numbers) for row in features]
        path = best_path(emissions, numbers, self.labels, self.steps)
        return [self.labels[number] for number in path]


def may_follow(label: str, before: str) -> bool:
    """Say whether mark `label` may stand after mark `before`; `before` is empty at the start."""
    if not label.startswith("I-"):
        return True
    return before[2:] == label[2:] and before != OUTSIDE


@lru_cache(maxsize=256)
def _predecessors(labels: tuple[str, ...], numbers: tuple[int, ...]) -> dict[int, list[int]]:
    return {n: [m for m in numbers if may_follow(labels[n], labels[m])] for n in numbers}


def best_path(
    emissions: Sequence[Sequence[float]],
    numbers: Sequence[int],
    labels: Sequence[str],
    steps: Mapping[tuple[int, int], float],
) -> list[int]:
    """Find the sequence of labels with the highest score (Viterbi).

    Args:
        emissions: For each word the score of every label.
        numbers: The labels to choose from.
        labels: The labels' names, for what may follow what.
        steps: The score of label (first) after label (second).

    Returns:
        The labels' numbers, one for each word.
    """
    scores = {n: emissions[0][n] if may_follow(labels[n], "") else -math.inf for n in numbers}
    before = _predecessors(tuple(labels), tuple(numbers))
    pointers: list[dict[int, int]] = []
    for row in emissions[1:]:
        pointer: dict[int, int] = {}
        reached: dict[int, float] = {}
        for n in numbers:
            best, best_score = before[n][0], -math.inf
            for m in before[n]:
                step = (n, m)
                score = scores[m] + steps[step] if step in steps else scores[m]
                if score > best_score:
                    best, best_score = m, score
            pointer[n] = best
            reached[n] = best_score + row[n]
        pointers.append(pointer)
        scores = reached
    path = [max(numbers, key=lambda n: scores[n])]
    for pointer in reversed(pointers):
        path.append(pointer[path[-1]])
    return path[::-1]
