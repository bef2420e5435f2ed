"""What is wrong with a plan, found on the graph, and what each fault costs.

A node without a counterpart is bypassed: what it stood between is judged as if it were not there.
So no fault hides another one, and each of them has to be put right before the plan is a success.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ossia_evaluation.worfbench.attribution.drafts import Draft, GoldPlan, Kind, Order, is_gold

__all__ = ["MOST_SCORED", "Fault", "faults_of", "told", "without"]

MOST_SCORED: Final = 12
"""So many faults of a plan are put right one at a time; each takes a scoring."""

_SHOWN: Final = 3
_WORDS: Final = 60


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a plan.

    Attributes:
        kind: What it is.
        nodes: The node that it is about, or the two of an edge, as the draft names them.
        clause: What was done, with a role as its subject.
    """

    kind: Kind
    nodes: tuple[str, ...]
    clause: str

    @property
    def key(self) -> tuple[Kind | None, tuple[str, ...]]:
        """What is the same in another plan that is wrong in the same place."""
        return None if self.of_node else self.kind, self.nodes

    @property
    def of_node(self) -> bool:
        """Whether it is about a node, and not about an edge."""
        return len(self.nodes) == 1


def faults_of(draft: Draft, gold: GoldPlan) -> tuple[Fault, ...]:
    """Return all that is wrong with a plan; of nodes alone, what is wrong with them."""
    return (*_of_nodes(draft, gold), *(_of_edges(draft, gold) if draft.linked else ()))


def _of_nodes(draft: Draft, gold: GoldPlan) -> Iterable[Fault]:
    for name, text in gold.draft.nodes.items():
        if name not in draft.nodes:
            yield Fault(Kind.MISSING_NODE, (name,), f"left out {_quoted(text)}")
        elif name in draft.wrong:
            said = f"wrote {_quoted(draft.nodes[name])} for {_quoted(text)}"
            yield Fault(draft.wrong[name], (name,), said)
    for name, text in draft.nodes.items():
        if not is_gold(name):
            yield Fault(Kind.EXTRA_NODE, (name,), f"added {_quoted(text)}")


def _of_edges(draft: Draft, gold: GoldPlan) -> Iterable[Fault]:
    edges = bypassing(draft)
    turned = {(a, b) for a, b in edges if gold.order.has((b, a))}
    false = {pair for pair in edges if not gold.order.has(pair)} - turned
    there = [name for name in draft.nodes if is_gold(name)]
    right = Order.of(there, (edges - turned - false) | {(b, a) for a, b in turned})
    missing = {pair for pair in gold.edges(there) if not right.has(pair)}
    for kind, pairs, clause in (
        (Kind.WRONG_ORDER, turned, "put {0} before {1}"),
        (Kind.FALSE_EDGE, false, "made {1} wait for {0}"),
        (Kind.MISSING_EDGE, missing, "did not make {1} wait for {0}"),
    ):
        for pair in sorted(pairs, key=_by_number):
            texts = (_quoted(gold.draft.nodes[name]) for name in pair)
            yield Fault(kind, pair, clause.format(*texts))


def bypassing(draft: Draft) -> frozenset[tuple[str, str]]:
    """Return the edges between gold nodes, with other nodes bypassed."""
    names = list(draft.nodes)
    at = {name: place for place, name in enumerate(names)}
    inside = np.array([is_gold(name) for name in names], dtype=np.bool_)
    if inside.all():
        return draft.edges
    edges = np.zeros((len(names), len(names)), dtype=np.float32)
    for one, other in draft.edges:
        edges[at[one], at[other]] = 1
    others = [pair for pair in draft.edges if not is_gold(pair[0]) and not is_gold(pair[1])]
    between = Order.of(names, others).before.astype(np.float32)
    np.fill_diagonal(between, 1)
    through = np.where(inside, 0, edges) @ between @ np.where(inside[:, None], 0, edges)
    direct = (edges > 0) | (through > 0)
    direct &= inside[:, None] & inside[None, :]
    return frozenset((names[a], names[b]) for a, b in np.argwhere(direct).tolist() if a != b)


def without(faults: Sequence[Fault], draft: Draft, gold: GoldPlan) -> Draft:
    """Return a plan with some of its faults put right.

    Args:
        faults: Some of its faults.
        draft: The plan.
        gold: What it should be.
    """
    extra, missing = (
        {fault.nodes[0] for fault in faults if fault.kind is kind}
        for kind in (Kind.EXTRA_NODE, Kind.MISSING_NODE)
    )
    again = {fault.nodes[0] for fault in faults if fault.of_node} - extra - missing
    every = gold.draft.nodes
    kept = {name: text for name, text in draft.nodes.items() if name not in extra | again}
    nodes = {
        name: kept.get(name, every[name]) for name in every if name in {*kept, *again, *missing}
    }
    nodes |= kept
    # Whoever drops a node joins what it stood between.
    edges = set(bypassing(draft)) | {pair for pair in draft.edges if not all(map(is_gold, pair))}
    for fault in faults:
        match fault.kind, fault.nodes:
            case Kind.MISSING_EDGE, (one, other):
                edges.add((one, other))
            case Kind.FALSE_EDGE | Kind.WRONG_ORDER, (one, other):
                edges.discard((one, other))
                edges |= {(other, one)} if fault.kind is Kind.WRONG_ORDER else set()
    edges |= {pair for pair in gold.edges(nodes) if missing & {*pair}}
    edges = {(one, other) for one, other in edges if one in nodes and other in nodes}
    wrong = {name: why for name, why in draft.wrong.items() if name not in again}
    return replace(draft, nodes=nodes, edges=frozenset(edges), wrong=wrong)


def told(draft: Draft, faults: Sequence[Fault], gold: GoldPlan) -> str:
    """Return some faults of a plan in a clause, with the score that each repair alone brings.

    Args:
        draft: The plan.
        faults: Those that are told, at least one.
        gold: What it should be.
    """
    measure, before = "plan F1" if draft.linked else "node F1", gold.score(draft)
    found = [(gold.score(without([fault], draft, gold)), fault) for fault in faults[:MOST_SCORED]]
    # The costliest first; of equals the first one found.
    found.sort(key=lambda each: -each[0])
    told = [f"{fault.clause} ({score:.2f})" for score, fault in found[:_SHOWN]]
    score = f"{measure} {before:.2f}"
    if len(faults) == 1:
        return f"{faults[0].clause} ({score})"
    more = len(faults) - len(told)
    left = f" and {more} more" if more else ""
    return f"{', '.join(told)}{left} ({score}; behind each fault: with it alone put right)"


def _by_number(pair: tuple[str, str]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat if len(flat) <= _WORDS else flat[: _WORDS - 4] + ' ...'}'"
