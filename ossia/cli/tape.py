"""`ossia tape`: the model's answers of a run, to be replayed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.runner.store import RunStore
from ossia_servers.gateway import Tape


def tape_command(
    run: options.RunName = None,
    out: Annotated[
        Path, typer.Option("--out", envvar="OSSIA_TAPE_OUT", help="The tape to write.")
    ] = Path("tape.jsonl"),
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            envvar="OSSIA_TAPE_MODEL",
            help="Of a run with several models the one whose answers are meant: m1, m2 and so on,"
            " or its specification.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", envvar="OSSIA_TAPE_FORCE", help="Replace a file that is there."),
    ] = False,
) -> None:
    """Write the answers that a run's model gave, for `--model replay:TAPE`.

    Where a model gave two answers to the same request, the first is kept.
    """
    options.require_new_file(out, force=force)
    tape = Tape()
    with RunStore(options.run_folder(run)) as store:
        meant = _meant(store.config().models, model)
        for trace in store.traces():
            if trace.episode.model == meant:
                tape.record(trace.gateway.exchanges)
    tape.write(out)
    conflicts = f", {tape.conflicts} other answers left out" if tape.conflicts else ""
    say(f"{out}: {len(tape)} answers{conflicts}; use --model replay:{out}")


def _meant(models: Sequence[str], wanted: str | None) -> str:
    """Return the model that is meant; two models' answers on one tape would be nobody's.

    Raises:
        UserError: the run has no such model, or several and none was named.
    """
    marks = {f"m{number}": model for number, model in enumerate(models, start=1)}
    there = ", ".join(f"{mark} = {model}" for mark, model in marks.items())
    if wanted is None:
        if len(models) > 1:
            raise UserError(f"the run has several models: {there}; name one with --model")
        return models[0]
    if wanted not in marks and wanted not in models:
        raise UserError(f"the run has no model '{wanted}'; there are: {there}")
    return marks.get(wanted, wanted)
