"""`ossia model examples`: what a language model of one's own may learn the intent role from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.tasks import find_world_tasks
from ossia_evaluation.assistant.frames import single

if TYPE_CHECKING:
    from ossia.assistant.training_set.examples import Example
    from ossia.assistant.training_set.heard import HeardPrompt

_SUITE = "assistant"

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
    data: Annotated[
        str,
        typer.Option(
            envvar="OSSIA_EXAMPLES_DATA",
            help="What to learn: a built-in task set, a JSON Lines file or folder, or a published"
            " Auto-SLURP CSV. Tasks of a test set are refused.",
        ),
    ] = "train",
    prompts_of: _PromptsOf = None,
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
    """Write training examples of the intent role.

    One chat a line (JSON Lines).
    """
    from ossia.assistant.training_set.examples import intent_examples, refuse_test_tasks, split

    options.require_folder(out)
    if not 0 <= held_out < 1:
        raise UserError(f"--held-out is a share from 0 to below 1, not {held_out:g}")
    tasks = single(find_world_tasks(data, _SUITE))
    if not tasks:
        raise UserError(f"{data}: no task of a single request")
    refuse_test_tasks(tasks)
    heard = () if prompts_of is None else _heard(prompts_of)
    learnt, kept = (intent_examples(part, heard) for part in split(tasks, held_out, seed))
    _write(out, learnt, kept)
    say(f"{out}: {len(learnt)} examples to learn from, {len(kept)} held out")


def _write(out: Path, learnt: Sequence[Example], kept: Sequence[Example]) -> None:
    out.mkdir(exist_ok=True)
    options.write_file(out / "train.jsonl", _lines(learnt))
    if kept:
        options.write_file(out / "validation.jsonl", _lines(kept))
    else:
        # An earlier one's tasks are learnt from now.
        (out / "validation.jsonl").unlink(missing_ok=True)


def _heard(run: str) -> tuple[HeardPrompt, ...]:
    """Return the wordings of a stored run's frameworks.

    Raises:
        UserError: there is no such run, or no intent role was asked in it.
    """
    from ossia.assistant.training_set.heard import heard_prompts
    from ossia.run_plan import tasks_of
    from ossia.runner.store import RunStore

    with RunStore(options.run_folder(run)) as store:
        tasks = tasks_of(store.config())
        found = heard_prompts(
            (trace, tasks[trace.episode.task].utterance) for trace in store.traces()
        )
    if not found:
        raise UserError(f"in the run '{run}' no intent agent was asked")
    return found


def _lines(examples: Sequence[Example]) -> str:
    rows = (json.dumps({"messages": each.chat()}, ensure_ascii=False) for each in examples)
    return "".join(f"{row}\n" for row in rows)
