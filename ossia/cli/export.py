"""`ossia export who-and-when`: a run's failures in the shape of the published logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.attribution.as_logs import write_failure_logs
from ossia.cli import options
from ossia.cli.told import say_lines
from ossia.outputs import require_folder


def who_and_when_command(
    run: options.RunName = None,
    store: options.Store = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write to, a JSON file for each failure; who-and-when in the run's"
            " folder by default."
        ),
    ] = None,
) -> None:
    """Write each failed episode as a Who&When log.

    The log holds the agent and the step that caused the failure: the decisive step of `ossia
    attribute` where that has been run, and otherwise what the published criteria name. An episode
    in which neither names an agent is left out and listed.
    """
    if out is not None:
        require_folder(out)
    place = options.run_place(run, store)
    target = out or place.folder / "who-and-when"
    say_lines(write_failure_logs(place, target))
