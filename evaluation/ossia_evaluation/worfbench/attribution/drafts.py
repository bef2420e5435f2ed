"""A plan by what its nodes stand for in the gold plan, and how one plan differs from another.

Numbers change from one role's plan to the next, so nodes are known by the gold node that they are
paired with, and other nodes by their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from typing import ClassVar, Final

import numpy as np

from ossia_evaluation.worfbench.measures.corrected import (
    Reach,
    Steps,
    before,
    corrected,
    paired,
    steps_of_plan,
)
from ossia_evaluation.worfbench.measures.embedding import HashedWords, Similarities
from ossia_evaluation.worfbench.measures.matching import heaviest
from ossia_evaluation.worfbench.plan import (
    END,
    START,
    Plan,
    PlanError,
    parse_nodes,
    parse_published,
)

__all__ = [
    "Draft",
    "Edit",
    "GoldPlan",
    "Kind",
    "Order",
    "Pair",
    "changed",
    "edit_between",
    "is_gold",
]

_LIKE: Final = 0.3
"""A node that is more like a missing gold node than this was meant to be it."""

Pair = tuple[str, str]


class Kind(StrEnum):
    """What may be wrong with a plan."""

    MISSING_NODE = "missing node"
    EXTRA_NODE = "extra node"
    WRONG_TEXT = "wrong text"
    WRONG_TOOL = "wrong tool"
    WRONG_ARGUMENT = "wrong argument"
    WRONG_ORDER = "wrong order"
    MISSING_EDGE = "missing edge"
    FALSE_EDGE = "false edge"
    UNPARSABLE = "unparsable"


@dataclass(frozen=True)
class Draft:
    """A plan, or the nodes of one.

    Attributes:
        nodes: What each node says, in the order of the list: by the gold node that it is meant to
            be, or by its words.
        edges: Which node comes right before which other one.
        linked: Whether anything is said of edges.
        wrong: The nodes that were meant to be a gold node and do not count as it, or not wholly.
    """

    nodes: Mapping[str, str]
    edges: frozenset[Pair] = frozenset()
    linked: bool = False
    wrong: Mapping[str, Kind] = field(default_factory=dict)

    def is_right(self, name: str) -> bool:
        """Return whether a node is there and counts wholly."""
        return name in self.nodes and is_gold(name) and name not in self.wrong

    def reach(self) -> Order:
        """Return which node comes before which."""
        return Order.of(self.nodes, self.edges)


@dataclass(frozen=True)
class Order:
    """Which of some nodes comes before which.

    Attributes:
        places: The place of each node in `before`.
        before: For each node whether it comes before each other one, and on a cycle itself.
    """

    places: Mapping[str, int]
    before: Reach

    @classmethod
    def of(cls, nodes: Iterable[str], edges: Iterable[Pair]) -> Order:
        """Return the order that edges make; edges of nodes that are not there are left out."""
        places = {name: at for at, name in enumerate(nodes)}
        known = [(places[a], places[b]) for a, b in edges if a in places and b in places]
        return cls(places, before(len(places), known))

    def has(self, pair: Pair) -> bool:
        """Return whether the one node comes before the other."""
        one, other = (self.places.get(name) for name in pair)
        return one is not None and other is not None and bool(self.before[one, other])

    def among(self, nodes: Iterable[str]) -> frozenset[Pair]:
        """Return the fewest edges that bring some of the nodes into this order."""
        names = [name for name in nodes if name in self.places]
        at = [self.places[name] for name in names]
        itself = np.eye(len(at), dtype=np.bool_)
        inside = self.before[np.ix_(at, at)] & ~itself
        ways = inside.astype(np.float32)
        # Nodes that come before each other have no fewest edges, and keep all.
        mutual = inside & inside.T
        direct = inside & (~(ways @ ways > 0) | mutual)
        # A node that waits for itself without others has that edge alone.
        direct |= self.before[np.ix_(at, at)] & itself & ~mutual.any(axis=1)
        return frozenset((names[a], names[b]) for a, b in np.argwhere(direct).tolist())


def is_gold(name: str) -> bool:
    """Return whether a node of a draft is meant to be a gold node."""
    return name.isdecimal()


class GoldPlan:
    """A task's gold plan, by which others are read."""

    success: ClassVar[str] = "the plan has the gold nodes and order"
    measures: ClassVar[tuple[str, str]] = "node F1", "plan F1"
    """What the score of nodes alone is, and that of nodes and edges."""

    def __init__(self, steps: Steps) -> None:
        """Take the gold steps."""
        self._steps = steps
        self._alike = Similarities(HashedWords())
        names = [str(at) for at in range(1, len(steps.texts) + 1)]
        nodes = dict(zip(names, steps.texts, strict=True))
        self.order = Order({name: at for at, name in enumerate(names)}, steps.before)
        self.has_cycle = bool((steps.before & steps.before.T).any())
        self.draft = Draft(nodes, self.edges(nodes), linked=True)

    @classmethod
    def written(cls, workflow: str) -> GoldPlan:
        """Read a plan in the published form.

        Raises:
            PlanError: it is none.
        """
        plan = parse_published(workflow)
        if plan is None:
            raise PlanError("the gold plan cannot be read")
        return cls(steps_of_plan(plan))

    def edges(self, nodes: Iterable[str]) -> frozenset[Pair]:
        """Return the fewest edges that bring some of the gold nodes into their order."""
        return self.order.among(nodes)

    def read(self, text: str) -> Draft | None:
        """Read what a role wrote as the grader does; None where there is no node, or too many."""
        plan = parse_published(text)
        linked = plan is not None
        if plan is None:
            plan = Plan((START, *parse_nodes(text), END), ())
        try:
            plan.require_size()
        except PlanError:
            return None
        return self._draft(plan, linked=linked) if plan.tasks else None

    def reaches(self, draft: Draft) -> bool | None:
        """Return whether a draft reaches its goal; None where it is judged by its graph alone."""
        return None

    def linked(self, base: Draft, own: Draft | None) -> Draft:
        """Return nodes with the edges that they should have.

        Args:
            base: The nodes.
            own: What somebody made of them.
        """
        return replace(base, edges=self.edges(base.nodes), linked=True)

    def score(self, draft: Draft) -> float:
        """Return the plan F1 of a draft; of nodes alone, their F1."""
        plan = parse_published(self.text(draft if draft.linked else replace(draft, linked=True)))
        if plan is None:
            return 0.0
        steps = steps_of_plan(plan)
        found = corrected(steps, self._steps, self._alike.matrix(steps.texts, self._steps.texts))
        return found.graph if draft.linked else found.nodes.f1

    def text(self, draft: Draft) -> str:
        """Return a draft in the published form; without edges where it says nothing of them."""
        numbers = {name: at for at, name in enumerate(draft.nodes, 1)}
        lines = ["Node:", *(f"{at}: {draft.nodes[name]}" for name, at in numbers.items())]
        if not draft.linked:
            return "\n".join(lines)
        sources, targets = {a for a, _ in draft.edges}, {b for _, b in draft.edges}
        pairs = [f"({START},{at})" for name, at in numbers.items() if name not in targets]
        inner = sorted((numbers[a], numbers[b]) for a, b in draft.edges)
        pairs += [f"({one},{other})" for one, other in inner]
        pairs += [f"({at},{END})" for name, at in numbers.items() if name not in sources]
        return "\n".join([*lines, f"Edge: {' '.join(pairs) or f'({START},{END})'}"])

    def _draft(self, plan: Plan, *, linked: bool) -> Draft:
        steps = steps_of_plan(plan)
        names, wrong = self._named(steps, self._steps, steps.texts)
        inner = {position: names[at] for at, position in enumerate(plan.tasks)}
        edges = frozenset((inner[a], inner[b]) for a, b in plan.edges if a in inner and b in inner)
        return Draft({names[at]: text for at, text in enumerate(steps.texts)}, edges, linked, wrong)

    def _named(
        self, steps: Steps, gold: Steps, labels: Sequence[str]
    ) -> tuple[dict[int, str], dict[str, Kind]]:
        """The name of each step, by its label where it is no gold step, and which are wrong."""
        similarities = self._alike.matrix(steps.texts, gold.texts)
        pairing, credits = paired(steps, gold, similarities)
        names = {at: str(place + 1) for at, place in pairing.pairs}
        wrong = {
            names[at]: Kind.WRONG_ARGUMENT for at, place in pairing.pairs if credits[at, place] < 1
        }
        free = np.where(similarities > _LIKE, similarities, 0.0)
        free[[at for at, _ in pairing.pairs], :] = 0.0
        free[:, [place for _, place in pairing.pairs]] = 0.0
        tools = [[node.tool for node in each.nodes] for each in (steps, gold)]
        for at, place in heaviest(free).pairs:
            names[at] = str(place + 1)
            same = not all(tools) or tools[0][at] == tools[1][place]
            wrong[names[at]] = Kind.WRONG_TEXT if same else Kind.WRONG_TOOL
        seen: Counter[str] = Counter()
        for at, label in enumerate(labels):
            if at not in names:
                seen[label] += 1
                words = blake2b(label.encode(errors="replace"), digest_size=8).hexdigest()
                names[at] = f"x{words}_{seen[label]}"
        return names, wrong


@dataclass(frozen=True)
class Edit:
    """What a role did to a plan.

    Attributes:
        dropped: Nodes that it left out.
        written: Nodes that it added, put right or broke, with what it said.
        wrong: Which of those do not count wholly.
        cut: Pairs of nodes of which it no longer said that the one comes before the other.
        drawn: Edges that it added.
        unlinked: Whether it left out all that is said of edges.
    """

    dropped: frozenset[str]
    written: Mapping[str, str]
    wrong: Mapping[str, Kind]
    cut: frozenset[Pair]
    drawn: frozenset[Pair]
    unlinked: bool

    def harmless(self, gold: GoldPlan) -> Edit:
        """Return the part of it that put right what was wrong in a plan."""
        good = {name for name in self.written if is_gold(name) and name not in self.wrong}
        return Edit(
            dropped=frozenset(name for name in self.dropped if not is_gold(name)),
            written={name: text for name, text in self.written.items() if name in good},
            wrong={},
            cut=frozenset(pair for pair in self.cut if not gold.order.has(pair)),
            drawn=frozenset(pair for pair in self.drawn if gold.order.has(pair)),
            unlinked=False,
        )


def edit_between(base: Draft, made: Draft) -> Edit:
    """Return what was done to one plan to get another."""
    base = _aligned(base, made)
    if not made.linked:
        # Nothing is said of any edge, and so nothing is put right by that.
        made = replace(made, edges=base.edges)
    order = made.reach()
    common = {pair for pair in base.edges if pair[0] in made.nodes and pair[1] in made.nodes}
    cut = frozenset(pair for pair in common if not order.has(pair))
    kept = Order.of(made.nodes, common - cut)
    written = {
        name: text
        for name, text in made.nodes.items()
        if name not in base.nodes or base.is_right(name) is not made.is_right(name)
    }
    return Edit(
        # Whoever left out a broken node might have kept it whole.
        dropped=frozenset(
            name
            for name in base.nodes
            if name not in made.nodes and (base.is_right(name) or not is_gold(name))
        ),
        written=written,
        wrong={name: made.wrong[name] for name in written if name in made.wrong},
        cut=cut,
        drawn=frozenset(pair for pair in made.edges if not kept.has(pair)),
        unlinked=base.linked and not made.linked,
    )


def changed(base: Draft, edit: Edit) -> Draft:
    """Return a plan after an edit that was made to another.

    Who left out that one node comes before another one leaves out every way from the one to the
    other; an edge of a node that is not there any more is gone with it.
    """
    nodes = {name: text for name, text in base.nodes.items() if name not in edit.dropped}
    nodes |= edit.written
    order, ends = base.reach(), dict[str, list[str]]()
    for first, last in edit.cut:
        ends.setdefault(first, []).append(last)
    lost = {
        (one, other)
        for one, other in base.edges
        if any(other == last or order.has((other, last)) for last in ends.get(one, ()))
    }
    edges = (base.edges - lost) | edit.drawn
    wrong = {name: why for name, why in base.wrong.items() if name not in edit.written}
    return Draft(
        nodes,
        frozenset((a, b) for a, b in edges if a in nodes and b in nodes),
        linked=base.linked and not edit.unlinked,
        wrong={name: why for name, why in (wrong | {**edit.wrong}).items() if name in nodes},
    )


def _aligned(base: Draft, made: Draft) -> Draft:
    """The same plan, its nodes named as in another where their words are the same.

    Of gold nodes with the same words, which of them a lone node is meant to be is told by edges.
    """
    free: dict[str, list[str]] = {}
    for name, text in made.nodes.items():
        if name not in base.nodes:
            free.setdefault(text, []).append(name)
    names = {name: name for name in base.nodes}
    for name, text in base.nodes.items():
        if name not in made.nodes and free.get(text):
            names[name] = free[text].pop(0)
    return Draft(
        {names[name]: text for name, text in base.nodes.items()},
        frozenset((names[a], names[b]) for a, b in base.edges),
        base.linked,
        {names[name]: why for name, why in base.wrong.items()},
    )
