"""The runs of a home as a table, or as lines on a narrow terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from ossia.runner.runs import RunInfo
from ossia_evaluation.report.figures import UNKNOWN, number
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.visible import visible_line
from ossia_evaluation.whole_words import Indented
from ossia_evaluation.words import counted

_TABLE_WIDTH: Final = 120
"""On a narrower terminal each run takes two lines."""

_FRAMEWORKS_SHOWN: Final = 3


def runs_shown(runs: Sequence[RunInfo], width: int) -> RenderableType:
    """Return the runs as a terminal of some width shows them."""
    return _table(runs) if width >= _TABLE_WIDTH else _blocks(runs)


def bytes_text(count: int) -> str:
    """Return a size as people read it."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def _table(runs: Sequence[RunInfo]) -> RenderableType:
    table = word_table(
        "run", "suite", "frameworks", "model", "done", "invalid", "success", "size", "changed"
    )
    for column in table.columns[1:4]:
        column.justify = "left"
    for run in runs:
        if run.config is None:
            empty = (UNKNOWN,) * 6
            what = Text("unreadable; --json says why")
            table.add_row(run.title, what, *empty[1:], bytes_text(run.size), _when(run))
            continue
        table.add_row(
            run.title,
            visible_line(run.config.suite),
            _frameworks(run),
            _models(run),
            f"{run.done}/{run.planned}",
            str(run.invalid),
            number(run.success, ".2f"),
            bytes_text(run.size),
            _when(run),
        )
    return table


def _blocks(runs: Sequence[RunInfo]) -> RenderableType:
    parts: list[RenderableType] = []
    for run in runs:
        parts.append(Indented(Text(run.title, style="bold"), hang=2))
        parts += [Indented(f"  {line}", hang=2) for line in _about(run)]
    return Group(*parts)


def _about(run: RunInfo) -> tuple[str, ...]:
    last = f"{bytes_text(run.size)}, {_when(run)}"
    if run.config is None:
        return (f"unreadable: {visible_line(run.problem or '')}; {last}",)
    return (
        f"{visible_line(run.config.suite)}; {_frameworks(run)}; {_models(run)}",
        f"{run.done}/{counted(run.planned, 'episode')}, {run.invalid} invalid,"
        f" success {number(run.success, '.2f')}; {last}",
    )


def _frameworks(run: RunInfo) -> str:
    names = [] if run.config is None else [each.name for each in run.config.frameworks]
    more = len(names) - _FRAMEWORKS_SHOWN
    shown = visible_line(", ".join(names[:_FRAMEWORKS_SHOWN]))
    return shown + (f" and {more} more" if more > 0 else "")


def _models(run: RunInfo) -> str:
    return "" if run.config is None else visible_line(", ".join(run.config.models))


def _when(run: RunInfo) -> str:
    return f"{run.changed:%Y-%m-%d %H:%M}"
