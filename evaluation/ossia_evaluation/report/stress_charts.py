"""Dose curves as inline SVG: recovery by dose, one line for each framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from ossia_evaluation.rows import TaskShare
from ossia_evaluation.stress.figures import Stress, StressLine

__all__ = ["dose_charts"]

_WIDTH: Final = 420
_HEIGHT: Final = 190
_LEFT: Final = 44
_TOP: Final = 12
_BOTTOM: Final = 150
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "1 5", "12 4")
"""Frameworks are told apart by their dashes and by a number, not by colours alone."""


def dose_charts(result: Stress, model: str) -> dict[str, str]:
    """Return a chart for each class that the run has in several doses.

    Args:
        result: the figures.
        model: with which model.
    """
    lines = result.with_model(model)
    doses = tuple(dict.fromkeys(fault.dose for fault in result.faults))
    return {
        group: _chart(group, [dose for dose in doses if _has(lines, group, dose)], lines)
        for group in result.groups
        if any(group in line.by_dose for line in lines)
    }


def _has(lines: Sequence[StressLine], group: str, dose: str) -> bool:
    return any(dose in line.by_dose.get(group, {}) for line in lines)


def _chart(group: str, doses: Sequence[str], lines: Sequence[StressLine]) -> str:
    parts = [
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{_y(at):.1f}" y2="{_y(at):.1f}"/>'
        f'<text class="tick" x="{_LEFT - 20}" y="{_y(at) + 4:.1f}">{at:.1f}</text>'
        for at in (0.0, 0.5, 1.0)
    ]
    places = {dose: _x(number, len(doses)) for number, dose in enumerate(doses)}
    parts += [
        f'<text class="tick" x="{x:.1f}" y="{_BOTTOM + 20}">{escape(dose)}</text>'
        for dose, x in places.items()
    ]
    for number, line in enumerate(lines):
        parts.append(_curve(number, line.label, places, line.by_dose.get(group, {})))
    title = f"Recovery by dose: {group}"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" width="{_WIDTH}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _curve(
    number: int, label: str, places: Mapping[str, float], shares: Mapping[str, TaskShare]
) -> str:
    known = [(x, shares[dose].value) for dose, x in places.items() if dose in shares]
    points = [(x, _y(value)) for x, value in known if value is not None]
    if not points:
        return ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    dots = "".join(
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(label)}</title>'
        "</circle>"
        for x, y in points
    )
    return (
        f'<polyline class="curve" points="{path}" fill="none"'
        f' stroke-dasharray="{_DASHES[number % len(_DASHES)]}"/>{dots}'
        f'<text x="{x + 6:.1f}" y="{y + 4:.1f}">{number + 1}</text>'
    )


def _x(number: int, count: int) -> float:
    return _LEFT + 20 + number * (_WIDTH - _LEFT - 70) / max(1, count - 1)


def _y(share: float) -> float:
    return _BOTTOM - share * (_BOTTOM - _TOP)
