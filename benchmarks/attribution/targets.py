"""What is expected of the attributor, and whether a protocol shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.attribution.attempts import DOUBLE, SINGLE, TRIPLE
from benchmarks.attribution.figures import ALL_CONTROLS, HARMLESS, INTERVENTION, Validation
from benchmarks.attribution.metrics import MethodScore
from ossia_evaluation.rows import Share

MET, NOT_SHOWN, MISSED, UNKNOWN = "met", "reached, not shown", "missed", "no cases"
"""The whole interval is on the good side; only the figure is; not even the figure is."""


@dataclass(frozen=True)
class Checked:
    """One target beside its figure.

    Attributes:
        name: of what.
        value: the figure, in percent unless it counts something.
        low: lower end of its 95 % interval, where there is one.
        high: upper end.
        target: what is expected.
        result: `met`, `reached, not shown`, `missed` or `no cases`.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    target: str
    result: str


def checked(result: Validation) -> tuple[Checked, ...]:
    """Return every target with what a protocol says of it."""
    scores = {score.cell: score for score in result.scores if score.method == INTERVENTION}
    scores[HARMLESS] = result.harmless
    rows = []
    for cell in (SINGLE, HARMLESS):
        rows.append(least(f"{cell}: agent", _shared(scores, cell, "agent_top1"), 99))
        rows.append(least(f"{cell}: step", _shared(scores, cell, "step_exact"), 98))
    rows.append(least(f"{DOUBLE}: F1 of roles", _f1(scores.get(DOUBLE)), 95))
    rows.append(least(f"{DOUBLE}: families", _shared(scores, DOUBLE, "family_exact"), 90))
    rows.append(least(f"{TRIPLE}: F1 of roles", _f1(scores.get(TRIPLE)), 88))
    blame = next((c.false_blame for c in result.controls if c.cell == ALL_CONTROLS), None)
    rows.append(most("false blame on controls, %", percent_of(blame), 1))
    replays = next((each for each in result.replays if each.cell == "all"), None)
    mean = None if replays is None else replays.mean
    p95 = None if replays is None else replays.p95
    rows.append(most("replays, mean", (mean, None, None), 6))
    rows.append(most("replays, 95th percentile", (p95, None, None), 25))
    return tuple(rows)


Figure = tuple[float | None, float | None, float | None]
"""A figure and the ends of its interval."""


def _shared(scores: Mapping[str, MethodScore], cell: str, field: str) -> Figure:
    score = scores.get(cell)
    return percent_of(None if score is None else getattr(score, field))


def percent_of(share: Share | None) -> Figure:
    """Return a share in percent with its interval."""
    if share is None or share.value is None:
        return None, None, None
    return share.value * 100, share.low * 100, share.high * 100


def _f1(score: MethodScore | None) -> Figure:
    if score is None or score.f1 is None or score.f1_low is None or score.f1_high is None:
        return None, None, None
    return score.f1 * 100, score.f1_low * 100, score.f1_high * 100


def least(name: str, figure: Figure, target: float) -> Checked:
    """Return a target that a figure is to reach."""
    value, low, high = figure
    worst = value if low is None else low
    return Checked(
        name, value, low, high, f">= {target:g}", _result(value, worst, lambda v: v >= target)
    )


def most(name: str, figure: Figure, target: float) -> Checked:
    """Return a target that a figure must not exceed."""
    value, low, high = figure
    worst = value if high is None else high
    return Checked(
        name, value, low, high, f"<= {target:g}", _result(value, worst, lambda v: v <= target)
    )


def _result(value: float | None, worst: float | None, good: Callable[[float], bool]) -> str:
    if value is None or worst is None:
        return UNKNOWN
    if not good(value):
        return MISSED
    return MET if good(worst) else NOT_SHOWN
