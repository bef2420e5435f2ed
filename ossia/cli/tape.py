"""`ossia tape`: the model's answers of a run, to be replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.errors import UserError
from ossia.runner.store import RunStore
from ossia_servers.gateway import Tape


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tape")(tape_command)


def tape_command(
    run: options.RunName = None,
    out: Annotated[
        Path, typer.Option("--out", envvar="OSSIA_TAPE_OUT", help="The tape to write.")
    ] = Path("tape.jsonl"),
) -> None:
    """Write the answers that a run's model gave, for `--model replay:TAPE`.

    Where a model gave two answers to the same request, the first is kept.
    """
    if not out.parent.is_dir():
        raise UserError(f"there is no folder {out.parent}")
    tape = Tape()
    with RunStore(options.run_folder(run)) as store:
        for trace in store.traces():
            tape.record(trace.gateway.exchanges)
    tape.write(out)
    conflicts = f", {tape.conflicts} other answers left out" if tape.conflicts else ""
    typer.echo(f"{out}: {len(tape)} answers{conflicts}; use --model replay:{out}")
