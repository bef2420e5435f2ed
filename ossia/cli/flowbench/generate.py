"""`ossia dataset generate-sessions`: the built-in sessions of FlowBench, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli.told import say
from ossia.errors import UserError
from ossia.outputs import require_folder
from ossia_dataset.tasks import dataset_hash, write_tasks


def generate_command(
    out: Annotated[
        Path,
        typer.Option(help="Folder of sets: a folder of JSON Lines is made for the set `test`."),
    ],
    seed: Annotated[int, typer.Option(min=0, max=999_999_999, help="Seed of all draws.")] = 1,
    own: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Generate this many sessions of each scenario in the folder that OSSIA_SCENARIOS"
            " names, and no others.",
        ),
    ] = None,
) -> None:
    """Generate sessions of FlowBench from a seed.

    Writes a file for each role. The built-in ones are those of seed 1.
    """
    # Loaded when asked for: the libraries for graphs take a second.
    from ossia_servers.flowbench.generator import generate_own, generate_sessions

    require_folder(out)
    made = generate_sessions(seed) if own is None else generate_own(seed, own)
    if not made:
        raise UserError(
            "there are no scenarios of your own: set OSSIA_SCENARIOS to a folder that contains some"
        )
    (out / "test").mkdir(parents=True, exist_ok=True)
    for role in sorted({session.role for session in made}):
        tasks = [session for session in made if session.role == role]
        file = out / "test" / f"{role}.jsonl"
        write_tasks(file, tasks)
        say(f"{file}: {len(tasks)} sessions, hash {dataset_hash(tasks)}")
