"""Executable tasks made of templates: each is carried out to know its goal, and kept if proven."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import networkx as nx

from ossia_dataset.randomness import seeded_random
from ossia_dataset.tasks import TaskError
from ossia_dataset.worfbench.drafts import (
    Draft,
    OfferedAction,
    Template,
    draw_draft,
    load_actions,
    load_templates,
)
from ossia_dataset.worfbench.tasks import (
    Action,
    Environment,
    GoalChange,
    PlanKind,
    PlanTask,
    executable_prompt,
)
from ossia_evaluation.worfbench.execution.carrying import Worlds, rows_read
from ossia_evaluation.worfbench.execution.executor import PlanExecutor, gold_plan
from ossia_evaluation.worfbench.execution.proof import PlanProver
from ossia_servers.worlds.diff import RowChange
from ossia_servers.worlds.domain import Domain
from ossia_workflows.graph import (
    END,
    START,
    Edge,
    GraphError,
    Node,
    WorkflowGraph,
    references_of,
    topological_orders,
    write_text,
)

__all__ = ["SETS", "Made", "TaskMaker"]

SETS: Final[Mapping[str, Mapping[PlanKind, int]]] = {
    "test": {PlanKind.FUNCTION_CALLS: 110, PlanKind.EMBODIED: 66},
    "train": {PlanKind.FUNCTION_CALLS: 320, PlanKind.EMBODIED: 200},
}
"""How many tasks of each kind the built-in sets have."""

_WISHES: Final[Mapping[PlanKind, tuple[float, float, float]]] = {
    PlanKind.FUNCTION_CALLS: (0.65, 0.3, 0.05),
    PlanKind.EMBODIED: (0.75, 0.2, 0.05),
}
"""The kinds that are made here, with how often a task is of one, two and three wishes: plans of
function calls are published as graphs in the most part, those of embodied tasks as chains."""

_OTHERS: Final = 5
"""So many actions are offered that no gold step calls."""

_MOST_NODES: Final = 12
_TRIES: Final = 60
"""For each task that is wanted, so many drafts at most are tried."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was made.

    Attributes:
        tasks: The tasks, all of them proven.
        refused: How many drafts of each template were drawn and not proven.
    """

    tasks: tuple[PlanTask, ...]
    refused: Mapping[str, int]


class TaskMaker:
    """Makes tasks; the same for the same set, kind, count and seed."""

    def __init__(self, executor: PlanExecutor) -> None:
        """Make nothing yet.

        Args:
            executor: carries plans out.
        """
        self._executor = executor
        self._prover = PlanProver(executor)

    def make(self, set_name: str, kind: PlanKind, count: int, seed: int) -> Made:
        """Make tasks of one kind, no two of which have the same request or plan.

        Args:
            set_name: `test` or `train`.
            kind: one of those of `SETS`.
            count: how many.
            seed: decides what is drawn.

        Raises:
            TaskError: the templates do not give so many.
        """
        rng = seeded_random("plans", set_name, kind, seed)
        every, starts = load_templates(set_name)
        templates = [each for each in every if each.kind == kind]
        tasks: list[PlanTask] = []
        refused: Counter[str] = Counter()
        used: Counter[str] = Counter()
        seen: set[str] = set()
        for _ in range(_TRIES * count):
            if len(tasks) == count:
                return Made(tuple(tasks), dict(refused))
            chosen = _chosen(templates, _WISHES[kind], used, refused, rng)
            number = f"{kind}-{len(tasks) + 1:03}"
            blank = _blank(number if set_name == "test" else f"{set_name}-{number}", kind)
            start = starts[chosen[0].servers]
            blank = blank.model_copy(update={"seed": rng.choice(start.seeds), "now": start.now})
            worlds = self._executor.worlds(chosen[0].servers)
            draft = draw_draft(chosen, partial(worlds.rows, blank), rng)
            alike = {draft.request, "\n".join(draft.calls)}
            if alike & seen or len(draft.calls) > _MOST_NODES:
                continue
            seen |= alike
            task = _task(blank, draft, worlds, rng)
            if task is None or not self._prover.prove(task).proven:
                refused.update(draft.templates)
                continue
            used.update(draft.templates)
            tasks.append(task)
        raise TaskError(f"the templates give {len(tasks)} tasks of the kind {kind}, not {count}")


def _blank(name: str, kind: PlanKind) -> PlanTask:
    """A task that has nothing but its name and kind yet."""
    return PlanTask(id=name, suite="worfbench", utterance="-", origin=kind, kind=kind, workflow="-")


def _task(blank: PlanTask, draft: Draft, worlds: Worlds, rng: random.Random) -> PlanTask | None:
    """The task of a draft with its goal, which is what its plan does; None where that fails."""
    actions = _offered(draft, worlds.domains, rng)
    text = write_text(_graph(draft))
    task = blank.model_copy(
        update={
            "utterance": executable_prompt(draft.request, actions, blank.now),
            "workflow": text,
            "actions": actions,
        }
    )
    plan = gold_plan(task)
    try:
        diff, given = worlds.effect(task, plan, next(topological_orders(plan, 1)))
    except (TaskError, GraphError):
        return None
    named = {name for node in plan.nodes for name in references_of(node)}
    reads = [rows_read(r) for name, r in given.items() if not r.changes and name not in named]
    if not all(reads):
        return None
    environment = Environment(
        servers=draft.servers, changes=tuple(map(_goal_change, diff.changes)), reads=tuple(reads)
    )
    return task.model_copy(update={"environment": environment})


def _goal_change(change: RowChange) -> GoalChange:
    after = change.after or {}
    names = tuple(n for n in after if n != "id") if change.kind == "added" else change.columns
    return GoalChange(
        kind=change.kind,
        table=change.table,
        id="" if change.kind == "added" else change.id,
        values={} if change.kind == "removed" else {name: after[name] for name in names},
    )


def _graph(draft: Draft) -> WorkflowGraph:
    """A draft's plan, with the edges that say all that binds its steps and no more."""
    way: nx.DiGraph[int] = nx.DiGraph()
    way.add_nodes_from(range(1, len(draft.calls) + 1))
    way.add_edges_from(draft.edges)
    least = nx.transitive_reduction(way)
    inner = sorted(least.edges)
    first = [(START, str(at)) for at in way if not least.in_degree(at)]
    last = [(str(at), END) for at in way if not least.out_degree(at)]
    pairs = [*first, *((str(one), str(other)) for one, other in inner), *last]
    return WorkflowGraph(
        nodes=tuple(Node(id=str(at), task=call) for at, call in enumerate(draft.calls, 1)),
        edges=tuple(Edge(source=one, target=other) for one, other in pairs),
    )


def _offered(draft: Draft, domains: Mapping[str, Domain], rng: random.Random) -> tuple[Action, ...]:
    """The actions that the plan calls and some others, in the order of the alphabet."""
    known = load_actions()[draft.servers]
    needed = {call.partition("(")[0] for call in draft.calls}
    others = sorted(known.keys() - needed)
    names = sorted({*needed, *rng.sample(others, _OTHERS)})
    return tuple(_action(name, known[name], domains) for name in names)


def _action(name: str, offered: OfferedAction, domains: Mapping[str, Domain]) -> Action:
    """An action as its server declares it."""
    domain = domains[name.partition(".")[0]]
    intent = domain.intent(name.partition(".")[2])
    fields = [domain.field(parameter) for parameter in offered.parameters]
    if intent is None or None in fields:
        raise TaskError(f"no server declares the action {name} with these parameters")
    return Action(
        name=name,
        summary=offered.summary or intent.summary.partition(" (")[0],
        parameters={field.name: field.description for field in fields if field is not None},
        gives=offered.gives,
        takes=offered.takes,
    )


def _chosen(
    templates: Sequence[Template],
    shares: Sequence[float],
    used: Counter[str],
    refused: Counter[str],
    rng: random.Random,
) -> list[Template]:
    """Draw the wishes of a task, those first that were drawn least."""
    number = rng.choices((1, 2, 3), shares)[0]
    rank = {t.name: (used[t.name] + refused[t.name], rng.random()) for t in templates}
    first = min(templates, key=lambda each: rank[each.name])
    alike = [t for t in templates if t.servers == first.servers and t is not first]
    return [first, *rng.sample(alike, min(number - 1, len(alike)))]
