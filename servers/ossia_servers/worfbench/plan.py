"""A plan made of the words of a task: its sentences, and the actions that it lists.

Actions in words are steps if they speak of what the task or another step speaks of. Where actions
are named, the parts of the request are steps, each by the action whose words are nearest. A step
comes after one that brings up what it takes as known: `a desk` before `the desk`, `boil` before
`the boiled jars`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import networkx as nx

from ossia_workflows.graph import END, START, Edge, Node, WorkflowGraph

__all__ = ["plan_of"]

_MOST: Final = 40
"""At most so many steps are planned."""

_LIST: Final = re.compile(r"^.*\b(?:actions?|tools?|apis?)\b[^\n]*?:[ \t]*", re.I | re.M)
_CLOCK: Final = re.compile(r"\nIt is \w+day\b.*")
_QUOTED: Final = re.compile(r"'((?:[^'\\\n]|\\.)+)'|\"((?:[^\"\\\n]|\\.)+)\"")
_NAMED: Final = re.compile(r"([A-Za-z_][\w.]*)([(\[])([^\n]*?)[)\]](?:\s*-\s*|['\"]?:\s*)([^\n]*)")
_WORD: Final = re.compile(r"[a-z]{3,}")
_SMALL: Final = frozenset(
    "the and for with that from what how are his her its who which into out has have had was"
    " were you your all can not but our them they this these each one two any does did will"
    " would".split()
)
_PARTS: Final = re.compile(
    r"[.;?!]\s+|,?\s+(?:and then|then|after that|and also|and)\s+|,\s+(?=[a-z]+ )", re.I
)
_INTRODUCED: Final = re.compile(r"\b(?:an?|new|some|three|two|six)\s+((?:[a-z-]+\s+){0,2}[a-z-]+)")
_KNOWN: Final = re.compile(r"\b(?:the|these|this|that|its?|each)\s+((?:[a-z-]+\s+){0,2}[a-z-]+)")
_LAST: Final = re.compile(r"\b(?:finally|enjoy|serve|hand|hang|wipe|rinse|cool|check|sweep|send)\b")
_FIRST: Final = re.compile(
    r"^(?:find|choose|pick|ask|measure|decide|read|look|list|gather|collect|take|shut|buy|wash)\b"
)
_SUPERLATIVE: Final = re.compile(r"\b(?:most|least|fewest|\w{3,}est|first|last|rank|best)\b", re.I)


def plan_of(task: str) -> WorkflowGraph:
    """Return a plan of a task; it has at least one step.

    Args:
        task: what a planner is told: a request and, mostly, a list of actions.
    """
    found = _LIST.search(task)
    request = (task if found is None else task[: found.start()]).strip()
    request = _CLOCK.sub("", re.sub(r"^task:\s*", "", request, flags=re.I))
    listed = "" if found is None else task[found.end() :]
    named = [
        (name, brace, f"{given} {says}") for name, brace, given, says in _NAMED.findall(listed)
    ]
    if named and named[0][1] == "[":
        return _graph(_questions(request, {name for name, _, _ in named}))
    if named:
        return _graph([_call(part, named) for part in _parts(request)])
    return _graph(_ordered(_fitting(request, _sentences(listed))) or _parts(request))


def _sentences(listed: str) -> list[str]:
    """The actions of a list: a line each, or in quotation marks."""
    lines = [line[2:].strip() for line in listed.split("\n") if line.startswith(("- ", "* "))]
    quoted = (one or other for one, other in _QUOTED.findall(listed))
    return lines or [text.replace("\\n", " ").strip() for text in quoted]


def _fitting(request: str, actions: Sequence[str]) -> list[str]:
    """The actions that hang together with the request by what they speak of."""
    known, left = _stems(request), list(dict.fromkeys(actions))[: 2 * _MOST]
    kept: list[str] = []
    while True:
        near = [action for action in left if _stems(action) & known]
        if not near:
            return sorted(kept, key=list(actions).index)[:_MOST]
        kept += near
        left = [action for action in left if action not in near]
        known |= {stem for action in near for stem in _stems(action)}


def _ordered(steps: Sequence[str]) -> list[str]:
    """Steps so that what brings something up comes before what takes it as known."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(steps)))
    for one, other in _uses(steps):
        if not nx.has_path(graph, other, one):
            graph.add_edge(one, other)

    def rank(at: int) -> tuple[int, int]:
        text = steps[at].casefold()
        return bool(_LAST.search(text)) - bool(_FIRST.match(text)), at

    return [steps[at] for at in nx.lexicographical_topological_sort(graph, key=rank)]


def _uses(steps: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of steps of which the second takes as known what the first brings up or does."""
    new = [_heads(_INTRODUCED, step) for step in steps]
    old = [_heads(_KNOWN, step) for step in steps]
    done = [_stem(step.split()[0].casefold()) for step in steps]
    for one in range(len(steps)):
        for other in range(len(steps)):
            if one != other and (
                new[one] & old[other] - new[other] or f"{done[one]}ed" in steps[other].casefold()
            ):
                yield one, other


def _heads(of: re.Pattern[str], text: str) -> set[str]:
    return {_stem(word) for phrase in of.findall(text.casefold()) for word in phrase.split()[:2]}


def _questions(request: str, names: set[str]) -> list[str]:
    """Steps of a question, as `Name[words]`: of tables, or of facts."""
    asked = request.partition("\n")[0].rstrip("?. ")
    if "Filter" in names:
        return _of_tables(asked, request.partition("\n")[2])
    parts = re.split(r",?\s+(?:of|that|who|whose|in which|for which|which|by)\s+", asked)
    lead = re.compile(r"^(?:(?:in|from|who|what|which|how \w+|is|the|a)\s+)+", re.I)
    phrases = [lead.sub("", part) for part in parts]
    steps = [f"Lookup[{phrase}]" for phrase in reversed(phrases) if _WORD.search(phrase)]
    if re.match(r"(?:is|do|does|did|which of|would|will|compare)\b", asked, re.I):
        steps.append("Compare[the results]")
    elif re.search(r"\d|how (?:many|much|old|long|far)|percent|minus|difference", asked, re.I):
        steps.append(f"Calculate[{phrases[0]}]")
    return steps[:_MOST]


def _of_tables(asked: str, tables: str) -> list[str]:
    table = next(iter(re.findall(r"(\w+)\(", tables)), "rows")
    steps = []
    conditions = r"\b(?:in|before|after|with|without|who|that|of|since|on|above|below|more than)\s"
    for match in list(re.finditer(rf"{conditions}[^,]*?(?=\s(?:and|who|that)\s|,|$)", asked))[:2]:
        steps.append(f"Filter[{table} {match.group()}]")
    if tables.count("(") > 1:
        steps.append("Join[these rows with those that belong to them]")
    if re.search(r"\beach\b|\bper\b", asked):
        steps.append(f"Group[{table} by {asked.rpartition('each ')[2].split(' ')[0]}]")
    best = _SUPERLATIVE.search(asked)
    if best:
        steps += [f"Sort[{table} by {best.group()}]", f"Take[first of the {table}]"]
    elif re.match(r"how many|count", asked, re.I):
        steps.append(f"Count[these {table}]")
    elif re.search(r"average|mean|share", asked, re.I):
        steps.append(f"Average[of these {table}]")
    elif re.search(r"total|altogether|how much|sum", asked, re.I):
        steps.append(f"Sum[of these {table}]")
    else:
        steps.append(f"Select[from these {table}]")
    return steps


def _parts(request: str) -> list[str]:
    return [part.strip() for part in _PARTS.split(request) if _WORD.search(part.casefold())][:_MOST]


def _call(part: str, named: Sequence[tuple[str, str, str]]) -> str:
    """A part of a request as the call whose words are nearest to its own."""
    said = _stems(part)
    name, _, given = max(named, key=lambda one: len(_stems(f"{one[0]} {one[2]}") & said))
    parameters = re.findall(r"(\w+)\s*:", given)
    values = [one or other for one, other in _QUOTED.findall(part)] or re.findall(
        r"\d[\d:.]*", part
    )
    told = (f'{key}="{value}"' for key, value in zip(parameters, values, strict=False))
    return f"{name}({', '.join(told)})"


def _graph(steps: Sequence[str]) -> WorkflowGraph:
    """Steps one after the other."""
    texts = [" ".join(step.split()) for step in steps] or ["Do what is asked."]
    names = [START, *(str(at) for at in range(1, len(texts) + 1)), END]
    return WorkflowGraph(
        nodes=tuple(Node(id=name, task=text) for name, text in zip(names[1:], texts, strict=False)),
        edges=tuple(Edge(source=one, target=other) for one, other in pairwise(names)),
    )


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text.casefold()) if word not in _SMALL}


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word
