"""Who&When logs: importing them, and scoring predictions on them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import require_file
from ossia_dataset.who_and_when import (
    Collection,
    read_who_and_when,
    write_lines,
)
from ossia_evaluation.whowhen import WhoAndWhenFigures, collection_figures, score_file
from ossia_evaluation.whowhen.terminal import figure_tables


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
        require_file(out)
    found = read_who_and_when(path)
    if notes:
        for note in found.notes:
            say(f"note {note.log}: {note.text}")
    if out is not None:
        write_lines(out, found.logs)
    result = WhoAndWhenFigures(collections=collection_figures(found.logs))
    make_console().print(figure_tables(result))
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
            help="A clone of the published repository, its data folder, or one collection."
        ),
    ] = None,
    collection: Annotated[
        Collection | None,
        typer.Option(
            help="Which collection the predictions are for; derived from their file's name when"
            " left out."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Score predictions of agent and step on Who&When logs.

    Baselines without a model are shown next to them.
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
        make_console().print(figure_tables(result))
