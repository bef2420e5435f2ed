"""`ossia dataset audit`: how often verdicts are right, on labelled behaviours and on sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.audit import judge_all, sweeps
from ossia.cli.told import make_console, say
from ossia_evaluation.audit.behaviours import agreement_lines, read_behaviours
from ossia_evaluation.report.word_table import word_table


def audit_command(
    file: Annotated[
        Path, typer.Argument(help="Labelled behaviours, one JSON object a line.", metavar="FILE")
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
    for line in agreement_lines(judged):
        say(line)


def audit_sweeps() -> bool:
    """Run every sweep over the built-in test sets of all suites, and print what was found.

    Returns:
        Whether every sweep keeps its limit.
    """
    table = word_table("sweep", "should be", "suite", "n", "wrong verdicts", "limit")
    sound = True
    for found in sweeps():
        sound = sound and found.sound
        for one in found.wrong:
            say(one)
        bad, total = len(found.wrong), len(found.judged)
        table.add_row(
            found.sweep.name,
            "accepted" if found.accepts else "refused",
            found.tasks,
            str(total),
            f"{bad} ({100 * bad / total:.1f} %)",
            f"{100 * found.limit:.0f} %" + ("" if found.sound else ", exceeded"),
        )
    make_console().print(table)
    return sound
