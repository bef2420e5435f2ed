"""`ossia report`: a run as HTML, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.runner.results import comparison_of, detail_of, rows_of
from ossia.runner.store import RunStore
from ossia.session import tasks_of
from ossia_evaluation.report import episodes_csv, report_html


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report_command)


def report_command(
    run: options.RunName = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", envvar="OSSIA_REPORT_OUT", help="Folder to write to; the run's by default."
        ),
    ] = None,
) -> None:
    """Write a run's report: report.html (self-contained), episodes.csv and comparison.json."""
    folder = options.run_folder(run)
    with RunStore(folder) as store:
        tasks = tasks_of(store.config())
        result = comparison_of(store, tasks)
        rows = rows_of(store, tasks)
        html = report_html(result, rows, detail_of(store, tasks))
    target = out or folder / "report"
    target.mkdir(parents=True, exist_ok=True)
    written = {
        "report.html": html,
        "episodes.csv": episodes_csv(rows),
        "comparison.json": result.model_dump_json(indent=2) + "\n",
    }
    for name, text in written.items():
        aside = target / (name + ".part")
        aside.write_text(text, "utf-8")
        typer.echo(aside.replace(target / name))
