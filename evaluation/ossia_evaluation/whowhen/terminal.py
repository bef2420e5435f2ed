"""Figures on logs of failures, and on predictions for them, as tables of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ossia_evaluation.report.figures import UNKNOWN
from ossia_evaluation.report.word_table import figure_table
from ossia_evaluation.rows import Share
from ossia_evaluation.whowhen.metrics import NEAR
from ossia_evaluation.whowhen.summary import CollectionFigures, FileScore, WhoAndWhenFigures


def figure_tables(result: WhoAndWhenFigures) -> RenderableType:
    """Return the baselines of each collection, the files' scores, and what these do not predict."""
    return Group(*_parts(result))


def _parts(result: WhoAndWhenFigures) -> Iterator[RenderableType]:
    for figures in result.collections:
        yield _baselines(figures)
        label = figures.label_is_speaker
        yield f"The labelled agent speaks at the labelled step in {label.count}/{label.of}"
    if result.files:
        yield _accuracies(result.files)
        yield _near(result.files)
    for file in result.files:
        yield from map(Text, _missing(file))


def _baselines(figures: CollectionFigures) -> Table:
    table = figure_table(f"{figures.collection} ({figures.logs} logs)", "agent %", "step %")
    for line in figures.baselines:
        table.add_row(line.baseline, f"{100 * line.agent:.1f}", f"{100 * line.step:.1f}")
    return table


def _accuracies(files: Sequence[FileScore]) -> Table:
    table = figure_table(
        "predictions",
        "collection",
        "predicted",
        "agent % [95 %]",
        "step % [95 %]",
        "both % [95 %]",
        "agent %, substring",
        "step %, substring",
    )
    for file in files:
        score = file.score
        table.add_row(
            Path(file.file).name,
            file.collection,
            f"{score.predicted}/{score.logs}",
            *(_interval(share) for share in (score.agent, score.step, score.both)),
            _percent(score.agent_substring),
            _percent(score.step_substring),
        )
    return table


def _near(files: Sequence[FileScore]) -> Table:
    table = figure_table("step %, near", "collection", "exact", *(f"±{far}" for far in NEAR))
    for file in files:
        near = (_percent(file.score.step_near[far]) for far in NEAR)
        table.add_row(Path(file.file).name, file.collection, _percent(file.score.step), *near)
    return table


def _missing(file: FileScore) -> list[str]:
    score, name = file.score, Path(file.file).name
    told = {
        "no prediction for": score.without_prediction,
        "no agent and step in the block of": score.unreadable,
        "no such log:": score.without_log,
    }
    return [f"{name}: {words} {', '.join(logs)}" for words, logs in told.items() if logs]


def _percent(share: Share) -> str:
    return UNKNOWN if share.value is None else f"{100 * share.value:.1f}"


def _interval(share: Share) -> str:
    return f"{_percent(share)} [{100 * share.low:.1f}, {100 * share.high:.1f}]"
