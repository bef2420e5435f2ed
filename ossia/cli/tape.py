"""`ossia tape`: the model's answers of a run, to be replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.outputs import require_new_file
from ossia.runner.store import RunStore
from ossia.runner.taped import tape_of


def tape_command(
    run: options.RunName = None,
    store: options.Store = None,
    out: Annotated[Path, typer.Option(help="The tape to write.")] = Path("tape.jsonl"),
    model: Annotated[
        str | None,
        typer.Option(
            help="For a run with several models, the one whose answers to write: m1, m2 and so on,"
            " or its specification."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write the answers that a run's model gave, for `--model replay:TAPE`.

    Where a model gave two answers to the same request, the first is kept.
    """
    require_new_file(out, force=force)
    with RunStore(options.run_place(run, store)) as stored:
        tape = tape_of(stored, model)
    tape.write(out)
    conflicts = f", {tape.conflicts} other answers left out" if tape.conflicts else ""
    say(f"{out}: {len(tape)} answers{conflicts}; use --model replay:{out}")
