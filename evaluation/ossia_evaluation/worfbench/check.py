"""`ossia dataset check` of plans: what was found in each task of a set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossia_dataset.builtin import builtin_sets
from ossia_dataset.worfbench.tasks import SUITE, PlanKind, PlanTask
from ossia_dataset.worfbench.written import WRITTEN, drawn
from ossia_evaluation.worfbench.proof import computed_problems, graph_problems
from ossia_evaluation.worlds.proof import ProofLine

__all__ = ["check_plans"]


def check_plans(source: str, tasks: Sequence[PlanTask]) -> Iterator[ProofLine]:
    """Yield a line for each thing that is wrong, and one that counts the tasks.

    Gold plans whose steps are words are looked at as graphs. Those of built-in problems are also
    computed: each order that the plan allows gives one answer, and others fail.

    Args:
        source: a set by name, or a path.
        tasks: its tasks; those of kinds that are proven elsewhere are passed over.
    """
    known = [task for task in tasks if task.kind in WRITTEN]
    found = [f"{task.id}: {problem}" for task in known for problem in graph_problems(task)]
    if source in builtin_sets(SUITE):
        problems = drawn(source, PlanKind.PROBLEM_SOLVING)
        found += [f"{one.request}: {said}" for one in problems for said in computed_problems(one)]
    for problem in found:
        yield ProofLine(f"{SUITE}/{source}: {problem}", sound=False)
    yield ProofLine(f"{SUITE}/{source}: {len(known)} tasks looked at, {len(found)} problems")
