"""A workflow made of descriptions of tools alone, where none is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ossia_servers.flowbench.offline.hearing import alike
from ossia_servers.flowbench.offline.known import Slot, Tool, Workflow
from ossia_workflows.graph import END, START, Edge, Node, WorkflowGraph

__all__ = ["guessed_workflow"]

_MOST: Final = 3


def guessed_workflow(tools: Mapping[str, Tool], words: str) -> Workflow | None:
    """Return the tools that words speak of, one after the other, looks before changes.

    After each the user is asked whether to go on. None where no tool is spoken of.

    Args:
        tools: the tools by name.
        words: what the user wants.
    """
    scores = {name: alike(words, f"{name} {tool.about}") for name, tool in tools.items()}
    first = max(scores, key=lambda name: scores[name], default=None)
    if first is None or not scores[first]:
        return None
    chosen = _line(first, tools)
    slots = {
        name: Slot(kind, name.replace("_", " "))
        for tool in chosen
        for name, kind in tools[tool].takes.items()
    }
    nodes = tuple(_node(tool, chosen[:at], tools) for at, tool in enumerate(chosen))
    edges = [Edge(source=START, target=chosen[0]), Edge(source=chosen[-1], target=END)]
    for tool, after in pairwise(chosen):
        if tools[after].changes:
            edges.append(Edge(source=tool, target=after, condition="user accepts"))
            edges.append(Edge(source=tool, target=END, condition="otherwise"))
        else:
            edges.append(Edge(source=tool, target=after))
    return Workflow(
        first, tools[first].about, slots, WorkflowGraph(nodes=nodes, edges=tuple(edges))
    )


def _line(first: str, tools: Mapping[str, Tool]) -> list[str]:
    """The tools that give what the first one takes, it, and those that take what these have."""
    takes = tools[first].takes
    before = [
        name for name, tool in tools.items() if not tool.changes and _from(takes, {name: tool})
    ]
    chosen = [*(name for name in before[: _MOST - 1] if name != first), first]
    while len(chosen) < _MOST:
        had = {name for tool in chosen for name in (*tools[tool].takes, *tools[tool].gives)}
        near = {
            name: len(had & tool.takes.keys())
            for name, tool in tools.items()
            if name not in chosen and had & tool.takes.keys()
        }
        if not near:
            break
        chosen.append(max(near, key=lambda name: near[name]))
    return sorted(chosen, key=lambda name: tools[name].changes)


def _node(name: str, before: Sequence[str], tools: Mapping[str, Tool]) -> Node:
    """A step that calls a tool; what no tool before it gives, the user is asked for."""
    tool = tools[name]
    given = _from(tool.takes, {each: tools[each] for each in before})
    needed = [field for field in tool.takes if field not in tool.optional]
    return Node(
        id=name,
        task=tool.about,
        tool=name,
        arguments={field: given.get(field, f"${field}") for field in needed},
        asks=tuple(field for field in needed if field not in given),
        tells=tuple(f"{name}.{field}" for field in tool.gives),
    )


def _from(takes: Iterable[str], tools: Mapping[str, Tool]) -> dict[str, str]:
    """The parameters that are named like fields of results, or end in their names."""
    return {
        parameter: f"${name}.{field}"
        for parameter in takes
        for name, tool in tools.items()
        for field in tool.gives
        if parameter == field or parameter.endswith(f"_{field}")
    }
