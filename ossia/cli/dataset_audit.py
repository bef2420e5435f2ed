"""`ossia dataset audit`: how often verdicts are right, on labelled behaviours and on sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossia.cli import render
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suite import Suite
from ossia.suites import find_suite, suite_names, usable_suites
from ossia.tasks import find_world_tasks, sets_of
from ossia_dataset.world_tasks import WorldTask

if TYPE_CHECKING:
    from ossia_evaluation.audit.behaviours import Accepted, Behaviour, Judged
    from ossia_evaluation.score import Scorer


def audit_command(
    file: Annotated[
        Path, typer.Argument(help="Labelled behaviours, one JSON object a line.", metavar="FILE")
    ],
    tasks: Annotated[
        str | None,
        typer.Option(
            "--tasks",
            envvar="OSSIA_TASKS",
            help="A file or folder of your own tasks; the built-in sets when left out.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", envvar="OSSIA_ALL", help="Print every verdict.")
    ] = False,
) -> None:
    """Print how many verdicts agree with labelled behaviours.

    Each line names a suite, a task, the requests (G stands for the gold requests), the reply (null
    for the servers' words) and what the verdict should be: success, failure, told_falsely (right
    requests, false reply) or debatable (in no figure).
    """
    from ossia_evaluation.audit.behaviours import BehaviourError, read_behaviours

    try:
        judged = _judge_all(read_behaviours(file), tasks)
    except BehaviourError as error:
        raise UserError(str(error)) from None
    for one in judged:
        if show_all or not one.agrees:
            _tell(one)
    print_shares(judged)


def print_shares(judged: Sequence[Judged]) -> None:
    """Print the shares of right behaviours accepted and of wrong ones refused."""
    from ossia_evaluation.audit.behaviours import Should, accepted

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

    Sets that suites share are swept once.

    Returns:
        Whether every sweep keeps its limit.
    """
    from ossia_evaluation.audit.behaviours import Should, judge
    from ossia_evaluation.audit.sweeps import MOST_FALSELY_ACCEPTED, MOST_FALSELY_REFUSED, SWEEPS

    table = render.word_table("sweep", "should be", "suite", "n", "wrong verdicts", "limit")
    sound = True
    for suite, source, scorer in _swept():
        tasks = find_world_tasks(source, suite)
        for sweep in SWEEPS:
            judged = [
                judge(behaviour, task, scorer)
                for task in tasks
                for behaviour in sweep.behaviours(task, scorer.runner)
            ]
            if not judged:
                continue
            is_right = sweep.should is Should.SUCCESS
            limit = MOST_FALSELY_REFUSED if is_right else MOST_FALSELY_ACCEPTED
            bad = [one for one in judged if not one.agrees]
            within = len(bad) <= limit * len(judged)
            sound = sound and within
            for one in bad:
                _tell(one)
            mark = f"{limit:.0%}" + ("" if within else ", exceeded")
            wrong = f"{len(bad)} ({len(bad) / len(judged):.1%})"
            meant = "accepted" if is_right else "refused"
            table.add_row(sweep.name, meant, f"{suite}/{source}", str(len(judged)), wrong, mark)
    render.console().print(table)
    return sound


def _swept() -> Iterator[tuple[str, str, Scorer]]:
    """Each suite with each of its test sets and what grades it, where verdicts can be audited."""
    from ossia_evaluation.score import Scorer

    done = set()
    for name, suite in usable_suites()[0].items():
        for source in suite.sets:
            grader = suite.grader(suite.domains(source))
            if source == "train" or not isinstance(grader, Scorer):
                continue
            if (suite.data, source) not in done:
                done.add((suite.data, source))
                yield name, source, grader


def _judge_all(behaviours: Sequence[Behaviour], source: str | None) -> list[Judged]:
    from ossia_evaluation.audit.behaviours import BehaviourError, judge

    known: dict[str, tuple[Mapping[str, WorldTask], Mapping[str, Scorer]]] = {}
    judged = []
    for behaviour in behaviours:
        if behaviour.suite not in known:
            if behaviour.suite not in suite_names():
                raise BehaviourError(f"no suite is called '{behaviour.suite}'")
            known[behaviour.suite] = _load(behaviour.suite, source)
        tasks, scorers = known[behaviour.suite]
        task = tasks.get(behaviour.task)
        if task is None:
            raise BehaviourError(f"the suite {behaviour.suite} has no task '{behaviour.task}'")
        judged.append(judge(behaviour, task, scorers[behaviour.task]))
    return judged


def _load(suite: str, source: str | None) -> tuple[Mapping[str, WorldTask], Mapping[str, Scorer]]:
    """Every task of a suite by its id, and the scorer of its set."""
    found = find_suite(suite)
    tasks: dict[str, WorldTask] = {}
    scorers: dict[str, Scorer] = {}
    for name in sets_of(suite) if source is None else (source,):
        scorer = _scorer(found, name)
        for task in find_world_tasks(name, suite):
            tasks.setdefault(task.id, task)
            scorers.setdefault(task.id, scorer)
    return tasks, scorers


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


def _scorer(suite: Suite[Any], source: str) -> Scorer:
    """What grades a suite by the world's state and the reply.

    Raises:
        UserError: the suite is graded otherwise.
    """
    from ossia_evaluation.score import Scorer

    grader = suite.grader(suite.domains(source))
    if not isinstance(grader, Scorer):
        raise UserError(f"the verdicts of the suite '{suite.name}' cannot be audited")
    return grader
