"""`ossia dataset build | facts | record`: what of the built-in task sets is made by a command."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia.tasks import sets_of
from ossia_dataset.assistant.auto_slurp.catalogue import PARAMETERS
from ossia_dataset.builtin import builtin_folder, record_version


def register(app: typer.Typer) -> None:
    """Add the commands to the group of `ossia dataset`."""
    app.command("build")(build_command)
    app.command("facts")(facts_command)
    app.command("record")(record_command)


def build_command(
    domain: options.Domains = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            envvar="OSSIA_OUT",
            help="Folder for the task files, one a domain; the built-in set's when left out.",
        ),
    ] = None,
    rejected: Annotated[
        bool,
        typer.Option(
            "--rejected", envvar="OSSIA_REJECTED", help="List the utterances that made no task."
        ),
    ] = False,
) -> None:
    """Build the training tasks from the training utterances.

    Each one is proven.
    """
    from ossia.training_set.write import SET, write_training_set

    for name in domain or ():
        if name not in PARAMETERS:
            raise UserError(f"no domain is called '{name}'")
    if out is not None:
        options.require_folder(out)
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
        typer.Option("--again", envvar="OSSIA_AGAIN", help="Also where a task has facts already."),
    ] = False,
) -> None:
    """Give tasks that have no facts those of their gold runs.

    Facts are what a correct reply tells.
    """
    from ossia.training_set.write import fill_facts

    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"{path}: holds no task file")
    for file in files:
        for task in fill_facts(file, again=again):
            say(f"{task.id}: {'; '.join(task.gold.facts)}")


def record_command(
    version: Annotated[str, typer.Argument(help="The version, such as 1.1.")],
    suite: options.Suite = "assistant",
) -> None:
    """Record what built-in task sets hold as a dataset's version."""
    sets_of(suite)
    folder = find_suite(suite).data
    stored = suite if folder is None else folder.name
    try:
        found = record_version(version, stored)
    except ValidationError:
        raise UserError(f"'{version}' is no version: two numbers and a point, as in 1.1") from None
    except ValueError as error:
        raise UserError(str(error)) from None
    for name, digest in found.sets.items():
        say(f"{stored}/{name}: version {found.version}, hash {digest}")
