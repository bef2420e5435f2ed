"""Built-in tasks of the kinds whose steps are words: problem solving and open-grounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from random import Random
from typing import Final

import networkx as nx

from ossia_dataset.randomness import seeded_random
from ossia_dataset.worfbench.tasks import SUITE, PlanKind, PlanTask
from ossia_dataset.worfbench.templates import Step, Template, draw, read_templates

__all__ = ["SETS", "WRITTEN", "drawn", "gold_text", "written_tasks"]

WRITTEN: Final = (PlanKind.PROBLEM_SOLVING, PlanKind.OPEN_GROUNDED)
"""The kinds that are made here."""

SETS: Final = ("test", "train")

_COPIES: Final = {"test": 1, "train": 8}
"""Most tasks that are drawn of each template, by the set; some have words for fewer."""
_TRIES: Final = 100
_FOREIGN: Final = (3, 5)
"""Fewest and most actions of other tasks among those that an open-grounded task lists."""

_FACTS: Final = {
    "Lookup": "what is known of a thing, or of the result of an earlier subtask",
    "Calculate": "one step of arithmetic",
    "Convert": "a number in another unit",
    "Compare": "which of several results is larger, earlier, closer",
    "Count": "how many there are",
}
_TABLES: Final = {
    "Filter": "rows for which a condition holds",
    "Join": "rows with the rows that belong to them",
    "Group": "rows by a column, with a number or a sum for each group",
    "Sort": "rows by a column, and in which direction",
    "Take": "the first rows, or a column of them",
    "Select": "columns of rows",
    "Count": "how many rows there are",
    "Sum": "the sum of a column",
    "Average": "the mean of a column",
    "Calculate": "arithmetic with columns or results",
    "Compare": "which of two results is larger",
}
_BACKWARDS: Final = re.compile(r"\b(it|its|them|they|this|that|these|each|one)\b", re.IGNORECASE)
"""Steps with such words say nothing without their task."""
_LONG: Final = re.compile(r"[a-z]{4,}")


def written_tasks(task_set: str, kind: PlanKind) -> tuple[PlanTask, ...]:
    """Return the built-in tasks of a kind.

    Args:
        task_set: `test` or `train`.
        kind: one of `WRITTEN`.
    """
    lead = "" if task_set == "test" else f"{task_set}-"
    templates = drawn(task_set, kind)
    return tuple(
        PlanTask(
            id=f"{lead}{kind}-{number:03d}",
            suite=SUITE,
            utterance=_utterance(made, templates, seeded_random(task_set, kind, number)),
            origin=kind,
            workflow=gold_text(made.steps),
            kind=kind,
        )
        for number, made in enumerate(templates, 1)
    )


def drawn(task_set: str, kind: PlanKind) -> tuple[Template, ...]:
    """Return what the tasks of a kind are made of, their words drawn; no request is there twice."""
    folder = Path(str(resources.files("ossia_dataset"))) / "data" / SUITE / task_set
    found = read_templates(folder / f"{kind}.txt")
    return tuple(made for one in found for made in _copies(one, _COPIES[task_set]))


def gold_text(steps: Sequence[Step]) -> str:
    """Return a plan in the published form: what uses a result comes after it, and nothing else."""
    numbers = {step.name: at for at, step in enumerate(steps, 1)}
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(numbers.values())
    # A step that was left out takes its edges with it: nothing uses it.
    graph.add_edges_from(
        (numbers[need], numbers[step.name]) for step in steps for need in step.needs
    )
    edges = nx.transitive_reduction(graph).edges
    firsts = [f"(START,{at})" for at in graph if not graph.in_degree(at)]
    inner = [f"({one},{other})" for one, other in sorted(edges)]
    lasts = [f"({at},END)" for at in graph if not graph.out_degree(at)]
    lines = [f"{at}: {step.text}" for at, step in enumerate(steps, 1)]
    return "\n".join(["Node:", *lines, f"Edge: {' '.join([*firsts, *inner, *lasts])}"])


def _copies(template: Template, count: int) -> Iterator[Template]:
    rng = seeded_random("worfbench", template.request)
    said: set[str] = set()
    for _ in range(_TRIES):
        made = draw(template, rng)
        if made.request not in said:
            said.add(made.request)
            yield made
        if len(said) == count:
            return


def _utterance(made: Template, all_: Sequence[Template], rng: Random) -> str:
    if not made.others:
        return _problem(made)
    actions = [*(step.text for step in made.steps), *made.others, *_foreign(made, all_, rng)]
    rng.shuffle(actions)
    return _told(made.request, "The actions you can take, in these words:", actions)


def _problem(made: Template) -> str:
    tables = "; ".join(f"{table.name}({', '.join(table.columns)})" for table in made.tables)
    asked = f"{made.request}\nThe tables that you can use: {tables}" if tables else made.request
    known = _TABLES if tables else _FACTS
    actions = [f"{name}[words] - {what}" for name, what in known.items()]
    return _told(asked, "The actions you can take, each with its words in brackets:", actions)


def _told(request: str, lead: str, actions: Sequence[str]) -> str:
    return "\n".join([f"Task: {request}", lead, *(f"- {action}" for action in actions)])


def _foreign(made: Template, all_: Sequence[Template], rng: Random) -> Iterator[str]:
    """Actions of other tasks that say nothing of this one."""
    own = _words(" ".join([made.request, *(step.text for step in made.steps), *made.others]))
    others = [step.text for one in all_ for step in one.steps if one.request != made.request]
    rng.shuffle(others)
    fitting = (text for text in others if not _BACKWARDS.search(text) and not _words(text) & own)
    for text, _ in zip(dict.fromkeys(fitting), range(rng.randint(*_FOREIGN)), strict=False):
        yield text


def _words(text: str) -> set[str]:
    return set(_LONG.findall(text.casefold()))
