"""`ossia dataset`: look at task sets, prove them, import published ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import dataset_build, options, render
from ossia.errors import UserError
from ossia.tasks import find_tasks
from ossia_dataset.auto_slurp import read_auto_slurp
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.quality import TEST_COVERAGE, find_problems, training_utterances
from ossia_dataset.tasks import (
    DEFAULT_HOME,
    DEFAULT_NOW,
    by_domain,
    dataset_hash,
    dump_task,
    write_tasks,
)
from ossia_evaluation.proof import Prover
from ossia_servers.catalogue import load_domains

_Source = Annotated[
    str, typer.Argument(help="A built-in set, a JSON Lines file or folder, or an Auto-SLURP CSV.")
]


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    app = typer.Typer(
        help="Tasks: look at them, prove them, import published ones.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.command("list")(list_command)
    app.command("show")(show_command)
    app.command("check")(check_command)
    app.command("import")(import_command)
    dataset_build.register(app)
    parent.add_typer(app, name="dataset")


def list_command(suite: options.Suite = "assistant") -> None:
    """List the built-in task sets with their size, hash and spread over domains."""
    console = render.console()
    for name in builtin_sets(suite):
        tasks = find_tasks(name, suite)
        console.print(f"{suite}/{name}: {len(tasks)} tasks, hash {dataset_hash(tasks)}")
        for domain, group in by_domain(tasks).items():
            intents = Counter(task.gold.intent for task in group)
            spread = ", ".join(f"{intent} {count}" for intent, count in sorted(intents.items()))
            console.print(f"  {domain:15} {len(group):4}  {spread}")


def show_command(
    task: Annotated[str, typer.Argument(help="A task's id.")],
    tasks: options.Tasks = "test",
    suite: options.Suite = "assistant",
) -> None:
    """Print one task, its gold requests and what they do."""
    from ossia_evaluation.score import Scorer

    found = next((item for item in find_tasks(tasks, suite) if item.id == task), None)
    if found is None:
        raise UserError(f"the task set '{tasks}' has no task '{task}'")
    typer.echo(dump_task(found))
    gold = Scorer(load_domains()).gold(found)
    for request in found.gold.gold_requests():
        typer.echo(f"request   {request.url}")
    for record in gold.requests:
        typer.echo(f"answer    {record.code}: {record.response}")
    for change in gold.diff.changes:
        from ossia_evaluation.outcome import describe

        typer.echo(f"change    {describe(change)}")


def check_command(tasks: _Source = "test", suite: options.Suite = "assistant") -> None:
    """Prove every task (gold passes, doing nothing and doing wrong fail) and check the set."""
    prover = Prover(load_domains())
    found = find_tasks(tasks, suite)
    proofs = [prover.prove(task) for task in found]
    for proof in proofs:
        for problem in proof.problems:
            typer.echo(f"{proof.task}: {problem}")
    builtin = tasks in builtin_sets(suite)
    # Published labels are taken as they are: only tasks of this format have to keep the rules.
    own = [task for task in found if task.source is None]
    broken = find_problems(own, training_utterances(), TEST_COVERAGE if builtin else None)
    for rule in broken:
        typer.echo(f"{rule.task}: {rule.message}")
    bad = sum(bool(proof.problems) for proof in proofs)
    mutants = sum(proof.mutants for proof in proofs)
    killed = mutants - sum(len(proof.surviving) for proof in proofs)
    typer.echo(
        f"{len(found) - bad} of {len(found)} tasks proven; {killed} of {mutants} mutated gold runs"
        " fail, the others change a parameter that makes no difference to the outcome"
    )
    typer.echo(f"{len(broken)} faults of the set (coverage, ids, slots, repetitions, known texts)")
    if bad or broken:
        raise typer.Exit(1)


def import_command(
    kind: Annotated[str, typer.Argument(help="The published format: auto-slurp.")],
    path: Annotated[Path, typer.Argument(help="A CSV file of the published data.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", envvar="OSSIA_OUT", help="Write the tasks as JSON Lines here."),
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", envvar="OSSIA_NOTES", help="Print every repair of a row.")
    ] = False,
) -> None:
    """Import published tasks from a copy of your own; every row is a task or is listed."""
    if kind != "auto-slurp":
        raise UserError(f"no importer is called '{kind}'; there is: auto-slurp")
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    found = read_auto_slurp(path, now=DEFAULT_NOW, home=DEFAULT_HOME)
    for row in found.rejected:
        typer.echo(f"rejected {row.row_id} (line {row.line}): {row.reason}")
    if notes:
        for note in found.notes:
            typer.echo(f"note {note.row_id}: {note.text}")
    if out is not None:
        write_tasks(out, found.tasks)
    typer.echo(
        f"{len(found.tasks)} of {len(found.tasks) + len(found.rejected)} rows imported,"
        f" {len(found.notes)} notes, hash {dataset_hash(found.tasks)}"
    )
