"""Episodes and their comparison as CSV, for spreadsheets and notebooks.

Unknown values are empty, never zero; lists are joined by `|`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ossia_evaluation.compare import Comparison, EpisodeRow, FrameworkSummary, Pair
from ossia_evaluation.comparison import PAIRED_COSTS
from ossia_evaluation.csv_text import csv_text
from ossia_evaluation.metrics import MetricInfo
from ossia_evaluation.rows import MetricSummary, Share

PARTS = ("count", "of", "share", "low", "high")
"""What a share is written as: two numbers, their quotient and its 95 % interval."""

_LINE = ("framework", "label", "model")
_FIGURES = (
    *("calls", "tokens", "tokens_estimated", "price_usd"),
    *("price_per_success_usd", "jobs", "latency_p50_s", "latency_p95_s", "throughput_per_min"),
    *("cpu_s", "reported_tokens_share"),
)
"""Columns of the comparison that a line has as they are."""

_PAIRED = ("difference", "low", "high")
"""What is told of each cost in a pair."""

TAKEN_COLUMNS: Final = tuple(
    dict.fromkeys(
        (
            *EpisodeRow.model_fields,
            *(*_LINE, "idiom", "version", "episodes", "valid", "invalid"),
            *("success", "success_of_all"),
            *("refused", *_FIGURES, "forced"),
        )
    )
)
"""Columns, or beginnings of columns, that no metric of a suite can have."""


def share_cells(part: Share | None) -> tuple[object, ...]:
    """Return a share in its `PARTS`; all of them are empty for a share out of nothing."""
    if part is None or part.value is None:
        return ("",) * len(PARTS)
    return (part.count, part.of, f"{part.value:.4f}", f"{part.low:.4f}", f"{part.high:.4f}")


def share_columns(*names: str) -> tuple[str, ...]:
    """Return the columns of shares, such as `success_low`."""
    return tuple(f"{name}_{part}" for name in names for part in PARTS)


def episodes_csv(rows: Sequence[EpisodeRow]) -> str:
    """Return a line for each episode."""
    spread = {name: list(_keys(rows, name)) for name in ("groups", "metrics")}
    header = [column for name in EpisodeRow.model_fields for column in spread.get(name, [name])]
    return csv_text(header, (list(_cells(row, spread)) for row in rows))


def _keys(rows: Sequence[EpisodeRow], field: str) -> Iterable[str]:
    return dict.fromkeys(key for row in rows for key in getattr(row, field))


def _cells(row: EpisodeRow, spread: Mapping[str, Sequence[str]]) -> Iterator[object]:
    for name, value in row.model_dump(mode="json").items():
        if name in spread:
            yield from (value.get(key) for key in spread[name])
        else:
            yield "|".join(map(str, value)) if isinstance(value, list) else value


def comparison_csv(result: Comparison) -> str:
    """Return a line for each framework and model, with every figure and its interval.

    A run with repeats has a column for each k of pass^k after the others.
    """
    most = max((max(line.pass_hat, default=0) for line in result.frameworks), default=0)
    header = (
        *(*_LINE, "idiom", "version", "episodes", "valid", "invalid"),
        *share_columns("success", "success_of_all"),
        *(column for metric in _counted(result) for column in _metric_columns(metric)),
        *("refused", *_FIGURES, "forced"),
        *(f"pass_hat_{k}" for k in range(1, most + 1)),
    )
    return csv_text(header, (_comparison_line(result, line, most) for line in result.frameworks))


def by_group_csv(result: Comparison) -> str:
    """Return a line for each framework and model in each group, such as a domain."""
    columns = (column for metric in result.grouped for column in _metric_columns(metric))
    header = (*_LINE, result.group, *share_columns("success"), *columns)
    lines = []
    for line in result.frameworks:
        for group in result.groups:
            told = (
                _metric_cells(metric, line.metrics_by_group.get(metric.name, {}).get(group))
                for metric in result.grouped
            )
            cells = (*share_cells(line.by_group.get(group)), *(c for part in told for c in part))
            lines.append((*_line(result, line), group, *cells))
    return csv_text(header, lines)


def by_role_csv(result: Comparison) -> str:
    """Return a line for each framework, model and role: the failures in which rules name it."""
    header = (*_LINE, "role", *PARTS)
    lines = []
    for line in result.frameworks:
        for role in result.roles:
            lines.append((*_line(result, line), role, *share_cells(line.by_role.get(role))))
    return csv_text(header, lines)


def pairs_csv(result: Comparison) -> str:
    """Return a line for each pair, with the tasks that only one of the two carries out."""
    header = (
        *("pairs_of", "within", "first", "second"),
        *("both", "only_first", "only_second", "neither"),
        *("tasks", "difference", "low", "high", "test", "p_value", "p_holm"),
        *("only_first_tasks", "only_second_tasks"),
        *(f"{cost}_{part}" for cost in PAIRED_COSTS for part in _PAIRED),
    )
    return csv_text(header, map(_pair_line, result.pairs))


def _line(result: Comparison, line: FrameworkSummary) -> tuple[str, str, str]:
    """What `_LINE` says of a line."""
    return (line.framework, result.name(line.framework), line.model)


def _comparison_line(
    result: Comparison, line: FrameworkSummary, repeats: int
) -> tuple[object, ...]:
    valid = line.success.of
    shares = (line.success, line.success_of_all)
    told = (_metric_cells(metric, line.metrics.get(metric.name)) for metric in _counted(result))
    figures = {name: getattr(line, name) for name in _FIGURES}
    if not valid:
        # Of no valid episode nothing was counted, and a number would be taken for a finding.
        figures |= {"tokens_estimated": None}
    return (
        *(*_line(result, line), line.idiom, line.version, line.episodes, valid, line.invalid),
        *(cell for part in shares for cell in share_cells(part)),
        *(cell for part in told for cell in part),
        *(
            line.refused if valid else None,
            *(figures[name] for name in _FIGURES),
            "|".join(line.forced),
        ),
        *(line.pass_hat.get(k) for k in range(1, repeats + 1)),
    )


def _counted(result: Comparison) -> tuple[MetricInfo, ...]:
    return tuple(metric for metric in result.metrics if metric.aggregate is not None)


def _metric_columns(metric: MetricInfo) -> tuple[str, ...]:
    name = metric.csv_column
    return share_columns(name) if metric.aggregate == "share" else (name,)


def _metric_cells(metric: MetricInfo, found: MetricSummary | None) -> tuple[object, ...]:
    if metric.aggregate == "share":
        return share_cells(found if isinstance(found, Share) else None)
    value = None if found is None else found.value
    whole = metric.aggregate == "count" and value is not None and value.is_integer()
    return (int(value) if value is not None and whole else value,)


def _pair_line(pair: Pair) -> tuple[object, ...]:
    return (
        *(pair.of, pair.within, pair.first, pair.second),
        *(pair.both, len(pair.only_first), len(pair.only_second), pair.neither),
        *(pair.tasks, pair.difference, pair.low, pair.high, pair.test),
        *(pair.p_value, pair.p_holm, "|".join(pair.only_first), "|".join(pair.only_second)),
        *(getattr(pair.costs.get(cost), part, None) for cost in PAIRED_COSTS for part in _PAIRED),
    )
