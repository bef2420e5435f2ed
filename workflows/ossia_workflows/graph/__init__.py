"""The workflow graph: what is to be done, in which order and on which conditions."""

from ossia_workflows.graph.calls import (
    Call,
    read_call,
    read_plan,
    references_of,
    with_calls,
    write_call,
)
from ossia_workflows.graph.code import read_code, write_code
from ossia_workflows.graph.dot import read_dot, write_dot
from ossia_workflows.graph.findings import Finding, Flaw, findings
from ossia_workflows.graph.mermaid import read_mermaid, write_mermaid
from ossia_workflows.graph.model import END, START, Edge, GraphError, Node, WorkflowGraph
from ossia_workflows.graph.order import (
    Critical,
    closure,
    critical_path,
    topological_orders,
)
from ossia_workflows.graph.steps import read_steps, write_steps
from ossia_workflows.graph.stored import read_json, write_json
from ossia_workflows.graph.svg import write_svg
from ossia_workflows.graph.text import read_text, write_text

__all__ = [
    "END",
    "START",
    "Call",
    "Critical",
    "Edge",
    "Finding",
    "Flaw",
    "GraphError",
    "Node",
    "WorkflowGraph",
    "closure",
    "critical_path",
    "findings",
    "read_call",
    "read_code",
    "read_dot",
    "read_json",
    "read_mermaid",
    "read_plan",
    "read_steps",
    "read_text",
    "references_of",
    "topological_orders",
    "with_calls",
    "write_call",
    "write_code",
    "write_dot",
    "write_json",
    "write_mermaid",
    "write_steps",
    "write_svg",
    "write_text",
]
