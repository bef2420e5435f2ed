"""`ossia replay`: one episode again from its tape, with a step's output replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import uvloop

from ossia.attribution.again import Again, play_again
from ossia.cli import options
from ossia.cli.told import make_console, say
from ossia.errors import UserError
from ossia_evaluation.report.figures import UNKNOWN


def replay_command(
    episode: Annotated[str, typer.Argument(help="An episode's id: framework.task.repeat.")],
    replacements: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="STEP=FILE: replace what a step said by the file's text. STEP is a number of"
            " `ossia show`, a role, or a moment such as url#2; repeatable.",
        ),
    ] = None,
    run: options.RunOption = None,
    json: options.Json = False,
) -> None:
    """Run one episode again from its tape, and show what changed.

    Other steps answer as they did, or, where their input changes, as they would have. Steps
    of which nothing was recorded are assumed to answer rightly, and are named.
    """
    given = dict(_replacement(item) for item in replacements or ())
    found = uvloop.run(play_again(options.run_folder(run), options.home(), episode, given))
    for step in (step for step, text in given.items() if not text):
        say(f"the text for '{step}' is empty: the step then says nothing", err=True)
    if json:
        say(found.model_dump_json(indent=2))
    else:
        _print(found)


def _replacement(item: str) -> tuple[str, str]:
    step, mark, file = item.partition("=")
    if not mark or not step or not file:
        raise UserError(f"--set needs STEP=FILE, not '{item}'")
    try:
        return step, Path(file).read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise UserError(f"{file}: the file is not in UTF-8") from None
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from None


def _print(found: Again) -> None:
    console = make_console()

    def line(text: str) -> None:
        console.print(text, markup=False, highlight=False)

    for step in found.steps:
        changed = step.now is not None and step.now != step.before
        line(f"{'*' if changed else ' '} {step.situation} ({step.how or 'not played again'})")
        if step.before is not None:
            line(f"      before: {step.before}")
        if changed:
            line(f"      now:    {step.now or UNKNOWN}")
    line(f"requests before: {'; '.join(found.requests_before) or 'none'}")
    line(f"requests now:    {'; '.join(found.requests_now) or 'none'}")
    line(f"answer before:   {found.answer_before or UNKNOWN}")
    line(f"answer now:      {found.answer_now or UNKNOWN}")
    line(f"verdict before:  {found.verdict_before}: {found.reason_before}")
    line(f"verdict now:     {found.verdict_now}: {found.reason_now}")
    if found.assumed:
        names = ", ".join(found.assumed)
        line(f"assuming that {names} would then have answered rightly: nothing was recorded of it")
