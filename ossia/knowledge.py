"""A workflow of each task as knowledge for its team: the gold one, or one that a model wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from ossia.errors import UserError
from ossia.runner.catalog import Catalog
from ossia.runner.config import Knowledge, PlannedStep
from ossia.runner.store import RunStore
from ossia.suite import Domains, Suite
from ossia_dataset.tasks import Task
from ossia_workflows.graph import (
    START,
    GraphError,
    Node,
    WorkflowGraph,
    critical_path,
    read_text,
    topological_orders,
    write_code,
    write_mermaid,
    write_text,
)
from ossia_workflows.graph.labels import lines_of

__all__ = ["GENERATED", "GOLD", "NONE", "gold_workflow", "workflow_knowledge"]

NONE: Final = "none"
GOLD: Final = "gold"
GRAPH: Final = "graph"
"""The form in which a framework that can runs the steps itself."""
GENERATED: Final = "generated:"
"""What stands before the name of the run whose plans are given."""

_INTRODUCED: Final = (
    "This is a workflow of the task: its steps, and which of them has to be finished before which"
    " other one begins."
)


def workflow_knowledge(
    wanted: str,
    form: str,
    suite: Suite[Any],
    tasks: Sequence[Task],
    domains: Domains,
    catalog: Catalog,
) -> Knowledge | None:
    """Return the workflows that the teams of a run are given.

    Args:
        wanted: `none`, `gold`, or `generated:` with the name of a run whose answers are plans.
        form: how they are written: text, code or mermaid; or graph, which gives the steps
            themselves to frameworks that run them, and the text to the others.
        suite: the suite of the run.
        tasks: its tasks.
        domains: its domain servers.
        catalog: where runs are.

    Raises:
        UserError: nothing else can be asked for, nor another form; the suite's tasks have no gold
            workflow, or the run is not there or has no plan of these tasks, or plans of several
            authors.
    """
    if form not in (*_WRITERS, GRAPH):
        forms = ", ".join((*_WRITERS, GRAPH))
        raise UserError(f"--workflow-form must be one of {forms}, not '{form}'")
    if wanted == NONE:
        return None
    if wanted == GOLD:
        graphs = {task.id: gold_workflow(suite, task, domains) for task in tasks}
        what = "the gold workflow of each task, shown to its team on purpose"
    elif wanted.startswith(GENERATED):
        with RunStore(catalog.find(wanted.removeprefix(GENERATED))) as run:
            graphs = _plans(run, frozenset(task.id for task in tasks))
            what = f"workflows of {len(graphs)} of {len(tasks)} tasks, from {run.config().run_id}"
    else:
        raise UserError(f"--workflow must be none, gold or generated:RUN, not '{wanted}'")
    words = "text" if form == GRAPH else form
    texts = tuple((name, _told(graph, words)) for name, graph in graphs.items())
    steps = fmean(len(graph.nodes) for graph in graphs.values())
    longest = fmean(critical_path(graph).length for graph in graphs.values())
    size = f"{steps:.1f} steps each, {longest:.1f} on the longest way"
    if form != GRAPH:
        return Knowledge(what=f"{what}, as {form}: {size}", texts=texts)
    return Knowledge(
        what=f"{what}, run as a graph by frameworks that can, as text for others: {size}",
        texts=texts,
        graphs=tuple((name, _steps(graph)) for name, graph in graphs.items()),
    )


def gold_workflow(suite: Suite[Any], task: Task, domains: Domains) -> WorkflowGraph:
    """Return the gold workflow of a task.

    Raises:
        UserError: the suite's tasks have none.
    """
    if suite.workflow is None:
        raise UserError(f"the tasks of the suite '{suite.name}' have no gold workflow")
    return suite.workflow(task, domains)


def _plans(run: RunStore, wanted: frozenset[str]) -> dict[str, WorkflowGraph]:
    """Return the plans of some tasks that a run's answers hold, by task.

    Raises:
        UserError: it has none, or several for a task.
    """
    config = run.config()
    if len(config.frameworks) * len(config.models) * config.repeats != 1:
        raise UserError(
            f"the run {config.run_id} has several answers to a task; a workflow comes from a run"
            " of one framework and one model without repeats"
        )
    graphs = {
        trace.episode.task: graph
        for trace in run.traces()
        if trace.episode.task in wanted and (graph := _read(trace.answer)) is not None
    }
    if not graphs:
        raise UserError(
            f"the run {config.run_id} has no plan of these tasks; `ossia dataset plans` makes the"
            " tasks that ask for them"
        )
    return graphs


def _read(answer: str) -> WorkflowGraph | None:
    """Return the plan of an answer; None where there is none, or one that goes in a circle."""
    try:
        graph = read_text(answer)
        critical_path(graph)
    except GraphError:
        return None
    return graph


def _steps(graph: WorkflowGraph) -> tuple[PlannedStep, ...]:
    """The steps of a workflow in an order that it allows, with their conditions in words."""
    tasks = {node.id: node.task for node in _in_words(graph).nodes}
    before: dict[str, list[str]] = {name: [] for name in tasks}
    for edge in graph.edges:
        if edge.source != START and edge.target in before:
            before[edge.target].append(edge.source)
    order = next(topological_orders(graph, 1))
    return tuple(
        PlannedStep(id=name, task=tasks[name], after=tuple(sorted({*before[name]})))
        for name in order
    )


def _told(graph: WorkflowGraph, form: str) -> str:
    """What a team's leader is told: the same in each form."""
    return f"{_INTRODUCED}\n\n{_WRITERS[form](graph)}"


def _in_words(graph: WorkflowGraph) -> WorkflowGraph:
    """Return the graph with all that the text has no place for said in the tasks' words."""
    conditions = _conditions(graph)
    nodes = []
    for node in graph.nodes:
        lines = "; ".join(lines_of(node))
        when = "' or '".join(conditions.get(node.id, ()))
        nodes.append(
            Node(id=node.id, task=f"on the condition '{when}': {lines}" if when else lines)
        )
    return graph.model_copy(update={"nodes": tuple(nodes)})


def _conditions(graph: WorkflowGraph) -> Mapping[str, Sequence[str]]:
    """The conditions of the nodes that no edge leads to without one."""
    return {
        node.id: tuple(filter(None, met))
        for node in graph.nodes
        if (met := tuple(_met(graph, node.id))) and None not in met
    }


def _met(graph: WorkflowGraph, target: str) -> Iterator[str | None]:
    return (edge.condition for edge in graph.edges if edge.target == target)


_WRITERS: Final[Mapping[str, Callable[[WorkflowGraph], str]]] = {
    "text": lambda graph: write_text(_in_words(graph)),
    "code": write_code,
    "mermaid": write_mermaid,
}
"""By the form that is asked for."""
