"""What each member of a planning team should answer to a training task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ossia_dataset.randomness import seeded_random
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.worfbench.execution.proof import wrong_plans
from ossia_workflows.graph import GraphError, read_text, write_text
from ossia_workflows.worfbench import CRITIC, DECOMPOSER, LINKER, PLANNER, TeamKind, members_of

__all__ = ["Lesson", "lessons"]

_FAULTY = 0.5
"""The share of faulty plans among those that a critic is shown."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a role should answer after what the roles before it have said."""

    role: str
    answer: str
    earlier: tuple[str, ...] = ()


def lessons(kind: TeamKind, task: PlanTask) -> Iterator[Lesson]:
    """Yield a lesson for each member of a team; a critic is shown right plans and wrong ones.

    Args:
        kind: the team.
        task: a training task, whose workflow is the gold plan.
    """
    gold = task.workflow
    nodes = gold.partition("\nEdge:")[0]
    every = {
        PLANNER: Lesson(PLANNER, gold),
        DECOMPOSER: Lesson(DECOMPOSER, nodes),
        LINKER: Lesson(LINKER, gold, (nodes,)),
        CRITIC: Lesson(CRITIC, gold, (nodes, _perhaps_wrong(task))),
    }
    yield from (every[name] for name in members_of(kind))


def _perhaps_wrong(task: PlanTask) -> str:
    """Return the gold plan, or one with a fault; the same each time."""
    draw = seeded_random("critic", task.id)
    try:
        wrong = [plan for _, plan in wrong_plans(read_text(task.workflow))]
    except GraphError:
        # A published gold plan may hold what is no plan.
        wrong = []
    return write_text(draw.choice(wrong)) if wrong and draw.random() < _FAULTY else task.workflow
