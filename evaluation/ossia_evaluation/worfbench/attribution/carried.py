"""The gold plan of a task that is carried out: other plans are judged by what they do.

Steps are calls, known by tool and arguments. An argument that names an earlier step names it by
the gold step that this is paired with, whatever the numbers of a plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

import networkx as nx

from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.worfbench.attribution.drafts import Draft, GoldPlan, Pair, is_gold
from ossia_evaluation.worfbench.execution.executor import PlanExecutor, gold_plan
from ossia_evaluation.worfbench.measures.corrected import Steps, steps_of
from ossia_workflows.graph import (
    END,
    START,
    Call,
    GraphError,
    Node,
    WorkflowGraph,
    read_plan,
    with_calls,
    write_call,
)
from ossia_workflows.graph.calls import REFERENCE

__all__ = ["CarriedGold"]

_ROUNDS: Final = 3
"""So often steps are paired, each time with what they refer to as it was paired before."""

_MASK: Final = "_"
_UNKNOWN: Final = "none_"
_EDGES: Final = re.compile(r"^\W*edges?\b", re.IGNORECASE | re.MULTILINE)


class CarriedGold(GoldPlan):
    """The gold plan of a task with a world, by which others are read and carried out."""

    success = "the plan reaches its goal in every order"
    measures = ("orders that reach the goal", "orders that reach the goal")

    def __init__(self, task: PlanTask, executor: PlanExecutor) -> None:
        """Read it.

        Args:
            task: the task; it has a world.
            executor: carries plans out.

        Raises:
            TaskError: the gold plan cannot be read.
        """
        self._task, self._executor = task, executor
        self._known: dict[str, bool] = {}
        graph = gold_plan(task)
        self._masked = _steps(graph, _masks(graph))
        super().__init__(_steps(graph, {n.id: str(at) for at, n in enumerate(graph.nodes, 1)}))

    def read(self, text: str) -> Draft | None:
        """Read what a role wrote as it is carried out; its nodes alone where no edges fit them."""
        linked = True
        try:
            graph = read_plan(text)
        except GraphError:
            linked = False
            try:
                graph = read_plan(f"{_EDGES.split(text)[0]}\nEdge: ({START},{END})")
            except GraphError:
                return None
        if not graph.nodes:
            return None
        names, gold = _masks(graph), self._masked
        labels = _steps(graph, names).texts
        for _ in range(_ROUNDS):
            found, wrong = self._named(_steps(graph, names), gold, labels)
            paired = {node.id: found[at] for at, node in enumerate(graph.nodes)}
            if paired == names:
                break
            names, gold = paired, self._steps
        texts = _steps(graph, names).texts
        nodes = {names[node.id]: text for node, text in zip(graph.nodes, texts, strict=True)}
        edges = frozenset((names[a], names[b]) for a, b in graph.edges_between())
        return Draft(nodes, edges, linked, wrong)

    def text(self, draft: Draft) -> str:
        """Return a draft in the published form, its references by the numbers of its steps."""
        numbers = {name: str(at) for at, name in enumerate(draft.nodes, 1)}
        nodes = {name: _renamed(text, numbers) for name, text in draft.nodes.items()}
        return super().text(replace(draft, nodes=nodes))

    def reaches(self, draft: Draft) -> bool:
        """Return whether a draft reaches its goal; nodes alone, whether they can."""
        text = self.text(self._in_turn(draft))
        if text not in self._known:
            try:
                self._known[text] = self._executor.succeeds(self._task, read_plan(text))
            except GraphError:
                self._known[text] = False
        return self._known[text]

    def score(self, draft: Draft) -> float:
        """Return in what share of its orders a draft reaches its goal."""
        try:
            plan = read_plan(self.text(self._in_turn(draft)))
        except GraphError:
            return 0.0
        return self._executor.execute(self._task, plan).reached

    def linked(self, base: Draft, own: Draft | None) -> Draft:
        """Return nodes with the edges that somebody gave them where these will do.

        Else with those of the gold plan; nodes that it does not have stand one after another.
        """
        if own is not None and own.linked:
            kept = replace(base, edges=own.reach().among(base.nodes), linked=True)
            if self.reaches(kept):
                return kept
        if all(map(is_gold, base.nodes)):
            return replace(base, edges=self.edges(base.nodes) | {*_named_by(base)}, linked=True)
        return self._in_turn(replace(base, linked=False))

    def _in_turn(self, draft: Draft) -> Draft:
        """Nodes without edges one after another: by gold order and references, else as listed."""
        if draft.linked:
            return draft
        way: nx.DiGraph[str] = nx.DiGraph()
        way.add_nodes_from(draft.nodes)
        way.add_edges_from({*self.edges(draft.nodes), *_named_by(draft)})
        places = {name: at for at, name in enumerate(draft.nodes)}
        try:
            order = list(nx.lexicographical_topological_sort(way, key=places.__getitem__))
        except nx.NetworkXUnfeasible:
            order = list(places)
        return replace(draft, edges=frozenset(pairwise(order)), linked=True)


def _masks(graph: WorkflowGraph) -> dict[str, str]:
    return {node.id: _MASK for node in graph.nodes}


def _steps(graph: WorkflowGraph, names: Mapping[str, str]) -> Steps:
    """The steps of a plan as they are called, with other names for those that arguments name."""
    said = (write_call(Call(n.tool, n.arguments)) if n.tool else n.task for n in graph.nodes)
    nodes = tuple(
        Node(id=node.id, task=_renamed(_line(text), names))
        for node, text in zip(graph.nodes, said, strict=True)
    )
    return steps_of(with_calls(graph.model_copy(update={"nodes": nodes})))


def _line(text: str) -> str:
    """A step on one line; half a character that a call escapes stays an escape."""
    return " ".join(text.split()).encode("utf-8", "backslashreplace").decode()


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with other names in its references; those of no step become names of none."""

    def other(found: re.Match[str]) -> str:
        dollar, step, way = found.groups()
        if dollar is not None:
            return found[0]
        unknown = step if step.startswith(_UNKNOWN) else f"{_UNKNOWN}{step[:40]}"
        return f"${names.get(step, unknown)}{way}"

    return REFERENCE.sub(other, text)


def _named_by(draft: Draft) -> Iterator[Pair]:
    """The pairs of nodes of which the second one's text names the first."""
    for name, text in draft.nodes.items():
        for found in REFERENCE.finditer(text):
            if found[2] in draft.nodes and found[2] != name:
                yield found[2], name
