"""The check of the office's task sets: each task proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.workbench.proof import OfficeProver
from ossia_evaluation.workbench.tasks import SUITE
from ossia_evaluation.worlds.proof import ProofLine
from ossia_servers.worlds.domain import Domain


def check_set(
    name: str, tasks: Sequence[WorldTask], domains: Sequence[Domain]
) -> Iterator[ProofLine]:
    """Prove every task of a set.

    A wrong run that passes counts for tasks of Ossia's own; published truths are taken as they are,
    also where they cannot tell two runs apart.

    Args:
        name: the set's name, or the path that it is from.
        tasks: what it holds.
        domains: the servers with their databases.
    """
    prover = OfficeProver(domains)
    proven = tried = surviving = 0
    for task in tasks:
        proof = prover.prove(task)
        bad = [*proof.problems, *(proof.surviving if task.source is None else ())]
        for problem in (*proof.problems, *proof.surviving):
            yield ProofLine(f"{proof.task}: {problem}", sound=problem not in bad)
        proven += not bad
        tried += proof.mutants
        surviving += len(proof.surviving)
    yield ProofLine(
        f"{SUITE}/{name}: {proven} of {len(tasks)} tasks proven; {tried - surviving} of"
        f" {tried} mutated gold runs fail; {_spread(tasks)}"
    )


def _spread(tasks: Sequence[WorldTask]) -> str:
    """How many tasks need how many actions."""
    counts = Counter(len(task.gold.gold_requests()) for task in tasks)
    return "requests a task: " + ", ".join(f"{n}: {counts[n]}" for n in sorted(counts))
