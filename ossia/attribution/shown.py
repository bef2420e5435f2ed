"""Attributions as tables and text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ossia.attribution.matrix import UNKNOWN, matrices, mode_lines, role_table
from ossia.attribution.run import Result
from ossia.attribution.shown_verification import verification_text
from ossia_evaluation.attribution import Attribution, NearMiss, StepShown
from ossia_evaluation.attribution.columns import AttributionSummary, Grouping

_TEXT = 160
_NEAR_MISSES = 10
"""So many deviations of successes are listed; the rest is counted."""


def result_tables(result: Result, by: Grouping) -> RenderableType:
    """Return a run's failures as tables: by group and role, in full, and by failure mode.

    Args:
        result: the run's attributions.
        by: what the lines of the matrices are.
    """
    summary = result.summary
    parts: list[RenderableType] = [_head(result)]
    if result.verifications:
        parts.append(verification_text(result.verifications))
    if summary.tables:
        parts.append(matrices(summary, by))
        parts.append(role_table(summary.tables[0]))
        if by == "framework":
            parts += [role_table(table) for table in summary.of(by)]
            parts.append(
                Text("T3: Auto-SLURP's Table 3, percent of failures, by the rules' criteria")
            )
        parts.append(mode_lines(result.modes))
    if result.near_misses:
        parts.append(near_miss_lines(result.near_misses))
    return Group(*parts)


def evidence_lines(found: Sequence[Attribution]) -> RenderableType:
    """Return one line for each failed episode.

    Beside each cause stands its responsibility, and after the evidence what was absorbed.
    """
    table = Table("episode", "status", "causes", "replays", "evidence", box=SIMPLE_HEAD)
    for item in found:
        extra = " (missed recovery: url)" if item.missed_recovery else ""
        table.add_row(
            escape(item.episode),
            item.status.value,
            escape(_causes(item)),
            str(item.replays),
            escape(item.evidence + extra + _absorbed(item)),
        )
    return table


def _causes(item: Attribution) -> str:
    """The families, each cause with its responsibility: `time#1 0.50 + url#1 0.50 | url#2 1.00`."""
    shares = {cause.situation: f" {cause.responsibility:.2f}" for cause in item.causes}
    families = (" + ".join(f"{name}{shares.get(name, '')}" for name in f) for f in item.families)
    return " | ".join(families) or UNKNOWN


def _absorbed(item: Attribution) -> str:
    """A clause on the deviations that a later step took the harm out of; nothing without one."""
    found = [f"{one.situation} by {one.absorbed_by}" for one in item.deviations if one.absorbed_by]
    return f" (absorbed downstream: {', '.join(found)})" if found else ""


def near_miss_lines(found: Sequence[NearMiss]) -> RenderableType:
    """Return the deviations of successes by role, step and episode: the first, the rest counted."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in ("role", "step", "episode", "what it did"):
        table.add_column(column, overflow="fold")
    lines = [(miss.episode, deviation) for miss in found for deviation in miss.deviations]
    for episode, deviation in lines[:_NEAR_MISSES]:
        step = f"{deviation.step + 1} {deviation.situation}"
        table.add_row(*map(escape, (deviation.role, step, episode, deviation.fault)))
    parts: list[RenderableType] = [
        Text("\nSuccesses with a harmless deviation", style="bold"),
        table,
    ]
    if len(lines) > _NEAR_MISSES:
        more = f"and {len(lines) - _NEAR_MISSES} more; --json and the HTML report list all"
        parts.append(Text(more))
    return Group(*parts)


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


def _head(result: Result) -> Text:
    summary = result.summary
    mean = UNKNOWN if summary.mean_replays is None else f"{summary.mean_replays:.1f}"
    missing = result.failures - summary.failures
    lines = [
        f"{summary.run}: {summary.failures} failures"
        + (f" attributed, {missing} not yet" if missing else ""),
        f"replays: {mean} each, most {summary.most_replays}; successes with a harmless deviation:"
        f" {summary.near_misses}",
        cost_line(summary),
    ]
    return Text("\n".join(lines))


def cost_line(summary: AttributionSummary) -> str:
    """Return what the attribution cost, beside what the run cost."""
    spent, run = summary.attribution_cpu_s, summary.run_cpu_s
    ratio = UNKNOWN if summary.cpu_ratio is None else f"{summary.cpu_ratio:.2f}"
    parts = (f"{UNKNOWN if part is None else f'{part:.1f}'} s" for part in (spent, run))
    return f"CPU time, all processes: attribution by run {ratio} ({' / '.join(parts)})"


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
