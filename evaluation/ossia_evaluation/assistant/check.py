"""`ossia dataset check`: every task proven, every set sound, the sets unlike one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from ossia.cli import dataset_audit, dataset_office, options
from ossia.cli.told import say
from ossia.errors import UserError
from ossia.suites.workbench import TEAMS
from ossia.tasks import find_world_tasks, sets_of
from ossia_dataset.assistant.quality import (
    ALIKE,
    MOST_OF_A_PATTERN,
    TEST_COVERAGE,
    TRAIN_COVERAGE,
    Split,
    find_problems_of_splits,
    training_utterances,
)
from ossia_dataset.builtin import builtin_sets, load_tasks, present_version, recorded_version
from ossia_dataset.workbench.generator import SUITE
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.proof import Proof, Prover
from ossia_servers.assistant.catalogue import load_domains

_COVERAGE = {("assistant", "test"): TEST_COVERAGE, ("assistant", "train"): TRAIN_COVERAGE}
_TOGETHER = ("assistant", "assistant-compound")
_AUDITED = (*_TOGETHER, SUITE)
_TRAINING = "train"


def register(app: typer.Typer) -> None:
    """Add the command to the group of `ossia dataset`."""
    app.command("check")(check_command)


def check_command(
    tasks: Annotated[
        str | None,
        typer.Argument(
            help="A built-in set, a JSON Lines file or folder, an Auto-SLURP CSV, or the"
            " folder of WorkBench's published data; all built-in sets together when left out."
        ),
    ] = None,
    suite: options.Suite = "assistant",
    audit: Annotated[
        bool,
        typer.Option(
            "--audit",
            envvar="OSSIA_AUDIT",
            help="Sweep the built-in test sets of every suite with wrong and right behaviours"
            " instead; too many wrong verdicts of one kind fail the check.",
        ),
    ] = False,
) -> None:
    """Prove every task and check the sets.

    Gold passes; doing nothing and doing wrong fail. Doing wrong is to change one parameter or
    intent of the gold requests; each has to count, but for those that are declared to make no
    difference.

    Without an argument the built-in sets are also held against one another: no near-duplicates
    across them, and no sentence frame that more than three tasks share.
    """
    if audit and tasks is not None:
        raise UserError("--audit sweeps the built-in test sets: name no tasks beside it")
    if audit:
        sound = dataset_audit.audit_sweeps(_AUDITED)
    elif suite in TEAMS:
        sound = dataset_office.check_office(tasks, suite)
    else:
        sound = _check_assistant(tasks, suite)
    if not sound:
        raise typer.Exit(1)


def _check_assistant(tasks: str | None, suite: str) -> bool:
    """Prove the assistant's tasks and check its sets; returns whether nothing is wrong."""
    if tasks is None:
        splits = dict(_builtin_splits())
    else:
        name = f"{suite}/{tasks}" if tasks in sets_of(suite) else tasks
        splits = {name: _split(tasks, suite, find_world_tasks(tasks, suite))}
    prover = Prover(load_domains())
    bad = sum(
        _tell(name, [prover.prove(task) for task in split.tasks]) for name, split in splits.items()
    )
    # Published labels are taken as they are: only tasks of this format have to keep the rules.
    own = [
        replace(split, tasks=tuple(task for task in split.tasks if task.source is None))
        for split in splits.values()
    ]
    broken = find_problems_of_splits(own, training_utterances())
    for rule in broken:
        say(f"{rule.task}: {rule.message}")
    old = list(_outdated()) if tasks is None else []
    for message in old:
        say(message)
    say(
        f"{len(broken)} faults of {'the sets' if len(splits) > 1 else 'the set'} (coverage, ids,"
        f" slots, texts that share {ALIKE:.0%} of their trigrams, frames of more than"
        f" {MOST_OF_A_PATTERN} tasks)"
    )
    return not (bad or broken or old)


def _builtin_splits() -> Iterator[tuple[str, Split]]:
    for suite in _TOGETHER:
        for name in builtin_sets(suite):
            yield f"{suite}/{name}", _split(name, suite, load_tasks(name, suite))


def _split(name: str, suite: str, tasks: Sequence[WorldTask]) -> Split:
    builtin = name in builtin_sets(suite)
    return Split(
        tuple(tasks),
        _COVERAGE.get((suite, name)),
        held_out=not (builtin and name == _TRAINING),
        facts=builtin,
    )


def _tell(name: str, proofs: Iterable[Proof]) -> int:
    """Print what was proven of a set; returns how many tasks were not."""
    total = bad = mutants = idle = surviving = 0
    for proof in proofs:
        total += 1
        bad += not proof.proven
        mutants += proof.mutants
        idle += len(proof.idle)
        surviving += len(proof.surviving)
        for problem in proof.problems:
            say(f"{proof.task}: {problem}")
        for mutation in proof.surviving:
            say(f"{proof.task}: {mutation}, and the run passes all the same")
    say(
        f"{name}: {total - bad} of {total} tasks proven; of {mutants} parameters and intents of the"
        f" gold requests {mutants - idle - surviving} fail when they are changed, {idle} are"
        f" declared to make no difference to the outcome, {surviving} pass undeclared"
    )
    return bad


def _outdated() -> Iterator[str]:
    """Built-in sets that are no longer what is recorded of their version."""
    for suite in _TOGETHER:
        known = recorded_version(suite)
        if known is not None and known != present_version(known.version, suite):
            yield (
                f"{suite}: the sets are not those of version {known.version};"
                " see `ossia dataset record`"
            )
