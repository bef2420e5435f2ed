"""`ossia dataset executable`: the executable tasks of WorFBench's suites, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.suites.worfbench import plan_executor
from ossia_dataset.tasks import dataset_hash, write_tasks


def executable_command(
    out: Annotated[
        Path,
        typer.Option("--out", envvar="OSSIA_OUT", help="Write one folder for each task set here."),
    ],
    seed: Annotated[
        int,
        typer.Option(envvar="OSSIA_SEED", min=0, max=999_999_999, help="Decides all draws."),
    ] = 1,
) -> None:
    """Make the tasks whose plans are carried out, and prove each of them.

    The built-in tasks are those of seed 1. This takes some minutes.
    """
    # Loaded when asked for: the libraries for graphs take a second.
    from ossia_evaluation.worfbench.making import SETS, TaskMaker

    options.require_folder(out)
    maker = TaskMaker(plan_executor())
    for name, kinds in SETS.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        for kind, count in kinds.items():
            made = maker.make(name, kind, count, seed)
            file = out / name / f"{kind}.jsonl"
            write_tasks(file, made.tasks)
            refused = sum(made.refused.values())
            say(
                f"{file}: {count} tasks, hash {dataset_hash(made.tasks)};"
                f" not proven and left out: {refused}"
            )
