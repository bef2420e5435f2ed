"""A task's workflow as a graph of LangGraph's: a node for each step, in which the team works."""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias, TypedDict

from langgraph.graph import END, START, StateGraph

from ossia_adapter import Episode, WorkflowStep

Play: TypeAlias = Callable[[str], Awaitable[str]]
"""Lets the whole team work on a task; returns its answer."""


class Results(TypedDict):
    """What came of the finished steps, by id."""

    results: Annotated[dict[str, str], operator.or_]


async def run_workflow(episode: Episode, play: Play) -> str:
    """Run an episode's workflow: its steps at once where none waits for another.

    Args:
        episode: The episode with its workflow.
        play: What does one step.

    Returns:
        What came of the steps that no other one follows.
    """
    steps = episode.workflow
    graph = StateGraph(Results)
    followed = {each for step in steps for each in step.after}
    last = [step.id for step in steps if step.id not in followed]
    for step in steps:
        graph.add_node(step.id, _node(episode, step, play))
        # A list of sources waits for all of them.
        graph.add_edge(list(step.after) or START, step.id)
    for each in last:
        graph.add_edge(each, END)
    state = await graph.compile().ainvoke({"results": {}}, {"recursion_limit": len(steps) + 1})
    return "\n".join(state["results"][each] for each in last)


def _node(episode: Episode, step: WorkflowStep, play: Play) -> Any:
    async def work(state: Results) -> Results:
        return {"results": {step.id: await play(episode.task_of(step, state["results"]))}}

    return work
