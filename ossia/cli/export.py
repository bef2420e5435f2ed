"""`ossia export who-and-when`: a run's failures in the shape of the published logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from ossia.attribution.as_logs import failure_logs
from ossia.cli import options
from ossia.cli.told import say
from ossia_dataset.who_and_when import write_log


def who_and_when_command(
    run: options.RunName = None,
    store: options.Store = None,
    out: Annotated[
        Path | None,
        typer.Option(
            envvar="OSSIA_EXPORT_OUT",
            help="Folder to write to, a JSON file for each failure; who-and-when in the run's"
            " folder by default.",
        ),
    ] = None,
) -> None:
    """Write each failed episode as a Who&When log.

    The log holds the agent and the step that caused the failure: the decisive step of `ossia
    attribute` where that has been run, and else what the published criteria name. An episode in
    which neither names an agent is left out and listed.
    """
    if out is not None:
        options.require_folder(out)
    place = options.run_place(run, store)
    target = out or place.folder / "who-and-when"
    written: Counter[str] = Counter()
    for episode, log in failure_logs(place):
        if isinstance(log, str):
            say(f"left out {episode}: {log}")
            continue
        write_log(target, log)
        written[log.origin.source if log.origin is not None else ""] += 1
    named = ", ".join(f"{count} labelled by {source}" for source, count in sorted(written.items()))
    say(f"{written.total()} logs written to {target}{': ' if named else ''}{named}")
