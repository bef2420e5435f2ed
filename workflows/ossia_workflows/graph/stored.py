"""A workflow graph as JSON."""

from __future__ import annotations

from pydantic import ValidationError

from ossia_workflows.graph.model import GraphError, WorkflowGraph, first_sentence

__all__ = ["read_json", "write_json"]


def write_json(graph: WorkflowGraph) -> str:
    """Return the whole graph as JSON, with its version."""
    return graph.model_dump_json(exclude_defaults=False)


def read_json(text: str | bytes) -> WorkflowGraph:
    """Read a graph that `write_json` wrote.

    Raises:
        GraphError: it is no JSON, or no graph of this version.
    """
    try:
        return WorkflowGraph.model_validate_json(text)
    except ValidationError as error:
        raise GraphError(first_sentence(error)) from None
