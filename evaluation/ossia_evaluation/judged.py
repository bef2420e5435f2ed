"""A language model's marks for episodes: a second opinion beside the verdicts, no part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, NonNegativeInt

__all__ = ["MOST", "Agreement", "Judgement", "agreement", "read_mark"]

MOST: Final = 10
"""The best mark; 0 is the worst."""

_MARK: Final = re.compile(r"Score: (10|[0-9])")
_LIKE_A_MARK: Final = re.compile(r"\W*score\b", re.IGNORECASE)


class Judgement(BaseModel):
    """What a judge made of an episode: a line of the file beside the run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    episode: str
    judge: str
    """The model's specification."""
    question: str
    """A hash of what it was asked, so that another question is another judgement."""
    mark: int | None = Field(ge=0, le=MOST)
    """None where the reply holds none."""
    reply: str
    """Empty where there was nothing to judge, and nobody was asked."""
    calls: NonNegativeInt
    tokens: NonNegativeInt
    price_usd: NonNegativeFloat | None


def read_mark(reply: str) -> int | None:
    """Return the mark in a judge's reply, or None where it cannot be read.

    The last line has to be `Score: N`, to the letter, and no other may begin with that word.
    """
    lines = [line.strip() for line in reply.strip().splitlines()]
    found = _MARK.fullmatch(lines[-1]) if lines else None
    if found is None or any(map(_LIKE_A_MARK.match, lines[:-1])):
        return None
    return int(found[1])


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge's marks are from a score that follows from rules, ten times its share.

    Attributes:
        judged: The episodes with a mark.
        unscored: Those whose reply holds none; in no other number.
        mean: The mean mark; None without any.
        both: The episodes that have a mark and a score.
        rules: The mean score of these.
        apart: The mean of how far mark and score are apart.
        rank: Spearman's rank correlation; None where either is the same in all of them.
    """

    judged: int
    unscored: int
    mean: float | None
    both: int
    rules: float | None
    apart: float | None
    rank: float | None


def agreement(pairs: Iterable[tuple[int | None, float | None]]) -> Agreement:
    """Return how far marks and scores agree.

    Args:
        pairs: The mark and the score, a share, of each judged episode; either may be missing.
    """
    found = list(pairs)
    marks = [float(mark) for mark, _ in found if mark is not None]
    both = [(float(m), MOST * s) for m, s in found if m is not None and s is not None]
    return Agreement(
        judged=len(marks),
        unscored=len(found) - len(marks),
        mean=fmean(marks) if marks else None,
        both=len(both),
        rules=fmean(score for _, score in both) if both else None,
        apart=fmean(abs(mark - score) for mark, score in both) if both else None,
        rank=_rank([mark for mark, _ in both], [score for _, score in both]),
    )


def _rank(marks: Sequence[float], scores: Sequence[float]) -> float | None:
    if len({*marks}) < 2 or len({*scores}) < 2:
        return None
    # Loaded when asked for: it takes a moment.
    from scipy.stats import spearmanr

    return float(spearmanr(marks, scores).statistic)
