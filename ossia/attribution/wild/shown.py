"""The result of the protocol of wild faults as tables, with the gates beside the figures."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ossia.attribution.shown_validation import families_text, number_text, share_text, targets_table
from ossia.attribution.wild.clustered import Estimate
from ossia.attribution.wild.figures import WildScore, WildValidation
from ossia.attribution.wild.gates import gates


def wild_tables(result: WildValidation) -> RenderableType:
    """Return the gates, a table for each grouping of the cases, and the misses."""
    overall = result.overall
    parts: list[RenderableType] = [
        Text(f"Gates, {overall.cases} cases of {overall.tasks} tasks; {result.tried} tried"),
        targets_table(gates(result)),
    ]
    for title, rows in (
        ("All cases", (overall, *result.by_cell)),
        ("Two changes, by how they depend on each other", result.by_structure),
        ("One change, by family", result.by_family),
        ("One change, by kind", result.by_kind),
        ("One change, by role", result.by_role),
        ("All cases, by framework", result.by_framework),
    ):
        if rows:
            parts += [Text(f"\n{title}"), _table(rows)]
    parts += [Text(line) for line in _lines(result)]
    return Group(*parts)


def _table(rows: Sequence[WildScore]) -> Table:
    table = Table("", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("n", "exact", "blame", "instead", "exonerated", "nothing", "replays", "p95"):
        table.add_column(heading, justify="right", no_wrap=heading == "n")
    for row in rows:
        shares = (row.exact, row.false_blame, row.instead, row.false_exoneration, row.unattributed)
        table.add_row(
            row.name,
            str(row.cases),
            *map(share_text, shares),
            _estimate(row.replays_mean),
            _estimate(row.replays_p95),
        )
    return table


def _estimate(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return number_text(found.value)
    return f"{number_text(found.value)} [{found.low:.0f}, {found.high:.0f}]"


def _lines(result: WildValidation) -> list[str]:
    lines = ["", f"told as: {_counts(result.told_as)}", f"statuses: {_counts(result.statuses)}"]
    for cell, reasons in result.discarded.items():
        lines.append(f"not kept, {cell}: {_counts(reasons)}")
    if result.kinds_without_cases:
        lines.append(f"kinds without a case: {', '.join(result.kinds_without_cases)}")
    for miss in result.missed:
        changes = " + ".join(f"{change.kind} at {change.situation}" for change in miss.changes)
        lines.append(
            f"missed: {miss.framework} {miss.task}, {changes}: {miss.told_as};"
            f" known {families_text(miss.known)}; told {families_text(miss.told)} ({miss.status})"
        )
    return lines


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
