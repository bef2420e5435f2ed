"""Failures laid side by side: a line for each framework, domain or intent, a column for each role.

The terminal's tables fit 80 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ossia_evaluation.attribution.columns import (
    AttributionSummary,
    FailureTable,
    Grouping,
    RoleColumns,
)
from ossia_evaluation.detectors import Coverage, ModeTable
from ossia_evaluation.rows import Share

UNKNOWN = "-"

_MATRICES: tuple[tuple[str, Callable[[RoleColumns], Share]], ...] = (
    ("But-for: repairing a step of the role alone turns the failure", lambda role: role.but_for),
    ("Causes: a step of the role is in a minimal repair family", lambda role: role.causes),
)
_COVERAGE = {Coverage.FULL: "full", Coverage.PARTIAL: "part", Coverage.NONE: "n/a"}


def matrices(summary: AttributionSummary, by: Grouping) -> RenderableType:
    """Return the matrices of but-for and causes: failures by group and role, count and percent."""
    tables = summary.of(by)
    if not tables:
        return Text("no failures")
    parts = [_matrix(title, by, tables, share) for title, share in _MATRICES]
    return Group(*parts, Text("count and percent of the failures; several roles to a failure"))


def cause_matrix(summary: AttributionSummary, by: Grouping, most: int) -> RenderableType:
    """Return the matrix of causes alone, with the groups that have most failures.

    Args:
        summary: the attributions in numbers.
        by: what its lines are.
        most: so many lines are shown, and the rest is counted.
    """
    tables = summary.of(by)
    chosen = sorted(tables, key=lambda table: (-table.failures, table.group))[:most]
    kept = [table for table in tables if table in chosen]
    title, share = _MATRICES[-1]
    left = len(tables) - len(kept)
    note = f"and {left} more with fewer failures; " if left else ""
    return Group(
        _matrix(title, by, kept, share),
        Text(f"{note}count and percent of the failures; several roles to a failure"),
    )


def role_table(table: FailureTable) -> RenderableType:
    """Return the four columns of one group with their intervals, and the published figures.

    The fifth column counts causes among the failures in which the role was involved at all.
    """
    # Five intervals fit 80 columns with the least space between them.
    shown = _plain(gap=0)
    shown.add_column("role", no_wrap=True)
    titles = ["rules", "but-for", "causes", "mass", "involved"]
    published = any(role.published is not None for role in table.roles)
    for title in [*titles, *(["pub"] if published else [])]:
        shown.add_column(title, justify="right")
    for role in table.roles:
        shown.add_row(*_cells(role, published=published))
    statuses = ", ".join(f"{name} {count}" for name, count in table.statuses.items())
    head = Text(
        f"\n{table.name}: {table.failures} failures ({statuses};"
        f" missed recoveries {table.missed_recoveries}), percent [95 %]"
    )
    return Group(head, shown)


def mode_lines(table: ModeTable) -> RenderableType:
    """Return the failure modes that show in the failures, by framework."""
    shown = _plain()
    shown.add_column("mode", overflow="fold")
    shown.add_column("told")
    for name in table.frameworks:
        shown.add_column(escape(table.name(name)), justify="right", overflow="fold")
    for row in table.rows:
        counts = [_count(row.episodes.get(name)) for name in table.frameworks]
        shown.add_row(f"{row.mode} {row.name}", _COVERAGE[row.coverage], *counts)
    title = Text("\nFailure modes by MAST's names: failed episodes that show one", style="bold")
    return Group(title, shown)


def percent(share: Share) -> str:
    """Return a share with its interval in percent: `34 [28,41]`."""
    if share.value is None:
        return UNKNOWN
    return f"{100 * share.value:.0f} [{100 * share.low:.0f},{100 * share.high:.0f}]"


def _matrix(
    title: str, by: str, tables: Sequence[FailureTable], share: Callable[[RoleColumns], Share]
) -> RenderableType:
    shown = _plain()
    shown.add_column(by, overflow="fold")
    shown.add_column("n", justify="right", no_wrap=True)
    for role in tables[0].roles:
        shown.add_column(role.role, justify="right", overflow="fold")
    for table in tables:
        counts = (_count(share(role)) for role in table.roles)
        shown.add_row(escape(table.name), str(table.failures), *counts)
    return Group(Text(f"\n{title}", style="bold"), shown)


def _plain(gap: int = 1) -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, gap, 0, 0))


def _count(share: Share | None) -> str:
    if share is None or share.value is None or not share.count:
        return UNKNOWN
    return f"{share.count} {100 * share.value:.0f}%"


def _mass(role: RoleColumns) -> str:
    """A role's mass in percent, with its interval where there is one."""
    mean = f"{100 * role.mass:.0f}"
    if role.mass_low is None or role.mass_high is None:
        return mean
    return f"{mean} [{100 * role.mass_low:.0f},{100 * role.mass_high:.0f}]"


def _cells(role: RoleColumns, *, published: bool) -> list[str]:
    cells = [
        role.role,
        percent(role.rules),
        percent(role.but_for),
        percent(role.causes),
        _mass(role),
        f"{percent(role.given_opportunity)}/{role.given_opportunity.of}",
    ]
    if published:
        cells.append(UNKNOWN if role.published is None else str(role.published))
    return cells
