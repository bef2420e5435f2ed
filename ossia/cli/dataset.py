"""`ossia dataset`: look at task sets, prove and count them, import published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import orjson
import typer
from pydantic import ValidationError
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import write_part
from ossia.suite import Importer
from ossia.suites import find_suite, load_brought, suite_importers, usable_suites
from ossia.tasks import find_task, find_tasks, find_world_tasks, sets_of, sets_to_tell
from ossia_dataset.builtin import record_version
from ossia_dataset.datasheet import BEGIN, END, datasheet
from ossia_dataset.statistics import statistics_of
from ossia_dataset.tasks import TaskError, dataset_hash, dump_task

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
    if suite is None:
        _list_suites()
        return
    console = make_console()
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
            try:
                tasks = found.tasks(name)
            except (TaskError, UserError) as error:
                # One bad set of one suite costs its line alone.
                problems += (f"the set '{name}' of the suite '{suite}': {error}",)
                continue
            shown = "-" if version is None else version.version
            sets.add_row(suite, name, f"{len(tasks):,}", shown, dataset_hash(tasks))
    console = make_console()
    console.print(sets)
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    console.print("\nOne suite by domain and intent: ossia dataset list --suite SUITE")
    console.print("\nFrom a copy of your own: ossia dataset import FORMAT PATH")
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

    What is said, its gold frame, requests, outcome, facts and order of roles.
    """
    found, source = find_task(task, suite, tasks)
    played = find_suite(suite)
    if json or played.describe is None:
        say(dump_task(found))
        return
    for line in played.describe(found, played.domains(source)):
        say(line)


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
    """Import published tasks from a copy of your own.

    Every row is a task or is listed.
    """
    known = _importers()
    if kind not in known:
        raise UserError(f"no importer is called '{kind}'; there are: {', '.join(known)}")
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
            help="Sweep the built-in test sets of every suite with wrong and right behaviours"
            " instead; too many wrong verdicts of one kind fail the check.",
        ),
    ] = False,
) -> None:
    """Prove every task and check the sets.

    Gold passes; doing nothing and doing wrong fail. Doing wrong is to change one parameter or
    intent of the gold requests; each has to count, but for those that are declared to make no
    difference.

    Without an argument the built-in sets are also held against one another: no near-duplicates
    across them, and no sentence frame that more than three tasks share.
    """
    if audit and tasks is not None:
        raise UserError("--audit sweeps the built-in test sets: name no tasks beside it")
    if audit:
        from ossia.cli.dataset_audit import audit_sweeps

        sound = audit_sweeps()
    else:
        check = find_suite(suite).check
        if check is None:
            raise UserError(f"the suite '{suite}' does not say how its tasks are proven")
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
        Path | None, typer.Option(help="Put the tables between the marks of this Markdown file.")
    ] = None,
) -> None:
    """Count what task sets hold.

    Domains, intents, kinds, slots, times, places, length and clocks.
    """
    count = find_suite(suite).counts
    if count is not None:
        names = sets_of(suite) if tasks is None else (tasks,)
        _tell_counts({name: count(find_tasks(name, suite)) for name in names}, write, json=json)
        return
    counted = sets_to_tell(suite) if tasks is None else {tasks: find_world_tasks(tasks, suite)}
    sets = {name: statistics_of(one) for name, one in counted.items()}
    if json:
        plain = {name: one.model_dump(mode="json") for name, one in sets.items()}
        say(orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode())
        return
    known = find_suite(suite).version if tasks is None else None
    _tell_tables(datasheet(sets, "" if known is None else known.version), write)


def _tell_counts(
    sets: Mapping[str, Mapping[str, Mapping[str, int]]], write: Path | None, *, json: bool
) -> None:
    """Tell rows of counts, as JSON or as a Markdown table for each set."""
    if json:
        say(orjson.dumps(sets, option=orjson.OPT_INDENT_2).decode())
        return
    lines = []
    for name, rows in sets.items():
        columns = [*next(iter(rows.values()), {})]
        lines += [f"| {name} | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
        lines += [
            f"| {row} | {' | '.join(f'{count:,}' for count in counts.values())} |"
            for row, counts in rows.items()
        ]
        lines.append("")
    _tell_tables("\n".join(lines), write)


def _tell_tables(made: str, write: Path | None) -> None:
    if write is None:
        say(made, nl=False)
        return
    write_part(write, f"\n{made}", BEGIN, END)
    say(f"the tables are in {write}")


def record_command(
    version: Annotated[str, typer.Argument(help="The version, such as 1.1.")],
    suite: options.Suite = "assistant",
) -> None:
    """Record what built-in sets hold as a version."""
    sets_of(suite)
    chosen = find_suite(suite)
    folder = chosen.data
    stored = suite if folder is None else folder.name
    try:
        found = record_version(version, stored, chosen.tasks)
    except ValidationError:
        raise UserError(f"'{version}' is no version: two numbers and a point, as in 1.1") from None
    except ValueError as error:
        raise UserError(str(error)) from None
    for name, digest in found.sets.items():
        say(f"{stored}/{name}: version {found.version}, hash {digest}")
