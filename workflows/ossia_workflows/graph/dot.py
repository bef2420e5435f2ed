"""A workflow graph in Graphviz' language DOT."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from ossia_workflows.graph.labels import graph_of, lines_of, node_of
from ossia_workflows.graph.model import END, START, GraphError, Node, WorkflowGraph

__all__ = ["read_dot", "write_dot"]

_TOKEN = re.compile(
    r"\s+|//[^\n]*|\#[^\n]*|(?P<string>\"(?:[^\"\\]|\\.)*+\")|(?P<arrow>->)"
    r"|(?P<sign>[{}\[\]=;,])|(?P<word>[\w.]+)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)|&#(\d{1,7});", re.DOTALL)
_ENDS = (START, END)


def write_dot(graph: WorkflowGraph, *, width: int | None = None) -> str:
    r"""Return the whole graph in DOT.

    A label's first line is the task; a call and slots stand in lines below it, behind `\n`.

    Args:
        graph: the workflow.
        width: for a picture, at which lines of labels are broken; `read_dot` cannot join them.
    """
    lines = ["digraph workflow {", "    START;"]
    for node in graph.nodes:
        words = lines_of(node)
        label = r"\n".join(map(_escaped, words)) if width is None else _broken(words, width)
        lines.append(f'    n_{node.id} [label="{label}"];')
    lines.append("    END;")
    for edge in graph.edges:
        said = "" if edge.condition is None else f' [label="{_escaped(edge.condition)}"]'
        lines.append(f"    {_name(edge.source)} -> {_name(edge.target)}{said};")
    return "\n".join((*lines, "}"))


def _broken(lines: list[str], width: int) -> str:
    r"""A label of lines that are broken at a width; `\l` puts the line before it to the left."""
    parts = (
        part
        for line in lines
        for part in textwrap.wrap(
            line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    )
    return "".join(rf"{_escaped(part)}\l" for part in parts)


def read_dot(text: str) -> WorkflowGraph:
    """Read a graph in the form that `write_dot` writes; attributes besides labels are passed over.

    Raises:
        GraphError: a statement is of another form, or the names do not fit together.
    """
    tokens = list(_tokens(text))
    head = [token for token in tokens[:3] if token != "{"]
    if not head or head[0] != "digraph" or "{" not in tokens[:3] or tokens[-1] != "}":
        raise GraphError("a graph begins with 'digraph NAME {' and ends with '}'")
    nodes: list[Node] = []
    edges: list[tuple[str, str, str | None]] = []
    for statement in _statements(tokens[tokens.index("{") + 1 : -1]):
        label = _label(statement)
        if len(statement) >= 3 and statement[1] == "->" and len(statement) in (3, *_with(3)):
            condition = None if label is None else _plain(label)
            edges.append((_read_name(statement[0]), _read_name(statement[2]), condition))
        elif statement[0] in _ENDS or statement[0] in ("node", "edge", "graph"):
            continue
        elif label is not None and len(statement) in _with(1):
            nodes.append(node_of(_read_name(statement[0]), _lines(label)))
        else:
            raise GraphError(f"no node with a label and no edge: {' '.join(statement)[:60]!r}")
    return graph_of(nodes, edges)


def _with(names: int) -> range:
    """How many tokens a statement of so many may have with its attributes."""
    return range(names + 5, names + 200)


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise GraphError(f"unreadable from {text[at : at + 20]!r} on")
        if found.lastgroup is not None:
            yield found.group()
        at = found.end()


def _statements(tokens: list[str]) -> Iterator[list[str]]:
    statement: list[str] = []
    inside = False
    for token in tokens:
        if token == ";" and not inside:
            if statement:
                yield statement
            statement = []
            continue
        inside = token == "[" or (inside and token != "]")
        statement.append(token)
    if statement:
        raise GraphError(f"a statement ends without ';': {' '.join(statement)[:60]!r}")


def _label(statement: list[str]) -> str | None:
    """The label among a statement's attributes, as it is written between the quotes."""
    for at in range(len(statement) - 2):
        if statement[at : at + 2] == ["label", "="] and statement[at + 2].startswith('"'):
            return statement[at + 2][1:-1]
    return None


def _name(name: str) -> str:
    return name if name in _ENDS else f"n_{name}"


def _read_name(name: str) -> str:
    if name in _ENDS:
        return name
    if not name.startswith("n_"):
        raise GraphError(f"{name[:60]!r} is no name of a node, which begins with n_")
    return name.removeprefix("n_")


def _escaped(text: str) -> str:
    # Graphviz reads entities in labels, so an ampersand is written as one.
    return "".join(
        f"\\{character}"
        if character in '"\\'
        else f"&#{ord(character)};"
        if character == "&" or not character.isprintable()
        else character
        for character in text
    )


def _lines(label: str) -> list[str]:
    r"""The lines of a label, cut at each `\n` that is no part of an escaped backslash."""
    return [_plain(part) for part in _cut(label)]


def _cut(label: str) -> Iterator[str]:
    begun, at = 0, 0
    while at < len(label):
        if label[at] == "\\":
            if label[at + 1 : at + 2] == "n":
                yield label[begun:at]
                begun = at + 2
            at += 2
        else:
            at += 1
    yield label[begun:]


def _plain(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found.group(2) is None:
            return "\n" if found.group(1) == "n" else found.group(1)
        code = int(found.group(2))
        return chr(code) if code < 0x110000 else found.group()

    return _ESCAPE.sub(character, text)
