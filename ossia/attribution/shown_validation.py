"""The result of the injection protocol as tables, with the targets beside the figures."""

from __future__ import annotations

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ossia.attribution.validate import BENIGN, DOUBLE, SINGLE, TRIPLE, Validation
from ossia_evaluation.attribution.metrics import MethodScore
from ossia_evaluation.rows import Share

_UNKNOWN = "-"

TARGETS: Mapping[str, str] = {
    SINGLE: "agent >= 99 %, step >= 98 %",
    BENIGN: "agent >= 99 %, step >= 98 %",
    DOUBLE: "F1 >= 95, family exact >= 90 %",
    TRIPLE: "F1 >= 88",
}
"""What is expected of the intervention, by the kind of cases."""


def validation_tables(result: Validation) -> RenderableType:
    """Return a table for each kind of cases, the replays and the discarded cases."""
    parts: list[RenderableType] = []
    for cell in dict.fromkeys(score.cell for score in result.scores):
        rows = [score for score in result.scores if score.cell == cell]
        title = f"\n{cell}: {rows[0].cases} cases; target of intervention: {TARGETS[cell]}"
        parts += [Text(title), _table(rows)]
    parts.append(Text("\nIntervention by framework, all cases"))
    parts.append(
        _table([s.model_copy(update={"method": n}) for n, s in result.by_framework.items()])
    )
    mean, p95 = _number(result.mean_replays), _number(result.p95_replays)
    parts.append(Text(f"replays of a failure: mean {mean} (target 6), p95 {p95} (target 25)"))
    discarded = ", ".join(f"{name} {count}" for name, count in result.discarded.items())
    parts.append(Text(f"not kept: {discarded or 'nothing'}"))
    for miss in result.missed:
        known, told = _families(miss.known), _families(miss.told)
        faults = " + ".join(miss.faults)
        parts.append(Text(f"missed: {miss.episode} {faults}: known {known}; told {told}"))
    return Group(*parts)


def _table(rows: list[MethodScore]) -> Table:
    table = Table(
        *("", "agent", "step", "step ±1", "precision", "recall", "F1", "families", "says"),
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for row in rows:
        table.add_row(
            row.method,
            _share(row.agent_top1),
            _share(row.step_exact),
            _share(row.step_near),
            *(_number(value and value * 100) for value in (row.precision, row.recall, row.f1)),
            _share(row.family_exact),
            _share(row.coverage),
        )
    return table


def _share(share: Share) -> str:
    if share.value is None:
        return _UNKNOWN
    return f"{share.value * 100:.1f} [{share.low * 100:.0f}, {share.high * 100:.0f}]"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1f}"


def _families(families: tuple[tuple[str, ...], ...]) -> str:
    return " | ".join(" + ".join(family) for family in families) or "nothing"
