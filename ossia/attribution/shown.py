"""Attributions as tables and text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ossia.attribution.fault_table import fault_tables, fault_text
from ossia.attribution.matrix import UNKNOWN, matrices, mode_lines, role_table
from ossia.attribution.run import Result
from ossia.attribution.shared_lines import evidence_lines
from ossia.attribution.shown_verification import verification_text
from ossia.runner.results import unreadable_text
from ossia_evaluation.attribution import Attribution, NearMiss, StepShown, repair_text
from ossia_evaluation.attribution.columns import AttributionSummary, FailureTable, Grouping
from ossia_evaluation.attribution.shared import shared_failures, told
from ossia_evaluation.whole_words import Indented
from ossia_evaluation.words import counted, shortened

_TEXT = 160

ASSUMED: Final = "a replay asked for something that the run had not recorded"
MISSED: Final = "a later role passed on a fault it could have corrected"


def result_tables(result: Result, by: Grouping) -> RenderableType:
    """Return all of a run's failures: in tables, and each that several frameworks share once.

    Args:
        result: the run's attributions.
        by: what the lines of the matrices are.
    """
    summary = result.summary
    parts: list[RenderableType] = [head(result)]
    if result.verifications:
        parts.append(verification_text(result.verifications))
    if summary.tables:
        parts.append(matrices(summary, by))
        parts += fault_tables(result)
        parts.append(role_table(summary.tables[0]))
        if by == "framework":
            parts += [role_table(table) for table in summary.of(by)]
            if result.published:
                parts.append(
                    Text(f"pub: {result.published}, percent of failures, by the rules' criteria")
                )
        if result.modes.rows:
            parts.append(mode_lines(result.modes))
    if result.near_misses:
        parts.append(near_miss_groups(result.near_misses))
    if result.attributions:
        parts.append(evidence_lines(result.attributions))
    return Group(*parts)


def near_miss_groups(found: Sequence[NearMiss]) -> RenderableType:
    """Return all deviations of successes, each that several frameworks share once."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in ("role", "task", "frameworks", "what it did"):
        table.add_column(column, overflow="fold")
    shared: dict[tuple[str, str, str], dict[str, None]] = {}
    for miss in found:
        for one in miss.deviations:
            shared.setdefault((miss.task, one.role, one.fault), {})[miss.framework] = None
    everywhere = {miss.framework for miss in found}
    for (task, role, fault), frameworks in shared.items():
        all_ = len(everywhere) > 2 and frameworks.keys() == everywhere
        who = f"all {len(everywhere)}" if all_ else ", ".join(frameworks)
        table.add_row(*map(escape, (role, task, who, fault)))
    return Group(Text("\nSuccesses with a harmless deviation", style="bold"), table)


def episode_text(item: Attribution) -> RenderableType:
    """Return one episode's attribution in full: the steps, the culprits, the counterfactual."""
    parts: list[RenderableType] = []
    for step in item.steps:
        parts += _step(step)
    if any(step.culprit for step in item.steps):
        parts.append(Text("  > a step at fault; repaired: what its contract demands"))
    parts.append(Text(""))
    parts.append(Text.from_markup(f"status: [bold]{item.status}[/bold]  {escape(item.reason)}"))
    parts.append(Text(told(item)))
    for cause in item.causes:
        numbers = f"responsibility {cause.responsibility:.2f}, {repair_text(cause)}"
        parts.append(Indented(f"  cause: {cause.situation}: {cause.fault} ({numbers})"))
        if cause.sign or cause.differs:
            parts.append(Indented(f"    {fault_text(cause)}"))
    for number, family in enumerate(item.families[1:], start=1):
        parts.append(Indented(f"  alternative {number}: {' + '.join(family)}"))
    for deviation in item.deviations:
        if not deviation.cause:
            by = f", absorbed by {deviation.absorbed_by}" if deviation.absorbed_by else ""
            parts.append(Indented(f"  harmless: {deviation.situation}: {deviation.fault}{by}"))
    if item.recovery_text:
        parts.append(Indented(f"  {item.recovery_text}"))
    if not item.complete:
        parts.append(Indented("  the search was not complete: there may be other repairs"))
    return Group(*parts)


def head(result: Result) -> Text:
    """Return what there is to tell of a run in a few lines: how many, how they ended, the cost."""
    summary = result.summary
    mean = UNKNOWN if summary.mean_replays is None else f"{summary.mean_replays:.1f}"
    replays = f"replays: {mean} each, most {summary.most_replays}; " if summary.failures else ""
    missing = result.failures - summary.failures - len(result.unreadable)
    shared = len(shared_failures(result.attributions))
    tasks = len({item.task for item in result.attributions})
    lines = [
        f"{summary.run}: {counted(summary.failures, 'failure')}"
        + (f" attributed, {missing} not yet" if missing else "")
        + (f"; {counted(shared, 'different one')}, of {counted(tasks, 'task')}" if shared else ""),
        *(status_lines(summary.tables[0]) if summary.tables else []),
        f"{replays}successes with a harmless deviation: {summary.near_misses}",
        *([cost_line(summary)] if summary.failures else ()),
        *([f"the user was {result.user}; replays use the scripted one"] if result.user else ()),
        *unreadable_lines(result),
    ]
    return Text("\n".join(lines))


def unreadable_lines(result: Result) -> list[str]:
    """Return a line for what is stored and could not be read; nothing where all could be."""
    told = (("attribution", result.unreadable), ("episode", result.damaged))
    return [unreadable_text(what, names) for what, names in told if names]


def status_lines(table: FailureTable) -> list[str]:
    """Return how the attributions ended, such as `attributed 40, flaky 2`, and more on them."""
    lines = [", ".join(f"{name} {count}" for name, count in table.statuses.items())]
    if table.conditional:
        verb = "relies" if table.conditional == 1 else "rely"
        lines.append(f"  {table.conditional} {verb} on assumed answers: {ASSUMED}")
    if table.missed_recoveries:
        missed = "missed recovery" if table.missed_recoveries == 1 else "missed recoveries"
        lines.append(f"  {table.missed_recoveries} {missed}: {MISSED}")
    return lines


def cost_line(summary: AttributionSummary) -> str:
    """Return what the attribution cost, beside what the run cost."""
    spent, run = summary.attribution_cpu_s, summary.run_cpu_s
    ratio = UNKNOWN if summary.cpu_ratio is None else f"{summary.cpu_ratio:.2f}"
    parts = (f"{UNKNOWN if part is None else f'{part:.1f}'} s" for part in (spent, run))
    return f"CPU time, all processes: attribution / run {ratio} ({' / '.join(parts)})"


def _step(step: StepShown) -> list[RenderableType]:
    mark = "[red]>[/red]" if step.culprit else " "
    said = escape(shortened(step.said, _TEXT))
    head = f"{mark}{step.step + 1:3}. [bold]{escape(step.situation)}[/bold]  {said}"
    lines: list[RenderableType] = [Indented(Text.from_markup(head), hang=6)]
    if step.counterfactual is not None and step.counterfactual != step.said:
        lines.append(Indented(f"       repaired: {shortened(step.counterfactual, _TEXT)}"))
    return lines
