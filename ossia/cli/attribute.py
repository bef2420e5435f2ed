"""`ossia attribute`: who failed in a run, shown by intervention."""

from __future__ import annotations

import json as json_lines
from enum import StrEnum
from typing import Annotated

import typer

from ossia import loop
from ossia.attribution.run import Attributed, Result, attribute_run
from ossia.attribution.shown import as_csv, evidence_lines, summary_tables
from ossia.cli import options, render
from ossia.errors import UserError
from ossia.runner.store import RunStore
from ossia.session import tasks_of

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells expect it."""


class Form(StrEnum):
    """How the result is printed."""

    TABLES = "tables"
    JSON = "json"
    CSV = "csv"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("attribute")(attribute_command)


def attribute_command(
    run: options.RunName = None,
    framework: Annotated[
        list[str] | None,
        typer.Option(
            "--framework",
            "-f",
            envvar="OSSIA_FRAMEWORK",
            help="Only this framework of the run; repeatable or comma-separated.",
        ),
    ] = None,
    jobs: options.Jobs = 8,
    json: options.Json = False,
    csv: Annotated[
        bool, typer.Option("--csv", envvar="OSSIA_CSV", help="Print CSV instead of tables.")
    ] = False,
) -> None:
    """Say which agent failed in each failed episode: correct a step, run on, and see.

    No model is called: the answers come from the run's own record. The same command again goes on
    where it stopped.
    """
    if json and csv:
        raise UserError("choose one of --json and --csv")
    form = Form.JSON if json else Form.CSV if csv else Form.TABLES
    names = tuple(name for item in framework or () for name in item.split(",") if name)
    console = render.console(stderr=True)

    def tell(event: Attributed) -> None:
        item = event.attribution
        if console.is_terminal:
            causes = ", ".join(item.roles) or item.status
            console.print(f"{event.done}/{event.total} {item.episode}: {causes}", highlight=False)

    with RunStore(options.run_folder(run)) as store:
        tasks = tasks_of(store.config())
        try:
            result = loop.run(
                attribute_run(store, tasks, options.home(), tell, frameworks=names, jobs=jobs)
            )
        except KeyboardInterrupt:
            console.print("stopped; the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
    _print(result, form)


def _print(result: Result, form: Form) -> None:
    if form is Form.CSV:
        typer.echo(as_csv(result), nl=False)
    elif form is Form.JSON:
        typer.echo(json_lines.dumps(as_json(result), indent=2, ensure_ascii=False))
    else:
        console = render.console()
        console.print(evidence_lines(result.attributions))
        console.print(summary_tables(result.summary))


def as_json(result: Result) -> dict[str, object]:
    """Return a run's attributions as one JSON object."""
    return {
        "version": 1,
        "summary": result.summary.model_dump(mode="json"),
        "attributions": [item.model_dump(mode="json") for item in result.attributions],
        "near_misses": [item.model_dump(mode="json") for item in result.near_misses],
    }
