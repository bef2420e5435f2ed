"""A workflow graph as a picture, which Graphviz lays out."""

from __future__ import annotations

import sys
from typing import Final

from ossia_workflows.graph.dot import write_dot
from ossia_workflows.graph.model import GraphError, WorkflowGraph

__all__ = ["write_svg"]

_WIDTH: Final = 44
_FONT: Final = {"fontname": "Helvetica", "fontsize": "11"}
_BOX: Final = {"shape": "box", "style": "rounded", "margin": "0.12,0.08"}
_NO_XML: Final = dict.fromkeys(each for each in range(32) if chr(each) not in "\t\n\r")


def write_svg(graph: WorkflowGraph) -> str:
    """Return the whole graph as SVG: a box for each node, conditions beside the arrows.

    Raises:
        GraphError: Graphviz is not installed.
    """
    try:
        from pygraphviz import AGraph
    except ImportError:
        raise GraphError(
            f"a picture needs Graphviz: {sys.executable} -m pip install 'ossia[svg]'"
        ) from None
    drawn = AGraph(string=write_dot(graph, width=_WIDTH))
    drawn.node_attr.update(**_FONT, **_BOX)
    drawn.edge_attr.update(_FONT)
    picture: bytes = drawn.draw(format="svg", prog="dot")
    return picture.decode().translate(_NO_XML)
