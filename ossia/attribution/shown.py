"""Attributions as tables, text and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ossia.attribution.run import Result
from ossia_evaluation.attribution import Attribution, StepShown
from ossia_evaluation.attribution.columns import AttributionSummary, FailureTable, RoleColumns
from ossia_evaluation.rows import Share

_UNKNOWN = "-"
_TEXT = 160


def summary_tables(summary: AttributionSummary) -> RenderableType:
    """Return a run's failures by role as tables: all, by framework, by domain and by intent."""
    parts: list[RenderableType] = [_head(summary)]
    parts += [_roles(table) for table in summary.tables if table.by in ("all", "framework")]
    for by in ("domain", "intent"):
        tables = [table for table in summary.tables if table.by == by]
        if tables:
            parts.append(_matrix(by, tables))
    return Group(*parts)


def evidence_lines(found: Sequence[Attribution]) -> RenderableType:
    """Return one line for each failed episode."""
    table = Table("episode", "status", "causes", "replays", "evidence", box=SIMPLE_HEAD)
    for item in found:
        causes = " | ".join(" + ".join(family) for family in item.families) or _UNKNOWN
        extra = " (missed recovery: url)" if item.missed_recovery else ""
        table.add_row(
            escape(item.episode),
            item.status.value,
            escape(causes),
            str(item.replays),
            escape(item.evidence + extra),
        )
    return table


def episode_text(item: Attribution) -> RenderableType:
    """Return one episode's attribution in full: the steps, the culprits, the counterfactual."""
    parts: list[RenderableType] = []
    for step in item.steps:
        parts += _step(step)
    parts.append(Text(""))
    parts.append(Text.from_markup(f"status: [bold]{item.status}[/bold]  {escape(item.reason)}"))
    parts.append(Text(item.evidence))
    for cause in item.causes:
        numbers = (
            f"responsibility {cause.responsibility:.2f},"
            f" {'' if cause.necessary else 'not '}enough alone,"
            f" {'' if cause.sufficient else 'not '}in every repair"
        )
        parts.append(Text(f"  cause: {cause.situation}: {cause.fault} ({numbers})"))
    for number, family in enumerate(item.families[1:], start=1):
        parts.append(Text(f"  alternative {number}: {' + '.join(family)}"))
    for deviation in item.deviations:
        if not deviation.cause:
            by = f", absorbed by {deviation.absorbed_by}" if deviation.absorbed_by else ""
            parts.append(Text(f"  harmless: {deviation.situation}: {deviation.fault}{by}"))
    if item.missed_recovery:
        parts.append(Text("  missed recovery: the url role passed the wrong intent on"))
    if not item.complete:
        parts.append(Text("  the search was not complete: there may be other repairs"))
    return Group(*parts)


def as_csv(result: Result) -> str:
    """Return the attributions as CSV, one line for each cause; without one, for each episode."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        (
            *("episode", "framework", "task", "domain", "intent", "status", "role", "step"),
            *("situation", "responsibility", "necessary", "sufficient", "families", "rules"),
            *("missed_recovery", "replays", "complete", "evidence"),
        )
    )
    for item in result.attributions:
        head = (item.episode, item.framework, item.task, item.domain, item.intent, item.status)
        families = " | ".join(" + ".join(family) for family in item.families)
        tail = (
            *(families, "+".join(item.rules), item.missed_recovery, item.replays),
            *(item.complete, item.evidence),
        )
        if not item.causes:
            writer.writerow((*head, "", "", "", "", "", "", *tail))
        for cause in item.causes:
            own = (cause.role, cause.step + 1, cause.situation, f"{cause.responsibility:.4f}")
            writer.writerow((*head, *own, cause.necessary, cause.sufficient, *tail))
    return out.getvalue()


def _head(summary: AttributionSummary) -> Text:
    mean = _UNKNOWN if summary.mean_replays is None else f"{summary.mean_replays:.1f}"
    ratio = _UNKNOWN if summary.cpu_ratio is None else f"{summary.cpu_ratio:.2f}"
    return Text(
        f"{summary.run}: {summary.failures} failures, {mean} replays each"
        f" (most {summary.most_replays}), {summary.near_misses} successes with a harmless"
        f" deviation; CPU time of the attribution by that of the run, all processes: {ratio}"
    )


def _roles(table: FailureTable) -> RenderableType:
    shown = Table(
        *("role", "rules", "but-for", "causes", "mass", "causes, where the role had a part"),
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    published = any(role.published is not None for role in table.roles)
    if published:
        shown.add_column("Auto-SLURP, Table 3")
    for role in table.roles:
        shown.add_row(*_row(role, published))
    statuses = ", ".join(f"{name} {count}" for name, count in table.statuses.items())
    title = Text(
        f"\n{table.group}: {table.failures} failures ({statuses};"
        f" missed recoveries {table.missed_recoveries})"
    )
    return Group(title, shown)


def _row(role: RoleColumns, published: bool) -> list[str]:
    cells = [
        role.role,
        _share(role.rules),
        _share(role.but_for),
        _share(role.causes),
        f"{role.mass:.2f}",
        f"{_share(role.given_opportunity)} of {role.given_opportunity.of}",
    ]
    if published:
        cells.append(_UNKNOWN if role.published is None else f"{role.published} %")
    return cells


def _matrix(by: str, tables: Sequence[FailureTable]) -> RenderableType:
    shown = Table(by, "failures", box=SIMPLE_HEAD, pad_edge=False)
    for role in tables[0].roles:
        shown.add_column(role.role, justify="right")
    for table in tables:
        cells = [_share(role.causes) if role.causes.count else _UNKNOWN for role in table.roles]
        shown.add_row(table.group, str(table.failures), *cells)
    return Group(Text(f"\nCauses by {by}"), shown)


def _share(value: Share) -> str:
    if value.value is None:
        return _UNKNOWN
    return f"{value.value:.2f} [{value.low:.2f}, {value.high:.2f}]"


def _step(step: StepShown) -> list[RenderableType]:
    mark = "[red]>[/red]" if step.culprit else " "
    said = escape(_short(step.said))
    head = f"{mark}{step.step + 1:3}. [bold]{escape(step.situation)}[/bold]  {said}"
    lines: list[RenderableType] = [Text.from_markup(head)]
    if step.counterfactual is not None and step.counterfactual != step.said:
        lines.append(Text(f"       repaired: {_short(step.counterfactual)}"))
    return lines


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 4] + " ..."
