"""The gold workflow of an assistant's task: one step for each wish of the sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ossia_dataset.world_tasks import Part, WorldTask
from ossia_evaluation.worlds.workflow import Step, summary_of, workflow_of
from ossia_servers.worlds.domain import Domain
from ossia_workflows.graph import WorkflowGraph

__all__ = ["gold_workflow"]


def gold_workflow(task: WorldTask, domains: Sequence[Domain]) -> WorkflowGraph:
    """Return a task's gold workflow.

    A wish that takes a value from an answer comes after all before it; wishes of one domain keep
    their order, since its requests act on the same things. A condition is a way, whether or not it
    holds; one of the first wish, which no step decides, is left to the sentence. Values are the
    user's words: neither normal forms nor what only an answer tells.

    Args:
        task: a compound task.
        domains: the domain servers, for what an intent does.
    """
    parts = task.gold.parts
    return workflow_of([_step(parts, place, domains) for place in range(len(parts))])


def _step(parts: Sequence[Part], place: int, domains: Sequence[Domain]) -> Step:
    part = parts[place]
    earlier = range(place)
    after = earlier if part.taken else [n for n in earlier if parts[n].domain == part.domain]
    others = [n for n in earlier if parts[n].condition != part.condition]
    return Step(
        domain=part.domain,
        intent=part.intent,
        task=summary_of(domains, part.domain, part.intent),
        arguments={**part.slots, **part.taken},
        after=frozenset(after),
        condition=part.condition if others else None,
        decided=others[-1] if others else 0,
    )
