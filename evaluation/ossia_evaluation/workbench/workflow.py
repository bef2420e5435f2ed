"""The gold workflow of an office task: its looks, then its actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, groupby
from typing import TypeAlias

from ossia_dataset.tasks import Request
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.worlds.workflow import Step, summary_of, workflow_of
from ossia_servers.worlds.domain import Domain
from ossia_workflows.graph import WorkflowGraph

__all__ = ["gold_steps", "gold_workflow"]

_Tool: TypeAlias = tuple[str, str]
"""Its toolkit and its name."""


def gold_workflow(task: WorldTask, domains: Sequence[Domain]) -> WorkflowGraph:
    """Return a task's gold workflow.

    Requests of one tool that follow each other are one step. The actions come after all looks, and
    those of one toolkit keep their order. Arguments are left out: of ids and addresses only an
    answer tells.

    Args:
        task: an office task.
        domains: the domain servers, for what a tool does.
    """
    looks, actions = (_tools(each) for each in _grouped(task))
    return workflow_of(
        [
            *(_step(domains, tool) for tool in looks),
            *(
                _step(domains, actions[n], _before(actions, n, looks=len(looks)))
                for n in range(len(actions))
            ),
        ]
    )


def _step(domains: Sequence[Domain], tool: _Tool, after: frozenset[int] = frozenset()) -> Step:
    return Step(*tool, task=summary_of(domains, *tool), after=after)


def _before(actions: Sequence[_Tool], place: int, *, looks: int) -> frozenset[int]:
    """The looks, and the earlier actions of the same toolkit."""
    alike = {looks + n for n in range(place) if actions[n][0] == actions[place][0]}
    return frozenset({*range(looks), *alike})


def gold_steps(task: WorldTask) -> list[list[Request]]:
    """Return the requests of each step of the gold workflow but the last, which makes none."""
    return list(chain(*_grouped(task)))


def _grouped(task: WorldTask) -> tuple[list[list[Request]], list[list[Request]]]:
    """The looks and the actions, those of one tool that follow each other together."""
    looks, actions = (
        [list(alike) for _, alike in groupby(requests, key=_tool)]
        for requests in (task.gold.looks, task.gold.gold_requests())
    )
    return looks, actions


def _tools(steps: Sequence[Sequence[Request]]) -> list[_Tool]:
    return [_tool(requests[0]) for requests in steps]


def _tool(request: Request) -> _Tool:
    return request.domain, request.params["intent"]
