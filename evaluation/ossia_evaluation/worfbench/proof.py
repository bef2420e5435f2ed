"""Proof of plans whose steps are words: sound graphs, and orders that compute what is asked."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from random import Random
from typing import Final, TypeAlias
from zlib import crc32

import networkx as nx

from ossia_dataset.builtin import builtin_sets
from ossia_dataset.randomness import seeded_random
from ossia_dataset.worfbench.tasks import SUITE, PlanKind, PlanTask
from ossia_dataset.worfbench.templates import Step, Table, Template
from ossia_dataset.worfbench.written import WRITTEN, drawn
from ossia_evaluation.worfbench.measures.files import Written
from ossia_evaluation.worfbench.measures.quality import defects
from ossia_evaluation.worlds.proof import ProofLine
from ossia_workflows.graph import GraphError, findings, read_text

__all__ = ["check_written", "computed_problems", "graph_problems"]

_ROWS: Final = 24
_ORDERS: Final = 20
"""At most so many orders of a plan are carried out."""
_NAME: Final = re.compile(r"\b[a-w]\b")

Rows: TypeAlias = list[tuple[object, ...]]


def check_written(source: str, tasks: Sequence[PlanTask]) -> Iterator[ProofLine]:
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


def graph_problems(task: PlanTask) -> Iterator[str]:
    """Yield what is wrong with a gold plan: as a graph, or since its request does not tell of it.

    Args:
        task: a task whose request lists actions, one a line: in words, or as `Name[words]`.
    """
    try:
        graph = read_text(task.workflow)
    except GraphError as error:
        yield str(error)
        return
    yield from (finding.sentence for finding in findings(graph))
    yield from defects(Written(task.id, text=task.workflow, graph=graph))
    listed = [line.removeprefix("- ") for line in task.utterance.split("\n")]
    names = {line.partition("[")[0] for line in listed if "[" in line}
    for node in graph.nodes:
        name, bracket, _ = node.task.partition("[")
        if name not in names if bracket else node.task not in listed:
            yield f"the request lists no action for the step '{node.task}'"


def computed_problems(made: Template) -> Iterator[str]:
    """Yield where the steps do not compute one answer in every order that the plan allows.

    They are carried out on drawn rows, and on facts that follow from their words. From tables the
    answer is computed at once as well. What comes before a step that it uses has to fail.

    Args:
        made: a template whose words are drawn, and whose steps can be computed.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(step.name for step in made.steps)
    graph.add_edges_from((need, step.name) for step in made.steps for need in step.needs)
    right = _carried_out(made, list(graph))
    if isinstance(right, str):
        yield f"the steps cannot be carried out: {right}"
        return
    for order, _ in zip(nx.all_topological_sorts(graph), range(_ORDERS), strict=False):
        if _carried_out(made, order) != right:
            yield f"the order {' '.join(order)} computes something else"
    for need, user in graph.edges:
        order = [name for name in graph if name != need]
        order.insert(order.index(user) + 1, need)
        if not isinstance(_carried_out(made, order), str):
            yield f"the order {' '.join(order)} computes as well, although {user} uses {need}"
    if made.answer and _answered(made) != right:
        yield "the steps compute something else than the answer"
    if any(not graph.out_degree(step.name) for step in made.steps[:-1]):
        yield "a step gives what nothing uses"


def _carried_out(made: Template, order: Sequence[str]) -> Rows | str:
    """What the last step gives where steps are carried out in an order; why it cannot be."""
    steps = {step.name: step for step in made.steps}
    with closing(_world(made)) as world:
        try:
            for name in order:
                world.execute(f"create table {name} as {_statement(steps[name])}")
            found: Rows = world.execute(f"select * from {made.steps[-1].name}").fetchall()
        except sqlite3.Error as error:
            # Such as a step that uses what is not there yet.
            return str(error)
    return found


def _answered(made: Template) -> Rows:
    with closing(_world(made)) as world:
        found: Rows = world.execute(made.answer).fetchall()
    return found


def _statement(step: Step) -> str:
    """What computes a step: its own statement, a number, or else a fact of what it uses."""
    if step.sql.startswith("select "):
        return step.sql
    if step.sql:
        return f"select {_NAME.sub(lambda name: f'(select v from {name.group()})', step.sql)} as v"
    used = "".join(f", (select v from {need})" for need in step.needs)
    return f"select fact({crc32(step.text.encode())}{used}) as v"


def _fact(*parts: int | float | None) -> int:
    return 1 + crc32(repr(parts).encode()) % 997


def _world(made: Template) -> sqlite3.Connection:
    """A database with the template's tables, their rows the same each time."""
    world = sqlite3.connect(":memory:")
    world.create_function("fact", -1, _fact, deterministic=True)
    rng = seeded_random("rows", made.request)
    for table in made.tables:
        world.execute(f"create table {table.name} ({', '.join(table.columns)})")
        marks = ", ".join("?" * len(table.columns))
        world.executemany(f"insert into {table.name} values ({marks})", _rows(table, rng))
    return world


def _rows(table: Table, rng: Random) -> Iterator[list[int | str]]:
    for number in range(1, _ROWS + 1):
        yield [_value(values, rng) if values else number for values in table.columns.values()]


def _value(values: str, rng: Random) -> int | str:
    low, dash, high = values.partition("-")
    if dash and low.isdecimal() and high.isdecimal():
        return rng.randint(int(low), int(high))
    drawn = rng.choice(values.split("|"))
    return int(drawn) if drawn.isdecimal() else drawn
