"""`ossia model examples`: what a language model of one's own may learn from a suite's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.examples import refuse_test_tasks, split, write_examples
from ossia.suites import find_suite
from ossia.tasks import find_tasks

_PromptsOf = Annotated[
    str | None,
    typer.Option(
        envvar="OSSIA_EXAMPLES_PROMPTS_OF",
        help="Each task once in the wording of every framework of this stored run; without it,"
        " the role's plain prompt.",
        autocompletion=options.run_names,
    ),
]


def examples_command(
    out: Annotated[
        Path,
        typer.Option(
            envvar="OSSIA_EXAMPLES_OUT",
            help="Folder to write train.jsonl and validation.jsonl to.",
        ),
    ],
    suite: options.Suite = "assistant",
    data: Annotated[
        str,
        typer.Option(
            envvar="OSSIA_EXAMPLES_DATA",
            help="What to learn: a built-in task set, a JSON Lines file or folder, or a published"
            " copy that the suite reads. Tasks of a test set are refused.",
        ),
    ] = "train",
    prompts_of: _PromptsOf = None,
    store: options.Store = None,
    held_out: Annotated[
        float,
        typer.Option(
            envvar="OSSIA_EXAMPLES_HELD_OUT",
            help="Share of the tasks that goes into validation.jsonl.",
        ),
    ] = 0.1,
    seed: Annotated[
        int, typer.Option(envvar="OSSIA_EXAMPLES_SEED", help="Decides which tasks these are.")
    ] = 0,
) -> None:
    """Write training examples of a role.

    Which role it is, the suite says. One chat a line (JSON Lines).
    """
    made = find_suite(suite).examples
    if made is None:
        raise UserError(f"the suite '{suite}' does not say what may be learnt from its tasks")
    options.require_folder(out)
    if not 0 <= held_out < 1:
        raise UserError(f"--held-out is a share from 0 to below 1, not {held_out:g}")
    tasks = find_tasks(data, suite)
    refuse_test_tasks(tasks, find_tasks("test", suite))
    place = None if prompts_of is None else options.run_place(prompts_of, store)
    learnt, kept = (made(part, place) for part in split(tasks, held_out, seed))
    if not learnt:
        raise UserError(f"{data}: there is nothing to learn from its tasks")
    write_examples(out, learnt, kept)
    say(f"{out}: {len(learnt)} examples to learn from, {len(kept)} held out")
