"""`ossia dataset generate-plans`: the built-in tasks of WorFBench's suites, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli.told import say
from ossia.outputs import require_folder
from ossia.suites.worfbench import plan_executor
from ossia_dataset.tasks import dataset_hash, write_tasks


def generate_command(
    out: Annotated[
        Path, typer.Option(help="Folder of sets: a folder of JSON Lines is created for each.")
    ],
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=999_999_999, help="Seed of all draws of tasks whose plans are carried out."
        ),
    ] = 1,
) -> None:
    """Generate the built-in tasks of WorFBench.

    They are made from templates; the built-in ones are those of seed 1. Tasks whose
    plans are carried out are proven, which takes some minutes.
    """
    # Loaded when asked for: the libraries for graphs take a second.
    from ossia_dataset.worfbench.written import WRITTEN, written_tasks
    from ossia_evaluation.worfbench.execution.making import SETS, TaskMaker

    require_folder(out)
    maker = TaskMaker(plan_executor())
    for name, kinds in SETS.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        made = {kind: written_tasks(name, kind) for kind in WRITTEN}
        made |= {kind: maker.make(name, kind, count, seed).tasks for kind, count in kinds.items()}
        for kind, tasks in made.items():
            file = out / name / f"{kind}.jsonl"
            write_tasks(file, tasks)
            say(f"{file}: {len(tasks)} tasks, hash {dataset_hash(tasks)}")
