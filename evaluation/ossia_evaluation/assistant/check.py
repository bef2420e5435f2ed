"""The check of the assistant's task sets: each task proven, the sets sound and unlike each other.

Tasks of one wish and of several are for the same team, so their sets are checked together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ossia_dataset.assistant.quality import (
    ALIKE,
    MOST_OF_A_PATTERN,
    TEST_COVERAGE,
    TRAIN_COVERAGE,
    Split,
    find_problems,
    training_utterances,
)
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.proof import AssistantProver
from ossia_evaluation.worlds.proof import Proof, ProofLine, outdated
from ossia_servers.assistant.catalogue import load_domains

_COVERAGE: Final = {("assistant", "test"): TEST_COVERAGE, ("assistant", "train"): TRAIN_COVERAGE}
_TOGETHER: Final = ("assistant", "assistant-compound")
_TRAINING: Final = "train"


def check_builtin() -> Iterator[ProofLine]:
    """Check the built-in sets, also against one another and what is recorded of their version."""
    yield from _check(
        {
            f"{suite}/{name}": _split(name, suite, assistant_tasks(name, suite))
            for suite in _TOGETHER
            for name in builtin_sets(suite)
        },
        [
            line
            for suite in _TOGETHER
            for line in outdated(suite, partial(assistant_tasks, suite=suite))
        ],
    )


def check_source(source: str, suite: str, tasks: Sequence[WorldTask]) -> Iterator[ProofLine]:
    """Check one task set.

    Args:
        source: its name, or the path that it is from.
        suite: the suite whose set is meant.
        tasks: what it holds.
    """
    name = f"{suite}/{source}" if source in builtin_sets(suite) else source
    yield from _check({name: _split(source, suite, tasks)})


def _check(splits: Mapping[str, Split], old: Sequence[ProofLine] = ()) -> Iterator[ProofLine]:
    prover = AssistantProver(load_domains())
    for name, split in splits.items():
        yield from _told(name, [prover.prove(task) for task in split.tasks])
    # Published labels are taken as they are: only tasks of this format have to keep the rules.
    own = [
        replace(split, tasks=tuple(task for task in split.tasks if task.source is None))
        for split in splits.values()
    ]
    broken = find_problems(own, training_utterances())
    for rule in broken:
        yield ProofLine(f"{rule.task}: {rule.message}", sound=False)
    yield from old
    yield ProofLine(
        f"{len(broken)} faults of {'the sets' if len(splits) > 1 else 'the set'} (coverage, ids,"
        f" slots, texts that share {100 * ALIKE:.0f} % of their trigrams, frames of more than"
        f" {MOST_OF_A_PATTERN} tasks)"
    )


def _split(name: str, suite: str, tasks: Sequence[WorldTask]) -> Split:
    builtin = name in builtin_sets(suite)
    return Split(
        tuple(tasks),
        _COVERAGE.get((suite, name)),
        held_out=not (builtin and name == _TRAINING),
        facts=builtin,
    )


def _told(name: str, proofs: Iterable[Proof]) -> Iterator[ProofLine]:
    """What was proven of a set."""
    total = bad = mutants = idle = surviving = 0
    for proof in proofs:
        total += 1
        bad += not proof.proven
        mutants += proof.mutants
        idle += len(proof.idle)
        surviving += len(proof.surviving)
        for problem in proof.problems:
            yield ProofLine(f"{proof.task}: {problem}", sound=False)
        for mutation in proof.surviving:
            yield ProofLine(
                f"{proof.task}: {mutation}, and the run passes all the same", sound=False
            )
    yield ProofLine(
        f"{name}: {total - bad} of {total} tasks proven; of {mutants} parameters and intents of the"
        f" gold requests {mutants - idle - surviving} fail when they are changed, {idle} are"
        f" declared to make no difference to the outcome, {surviving} pass undeclared"
    )
