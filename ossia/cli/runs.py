"""`ossia runs`: the runs of a home, and how one is named, exported or deleted."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from ossia.called import command
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia.runner.named import give_name
from ossia.runner.runs import RunInfo, delete_run, export_run, list_runs
from ossia_evaluation.report.figures import UNKNOWN, number
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.visible import visible_line
from ossia_evaluation.words import counted

_TABLE_WIDTH = 120
"""On a narrower terminal each run takes two lines."""

_FRAMEWORKS_SHOWN = 3


_Run = Annotated[
    str,
    typer.Argument(
        help="A run's id or name, or a unique beginning of it.", autocompletion=options.run_names
    ),
]


def runs_command(context: typer.Context, json: options.Json = False) -> None:
    """List the runs; with a command, name, export or delete one."""
    if context.invoked_subcommand is None:
        list_command(json)


def list_command(json: options.Json = False) -> None:
    """List the runs, the latest first.

    What ran, how much is done, and how it went.
    """
    runs = list_runs(options.home())
    if json:
        _print_json(runs)
        return
    if not runs:
        say(f"no run yet; start one with: {command('compare')}")
        return
    console = make_console()
    console.print(_table(runs) if console.width >= _TABLE_WIDTH else _blocks(runs))


def _print_json(runs: Sequence[RunInfo]) -> None:
    say(json.dumps([_as_json(run) for run in runs], indent=2))


def _as_json(run: RunInfo) -> dict[str, Any]:
    config = run.config
    return {
        "id": run.id,
        "name": run.name,
        "suite": None if config is None else config.suite,
        "frameworks": [] if config is None else [each.name for each in config.frameworks],
        "models": [] if config is None else list(config.models),
        "planned": run.planned,
        "done": run.done,
        "invalid": run.invalid,
        "success": run.success,
        "bytes": run.size,
        "changed": run.changed.isoformat(timespec="seconds"),
        "problem": run.problem,
    }


def _table(runs: Sequence[RunInfo]) -> RenderableType:
    table = word_table(
        "run", "suite", "frameworks", "model", "done", "invalid", "success", "size", "changed"
    )
    for column in table.columns[1:4]:
        column.justify = "left"
    for run in runs:
        if run.config is None:
            empty = (UNKNOWN,) * 6
            what = Text("unreadable; --json says why")
            table.add_row(run.title, what, *empty[1:], _size(run), _when(run))
            continue
        table.add_row(
            run.title,
            visible_line(run.config.suite),
            _frameworks(run),
            _models(run),
            f"{run.done}/{run.planned}",
            str(run.invalid),
            number(run.success, ".2f"),
            _size(run),
            _when(run),
        )
    return table


def _blocks(runs: Sequence[RunInfo]) -> RenderableType:
    text = Text()
    for run in runs:
        text.append(f"{run.title}\n", style="bold")
        if run.config is None:
            text.append(
                f"  unreadable: {visible_line(run.problem or '')}; {_size(run)}, {_when(run)}\n"
            )
            continue
        text.append(
            f"  {visible_line(run.config.suite)}; {_frameworks(run)}; {_models(run)}\n"
            f"  {run.done}/{counted(run.planned, 'episode')}, {run.invalid} invalid,"
            f" success {number(run.success, '.2f')}; {_size(run)}, {_when(run)}\n"
        )
    text.right_crop(1)
    return text


def _frameworks(run: RunInfo) -> str:
    names = [] if run.config is None else [each.name for each in run.config.frameworks]
    more = len(names) - _FRAMEWORKS_SHOWN
    shown = visible_line(", ".join(names[:_FRAMEWORKS_SHOWN]))
    return shown + (f" and {more} more" if more > 0 else "")


def _models(run: RunInfo) -> str:
    return "" if run.config is None else visible_line(", ".join(run.config.models))


def _size(run: RunInfo) -> str:
    return _bytes_text(run.size)


def _bytes_text(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def _when(run: RunInfo) -> str:
    return f"{run.changed:%Y-%m-%d %H:%M}"


def name_command(
    run: _Run,
    name: Annotated[str, typer.Argument(help="The new name; give the run's id to remove it.")],
) -> None:
    """Give a run a name.

    Every command takes it in the place of the id.
    """
    folder = options.run_folder(run)
    give_name(folder, name)
    say(f"{visible_line(folder.name)} is called {visible_line(name)}")


def export_command(
    run: _Run,
    file: Annotated[Path, typer.Argument(help="The archive to write, such as run.tar.gz.")],
    force: Annotated[
        bool,
        typer.Option(
            "--force", envvar="OSSIA_RUNS_EXPORT_FORCE", help="Replace a file that is there."
        ),
    ] = False,
) -> None:
    """Write a run with all its files as one archive (tar.gz).

    Unpacked in the folder `runs` of another OSSIA_HOME, it is a run there.
    """
    folder = options.run_folder(run)
    options.require_new_file(file, force=force)
    export_run(folder, file)
    say(f"{file}: {_bytes_text(file.stat().st_size)}")


def delete_command(
    run: _Run,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", envvar="OSSIA_RUNS_DELETE_YES", help="Do not ask.")
    ] = False,
) -> None:
    """Delete a run with its traces, scores, attributions and reports."""
    folder = options.run_folder(run)
    called = visible_line(folder.name)
    if not yes:
        if not sys.stdin.isatty():
            raise UserError(f"{called} is not deleted without a terminal to ask on or --yes")
        if not typer.confirm(f"Delete {called} and all its results?"):
            say("nothing deleted")
            return
    delete_run(folder)
    say(f"deleted {called}")
