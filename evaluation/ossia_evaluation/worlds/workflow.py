"""The gold workflow of a task: the steps of its gold run, and what each of them rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ossia_servers.worlds.domain import Domain
from ossia_workflows.graph import END, START, Edge, Node, WorkflowGraph

__all__ = ["OTHERWISE", "Step", "summary_of", "workflow_of"]

OTHERWISE: Final = "otherwise"
"""The condition of the way that is taken where nothing else is."""

_TELL: Final = "Tell the user what was done or found out"


@dataclass(frozen=True)
class Step:
    """One request of a gold run, or several alike."""

    domain: str
    intent: str
    task: str
    """What is asked for, in words."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """In the user's words."""
    after: frozenset[int] = frozenset()
    """The steps, by place, that it can only come after."""
    condition: str | None = None
    """When it is to be done, in words; `decided` tells."""
    decided: int = 0
    """The step, by place, whose answer decides on the condition."""


def workflow_of(steps: Sequence[Step]) -> WorkflowGraph:
    """Return the workflow of steps, whose last one is to tell the user.

    Args:
        steps: what is done; each comes after earlier ones alone.
    """
    last = len(steps)
    nodes = [
        Node(
            id=str(place + 1),
            task=step.task,
            tool=f"{step.domain}.{step.intent}",
            arguments=dict(step.arguments),
        )
        for place, step in enumerate(steps)
    ]
    before: list[frozenset[int]] = []
    edges: dict[tuple[int, int], str | None] = {}
    for place, step in enumerate(steps):
        needed = step.after | ({step.decided} if step.condition is not None else set())
        for earlier in _nearest(needed, before):
            edges[earlier, place] = None
        if step.condition is not None:
            edges[step.decided, place] = step.condition
            edges[step.decided, last] = OTHERWISE
        before.append(needed.union(*(before[each] for each in needed)))
    followed = {source for source, target in edges if target != last}
    edges |= {(place, last): None for place in range(last) if place not in followed}
    begun = {target for _, target in edges}
    return WorkflowGraph(
        nodes=(*nodes, Node(id=str(last + 1), task=_TELL)),
        edges=(
            *(Edge(source=START, target=str(n + 1)) for n in range(last + 1) if n not in begun),
            *(
                Edge(source=str(one + 1), target=str(other + 1), condition=condition)
                for (one, other), condition in edges.items()
            ),
            Edge(source=str(last + 1), target=END),
        ),
    )


def summary_of(domains: Sequence[Domain], domain: str, intent: str) -> str:
    """Return what an intent does, in its server's first sentence; its name where none tells."""
    declared = (found.intent(intent) for found in domains if found.name == domain)
    told = next((each.summary for each in declared if each is not None), intent)
    return told.partition(". ")[0].removesuffix(".")


def _nearest(needed: frozenset[int], before: Sequence[frozenset[int]]) -> list[int]:
    """The steps of some that come before none of the others."""
    return sorted(n for n in needed if not any(n in before[other] for other in needed))
