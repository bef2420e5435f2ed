"""A workflow graph as Python-like code, which is parsed and never carried out."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pydantic import ValidationError

from ossia_workflows.graph.labels import graph_of
from ossia_workflows.graph.model import END, START, GraphError, Node, WorkflowGraph, first_sentence

__all__ = ["read_code", "write_code"]

_MOST_CHARACTERS = 4_000_000
"""Python's parser takes memory many times the size of a text."""

_SLOTS = ("needs", "gives", "asks", "tells")
_STEP = frozenset({"tool", "arguments", *_SLOTS})


def write_code(graph: WorkflowGraph) -> str:
    """Return the whole graph as code: a line for each step, then one for each edge."""
    lines = ["plan = Workflow()"]
    for node in graph.nodes:
        said = [repr(node.task)]
        if node.tool is not None:
            said.append(f"tool={node.tool!r}")
        if node.arguments:
            said.append(f"arguments={node.arguments!r}")
        for name in _SLOTS:
            if slots := getattr(node, name):
                said.append(f"{name}={list(slots)!r}")
        lines.append(f"n_{node.id} = plan.step({', '.join(said)})")
    for edge in graph.edges:
        when = "" if edge.condition is None else f", when={edge.condition!r}"
        lines.append(f"plan.edge({_name(edge.source)}, {_name(edge.target)}{when})")
    return "\n".join(lines)


def read_code(text: str) -> WorkflowGraph:
    """Read code in the form that `write_code` writes.

    Raises:
        GraphError: it is no such code, or the names do not fit together.
    """
    if len(text) > _MOST_CHARACTERS:
        raise GraphError(f"the code has {len(text)} characters; at most {_MOST_CHARACTERS}")
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise GraphError(f"no Python: {' '.join(str(error).split())[:200]}") from None
    if not statements or not _opens(statements[0]):
        raise GraphError("the code begins with 'plan = Workflow()'")
    nodes: list[Node] = []
    edges: list[tuple[str, str, str | None]] = []
    for statement in statements[1:]:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="plan"), attr="step")) as call,
            ):
                nodes.append(_node(_read_name(name, statement), call))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="plan"), attr="edge")) as call
            ):
                edges.append(_edge(call))
            case _:
                raise GraphError(f"line {statement.lineno} is no step and no edge of the plan")
    return graph_of(nodes, edges)


def _opens(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(
            targets=[ast.Name(id="plan")],
            value=ast.Call(func=ast.Name(id="Workflow"), args=[], keywords=[]),
        ):
            return True
    return False


def _node(name: str, call: ast.Call) -> Node:
    said = _keywords(call, _STEP)
    if len(call.args) != 1:
        raise GraphError(f"line {call.lineno}: a step has one text that says its task")
    given = {"id": name, "task": _value(call.args[0]), **said}
    try:
        return Node.model_validate(given)
    except (ValidationError, RecursionError) as error:
        told = first_sentence(error) if isinstance(error, ValidationError) else "too deep"
        raise GraphError(f"line {call.lineno}: {told}") from None


def _edge(call: ast.Call) -> tuple[str, str, str | None]:
    when = _keywords(call, frozenset({"when"})).get("when")
    match call.args:
        case [ast.Name(id=source), ast.Name(id=target)] if when is None or isinstance(when, str):
            return _read_name(source, call), _read_name(target, call), when
    raise GraphError(f"line {call.lineno}: an edge has two names, and a text behind when=")


def _keywords(call: ast.Call, known: frozenset[str]) -> Mapping[str, object]:
    for keyword in call.keywords:
        if keyword.arg not in known:
            raise GraphError(f"line {call.lineno}: {keyword.arg or '**'} is not known here")
    return {str(keyword.arg): _value(keyword.value) for keyword in call.keywords}


def _value(expression: ast.expr) -> object:
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise GraphError(f"line {expression.lineno}: only plain values can stand here") from None


def _name(name: str) -> str:
    return name if name in (START, END) else f"n_{name}"


def _read_name(name: str, place: ast.stmt | ast.expr) -> str:
    if name in (START, END):
        return name
    if not name.startswith("n_"):
        raise GraphError(f"line {place.lineno}: {name[:60]} is no name of a step")
    return name.removeprefix("n_")
