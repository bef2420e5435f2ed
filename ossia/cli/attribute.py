"""`ossia attribute`: who failed in a run, shown by intervention."""

from __future__ import annotations

import json as json_lines
from enum import StrEnum
from typing import Annotated

import typer

from ossia import loop
from ossia.attribution.run import Attributed, Result, attribute_run
from ossia.attribution.shown import as_csv, evidence_lines, summary_tables
from ossia.attribution.shown_validation import validation_tables
from ossia.attribution.validate import FRAMEWORKS, FULL, QUICK
from ossia.attribution.validate import validate as run_protocol
from ossia.cli import options, render
from ossia.errors import UserError
from ossia.runner.store import RunStore
from ossia.session import tasks_of
from ossia.tasks import find_tasks

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
    validate: Annotated[
        bool,
        typer.Option(
            "--validate",
            envvar="OSSIA_VALIDATE",
            help="Test the attributor itself, by faults put into episodes that succeed.",
        ),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", envvar="OSSIA_QUICK", help="Validate on a few cases only.")
    ] = False,
    seed: Annotated[
        int, typer.Option(envvar="OSSIA_SEED", help="Decides which faults --validate puts where.")
    ] = 0,
) -> None:
    """Say which agent failed in each failed episode: correct a step, run on, and see.

    No model is called: the answers come from the run's own record. The same command again goes on
    where it stopped.
    """
    if json and csv:
        raise UserError("choose one of --json and --csv")
    form = Form.JSON if json else Form.CSV if csv else Form.TABLES
    names = tuple(name for item in framework or () for name in item.split(",") if name)
    if validate:
        _validate(names, quick=quick, seed=seed, jobs=jobs, form=form)
        return
    if quick:
        raise UserError("--quick goes with --validate")
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


def _validate(
    frameworks: tuple[str, ...], *, quick: bool, seed: int, jobs: int, form: Form
) -> None:
    if form is Form.CSV:
        raise UserError("--validate prints tables or JSON")
    console = render.console(stderr=True)
    result = loop.run(
        run_protocol(
            options.home(),
            find_tasks("test", "assistant"),
            frameworks=frameworks or FRAMEWORKS,
            size=QUICK if quick else FULL,
            seed=seed,
            jobs=jobs,
            watch=lambda line: console.print(line) if console.is_terminal else None,
        )
    )
    if form is Form.JSON:
        typer.echo(result.model_dump_json(indent=2))
    else:
        render.console().print(validation_tables(result))


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
