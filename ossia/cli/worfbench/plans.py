"""`ossia dataset plans`: tasks that ask for a workflow of another suite's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.outputs import require_file
from ossia.suite import Domains, Suite
from ossia.suites import find_suite
from ossia.tasks import find_tasks
from ossia_dataset.tasks import Task, dataset_hash, write_tasks
from ossia_dataset.worfbench.tasks import PlanTask

SUITE = "worfbench"


def plans_command(
    suite: Annotated[str, typer.Argument(help="The suite whose tasks are to be planned.")],
    out: Annotated[Path, typer.Option(help="Write the tasks to this file.")],
    tasks: options.Tasks = "test",
) -> None:
    """Create tasks that ask for plans of a suite's tasks.

    A model's answers to them are used by `--workflow generated:RUN`.
    """
    # Loaded when asked for: the library for graphs takes a moment.
    from ossia.knowledge import gold_workflow
    from ossia_workflows.graph import write_text

    require_file(out)
    found = find_suite(suite)
    wanted = find_tasks(tasks, suite)
    domains = found.domains(tasks)
    made = [
        PlanTask(
            id=task.id,
            suite=SUITE,
            utterance=_asked(found, task, domains),
            origin=suite,
            workflow=write_text(gold_workflow(found, task, domains)),
            source=f"{suite}/{task.id}",
        )
        for task in wanted
    ]
    write_tasks(out, made)
    say(f"{len(made)} tasks, hash {dataset_hash(made)}")


def _asked(suite: Suite[Any], task: Task, domains: Domains) -> str:
    """What the planner is told: the task, and the tools that its team has."""
    known = [each for each in domains if not task.toolkits or each.name in task.toolkits]
    return f"{task.utterance}\n\nThe tools:\n\n{suite.catalogue(known)}"
