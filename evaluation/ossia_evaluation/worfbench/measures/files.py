"""Files of plans: published golds and predictions, and our own form of both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ossia_dataset.worfbench import WorFBenchError, read_worfbench
from ossia_evaluation.worfbench.plan import (
    END,
    START,
    Plan,
    PlanError,
    bytes_of,
    parse_published,
)
from ossia_workflows.graph import GraphError, WorkflowGraph, read_text
from ossia_workflows.graph.model import first_sentence

__all__ = ["Written", "golds_of", "plan_of", "read_golds", "read_plans", "read_similarities"]

_MOST_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Written:
    """One plan of a file.

    Attributes:
        id: The task's id; None where the file gives none.
        source: What the task was taken from; empty where nothing says so.
        text: The plan as a model wrote it; None where it is a graph.
        graph: The plan as a workflow graph; None where it is a text that holds none.
        problem: Why there is no plan, or no graph of it; empty where there is one.
    """

    id: str | None
    source: str = ""
    text: str | None = None
    graph: WorkflowGraph | None = None
    problem: str = ""

    def published(self) -> Plan | None:
        """Return the plan as the published evaluator reads it, None where it finds none."""
        if self.text is not None:
            return parse_published(self.text)
        return None if self.graph is None else plan_of(self.graph)

    @property
    def is_there(self) -> bool:
        """Whether there is a plan at all, be it one that cannot be read."""
        return self.text is not None or self.graph is not None


def plan_of(graph: WorkflowGraph) -> Plan:
    """Return a workflow graph as the published evaluator has plans."""
    places = {node.id: at for at, node in enumerate(graph.nodes, 1)}
    places |= {START: 0, END: len(graph.nodes) + 1}
    return Plan(
        (START, *(node.task for node in graph.nodes), END),
        tuple((places[edge.source], places[edge.target]) for edge in graph.edges),
    )


def read_golds(path: Path) -> tuple[Written, ...]:
    """Read gold plans.

    Args:
        path: The published data, a folder or a file of it, or a file in our form.

    Raises:
        PlanError: there are no golds, or the file cannot be read.
    """
    if path.is_dir() or (path.suffix == ".json" and _is_published(path)):
        try:
            return golds_of(path)
        except WorFBenchError as error:
            raise PlanError(str(error)) from None
    return read_plans(path)


def golds_of(path: Path) -> tuple[Written, ...]:
    """Read the published gold plans.

    Args:
        path: as for `read_worfbench`.

    Raises:
        WorFBenchError: there are none, or one cannot be read.
    """
    return tuple(_of_text(gold.id, gold.source, gold.workflow) for gold in read_worfbench(path))


def read_plans(path: Path) -> tuple[Written, ...]:
    """Read plans: a published file of predictions, or JSON Lines of `id` and `workflow` or `graph`.

    Raises:
        PlanError: the file is none of these, holds no plan, or has an id twice.
    """
    found = tuple(_written(item) for item in _items(path))
    if not found:
        raise PlanError(f"{path}: contains no plan")
    twice = [name for name, count in Counter(plan.id for plan in found).items() if count > 1]
    named = [name for name in twice if name is not None]
    if named:
        raise PlanError(f"{path}: the id {named[0]} occurs twice")
    return found


def read_similarities(path: Path) -> Mapping[str, Sequence[Sequence[float]]]:
    """Read recorded similarities: JSON Lines of `id` and `sim`, a row for each predicted node.

    Raises:
        PlanError: a line is none, or an id is there twice.
    """
    found: dict[str, Any] = {}
    for number, item in enumerate(_items(path), 1):
        match item:
            case {"id": str() | int() as name, "sim": list() as rows} if all(
                isinstance(row, list) and all(_is_number(value) for value in row) for row in rows
            ):
                if str(name) in found:
                    raise PlanError(f"{path}: the id {name} occurs twice")
                found[str(name)] = rows
            case _:
                raise PlanError(
                    f"{path}: entry {number} is not an id with a matrix of numbers (sim)"
                )
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_published(path: Path) -> bool:
    """Whether a file holds conversations, as the published golds do."""
    first = next(iter(_items(path)), None)
    return isinstance(first, dict) and "conversations" in first


def _items(path: Path) -> Iterator[Any]:
    """The entries of a JSON list or of JSON Lines."""
    data = bytes_of(path)
    if data.lstrip().startswith(b"["):
        try:
            yield from json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PlanError(f"{path}: no JSON: {error}") from None
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise PlanError(f"{path}: line {number} is not valid JSON: {error}") from None


def _written(item: Any) -> Written:
    if not isinstance(item, dict):
        return Written(None, problem="is not an object with a plan")
    asked = item.get("query")
    about = asked if isinstance(asked, dict) else item
    name = about.get("id", item.get("id"))
    known = None if name is None or isinstance(name, dict | list) else _whole(str(name))
    source = about.get("source")
    said = _whole(source) if isinstance(source, str) else ""
    if "graph" in item:
        return _of_graph(known, said, item["graph"])
    text = item.get("workflow")
    if text is None:
        match item:
            case {"answer": {"choices": [{"message": {"content": answer}}, *_]}}:
                text = answer
    if not isinstance(text, str):
        return Written(known, said, problem="has neither a text (workflow) nor a graph")
    return _of_text(known, said, text)


def _whole(text: str) -> str:
    """The text without halves of characters, which JSON may hold and no stream takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _of_graph(name: str | None, source: str, given: object) -> Written:
    try:
        # Over JSON, where a list may stand for what is kept as a tuple.
        graph = WorkflowGraph.model_validate_json(json.dumps(given, allow_nan=False))
    except ValidationError as error:
        return Written(name, source, problem=first_sentence(error))
    except ValueError:
        return Written(name, source, problem="holds a value that is not a finite number")
    return Written(name, source, graph=graph)


def _of_text(name: str | None, source: str, text: str) -> Written:
    if len(text) > _MOST_CHARACTERS:
        problem = f"has {len(text)} characters; at most {_MOST_CHARACTERS} are read"
        return Written(name, source, problem=problem)
    try:
        return Written(name, source, text, read_text(text))
    except GraphError as error:
        return Written(name, source, text, problem=str(error))
