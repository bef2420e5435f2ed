"""`ossia model examples`: what a language model of one's own may learn from a suite's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.cli.told import say
from ossia.learning import examples_of, write_examples
from ossia.outputs import require_folder

_PromptsOf = Annotated[
    str | None,
    typer.Option(
        help="Write each task once in the wording of every framework of this stored run; when left"
        " out, in the role's plain prompt.",
        autocompletion=options.run_names,
    ),
]


def examples_command(
    out: Annotated[Path, typer.Option(help="Folder to write train.jsonl and validation.jsonl to.")],
    suite: options.Suite = "assistant",
    data: Annotated[
        str,
        typer.Option(
            help="What to learn: a built-in task set, a JSON Lines file or folder, or a published"
            " copy that the suite reads. Tasks of a test set are refused."
        ),
    ] = "train",
    prompts_of: _PromptsOf = None,
    store: options.Store = None,
    held_out: Annotated[
        float, typer.Option(help="Share of the tasks that goes into validation.jsonl.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed that selects these tasks.")] = 0,
) -> None:
    """Write training examples of a role.

    The suite decides which role. Writes one chat per line (JSON Lines).
    """
    require_folder(out)
    place = None if prompts_of is None else options.run_place(prompts_of, store)
    learnt, kept = examples_of(suite, data, place, held_out, seed)
    write_examples(out, learnt, kept)
    say(f"{out}: {len(learnt)} examples to learn from, {len(kept)} held out")
