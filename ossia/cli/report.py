"""`ossia report`: a run as HTML, CSV and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.report import report_files
from ossia.runner.store import RunStore
from ossia_dataset.files import write_whole


def report_command(
    run: options.RunName = None,
    store: options.Store = None,
    out: Annotated[
        Path | None,
        typer.Option(envvar="OSSIA_REPORT_OUT", help="Folder to write to; the run's by default."),
    ] = None,
    open_: Annotated[
        bool,
        typer.Option("--open", envvar="OSSIA_REPORT_OPEN", help="Open report.html in the browser."),
    ] = False,
) -> None:
    """Write a run's report: report.html (self-contained), comparison.json, and the tables as CSV.

    comparison.csv has a line for each framework and model, by_domain.csv and by_role.csv for each
    domain and role of these, pairs.csv for each pair, and episodes.csv for each episode. A suite
    whose tasks are grouped by something else than domains has a file with that name, such as
    by_topic.csv.

    What `ossia attribute` has stored is part of the page, and written as attribution.json,
    attributions.csv, failures_by_role.csv and failure_modes.csv. A suite may add a part of its own,
    as WorkBench does: the run in the publication's terms, in workbench.csv and workbench.json.
    """
    if out is not None:
        options.require_folder(out)
    place = options.run_place(run, store)
    with RunStore(place) as stored:
        files, troubles = report_files(stored)
    for line in troubles:
        say(line, err=True)
    page = _written(files, out or place.folder / "report").resolve().as_uri()
    if not (open_ and _opened(page)):
        say(f"open in a browser: {page}", err=True)


def _written(files: Mapping[str, str], target: Path) -> Path:
    """Write a report's files, none of them by half; returns the page's path."""
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        say(write_whole(target / name, text))
    return target / "report.html"


def _opened(page: str) -> bool:
    """Open a page in the browser; False where there is none, as on a server."""
    import webbrowser

    try:
        return webbrowser.open(page)
    except webbrowser.Error:
        return False
