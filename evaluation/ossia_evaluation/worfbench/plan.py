"""A plan as the published evaluator has it: texts by position, and pairs of positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = [
    "END",
    "MOST_NODES",
    "START",
    "Plan",
    "PlanError",
    "bytes_of",
    "parse_nodes",
    "parse_published",
]

START: Final = "START"
END: Final = "END"

MOST_NODES: Final = 2000
"""Most nodes of a plan that is scored, START and END included."""

MOST_EDGES: Final = 1_000_000

# As published, `\\d+[:.] (.+)`; a run of digits is tried once instead of from each of its digits.
_NODE = re.compile(r"(?<!\d)\d++[:.] (.+)")
_EDGE = re.compile(r"\(\s*+(\d++|START)\s*+,\s*+(\d++|END)\s*+\)")


class PlanError(Exception):
    """A plan or a case cannot be scored; the message is one line."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes by position, START first and END last, and edges between positions.

    Attributes:
        nodes: The texts of the nodes.
        edges: Pairs of positions, which need not be those of nodes.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]

    @classmethod
    def counted(cls, count: int, edges: Sequence[tuple[int, int]]) -> Plan:
        """Return a plan of so many nodes without texts, START and END counted."""
        inner = tuple(f"#{at}" for at in range(1, count - 1))
        return cls((START, *inner, END)[:count], tuple(edges))

    def require_size(self) -> None:
        """Refuse what would take for ever.

        Raises:
            PlanError: there are too many nodes or edges.
        """
        if len(self.nodes) > MOST_NODES:
            raise PlanError(f"has {len(self.nodes)} nodes; at most {MOST_NODES} are scored")
        if len(self.edges) > MOST_EDGES:
            raise PlanError(f"has {len(self.edges)} edges; at most {MOST_EDGES} are scored")

    @property
    def tasks(self) -> tuple[int, ...]:
        """The positions of the nodes that are neither START nor END, told by their texts."""
        return tuple(at for at, text in enumerate(self.nodes) if text not in (START, END))


def parse_published(text: str) -> Plan | None:
    """Read a plan as the published parser does, quirks included.

    Every `1: words` or `1. words` anywhere is a node, numbered by its position; every pair such as
    `(START,1)` anywhere is an edge. None where it finds no plan, which counts 0.
    """
    if "Node" not in text:
        return None
    nodes = (START, *parse_nodes(text), END)
    pairs = _EDGE.findall(text)
    if not pairs:
        return None
    last = len(nodes) - 1
    try:
        edges = tuple((_position(one, last), _position(other, last)) for one, other in pairs)
    except ValueError:
        # More digits than Python reads as a number.
        return None
    return Plan(nodes, edges)


def parse_nodes(text: str) -> tuple[str, ...]:
    """Return the texts of all nodes that stand anywhere in a text."""
    return tuple(found.strip() for found in _NODE.findall(text))


def _position(name: str, last: int) -> int:
    return {START: 0, END: last}.get(name, -1) if name in (START, END) else int(name)


def bytes_of(path: Path) -> bytes:
    """Return what a file of plans or cases holds.

    Raises:
        PlanError: it cannot be read, or is no file: a pipe or a device may never end.
    """
    try:
        if path.exists() and not path.is_file():
            raise PlanError(f"{path}: is not a file")
        return path.read_bytes()
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
