"""The corrected measure: calls one to one, typed, and in their order; what failed counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ossia_evaluation.flowbench.measures.calls import (
    Call,
    Comparison,
    SameText,
    call_of,
    calls_of_dialog,
    enumerations_of,
    read_calls,
    same_words,
)
from ossia_evaluation.flowbench.measures.published_turns import Sample
from ossia_evaluation.worlds.match import pair_off

__all__ = [
    "Matched",
    "Tally",
    "Verdict",
    "match_calls",
    "means_yes",
    "read_verdict",
    "score_dialog",
    "score_turn",
]

_MATCHED: Final = 200
"""Further calls of a session are counted and not matched."""

_YES: Final = re.compile(r"\W*yes\b", re.IGNORECASE)
_RESULT: Final = re.compile(r"^\W*Result\W*(yes|no)\b", re.MULTILINE | re.IGNORECASE)
_GOALS: Final = re.compile(r"Total number of goals\W*(\d{1,4})\b", re.IGNORECASE)
_REACHED: Final = re.compile(r"Number of accomplished goals\W*(\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tally:
    """How much was wanted, how much was said, and how much of it is right.

    Attributes:
        gold: So many were wanted.
        predicted: So many were said.
        right: So many of both are paired and right.
    """

    gold: int = 0
    predicted: int = 0
    right: int = 0

    @property
    def precision(self) -> float | None:
        """The share of what was said; None where nothing was."""
        return self.right / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """The share of what was wanted; None where nothing was."""
        return self.right / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean; None where nothing was wanted and nothing said."""
        both = self.gold + self.predicted
        return 2 * self.right / both if both else None

    def __add__(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(
            self.gold + other.gold, self.predicted + other.predicted, self.right + other.right
        )


@dataclass(frozen=True, slots=True)
class Matched:
    """What calls get.

    Attributes:
        calls: Calls that are right, each paired with one.
        in_order: The same, of calls that stand in the gold order.
        parameters: Parameters of paired calls of one tool.
    """

    calls: Tally = Tally()
    in_order: Tally = Tally()
    parameters: Tally = Tally()

    def __add__(self, other: Matched) -> Matched:
        """Return both together."""
        return Matched(
            self.calls + other.calls,
            self.in_order + other.in_order,
            self.parameters + other.parameters,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a session.

    Attributes:
        goals: So many were to be reached.
        reached: So many were.
    """

    goals: int
    reached: int

    @property
    def success(self) -> bool:
        """Whether all were reached."""
        return self.reached == self.goals


def score_turn(sample: Sample, same_text: SameText = same_words) -> Matched | None:
    """Score one turn, one that failed included; None where the gold call cannot be read.

    Args:
        sample: The turn.
        same_text: Compares texts.
    """
    gold = call_of(sample.gold)
    if gold is not None and gold.parameters is None:
        return None
    compared = Comparison(enumerations_of(sample.prompt), same_text)
    return match_calls(() if gold is None else (gold,), read_calls(sample.predict), compared)


def score_dialog(dialog: str, gold: str, same_text: SameText = same_words) -> Matched:
    """Score a session by the calls of the assistant.

    Args:
        dialog: The conversation, as published.
        gold: The gold calls, as published.
        same_text: Compares texts.
    """
    return match_calls(read_calls(gold), calls_of_dialog(dialog), Comparison((), same_text))


def match_calls(gold: Sequence[Call], predicted: Sequence[Call], compared: Comparison) -> Matched:
    """Pair calls: first those that are right, then for their parameters those of one tool.

    Args:
        gold: What was to be called.
        predicted: What was called.
        compared: How two calls are compared.
    """
    theirs, ours = gold[:_MATCHED], predicted[:_MATCHED]
    fits = [[compared.is_right(one, other) for other in ours] for one in theirs]
    pairs = dict(_pairs(fits))
    left = [
        [
            at not in pairs and to not in pairs.values() and one.name == other.name
            for to, other in enumerate(ours)
        ]
        for at, one in enumerate(theirs)
    ]
    right = sum(
        compared.right_parameters(theirs[at], ours[to])
        for at, to in (*pairs.items(), *_pairs(left))
    )
    sizes = len(gold), len(predicted)
    return Matched(
        calls=Tally(*sizes, len(pairs)),
        in_order=Tally(*sizes, _longest(fits)),
        parameters=Tally(
            sum(len(call.parameters or ()) for call in gold),
            sum(len(call.parameters or ()) for call in predicted),
            right,
        ),
    )


def _pairs(fits: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    columns = range(len(fits[0]) if fits else 0)
    found = pair_off(range(len(fits)), columns, lambda row, column: fits[row][column])
    return [(row, column) for row, column in enumerate(found) if column is not None]


def _longest(fits: Sequence[Sequence[bool]]) -> int:
    """The most pairs of which none crosses another: the longest common subsequence."""
    best = [0] * (len(fits[0]) + 1 if fits else 1)
    for row in fits:
        before = best[:]
        for column, fit in enumerate(row):
            best[column + 1] = max(before[column] + fit, before[column + 1], best[column])
    return best[-1]


def means_yes(reply: str) -> bool:
    """Return whether a judge's first word is yes; what is unclear is none."""
    return _YES.match(reply) is not None


def read_verdict(reply: str) -> Verdict | None:
    """Read what a judge says; None, unscored, where it is unclear or contradicts itself.

    Args:
        reply: Its words, in which the published form may be in any case and marked up.
    """
    result, goals, reached = (each.search(reply) for each in (_RESULT, _GOALS, _REACHED))
    if result is None or goals is None or reached is None:
        return None
    found = Verdict(int(goals.group(1)), int(reached.group(1)))
    agrees = (result.group(1).lower() == "yes") == found.success
    return found if agrees and 0 <= found.reached <= found.goals != 0 else None
