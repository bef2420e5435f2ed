"""The result of the injection protocol as tables, with the targets beside the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks.attribution.figures import HARMLESS, Control, Validation
from benchmarks.attribution.metrics import MethodScore
from benchmarks.attribution.targets import Checked, checked
from ossia_evaluation.rows import Share

_UNKNOWN = "-"


def validation_tables(result: Validation) -> RenderableType:
    """Return the targets, a table for each kind of cases, controls, leakage and misses."""
    parts: list[RenderableType] = [Text("Targets of intervention"), targets_table(checked(result))]
    parts += [Text(line) for line in _missing(result)]
    for cell in dict.fromkeys(score.cell for score in result.scores):
        rows = [score for score in result.scores if score.cell == cell]
        parts += [Text(f"\n{cell}: {rows[0].cases} cases"), _table(rows)]
    parts += [Text(f"\n{HARMLESS}: {result.harmless.cases} cases"), _table([result.harmless])]
    parts.append(Text("\nIntervention by framework, all failures"))
    parts.append(_renamed(result.by_framework.items()))
    if result.by_structure:
        parts.append(Text("\nIntervention by how two faults depend on each other"))
        parts.append(_renamed(result.by_structure.items()))
    parts += [Text("\nControls: nobody of the team is to blame"), _controls(result.controls)]
    parts += [Text(line) for line in _lines(result)]
    return Group(*parts)


def _missing(result: Validation) -> list[str]:
    lines = [f"missing, {each.kind}: {each.made} of {each.wanted}" for each in result.missing]
    if result.pairs_without_cases:
        pairs = ", ".join(result.pairs_without_cases)
        lines.append(f"pairs of roles without a case in which both do harm: {pairs}")
    return lines


def _lines(result: Validation) -> list[str]:
    told = result.calibration
    lines = [f"\ncalibration: Brier {number_text(told.brier, 4)}, ECE {number_text(told.ece, 4)}"]
    for each in result.replays:
        lines.append(
            f"replays, {each.cell}: mean {number_text(each.mean)}, p95 {number_text(each.p95)}"
        )
    for leak in result.leakage:
        found = (
            f"{number_text(leak.auc, 2)} [{number_text(leak.low, 2)}, {number_text(leak.high, 2)}]"
        )
        sizes = f"{leak.injected} injected, {leak.natural} natural, {leak.pairs} pairs"
        lines.append(f"leakage against {leak.against}: AUC {found} ({sizes})")
    for pair in result.against:
        if pair.second in ("first gold-diff", "earliest decisive", "spectrum", "rules"):
            lines.append(
                f"{pair.cell}: only intervention names a cause first in {pair.only_first},"
                f" only {pair.second} in {pair.only_second}, p {pair.p:.2g}"
            )
    for cell, reasons in result.discarded.items():
        told_reasons = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        lines.append(f"not kept, {cell}: {told_reasons}")
    causes = Counter((miss.cell, miss.cause) for miss in result.missed)
    lines += [f"missed, {cell}: {cause} {count}" for (cell, cause), count in causes.items()]
    for miss in result.missed:
        known, said = families_text(miss.known), families_text(miss.told)
        faults = " + ".join(miss.faults)
        lines.append(
            f"missed: {miss.framework} {miss.task}, {miss.cell}, {faults}:"
            f" known {known}; told {said} ({miss.status})"
        )
    return lines


def targets_table(rows: Sequence[Checked]) -> Table:
    """Return targets beside their figures."""
    table = Table("", "figure", "95 % interval", "target", "", box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        interval = _UNKNOWN
        if row.low is not None and row.high is not None:
            interval = f"{row.low:.1f} - {row.high:.1f}"
        table.add_row(row.name, number_text(row.value), interval, row.target, row.result)
    return table


def _renamed(rows: Iterable[tuple[str, MethodScore]]) -> Table:
    return _table([score.model_copy(update={"method": name}) for name, score in rows], cases=True)


def _table(rows: Sequence[MethodScore], *, cases: bool = False) -> Table:
    figures = ("agent", "step", "step ±1", "precision", "recall", "F1", "families", "says")
    table = Table("", *(("cases",) if cases else ()), *figures, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(
            row.method,
            *((str(row.cases),) if cases else ()),
            share_text(row.agent_top1),
            share_text(row.step_exact),
            share_text(row.step_near),
            *(number_text(value and value * 100) for value in (row.precision, row.recall)),
            _f1(row),
            share_text(row.family_exact),
            share_text(row.coverage),
        )
    return table


def _controls(controls: Sequence[Control]) -> Table:
    headings = ("", "counted", "blamed", "nothing to blame", "invalid", "statuses")
    table = Table(*headings, box=SIMPLE_HEAD, pad_edge=False)
    for each in controls:
        statuses = ", ".join(f"{name} {count}" for name, count in each.statuses.items())
        apart = str(each.nothing_to_blame), str(each.invalid)
        counted = str(each.false_blame.of), share_text(each.false_blame)
        table.add_row(each.cell, *counted, *apart, statuses)
    return table


def _f1(row: MethodScore) -> str:
    if row.f1 is None or row.f1_low is None or row.f1_high is None:
        return _UNKNOWN
    return f"{row.f1 * 100:.1f} [{row.f1_low * 100:.0f}, {row.f1_high * 100:.0f}]"


def share_text(share: Share) -> str:
    """Return a share in percent with its interval; a dash for a share out of nothing."""
    if share.value is None:
        return _UNKNOWN
    return f"{share.value * 100:.1f} [{share.low * 100:.0f}, {share.high * 100:.0f}]"


def number_text(value: float | None, places: int = 1) -> str:
    """Return a number with so many places; a dash where it is unknown."""
    return _UNKNOWN if value is None else f"{value:.{places}f}"


def families_text(families: tuple[tuple[str, ...], ...]) -> str:
    """Return families of steps as one text."""
    return " | ".join(" + ".join(family) for family in families) or "nothing"
