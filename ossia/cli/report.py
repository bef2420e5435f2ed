"""`ossia report`: a run as HTML, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say, say_lines
from ossia.outputs import require_folder
from ossia.report import write_report
from ossia.runner.store import RunStore


def report_command(
    run: options.RunName = None,
    store: options.Store = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; the run's by default.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open report.html in the browser.")] = False,
) -> None:
    """Write a run's report: report.html (self-contained), comparison.json, and the tables as CSV.

    comparison.csv has a line for each framework and model, by_domain.csv and by_role.csv for each
    domain and role of these, pairs.csv for each pair, and episodes.csv for each episode. A suite
    whose tasks are grouped by something other than domains has a file with that name, such as
    by_topic.csv.

    What `ossia attribute` has stored is part of the page, and written as attribution.json,
    attributions.csv, failures_by_role.csv and failure_modes.csv. A suite may add a part of its own,
    as WorkBench does: the run in the publication's terms, in workbench.csv and workbench.json.
    """
    if out is not None:
        require_folder(out)
    with RunStore(options.run_place(run, store)) as stored:
        files, troubles = write_report(stored, out)
    say_lines(troubles, err=True)
    say_lines(files)
    page = files[0].resolve().as_uri()
    if not (open_ and _opened(page)):
        say(f"open in a browser: {page}", err=True)


def _opened(page: str) -> bool:
    """Open a page in the browser; False where there is none, as on a server."""
    import webbrowser

    try:
        return webbrowser.open(page)
    except webbrowser.Error:
        return False
