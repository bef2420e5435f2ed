"""Nodes, edges and the graph they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

START: Final = "START"
"""Where every workflow begins: a name in edges, no node."""
END: Final = "END"
"""Where every workflow ends: a name in edges, no node."""

MOST_NODES: Final = 2000
"""Most nodes of a graph: no plan of a person or a model comes near it, and work grows with the
square."""

NodeId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{1,64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[\w.:/-]{1,200}$")]
"""A tool or a slot."""


class GraphError(Exception):
    """A text holds no workflow graph; the message is one line that says where."""


class Node(BaseModel):
    """One step of a workflow."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: NodeId
    task: str
    """What is to be done, in words."""
    tool: Name | None = None
    """The tool that does it, where one is named."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """What the tool is called with."""
    needs: tuple[Name, ...] = ()
    """Slots that earlier steps must have given."""
    gives: tuple[Name, ...] = ()
    """Slots that later steps may need."""
    asks: tuple[Name, ...] = ()
    """Slots that the user is asked for, before the tool is called."""
    tells: tuple[Name, ...] = ()
    """What the user is told, after the tool was called: fields of results."""

    @field_validator("id")
    @classmethod
    def _is_free(cls, value: str) -> str:
        if value in (START, END):
            raise ValueError(f"a node cannot be called {value}")
        return value

    @field_validator("task")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a node says nothing of its task")
        return value

    @model_validator(mode="after")
    def _arguments_have_a_tool(self) -> Node:
        if self.arguments and self.tool is None:
            raise ValueError(f"node {self.id} has arguments but no tool")
        return self


class Edge(BaseModel):
    """What comes after what, always or on a condition."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: NodeId
    target: NodeId
    condition: str | None = None
    """When this way is taken, in words; None for always."""

    @model_validator(mode="after")
    def _runs_forward(self) -> Edge:
        if self.target == START:
            raise ValueError(f"an edge leads from {self.source} back to START")
        if self.source == END:
            raise ValueError(f"an edge leads from END on to {self.target}")
        if self.condition is not None and not self.condition.strip():
            raise ValueError("a condition says nothing")
        return self


class WorkflowGraph(BaseModel):
    """A workflow: its nodes in the order they were written in, and its edges.

    Built from names that fit together; whether it can be carried out, `findings` tells.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    nodes: tuple[Node, ...] = Field(max_length=MOST_NODES)
    edges: tuple[Edge, ...] = Field(max_length=MOST_NODES * MOST_NODES)

    @model_validator(mode="after")
    def _names_fit(self) -> WorkflowGraph:
        for name, count in Counter(node.id for node in self.nodes).items():
            if count > 1:
                raise ValueError(f"{count} nodes have the number or name {name}")
        known = {START, END, *(node.id for node in self.nodes)}
        for edge in self.edges:
            for name in (edge.source, edge.target):
                if name not in known:
                    raise ValueError(
                        f"the edge ({edge.source},{edge.target}) names {name}, which is no node"
                    )
        return self

    @property
    def by_id(self) -> Mapping[str, Node]:
        """The nodes by their names."""
        return {node.id: node for node in self.nodes}

    def tasks_alone(self) -> WorkflowGraph:
        """Return what a text of tasks and edges can hold: numbered nodes of one line, bare edges.

        Without tools, slots and conditions; an edge that is there twice stays twice.
        """
        numbers = {node.id: str(at) for at, node in enumerate(self.nodes, 1)}
        numbers |= {START: START, END: END}
        return WorkflowGraph(
            nodes=tuple(
                Node(id=numbers[node.id], task=" ".join(node.task.split())) for node in self.nodes
            ),
            edges=tuple(
                Edge(source=numbers[edge.source], target=numbers[edge.target])
                for edge in self.edges
            ),
        )

    def edges_between(self) -> Iterator[tuple[str, str]]:
        """Yield the edges between nodes, without those of START and END."""
        for edge in self.edges:
            if edge.source != START and edge.target != END:
                yield edge.source, edge.target


def first_sentence(error: ValidationError) -> str:
    """Return what a validation found first, in one line: where, and what."""
    found = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in found["loc"])
    said = found["msg"].removeprefix("Value error, ")
    return " ".join(f"{place}: {said}".split()) if place else " ".join(said.split())
