"""`ossia dataset generate` and `import workbench`: task sets of a seed, and published tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli.told import say
from ossia.errors import UserError
from ossia.outputs import require_folder
from ossia_dataset.tasks import dataset_hash, write_tasks
from ossia_dataset.workbench.database import write_database
from ossia_dataset.workbench.generator import DEFAULT_SEED, SUITE, TASK_SETS, generate_tasks
from ossia_dataset.workbench.published import find_data, read_published
from ossia_dataset.workbench.sources import DATABASE_FILE
from ossia_evaluation.workbench.tasks import published_tasks

TASK_FILE = "tasks.jsonl"


def generate_command(
    suite: Annotated[str, typer.Argument(help="The suite whose generator to run: workbench.")],
    out: Annotated[Path, typer.Option(help="Write one folder for each task set here.")],
    seed: Annotated[
        int, typer.Option(min=0, max=999_999_999, help="Seed of the office and of all draws.")
    ] = DEFAULT_SEED,
) -> None:
    """Generate the databases and tasks of a seed.

    The built-in sets are those of seed 1.
    """
    if suite != SUITE:
        raise UserError(f"no generator is called '{suite}'; there is: {SUITE}")
    require_folder(out)
    for name in TASK_SETS:
        tasks = generate_tasks(name, seed)
        (out / name).mkdir(parents=True, exist_ok=True)
        write_tasks(out / name / TASK_FILE, tasks)
        say(f"{out / name}: {len(tasks)} tasks, hash {dataset_hash(tasks)}")


def import_workbench(path: Path, out: Path | None, *, notes: bool) -> None:
    """Import the published databases and tasks from a user's copy.

    Args:
        path: the folder of the published data, or the folder above it.
        out: where tasks and databases are written; None only counts them.
        notes: nothing is noted on single tasks.

    Raises:
        TaskError: the data cannot be read.
        UserError: `out` can be no folder.
    """
    if out is not None:
        require_folder(out)
    published = read_published(find_data(path))
    tasks = published_tasks(published)
    if out is not None:
        out.mkdir(exist_ok=True)
        write_tasks(out / TASK_FILE, tasks)
        write_database(out / DATABASE_FILE, published.database)
    rows = sum(map(len, published.database.tables.values()))
    say(
        f"{len(tasks)} tasks of release {published.release} imported, databases"
        f" {published.database.seed} with {rows} rows, hash {dataset_hash(tasks)}"
    )
