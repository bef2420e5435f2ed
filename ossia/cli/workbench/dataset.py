"""`ossia dataset generate`: task sets of the office, made for a seed; and its published tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suites import find_suite
from ossia.suites.workbench import DATABASE_FILE
from ossia.tasks import find_world_tasks
from ossia_dataset.builtin import present_version, recorded_version
from ossia_dataset.tasks import dataset_hash, write_tasks
from ossia_dataset.workbench.database import write_database
from ossia_dataset.workbench.generator import DEFAULT_SEED, SUITE, TASK_SETS, generate_tasks
from ossia_dataset.workbench.published import find_data, read_published
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.proof import Proof
from ossia_evaluation.workbench.proof import OfficeProver
from ossia_evaluation.workbench.tasks import published_tasks

TASK_FILE = "tasks.jsonl"


def register(app: typer.Typer) -> None:
    """Add the command to the group of `ossia dataset`."""
    app.command("generate")(generate_command)


def generate_command(
    suite: Annotated[str, typer.Argument(help="The suite whose generator is meant: workbench.")],
    out: Annotated[
        Path,
        typer.Option("--out", envvar="OSSIA_OUT", help="Write one folder for each task set here."),
    ],
    seed: Annotated[
        int,
        typer.Option(
            envvar="OSSIA_SEED", min=0, max=999_999_999, help="Decides the office and all draws."
        ),
    ] = DEFAULT_SEED,
) -> None:
    """Make the databases and tasks of a seed.

    The built-in sets are those of seed 1.
    """
    if suite != SUITE:
        raise UserError(f"no generator is called '{suite}'; there is: {SUITE}")
    options.require_folder(out)
    for name in TASK_SETS:
        tasks = generate_tasks(name, seed)
        (out / name).mkdir(parents=True, exist_ok=True)
        write_tasks(out / name / TASK_FILE, tasks)
        say(f"{out / name}: {len(tasks)} tasks, hash {dataset_hash(tasks)}")


def import_workbench(path: Path, out: Path | None) -> None:
    """Import the published databases and tasks from a user's copy.

    Args:
        path: the folder of the published data, or the folder above it.
        out: where tasks and databases are written; None only counts them.

    Raises:
        TaskError: the data cannot be read.
        UserError: `out` can be no folder.
    """
    if out is not None:
        options.require_folder(out)
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


def check_office(source: str | None, suite: str) -> bool:
    """Prove every task of the office and print what was found.

    All built-in sets together are also held against what is recorded of their version.

    Args:
        source: a built-in set, a folder or the published data; all built-in sets when left out.
        suite: one of the office's suites.

    Returns:
        Whether all is well.
    """
    bad = 0
    for name in (source,) if source is not None else TASK_SETS:
        tasks = find_world_tasks(name, suite)
        prover = OfficeProver(find_suite(suite).domains(name))
        proofs = [prover.prove(task) for task in tasks]
        for proof in proofs:
            for problem in (*proof.problems, *proof.surviving):
                say(f"{proof.task}: {problem}")
        unproven = sum(_is_bad(task, proof) for task, proof in zip(tasks, proofs, strict=True))
        tried = sum(proof.mutants for proof in proofs)
        killed = tried - sum(len(proof.surviving) for proof in proofs)
        say(
            f"{SUITE}/{name}: {len(proofs) - unproven} of {len(proofs)} tasks proven; {killed} of"
            f" {tried} mutated gold runs fail; {_spread(tasks)}"
        )
        bad += unproven
    known = recorded_version(SUITE) if source is None else None
    if known is not None and known != present_version(known.version, SUITE):
        bad += 1
        say(
            f"{SUITE}: the sets are not those of version {known.version};"
            " see `ossia dataset record`"
        )
    return not bad


def _is_bad(task: WorldTask, proof: Proof) -> bool:
    """Whether a task is not proven.

    A wrong run that passes counts for tasks of Ossia's own; published truths are taken as they are,
    also where they cannot tell two runs apart.
    """
    return bool(proof.problems) or (task.source is None and bool(proof.surviving))


def _spread(tasks: Sequence[WorldTask]) -> str:
    """How many tasks need how many actions."""
    counts = Counter(len(task.gold.gold_requests()) for task in tasks)
    return "requests a task: " + ", ".join(f"{n}: {counts[n]}" for n in sorted(counts))
