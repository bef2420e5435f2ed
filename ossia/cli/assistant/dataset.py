"""`ossia dataset build`, `facts` and `import auto-slurp`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.outputs import require_file, require_folder
from ossia_dataset.assistant.auto_slurp import read_auto_slurp
from ossia_dataset.assistant.auto_slurp.catalogue import PARAMETERS
from ossia_dataset.builtin import builtin_folder
from ossia_dataset.tasks import (
    DEFAULT_HOME,
    DEFAULT_NOW,
    dataset_hash,
    nothing_at,
    write_tasks,
)


def build_command(
    domain: options.Domains = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the task files, one per domain; the built-in set's when left out."
        ),
    ] = None,
    rejected: Annotated[
        bool, typer.Option("--rejected", help="List the utterances that did not become tasks.")
    ] = False,
) -> None:
    """Build the training tasks from the training utterances.

    Each one is proven.
    """
    from ossia.assistant.training_set.write import SET, write_training_set

    for name in domain or ():
        if name not in PARAMETERS:
            raise UserError(f"no domain is called '{name}'")
    if out is not None:
        require_folder(out)
    folder = out or builtin_folder("assistant") / SET
    count = 0
    for name, built in write_training_set(folder, domain or list(PARAMETERS)):
        count += len(built.tasks)
        intents = Counter(task.gold.intent for task in built.tasks)
        spread = ", ".join(f"{intent} {number}" for intent, number in sorted(intents.items()))
        say(f"{name}: {len(built.tasks)} tasks, {len(built.unproven)} rejected; {spread}")
        if rejected:
            for one in built.unproven:
                say(f"  {one.intent}: '{one.utterance}': {one.reason}")
    say(f"{count} tasks written to {folder}")


def facts_command(
    path: Annotated[Path, typer.Argument(help="A task file, or a folder of task files.")],
    again: Annotated[
        bool,
        typer.Option("--again", help="Also replace the facts of tasks that already have some."),
    ] = False,
) -> None:
    """Add facts from gold runs to tasks that have none.

    Facts are what a correct reply must state.
    """
    from ossia.assistant.training_set.write import fill_facts

    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"{path}: contains no task file")
    for file in files:
        for task in fill_facts(file, again=again):
            say(f"{task.id}: {'; '.join(task.gold.facts)}")


def import_auto_slurp(path: Path, out: Path | None, *, notes: bool) -> None:
    """Import tasks from a published file; every row is a task or is listed.

    Args:
        path: the CSV file.
        out: where the tasks are written; None only counts them.
        notes: whether to print every repair of a row.

    Raises:
        AutoSlurpError: it is no such file.
        UserError: there is no file, or `out` can be none.
    """
    if not path.is_file():
        raise UserError(nothing_at(path))
    if out is not None:
        require_file(out)
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
