"""What a prompt tells: the tools, and the workflows with the slots of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from ossia_workflows.graph import GraphError, WorkflowGraph
from ossia_workflows.scenario import FORMS, Kind

__all__ = ["Known", "Slot", "Tool", "Workflow", "read_known"]

_TOOL: Final = re.compile(r"^- `(\w+)`: (.*)\n((?:  - .*(?:\n|\Z))*)", re.MULTILINE)
_FIELD: Final = re.compile(r"`(\w+)` \(([^()]*)\)")
_SCENARIO: Final = re.compile(
    r"^## Scenario: (?P<name>.+)\n+(?P<about>.*)\n(?P<slots>(?:(?!```|## Scenario: ).*\n)*)"
    r"```(?P<form>\w+)\n(?P<graph>(?:(?!```).*\n)*)```",
    re.MULTILINE,
)
_SLOT: Final = re.compile(r"^- `(\w+)` \(([^()]*)\): (.*)$", re.MULTILINE)
_LONGEST: Final = 200_000


@dataclass(frozen=True, slots=True)
class Slot:
    """What the user is asked for."""

    kind: Kind
    about: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, as the prompt describes it."""

    about: str
    takes: Mapping[str, Kind]
    optional: frozenset[str]
    gives: Mapping[str, Kind]
    changes: bool


@dataclass(frozen=True, slots=True)
class Workflow:
    """A scenario with its workflow."""

    name: str
    about: str
    slots: Mapping[str, Slot]
    graph: WorkflowGraph


@dataclass(frozen=True, slots=True)
class Known:
    """All that a prompt tells."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    workflows: tuple[Workflow, ...] = ()


def read_known(prompt: str) -> Known:
    """Read a prompt; a workflow that cannot be read is passed over.

    Args:
        prompt: the prompt of a role.
    """
    prompt = prompt[:_LONGEST]
    _, _, tools = prompt.partition("# Tools\n")
    tools, _, workflows = tools.partition("\n# Workflows\n")
    read = {name: _tool(about, lines) for name, about, lines in _TOOL.findall(tools)}
    return Known(read, _workflows(workflows))


@lru_cache(maxsize=64)
def _workflows(text: str) -> tuple[Workflow, ...]:
    found = []
    for match in _SCENARIO.finditer(text):
        graph = _graph(match["form"], match["graph"].rstrip("\n"))
        if graph is not None:
            slots = {
                name: Slot(_kind(kind), about)
                for name, kind, about in _SLOT.findall(match["slots"])
            }
            found.append(Workflow(match["name"].strip(), match["about"].strip(), slots, graph))
    return tuple(found)


@lru_cache(maxsize=512)
def _graph(form: str, text: str) -> WorkflowGraph | None:
    try:
        return FORMS[form].read(text) if form in FORMS else None
    except GraphError:
        return None


def _tool(about: str, lines: str) -> Tool:
    takes, gives, changes = "", "", False
    for line in lines.splitlines():
        said = line.strip().removeprefix("- ")
        takes = said if said.startswith("takes ") else takes
        gives = said if said.startswith("gives ") else gives
        changes = changes or said.startswith("changes")
    optional = frozenset(name for name, kind in _FIELD.findall(takes) if "may be left out" in kind)
    return Tool(about, _fields(takes), optional, _fields(gives), changes)


def _fields(line: str) -> dict[str, Kind]:
    return {name: _kind(kind.partition(";")[0]) for name, kind in _FIELD.findall(line)}


def _kind(text: str) -> Kind:
    choices = text.strip().removeprefix("one of ")
    return text.strip() if choices == text.strip() else tuple(choices.split(", "))
