"""`ossia dataset audit`: how often verdicts are right, on labelled behaviours and on sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ossia.audit import judge_all, sweeps
from ossia.cli.told import make_console, say
from ossia_evaluation.audit.behaviours import Accepted, Judged, Should, accepted, read_behaviours
from ossia_evaluation.report.word_table import word_table


def audit_command(
    file: Annotated[
        Path, typer.Argument(help="Labelled behaviours, one JSON object a line.", metavar="FILE")
    ],
    tasks: Annotated[
        str | None,
        typer.Option(
            "--tasks", help="A file or folder of your own tasks; the built-in sets when left out."
        ),
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
            _tell(one)
    print_shares(judged)


def print_shares(judged: Sequence[Judged]) -> None:
    """Print the shares of right behaviours accepted and of wrong ones refused."""
    right = accepted(judged, Should.SUCCESS)
    wrong = accepted(judged, Should.FAILURE, Should.TOLD_FALSELY)
    say(f"right behaviours accepted: {_share(right)}")
    say(f"wrong or falsely told ones refused: {_share(wrong, refused=True)}")
    for should in (Should.FAILURE, Should.TOLD_FALSELY):
        say(f"  {should}: {_share(accepted(judged, should), refused=True)}")
    unread = [one for one in judged if one.score.reply == "unread"]
    say(f"replies that no rule reads: {len(unread)} of {len(judged)}")
    say("Intervals are 95 %, clustered by task. The labels are a reader's, not the truth.")


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
            _tell(one)
        bad, total = len(found.wrong), len(found.judged)
        table.add_row(
            found.sweep.name,
            "accepted" if found.accepts else "refused",
            found.tasks,
            str(total),
            f"{bad} ({bad / total:.1%})",
            f"{found.limit:.0%}" + ("" if found.sound else ", exceeded"),
        )
    make_console().print(table)
    return sound


def _tell(one: Judged) -> None:
    made = one.behaviour
    said = "the servers' words" if made.reply is None else repr(made.reply)
    say(
        f"{made.task}, {made.behaviour!r}: should be {made.should}, is {one.score.verdict}"
        f" ({one.score.reason})\n    requests {', '.join(made.requests) or 'none'}; reply {said}"
    )


def _share(found: Accepted, *, refused: bool = False) -> str:
    if found.share is None:
        return "none"
    low, high = found.interval
    if refused:
        count, share, low, high = found.of - found.count, 1 - found.share, 1 - high, 1 - low
    else:
        count, share = found.count, found.share
    return f"{count} of {found.of} ({share:.1%}, 95 % [{low:.1%}, {high:.1%}])"
