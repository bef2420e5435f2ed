"""Who&When logs: importing them, and scoring predictions on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia_dataset.who_and_when import (
    Collection,
    read_who_and_when,
    write_lines,
)
from ossia_evaluation.report.figures import UNKNOWN
from ossia_evaluation.rows import Share
from ossia_evaluation.whowhen import (
    NEAR,
    CollectionFigures,
    FileScore,
    WhoAndWhenFigures,
    collection_figures,
    score_file,
)


def import_logs(path: Path, out: Path | None, *, notes: bool) -> None:
    """Read a clone, say what is in it, and print the figures that need no model.

    Args:
        path: a clone of the published repository, its data folder, or one collection.
        out: where to write the logs in one form, as JSON Lines; None for nowhere.
        notes: whether to print what stood out in single logs.

    Raises:
        WhoAndWhenError: there are no logs, or one cannot be read.
        UserError: `out` can be no file.
    """
    if out is not None:
        options.require_file(out)
    found = read_who_and_when(path)
    if notes:
        for note in found.notes:
            say(f"note {note.log}: {note.text}")
    if out is not None:
        write_lines(out, found.logs)
    _show(WhoAndWhenFigures(collections=collection_figures(found.logs)))
    say(f"{len(found.logs)} logs imported, {len(found.notes)} notes")


def score_command(
    predictions: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Prediction files in the published text format; without one, only the baselines."
        ),
    ] = None,
    logs: Annotated[
        Path | None,
        typer.Option(
            "--logs",
            envvar="OSSIA_WHO_AND_WHEN_LOGS",
            help="A clone of the published repository, its data folder, or one collection.",
        ),
    ] = None,
    collection: Annotated[
        Collection | None,
        typer.Option(
            "--collection",
            envvar="OSSIA_WHO_AND_WHEN_COLLECTION",
            help="Which collection the predictions are for; told from their file's name when left"
            " out.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Score predictions of agent and step on Who&When logs.

    Baselines without a model stand beside them.
    """
    if logs is None:
        raise UserError("name the folder of the logs with --logs")
    found = read_who_and_when(logs).logs
    result = WhoAndWhenFigures(
        collections=collection_figures(found),
        files=tuple(score_file(file, found, collection) for file in predictions or ()),
    )
    if json:
        say(result.model_dump_json(indent=2))
    else:
        _show(result)


def _show(result: WhoAndWhenFigures) -> None:
    console = make_console()
    for figures in result.collections:
        console.print(_baselines(figures))
        label = figures.label_is_speaker
        console.print(f"The labelled agent speaks at the labelled step in {label.count}/{label.of}")
    if result.files:
        console.print(_accuracies(result.files))
        console.print(_near(result.files))
    for file in result.files:
        for line in _missing(file):
            console.print(line, markup=False)


def _baselines(figures: CollectionFigures) -> Table:
    table = _table(f"{figures.collection} ({figures.logs} logs)", "agent %", "step %")
    for line in figures.baselines:
        table.add_row(line.baseline, f"{100 * line.agent:.1f}", f"{100 * line.step:.1f}")
    return table


def _accuracies(files: Sequence[FileScore]) -> Table:
    table = _table(
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
    table = _table("step %, near", "collection", "exact", *(f"±{far}" for far in NEAR))
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


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    return table


def _percent(share: Share) -> str:
    return UNKNOWN if share.value is None else f"{100 * share.value:.1f}"


def _interval(share: Share) -> str:
    return f"{_percent(share)} [{100 * share.low:.1f}, {100 * share.high:.1f}]"
