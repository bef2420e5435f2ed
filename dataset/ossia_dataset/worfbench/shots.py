"""The two worked examples that a planner alone is shown, as the publication's prompt has them."""

from __future__ import annotations

from collections import Counter
from functools import cache

from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.worfbench.tasks import SUITE, PlanKind, PlanTask

__all__ = ["is_chain", "worked_examples"]


@cache
def worked_examples(kind: PlanKind | None) -> tuple[PlanTask, ...]:
    """Return two training tasks of a kind: a chain of three steps or more, and a graph.

    Two of one form where the kind lacks the other.

    They are the first ones of the set, so the same each time.

    Args:
        kind: what is to be planned; None for tasks of no known kind, for which there are none.
    """
    tasks = [] if kind is None else [task for task in _known() if task.kind is kind]
    chains = [task for task in tasks if is_chain(task) and "\n3: " in task.workflow]
    graphs = [task for task in tasks if not is_chain(task)]
    return tuple([*chains[:1], *graphs[:1], *chains[1:2], *graphs[1:2]][:2])


@cache
def _known() -> tuple[PlanTask, ...]:
    return load_set("train", builtin_folder(SUITE), PlanTask)


def is_chain(task: PlanTask) -> bool:
    """Say whether the steps of a gold plan come one after the other."""
    # "(2,3)" begins with what it leads from: of a chain each begins one edge.
    edges = task.workflow.rpartition("Edge:")[2].split()
    begun = Counter(edge.partition(",")[0] for edge in edges)
    ended = Counter(edge.partition(",")[2] for edge in edges)
    return max([*begun.values(), *ended.values()]) == 1
