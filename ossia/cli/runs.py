"""`ossia runs`: the runs of a home, and how one is named, exported, imported or deleted."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from ossia.called import command
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.outputs import require_new_file
from ossia.runner.moved import export_place, import_run
from ossia.runner.shown import bytes_text, runs_shown
from ossia_evaluation.visible import visible_line

_Run = Annotated[
    str,
    typer.Argument(
        help="A run's id or name, or a unique beginning of it.", autocompletion=options.run_names
    ),
]


def runs_command(
    context: typer.Context, store: options.Store = None, json: options.Json = False
) -> None:
    """List the runs; with a command, name, export, import or delete one."""
    if context.invoked_subcommand is None:
        list_command(store, json)


def list_command(store: options.Store = None, json: options.Json = False) -> None:
    """List the runs, the latest first.

    What ran, how much is done, and how it went.
    """
    runs = options.catalog(store).list()
    if json:
        say(dumps([run.as_json() for run in runs], indent=2))
        return
    if not runs:
        say(f"no runs yet; start one with: {command('compare')}")
        return
    console = make_console()
    console.print(runs_shown(runs, console.width))


def name_command(
    run: _Run,
    name: Annotated[str, typer.Argument(help="The new name; give the run's id to remove it.")],
    store: options.Store = None,
) -> None:
    """Give a run a name.

    Every command accepts it in place of the id.
    """
    place = options.run_place(run, store)
    place.give_name(name)
    say(f"{visible_line(place.id)} is now named {visible_line(name)}")


def export_command(
    run: _Run,
    file: Annotated[Path, typer.Argument(help="The archive to write, such as run.tar.gz.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    store: options.Store = None,
) -> None:
    """Write a run with all its files as one archive (tar.gz).

    `ossia runs import` puts it into another OSSIA_HOME or --store.
    """
    place = options.run_place(run, store)
    require_new_file(file, force=force)
    export_place(place, file)
    say(f"{file}: {bytes_text(file.stat().st_size)}")


def import_command(
    file: Annotated[Path, typer.Argument(help="An archive that `ossia runs export` wrote.")],
    store: options.Store = None,
) -> None:
    """Import the run of an archive.

    It is stored in OSSIA_HOME, or in the database of --store.
    """
    catalog = options.catalog(store)
    place = import_run(file, catalog)
    say(f"{visible_line(place.id)} is in {catalog.shown}")


def delete_command(
    run: _Run,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    store: options.Store = None,
) -> None:
    """Delete a run with its traces, scores, attributions and reports."""
    place = options.run_place(run, store)
    called = visible_line(place.id)
    if not yes:
        if not sys.stdin.isatty():
            raise UserError(f"{called} was not deleted: there is no terminal to ask on; use --yes")
        if not typer.confirm(f"Delete {called} and all its results?"):
            say("nothing deleted")
            return
    place.delete()
    say(f"deleted {called}")
