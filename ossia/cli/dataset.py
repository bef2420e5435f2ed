"""`ossia dataset`: look at task sets, prove and count them, import published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from ossia.alike import instead_of
from ossia.cli import options
from ossia.cli.told import make_console, say, say_lines
from ossia.errors import UserError
from ossia.outputs import write_part
from ossia.suite import Importer
from ossia.suites import find_suite, load_brought, suite_importers
from ossia.task_sets import record_sets, sets_table, spread_lines, stats_of
from ossia.tasks import find_task
from ossia_dataset.datasheet import BEGIN, END
from ossia_dataset.tasks import dump_task

_OWN = {
    "who-and-when": Importer(
        "a clone of Who&When, logs of failures", "ossia.cli.who_and_when:import_logs"
    )
}
"""What is imported for no suite."""


def _importers() -> dict[str, Importer]:
    """What is imported by format; no suite takes over a format of Ossia's own."""
    return {kind: found.made for kind, found in suite_importers().items()} | _OWN


def list_command(suite: options.AnySuite = None) -> None:
    """List suites, built-in task sets, and formats to import.

    With --suite: the suite's sets with their spread over domains and intents.
    """
    console = make_console()
    if suite is not None:
        for line in spread_lines(suite):
            console.print(line)
        return
    table, problems = sets_table()
    console.print(table)
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    console.print("\nOne suite by domain and intent: ossia dataset list --suite SUITE")
    console.print("\nFrom your own copy: ossia dataset import FORMAT PATH")
    for kind, importer in _importers().items():
        console.print(f"  {kind:12}  {importer.reads}")


def show_command(
    task: Annotated[str, typer.Argument(help="A task's id.")],
    tasks: Annotated[
        str | None,
        typer.Option(
            help="A built-in task set, a JSON Lines file or folder, or a published Auto-SLURP CSV;"
            " all built-in sets when left out."
        ),
    ] = None,
    suite: options.Suite = "assistant",
    json: options.Json = False,
) -> None:
    """Print a task.

    Shows its utterance, gold frame, requests, outcome, facts and order of roles.
    """
    found, source = find_task(task, suite, tasks)
    played = find_suite(suite)
    if json or played.describe is None:
        say(dump_task(found))
        return
    say_lines(played.describe(found, played.domains(source)))


def _formats() -> str:
    """The help of a format; typer asks for it when the command is made, not before."""
    return f"The published format: {', '.join(_importers())}."


def _copies() -> str:
    """The help of the path to a copy."""
    *others, last = (importer.reads for importer in _importers().values())
    told = f"{', '.join(others)}, or {last}." if others else f"{last}."
    return told[:1].upper() + told[1:]


def import_command(
    kind: Annotated[str, typer.Argument(help=_formats())],
    path: Annotated[Path, typer.Argument(help=_copies())],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the tasks as JSON Lines here; for WorkBench a folder with its databases."
        ),
    ] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Print every repair of a row.")] = False,
) -> None:
    """Import published tasks from your own copy.

    Every row becomes a task or is listed.
    """
    known = _importers()
    if kind not in known:
        raise UserError(f"no importer is called '{kind}'; {instead_of(kind, known)}")
    what, target = f"the importer '{kind}'", known[kind].target
    found = None if kind in _OWN else suite_importers()[kind]
    load = load_brought if found is None else found.load
    load(target, what, lambda made: made)(path, out, notes=notes)


def check_command(
    tasks: Annotated[
        str | None,
        typer.Argument(
            help="A built-in set, a JSON Lines file or folder, an Auto-SLURP CSV, or the"
            " folder of WorkBench's published data; all built-in sets together when left out."
        ),
    ] = None,
    suite: options.Suite = "assistant",
    audit: Annotated[
        bool,
        typer.Option(
            "--audit",
            help="Instead, sweep the built-in test sets of every suite with wrong and right"
            " behaviours; too many wrong verdicts of one kind fail the check.",
        ),
    ] = False,
) -> None:
    """Check the sets, and verify every task.

    The gold requests pass; doing nothing, and gold requests with one parameter or intent changed,
    fail. Every such change has to count, except those that are declared to make no difference.

    Without an argument, the built-in sets are also compared with one another: no near-duplicates
    across them, and no sentence frame that more than three tasks share.
    """
    if audit and tasks is not None:
        raise UserError("--audit sweeps the built-in test sets: leave out the tasks")
    if audit:
        from ossia.cli.dataset_audit import audit_sweeps

        sound = audit_sweeps()
    else:
        check = find_suite(suite).check
        if check is None:
            raise UserError(f"the suite '{suite}' has no check that proves its tasks")
        sound = True
        for line in check(tasks):
            say(line.text)
            sound = sound and line.sound
    if not sound:
        raise typer.Exit(1)


def stats_command(
    tasks: Annotated[
        str | None,
        typer.Argument(
            help="A built-in set, a JSON Lines file or folder, or an Auto-SLURP CSV;"
            " all built-in sets when left out."
        ),
    ] = None,
    suite: options.Suite = "assistant",
    json: options.Json = False,
    write: Annotated[
        Path | None,
        typer.Option(help="Write the tables between the markers in this Markdown file."),
    ] = None,
) -> None:
    """Count what task sets contain.

    Domains, intents, kinds, slots, times, places, length and clocks.
    """
    told, sheet = stats_of(suite, tasks)
    if json:
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
    elif write is None:
        say(sheet, nl=False)
    else:
        write_part(write, f"\n{sheet}", BEGIN, END)
        say(f"tables written to {write}")


def record_command(
    version: Annotated[str, typer.Argument(help="The version, such as 1.1.")],
    suite: options.Suite = "assistant",
) -> None:
    """Record the contents of built-in sets as a version."""
    say_lines(record_sets(version, suite))
