"""What is wrong with a plan, found on the graph, and what each fault costs.

A node without a counterpart is bypassed: what it stood between is judged as if it were not there.
So no fault hides another one, and each of them has to be put right before the plan is a success.
Where plans are carried out, only what has to be put right for the goal makes a plan fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from typing import Final

import numpy as np
from pydantic import JsonValue

from ossia_evaluation.worfbench.attribution.drafts import Draft, GoldPlan, Kind, Order, is_gold
from ossia_workflows.graph import read_call

__all__ = [
    "MOST_SCORED",
    "Fault",
    "Repairs",
    "causes_of",
    "faults_of",
    "mended",
    "repairs_of",
    "told",
    "without",
]

MOST_SCORED: Final = 12
"""So many faults of a plan are put right one at a time; each takes a scoring."""

MOST_TRIED: Final = 200
"""So many sets of faults of a plan that is carried out are put right; each takes carrying it out
in all its orders, up to the first that fails."""

_MOST_FAULTS: Final = 40
"""With more, no set of them is tried."""

_MOST_NODES: Final = 200
"""With more nodes in a plan its faults are not put right one at a time: a scoring takes time that
grows with the square of them, a minute for all of `MOST_SCORED` at 1,000."""

_SHOWN: Final = 3
_WORDS: Final = 60
_STRANGER: Final = re.compile(r"\$(?:x[0-9a-f]{16}_|none_)\w*")
"""A reference to a step that the gold plan does not have."""


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


@dataclass(frozen=True)
class Repairs:
    """What it takes that a plan reaches its goal.

    Attributes:
        families: The smallest sets of faults that have to be put right, each enough by itself.
        cut: Whether there may be others, since not all sets were tried.
    """

    families: tuple[tuple[Fault, ...], ...]
    cut: bool = False

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of all families, each once."""
        return tuple(dict.fromkeys(fault for family in self.families for fault in family))


def causes_of(draft: Draft, gold: GoldPlan) -> tuple[Fault, ...]:
    """Return what makes a plan fail.

    Where plans are carried out that is what has to be put right for the goal, else all that is
    wrong with it.
    """
    return faults_of(draft, gold) if gold.reaches(draft) is None else repairs_of(draft, gold).faults


def repairs_of(draft: Draft, gold: GoldPlan) -> Repairs:
    """Return which faults of a plan that is carried out have to be put right.

    Sets of faults are tried by size. Past `MOST_TRIED` the families found are kept; where there are
    none, faults are left as they are one at a time as long as the goal is reached.
    """
    if gold.reaches(draft):
        return Repairs(())
    faults = faults_of(draft, gold)
    if len(faults) > _MOST_FAULTS:
        return Repairs((faults,), cut=True)
    families: list[tuple[Fault, ...]] = []
    sets = chain.from_iterable(combinations(faults, size + 1) for size in range(len(faults)))
    for some in islice(sets, MOST_TRIED):
        smaller = any(set(family) <= set(some) for family in families)
        if not smaller and gold.reaches(without(some, draft, gold)):
            families.append(some)
    cut = 2 ** len(faults) > MOST_TRIED + 1
    if cut and not families:
        families.append(_least(draft, faults, gold))
    return Repairs(tuple(families), cut)


def _least(draft: Draft, faults: Sequence[Fault], gold: GoldPlan) -> tuple[Fault, ...]:
    left = list(faults)
    for fault in faults:
        fewer = [other for other in left if other is not fault]
        if gold.reaches(without(fewer, draft, gold)):
            left = fewer
    return tuple(left)


def faults_of(draft: Draft, gold: GoldPlan) -> tuple[Fault, ...]:
    """Return all that is wrong with a plan; of nodes alone, what is wrong with them."""
    return (*_of_nodes(draft, gold), *(_of_edges(draft, gold) if draft.linked else ()))


def _of_nodes(draft: Draft, gold: GoldPlan) -> Iterable[Fault]:
    for name, text in gold.draft.nodes.items():
        if name not in draft.nodes:
            yield Fault(Kind.MISSING_NODE, (name,), f"left out {_quoted(text)}")
        elif name in draft.wrong:
            yield Fault(draft.wrong[name], (name,), _misread(draft.nodes[name], text))
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
    found = {(names[a], names[b]) for a, b in np.argwhere(direct).tolist()}
    # A way round by another node is that node's, an edge to itself the node's own.
    return frozenset(pair for pair in found if pair[0] != pair[1] or pair in draft.edges)


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


def mended(draft: Draft, gold: GoldPlan) -> Draft:
    """Return a plan that was made of nothing without what its author did wrong in its nodes.

    A node that it lacks stays out: whoever had to name it before left it out first.
    """
    faults = _of_nodes(draft, gold)
    wrong = [fault for fault in faults if fault.kind is not Kind.MISSING_NODE]
    return without(wrong, draft, gold) if wrong else draft


def told(draft: Draft, faults: Sequence[Fault], gold: GoldPlan) -> str:
    """Return some faults of a plan in a clause.

    Where plans are judged by their graph, the score that each repair alone brings is told, and
    the costliest fault first.

    Args:
        draft: The plan.
        faults: Those that are told, at least one.
        gold: What it should be.
    """
    clauses = [fault.clause for fault in faults[:_SHOWN]]
    score = f"{gold.measures[draft.linked]} {gold.score(draft):.2f}"
    if gold.reaches(draft) is not None:
        score += _of_repairs(repairs_of(draft, gold))
    elif len(faults) > 1 and max(len(draft.nodes), len(gold.draft.nodes)) > _MOST_NODES:
        score += "; too large to repair one by one, scored only"
    elif len(faults) > 1:
        found = [(gold.score(without([each], draft, gold)), each) for each in faults[:MOST_SCORED]]
        # Of equals the first one found.
        found.sort(key=lambda each: -each[0])
        clauses = [f"{fault.clause} ({alone:.2f})" for alone, fault in found[:_SHOWN]]
        score += "; behind each fault: with it alone put right"
    more = len(faults) - len(clauses)
    left = f" and {more} more" if more else ""
    return f"{', '.join(clauses)}{left} ({score})"


def _of_repairs(repairs: Repairs) -> str:
    count = len(repairs.families)
    sets = f"; {count} sets of faults are each enough to put right" if count > 1 else ""
    return sets + ("; not all sets of faults were tried" if repairs.cut else "")


def _misread(wrote: str, gold: str) -> str:
    """What a step says for what it should; of calls, the tools or the arguments that differ."""
    ours, theirs = read_call(wrote), read_call(gold)
    if ours is None or theirs is None:
        return f"wrote {_quoted(wrote)} for {_quoted(gold)}"
    if ours.tool != theirs.tool:
        return f"called {ours.tool} for {theirs.tool}"
    said, meant = ours.arguments, theirs.arguments
    ways = {
        "with": [_other(n, v, meant) for n, v in said.items() if n not in meant or v != meant[n]],
        "without": [_argument(name, v) for name, v in meant.items() if name not in said],
    }
    clauses = [f"{way} {', '.join(told[:_SHOWN])}" for way, told in ways.items() if told]
    return " ".join([f"called {ours.tool}", *clauses])


def _other(name: str, value: JsonValue, meant: Mapping[str, JsonValue]) -> str:
    if name not in meant:
        return _argument(name, value)
    told, gold = _argument(name, value), _argument(name, meant[name])
    return f"{told} for {gold}" if told != gold else f"another {name}"


def _argument(name: str, value: JsonValue) -> str:
    return (
        f"{name}={_quoted(value) if isinstance(value, str) else _quoted(json.dumps(value))[1:-1]}"
    )


def _by_number(pair: tuple[str, str]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])


def _quoted(text: str) -> str:
    # Half a character that a plan escapes cannot be written down.
    flat = _STRANGER.sub("$?", " ".join(text.split())).encode("utf-8", "backslashreplace").decode()
    return f"'{flat if len(flat) <= _WORDS else flat[: _WORDS - 4] + ' ...'}'"
