"""`ossia dataset`: look at task sets, prove them, import published ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ossia.cli import (
    dataset_audit,
    dataset_build,
    dataset_check,
    dataset_office,
    dataset_stats,
    options,
    render,
    who_and_when,
)
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites import find_suite, usable_suites
from ossia.tasks import find_tasks, sets_of
from ossia_dataset.assistant.auto_slurp import read_auto_slurp
from ossia_dataset.tasks import (
    DEFAULT_HOME,
    DEFAULT_NOW,
    Task,
    dataset_hash,
    dump_task,
    write_tasks,
)


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    app = typer.Typer(
        help="Tasks: look at them, prove them, import published ones.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.command("list")(list_command)
    app.command("show")(show_command)
    app.command("import")(import_command)
    dataset_check.register(app)
    dataset_audit.register(app)
    dataset_stats.register(app)
    dataset_build.register(app)
    dataset_office.register(app)
    parent.add_typer(app, name="dataset")


IMPORTED = {
    "auto-slurp": "a CSV file of Auto-SLURP",
    "workbench": "the data folder of WorkBench",
    who_and_when.KIND: "a clone of Who&When, logs of failures",
}
"""What is imported by format, and from what."""


def list_command(suite: options.AnySuite = None) -> None:
    """List suites, built-in task sets, and formats to import.

    With --suite: the suite's sets with their spread over domains and intents.
    """
    if suite is None:
        _list_suites()
        return
    console = render.console()
    version = find_suite(suite).version
    if version is not None:
        console.print(f"{suite}: version {version.version}")
    for name in sets_of(suite):
        tasks = find_tasks(name, suite)
        console.print(f"{suite}/{name}: {len(tasks)} tasks, hash {dataset_hash(tasks)}")
        spread: dict[str, Counter[str]] = {}
        for task in tasks:
            first, *others = (*task.groups.values(), "")
            spread.setdefault(first, Counter())[others[0] if others else ""] += 1
        width = max(15, *map(len, spread))
        for first in sorted(spread):
            counts = sorted(spread[first].items())
            told = ", ".join(f"{name} {count}" for name, count in counts if name)
            console.print(f"  {first:{width}} {spread[first].total():4}  {told}")


def _list_suites() -> None:
    """Print a line for each built-in task set of each suite, and what can be imported."""
    sets = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in ("suite", "set", "tasks", "version", "hash"):
        sets.add_column(column, justify="right" if column == "tasks" else "left", no_wrap=True)
    suites, problems = usable_suites()
    for suite, found in suites.items():
        version = found.version
        for name in found.sets:
            tasks = found.tasks(name)
            shown = "-" if version is None else version.version
            sets.add_row(suite, name, f"{len(tasks):,}", shown, dataset_hash(tasks))
    console = render.console()
    console.print(sets)
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    console.print("\nOne suite by domain and intent: ossia dataset list --suite SUITE")
    console.print("\nFrom a copy of your own: ossia dataset import FORMAT PATH")
    for kind, what in IMPORTED.items():
        console.print(f"  {kind:12}  {what}")


def show_command(
    task: Annotated[str, typer.Argument(help="A task's id.")],
    tasks: Annotated[
        str | None,
        typer.Option(
            envvar="OSSIA_TASKS",
            help="A built-in task set, a JSON Lines file or folder, or a published Auto-SLURP CSV;"
            " all built-in sets when left out.",
        ),
    ] = None,
    suite: options.Suite = "assistant",
    json: options.Json = False,
) -> None:
    """Print a task.

    What is said, its gold frame, requests, outcome, facts and order of roles.
    """
    played = find_suite(suite)
    sources = (tasks,) if tasks is not None else sets_of(suite)
    for source in sources:
        found = next((one for one in find_tasks(source, suite) if one.id == task), None)
        if found is None:
            continue
        if json:
            say(dump_task(found))
            return
        _describe(played, found, source)
        return
    if tasks is not None:
        raise UserError(f"the task set '{tasks}' has no task '{task}'")
    raise UserError(f"the built-in sets have no task '{task}'{_elsewhere(task, suite)}")


def _describe(suite: Suite[Any], task: Task, source: str) -> None:
    if suite.describe is None:
        say(dump_task(task))
        return
    for line in suite.describe(task, suite.domains(source)):
        say(line)


def _elsewhere(task: str, suite: str) -> str:
    """Return where a task is that a suite does not have, or nothing."""
    for name, other in usable_suites()[0].items():
        if name != suite and any(
            one.id == task for source in other.sets for one in other.tasks(source)
        ):
            return f"; it is of another suite: --suite {name}"
    return ""


def import_command(
    kind: Annotated[
        str,
        typer.Argument(help=f"The published format: {', '.join(IMPORTED)}."),
    ],
    path: Annotated[
        Path,
        typer.Argument(
            help="A CSV file of Auto-SLURP, the data folder of WorkBench, or a clone of Who&When."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            envvar="OSSIA_OUT",
            help="Write the tasks as JSON Lines here; for WorkBench a folder with its databases.",
        ),
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", envvar="OSSIA_NOTES", help="Print every repair of a row.")
    ] = False,
) -> None:
    """Import published tasks from a copy of your own.

    Every row is a task or is listed.
    """
    if kind == "workbench":
        dataset_office.import_workbench(path, out)
        return
    if kind == who_and_when.KIND:
        who_and_when.import_logs(path, out, notes=notes)
        return
    if kind != "auto-slurp":
        raise UserError(f"no importer is called '{kind}'; there are: {', '.join(IMPORTED)}")
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    if out is not None:
        options.require_file(out)
    found = read_auto_slurp(path, now=DEFAULT_NOW, home=DEFAULT_HOME)
    for row in found.rejected:
        say(f"rejected {row.row_id} (line {row.line}): {row.reason}")
    if notes:
        for note in found.notes:
            say(f"note {note.row_id}: {note.text}")
    if out is not None:
        write_tasks(out, found.tasks)
    say(
        f"{len(found.tasks)} of {len(found.tasks) + len(found.rejected)} rows imported,"
        f" {len(found.notes)} notes, hash {dataset_hash(found.tasks)}"
    )
