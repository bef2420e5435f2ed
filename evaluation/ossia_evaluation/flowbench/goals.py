"""The goals of a session: what its gold run changes, and what the user is to be told in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.told import is_demanded
from ossia_evaluation.flowbench.trajectory import Trajectory, gold_call, is_served
from ossia_evaluation.worlds.match import pair_off
from ossia_servers.flowbench.arguments import same_arguments
from ossia_servers.flowbench.walk import Visit
from ossia_workflows.scenario import Tool

__all__ = ["Goal", "Tells", "demanded", "goals_of", "shown", "side_effects"]

Tells = Callable[[str, str, JsonValue], bool]
"""Whether an answer tells a fact, `TOOL.FIELD`, with this value."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that the gold run changes or tells.

    Attributes:
        visit: The number of its step in the gold run.
        wrong: Why it is not reached, as a clause; None where it is.
    """

    visit: int
    wrong: str | None


def demanded(visit: Visit) -> Mapping[str, JsonValue]:
    """Return the facts of a step that have to be told."""
    return {fact: value for fact, value in visit.tells.items() if is_demanded(value)}


def goals_of(
    gold: Sequence[Visit],
    done: Trajectory,
    tools: Mapping[str, Tool],
    starts: Mapping[int, int],
    tells: Tells,
) -> tuple[Goal, ...]:
    """Return a session's goals in the order of its gold run.

    A fact is told when an answer tells it that comes with or behind the call that finds it out, and
    before the next wish; without the call nobody can know it.

    Args:
        gold: The gold run.
        done: What the agent did.
        tools: The service's tools, by name.
        starts: By the number of a wish that was begun, the turn in which its first step was done.
        tells: Whether an answer tells a fact.
    """
    rows = _rows(gold, done, tools)
    found = _Found(gold, done, starts)
    goals = []
    for number, visit in enumerate(gold):
        if number in rows:
            goals.append(Goal(number, rows[number]))
        for fact, value in demanded(visit).items():
            goals.append(Goal(number, found.why_untold(number, fact, value, tells)))
    return tuple(goals)


def side_effects(
    gold: Sequence[Visit], done: Trajectory, tools: Mapping[str, Tool]
) -> tuple[Call, ...]:
    """Return what the agent changed that the gold run does not change."""
    paired = set(_partners(gold, done, tools).values())
    return tuple(row for number, row in enumerate(done.rows) if number not in paired)


def _rows(
    gold: Sequence[Visit], done: Trajectory, tools: Mapping[str, Tool]
) -> Mapping[int, str | None]:
    """By the step that writes it, why a row is not there; None where it is."""
    partners = _partners(gold, done, tools)
    others = side_effects(gold, done, tools)
    return {
        number: None if number in partners else _difference(call, others)
        for number, call in _writing(gold, tools)
    }


def _partners(
    gold: Sequence[Visit], done: Trajectory, tools: Mapping[str, Tool]
) -> Mapping[int, int]:
    """The number of the row that is a step's, by the number of the step."""
    wanted = tuple(_writing(gold, tools))
    found = pair_off(wanted, done.rows, lambda one, row: _same_row(one[1], row))
    pairs = zip(wanted, found, strict=True)
    return {number: partner for (number, _), partner in pairs if partner is not None}


def _writing(gold: Sequence[Visit], tools: Mapping[str, Tool]) -> Iterator[tuple[int, Call]]:
    for number, visit in enumerate(gold):
        if visit.call is not None and tools[visit.call.tool].changes:
            yield number, gold_call(visit.call)


def _same_row(wanted: Call, row: Call) -> bool:
    return wanted.name == row.name and same_arguments(wanted.parameters or {}, row.parameters or {})


def _difference(wanted: Call, others: Sequence[Call]) -> str:
    """How a row differs from what was written instead."""
    ours = wanted.parameters or {}
    for row in others:
        theirs = row.parameters or {}
        for name in dict.fromkeys((*ours, *theirs)) if row.name == wanted.name else ():
            one, other = ours.get(name), theirs.get(name)
            if not same_arguments({name: one}, {name: other}):
                return f"{wanted.name} was called with {name} {shown(other)}, not {shown(one)}"
    return f"{wanted.name} was not called"


class _Found:
    """When the agent knew what the gold run's calls find out."""

    def __init__(self, gold: Sequence[Visit], done: Trajectory, starts: Mapping[int, int]) -> None:
        self._gold = gold
        self._done = done
        self._starts = starts

    def why_untold(self, number: int, fact: str, value: JsonValue, tells: Tells) -> str | None:
        tool, _, field = fact.partition(".")
        wish = self._gold[number].wish
        source = max(n for n in range(number + 1) if self._is_source(n, tool, wish))
        call = self._gold[source].call
        wanted = None if call is None else gold_call(call)
        begin = self._starts.get(wish, 0)
        later = [turn for other, turn in self._starts.items() if other > wish]
        end = min(later, default=len(self._done.answers))
        known = [
            max(begin, made.turn)
            for made in self._done.calls
            if wanted and made.turn < end and is_served(wanted, made)
        ]
        if not known:
            return f"{tool} was not called with the right arguments"
        answers = self._done.answers[min(known) : end]
        if any(tells(answer, fact, value) for answer in answers):
            return None
        return f"the user was not told the {field.replace('_', ' ')} {shown(value)}"

    def _is_source(self, number: int, tool: str, wish: int) -> bool:
        visit = self._gold[number]
        return visit.wish == wish and visit.call is not None and visit.call.tool == tool


def shown(value: JsonValue) -> str:
    """Return a value as a reason names it, on one line."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return " ".join(text.split())
