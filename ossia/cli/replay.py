"""`ossia replay`: one episode again from its tape, with a step's output replaced."""

from __future__ import annotations

from typing import Annotated

import typer

from ossia.attribution.again import again_lines, play_again, read_replacement
from ossia.cli import options
from ossia.cli.stopped import STOPPED, stop_with
from ossia.cli.told import make_console, say
from ossia.loop import run_in_order
from ossia_evaluation.whole_words import Indented


def replay_command(
    episode: options.Episode,
    replacements: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="STEP=FILE: replace what a step said with the file's text. STEP is a number of"
            " `ossia show`, a role, or a moment such as url#2; repeatable.",
        ),
    ] = None,
    run: options.RunOption = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Run one episode again from its tape, and show what changed.

    Other steps answer as recorded, or, if their input changes, as they would have. Steps
    without a recorded answer are assumed to answer correctly, and are named.
    """
    given = dict(map(read_replacement, replacements or ()))
    place = options.run_place(run, store)
    found = run_in_order(play_again(place, options.home(), episode, given), stop_with(told=STOPPED))
    for step in (step for step, text in given.items() if not text):
        say(f"the text for '{step}' is empty: the step then says nothing", err=True)
    if json:
        say(found.model_dump_json(indent=2))
    else:
        console = make_console()
        for line in again_lines(found):
            console.print(Indented(line, hang=2))
