"""`ossia dataset audit`: how often verdicts are right, on labelled behaviours and on sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.audit import judge_all, sweeps, sweeps_table
from ossia.cli.told import make_console, say, say_lines
from ossia_evaluation.audit.behaviours import agreement_lines, read_behaviours


def audit_command(
    file: Annotated[
        Path, typer.Argument(help="Labelled behaviours, one JSON object per line.", metavar="FILE")
    ],
    tasks: Annotated[
        str | None,
        typer.Option(help="A file or folder of your own tasks; the built-in sets when left out."),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every verdict.")] = False,
) -> None:
    """Print how many verdicts agree with labelled behaviours.

    Each line names a suite, a task, the requests (G stands for the gold requests), the reply (null
    for the servers' words) and what the verdict should be: success, failure, told_falsely (right
    requests, false reply) or debatable (in no figure).
    """
    judged = judge_all(read_behaviours(file), tasks)
    for one in judged:
        if show_all or not one.agrees:
            say(one)
    say_lines(agreement_lines(judged))


def audit_sweeps() -> bool:
    """Run every sweep over the built-in test sets of all suites, and print what was found.

    Returns:
        Whether every sweep keeps its limit.
    """
    found = []
    for each in sweeps():
        found.append(each)
        say_lines(each.wrong)
    make_console().print(sweeps_table(found))
    return all(each.sound for each in found)
