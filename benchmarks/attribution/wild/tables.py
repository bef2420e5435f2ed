"""The result of the protocol of wild faults as tables, with the gates beside the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.attribution.tables import families_text, number_text, share_text, targets_table
from benchmarks.attribution.wild.clustered import by_cluster
from benchmarks.attribution.wild.figures import Told, WildMissed, WildScore, WildValidation
from benchmarks.attribution.wild.gates import gates


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
        ("One change, by role", result.by_role),
        ("All cases, by framework", result.by_framework),
    ):
        if rows:
            parts += [Text(f"\n{title}: percent with 95 % interval"), _shares(rows)]
    parts += [Text("\nOne change, by kind: cases, and mean replays"), _counts(result.by_kind)]
    parts += [Text(line) for line in _lines(result)]
    return Group(*parts)


def _shares(rows: Sequence[WildScore]) -> Table:
    table = Table("", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("n", "exact", "exonerated", "false blame"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        shares = (row.exact, row.false_exoneration, row.false_blame)
        table.add_row(row.name, str(row.cases), *map(share_text, shares))
    return table


_SHORT = {
    Told.EXACT: "exact",
    Told.STEPS: "steps",
    Told.BESIDE: "beside",
    Told.INSTEAD: "instead",
    Told.EXONERATED: "exon.",
    Told.NOTHING: "none",
}


def _counts(rows: Sequence[WildScore]) -> Table:
    table = Table("", box=None, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for heading in ("n", *_SHORT.values(), "mean"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        counts = (str(row.told_as.get(told.value, "")) for told in _SHORT)
        table.add_row(row.name, str(row.cases), *counts, number_text(row.replays_mean.value))
    return table


def _lines(result: WildValidation) -> list[str]:
    told = result.overall.told_as
    lines = ["", f"told: {_listed(told)}", f"statuses: {_listed(result.statuses)}"]
    lines += [f"{short}: {each}" for each, short in _SHORT.items() if short != each.value]
    for cell, reasons in result.discarded.items():
        lines.append(f"not kept, {cell}: {_listed(reasons)}")
    if result.kinds_without_cases:
        lines.append(f"kinds without a case: {', '.join(result.kinds_without_cases)}")
    groups = by_cluster(result.missed, _how)
    for how, misses in sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0]))):
        first = misses[0]
        example = (
            f"{first.framework} {first.task}: known {families_text(first.known)},"
            f" told {families_text(first.told)}"
        )
        lines.append(f"missed, {how}: {len(misses)}, such as {example}")
    return lines


def _how(miss: WildMissed) -> str:
    changes = " + ".join(f"{change.kind} of {change.role}" for change in miss.changes)
    return f"{changes}: {miss.told_as.value} ({miss.status})"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
