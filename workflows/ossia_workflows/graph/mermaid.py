"""A workflow graph as a Mermaid flowchart."""

from __future__ import annotations

import re

from ossia_workflows.graph.labels import graph_of, lines_of, node_of
from ossia_workflows.graph.model import END, START, GraphError, Node, WorkflowGraph

__all__ = ["read_mermaid", "write_mermaid"]

_HEAD = re.compile(r"(?:flowchart|graph)\s+(?:TD|TB|LR|RL|BT)\s*;?")
_NODE = re.compile(r"n_([A-Za-z0-9_]+)\[\"([^\"]*)\"\]\s*;?")
_ENDS = re.compile(r"(START|END)\(\[[^\]]*\]\)\s*;?")
_NAME = r"(?:n_([A-Za-z0-9_]+)|(START|END))"
_EDGE = re.compile(rf"{_NAME}\s*-->\s*(?:\|\"([^\"]*)\"\|\s*)?{_NAME}\s*;?")
_ENTITY = re.compile(r"#(?:(\d{1,7})|quot|lt|gt|amp);")
_NAMED = {"#quot;": '"', "#lt;": "<", "#gt;": ">", "#amp;": "&"}
# Characters with a meaning in Mermaid's labels; backquotes open its Markdown.
_MARKED = frozenset('#"<>&`;|[](){}\\%')
_ENTITIES = {character: entity for entity, character in _NAMED.items()}
# What may have to be escaped.
_ODD = re.compile(rf"[{re.escape(''.join(sorted(_MARKED)))}]|[^ -~]")
_BREAK = "<br/>"


def write_mermaid(graph: WorkflowGraph) -> str:
    """Return the whole graph as a flowchart.

    A label's first line is the task; a call and slots stand in lines below it.
    """
    lines = ["flowchart TD", "    START([START])"]
    for node in graph.nodes:
        label = _BREAK.join(_escaped(line) for line in lines_of(node))
        lines.append(f'    n_{node.id}["{label}"]')
    lines.append("    END([END])")
    for edge in graph.edges:
        said = "" if edge.condition is None else f'|"{_escaped(edge.condition)}"|'
        lines.append(f"    {_name(edge.source)} -->{said} {_name(edge.target)}")
    return "\n".join(lines)


def read_mermaid(text: str) -> WorkflowGraph:
    """Read a flowchart in the form that `write_mermaid` writes; comments are passed over.

    Raises:
        GraphError: a line is of another form, or the names do not fit together.
    """
    nodes: list[Node] = []
    edges: list[tuple[str, str, str | None]] = []
    headed = False
    for number, line in enumerate(text.split("\n"), 1):
        said = line.strip()
        if not said or said.startswith("%%"):
            continue
        if not headed:
            if not _HEAD.fullmatch(said):
                raise GraphError(f"line {number}: a flowchart begins with 'flowchart TD'")
            headed = True
        elif (node := _NODE.fullmatch(said)) is not None:
            lines = [_plain(part) for part in node.group(2).split(_BREAK)]
            nodes.append(node_of(node.group(1), lines))
        elif (edge := _EDGE.fullmatch(said)) is not None:
            source, first, condition, target, last = edge.groups()
            plain = None if condition is None else _plain(condition)
            edges.append((source or first, target or last, plain))
        elif not _ENDS.fullmatch(said):
            raise GraphError(f"line {number} is no node and no edge: {said[:60]!r}")
    if not headed:
        raise GraphError("there is no flowchart")
    return graph_of(nodes, edges)


def _name(name: str) -> str:
    return name if name in (START, END) else f"n_{name}"


def _escaped(text: str) -> str:
    return _ODD.sub(_entity, text)


def _entity(found: re.Match[str]) -> str:
    character = found.group()
    if character not in _MARKED and character.isprintable():
        return character
    return _ENTITIES.get(character, f"#{ord(character)};")


def _plain(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found.group(1) is None:
            return _NAMED[found.group()]
        code = int(found.group(1))
        return chr(code) if code < 0x110000 else found.group()

    return _ENTITY.sub(character, text)
