"""Metrics by group, such as the domain, as tables, models laid side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ossia_evaluation.compare import Comparison, FrameworkSummary
from ossia_evaluation.metrics import MetricInfo
from ossia_evaluation.report.figures import UNKNOWN, capitalised
from ossia_evaluation.rows import MetricSummary

ARROW = " → "
_ALL = "all"


@dataclass(frozen=True, slots=True)
class GroupTable:
    """One table, ready to be shown.

    Attributes:
        metric: Whose it is.
        title: What is counted.
        columns: Titles of the columns after the group's.
        rows: Group and cells, with a last row for all groups together.
    """

    metric: MetricInfo
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def group_tables(result: Comparison) -> tuple[GroupTable, ...]:
    """Return a table for each metric that is told by group and has values; none for one model.

    With two models a cell reads `before → after`, as in Auto-SLURP's Tables 6
    and 7; with more there is a column for each framework and model.

    Args:
        result: The comparison.
    """
    if len(result.models) < 2 or not result.group:
        return ()
    known = (m for m in result.grouped if any(_has(line, m) for line in result.frameworks))
    return tuple(_table(result, metric) for metric in known)


def group_name(group: str) -> str:
    """Return what a group is called; tasks may be in none."""
    return group or UNKNOWN


def _has(line: FrameworkSummary, metric: MetricInfo) -> bool:
    return metric.name in line.metrics and bool(line.metrics[metric.name].of)


def _table(result: Comparison, metric: MetricInfo) -> GroupTable:
    columns = list(_columns(result, metric))
    rows = []
    for group in [*result.groups, None]:
        sizes = [s.of or 0 for _, column in columns for s in column[group] if s is not None]
        cells = (
            str(max(sizes, default=0)),
            *(_cell(metric, column[group]) for _, column in columns),
        )
        rows.append((_ALL if group is None else group_name(group), cells))
    unit = ", %" if metric.aggregate == "share" else ""
    title = f"{capitalised(metric.title)}, by {result.group}{unit}"
    return GroupTable(metric, title, ("n", *(name for name, _ in columns)), tuple(rows))


_Column: TypeAlias = Mapping[str | None, tuple[MetricSummary | None, ...]]
"""What is known by group; None stands for all groups together."""


def _columns(result: Comparison, metric: MetricInfo) -> Iterator[tuple[str, _Column]]:
    """Name and figures by group of each column; two models share one."""
    lines = [line for line in result.frameworks if _has(line, metric)]
    if len(result.models) > 2:
        for line in lines:
            figures = _figures(result, line, metric)
            yield result.label(line), {group: (one,) for group, one in figures.items()}
        return
    by_line = {(line.framework, line.model): line for line in lines}
    for framework in dict.fromkeys(line.framework for line in lines):
        both = [by_line.get((framework, model)) for model in result.models]
        parts = [_figures(result, line, metric) for line in both]
        name = result.name(framework)
        yield name, {group: tuple(part[group] for part in parts) for group in parts[0]}


def _figures(
    result: Comparison, line: FrameworkSummary | None, metric: MetricInfo
) -> Mapping[str | None, MetricSummary | None]:
    if line is None:
        return dict.fromkeys([*result.groups, None])
    by_group = line.metrics_by_group.get(metric.name, {})
    return {**{g: by_group.get(g) for g in result.groups}, None: line.metrics[metric.name]}


def _cell(metric: MetricInfo, figures: tuple[MetricSummary | None, ...]) -> str:
    return ARROW.join(
        UNKNOWN
        if one is None or one.value is None
        else f"{100 * one.value:.1f}"
        if metric.aggregate == "share"
        else metric.text(one.value)
        for one in figures
    )
