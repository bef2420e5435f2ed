"""Faults of a planning team, and what they make of a plan: words, and pairs of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Final

import networkx as nx

from ossia_workflows.worfbench import CRITIC, DECOMPOSER, LINKER, MANAGER, TeamKind, members_of

MEMBERS: Final = members_of(TeamKind.TEAM)
_OF_NODES: Final = ("missing node", "extra node", "wrong text")
_OF_PLANS: Final = ("missing edge", "false edge", "wrong order", "no edges", "unparsable")
KINDS: Final[Mapping[str, Sequence[str]]] = {
    DECOMPOSER: (*_OF_NODES, "unparsable"),
    LINKER: (*_OF_NODES, *_OF_PLANS),
    CRITIC: (*_OF_NODES, *_OF_PLANS),
    MANAGER: ("skips", "swaps"),
}
_ALIEN: Final = "qzx vlt wrn"
_REFERENCE: Final = re.compile(r"\$(\d+)")
_VALUE: Final = re.compile(r'"[^"]*"')
_NOBODY: Final = "$99"

Gold = tuple[Sequence[str], set[tuple[str, str]]]
"""Nodes and fewest edges."""


@dataclass(frozen=True)
class Planted:
    """A fault of a role.

    Attributes:
        role: Who makes it.
        kind: What it does.
        about: The words of the nodes, or the roles, that it is about.
    """

    role: str
    kind: str
    about: tuple[str, ...]

    @property
    def step(self) -> str:
        """The moment at which it is made."""
        if self.role != MANAGER:
            return f"{self.role}#1"
        at = MEMBERS.index(self.about[0])
        return f"{MANAGER}@{'>'.join(MEMBERS[:at]) or 'start'}"


@dataclass
class Sheet:
    """A plan on its way from role to role: words of nodes, and pairs of them.

    Attributes:
        nodes: What each step says; a call names others by their numbers in the gold plan.
        edges: Pairs of them; None where nobody linked them.
        called: The words of the steps that calls name, by those numbers.
    """

    nodes: list[str]
    edges: set[tuple[str, str]] | None = None
    called: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Sheet:
        """Return one that changes alone."""
        edges = None if self.edges is None else set(self.edges)
        return Sheet(list(self.nodes), edges, dict(self.called))

    def apply(self, fault: Planted) -> None:
        """Change it by a fault, as far as it has what the fault is about."""
        first, *rest = fault.about
        edges = self.edges if self.edges is not None else set()
        if fault.kind == "missing node" and first in self.nodes:
            self.nodes.remove(first)
            sources, targets = ({e[at] for e in edges if e[1 - at] == first} for at in (0, 1))
            edges |= {(one, other) for one in sources for other in targets}
            edges -= {edge for edge in edges if first in edge}
        elif fault.kind == "extra node" and rest[0] not in self.nodes:
            self.nodes.append(rest[0])
            if first in self.nodes and self.edges is not None:
                edges.add((first, rest[0]))
        elif fault.kind in ("wrong text", "wrong argument") and first in self.nodes:
            self.nodes[self.nodes.index(first)] = rest[0]
            self.called |= {at: rest[0] for at, words in self.called.items() if words == first}
            edges |= {(rest[0], other) for one, other in edges if one == first}
            edges |= {(one, rest[0]) for one, other in edges if other == first}
            edges -= {edge for edge in edges if first in edge}
        elif fault.kind in ("missing edge", "wrong order"):
            edges.discard((first, rest[0]))
            if fault.kind == "wrong order" and {first, rest[0]} <= {*self.nodes}:
                edges.add((rest[0], first))
        elif fault.kind == "false edge" and {first, rest[0]} <= {*self.nodes}:
            edges.add((first, rest[0]))
        elif fault.kind == "no edges":
            self.edges = None

    def text(self) -> str:
        """Return it in the published form."""
        number = {words: at for at, words in enumerate(self.nodes, 1)}

        def now(found: re.Match[str]) -> str:
            if found[1] not in self.called:
                return found[0]
            at = number.get(self.called[found[1]])
            return _NOBODY if at is None else f"${at}"

        lines = [f"{at}: {_REFERENCE.sub(now, words)}" for words, at in number.items()]
        if self.edges is None:
            return "\n".join(("Node:", *lines))
        pairs = [f"({number[one]},{number[other]})" for one, other in sorted(self.edges)]
        return "\n".join(("Node:", *lines, f"Edge: (START,1) {' '.join(pairs)}"))


def plant(
    role: str, kind: str, nodes: Sequence[str], edges: set[tuple[str, str]], draw: Random
) -> Planted | None:
    """Return a fault of a kind in a plan; None where it has no place for it."""
    closed = nx.transitive_closure_dag(nx.DiGraph(edges))
    ties = {*closed.edges, *(pair[::-1] for pair in closed.edges)}
    free = [pair for pair in combinations(nodes, 2) if pair not in ties]
    if kind in ("skips", "swaps"):
        return Planted(role, kind, (draw.choice(MEMBERS[:2]),))
    if kind in ("missing edge", "wrong order"):
        return Planted(role, kind, draw.choice(sorted(edges))) if edges else None
    if kind == "false edge":
        return Planted(role, kind, draw.choice(free)) if free else None
    first, alien = draw.choice(nodes), f"{_ALIEN} {draw.randrange(9)}"
    if kind == "wrong argument":
        alien = _VALUE.sub(f'"{alien}"', first, count=1)
    return Planted(role, kind, (first, alien)) if alien != first else None
