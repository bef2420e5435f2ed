"""Drafts one wish of a session: a way through its scenario, with the answers that lead along it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Final, TypeAlias

import networkx as nx
from pydantic import JsonValue

from ossia_dataset.flowbench.drafts import Pool, WishWords, draw, plain_words, values, wish_words
from ossia_dataset.flowbench.sessions import Answer, Move
from ossia_servers.flowbench.arguments import same_arguments
from ossia_servers.flowbench.invented import invented_result
from ossia_workflows.graph import END
from ossia_workflows.scenario import Act, Kind, Otherwise, ResultIs, Scenario, Step, UserDoes
from ossia_workflows.scenario.model import fits_value, slot_or_fact

__all__ = ["Draft", "Taken", "Way", "WishDrafter", "ways_of", "words_of"]

Way: TypeAlias = tuple[str, str, str, str]
"""One way of a scenario: its name, the step, the condition (or nothing), and the next step."""
Taken: TypeAlias = Counter[Way]
"""How often each way has been taken by the sessions before."""

_MOST_STEPS: Final = 40
_DRAWS: Final = 60
_NEW_WITHIN: Final = 3
_LONGEST_LIST: Final = 5


def ways_of(name: str, scenario: Scenario) -> Iterator[Way]:
    """Yield the ways of a scenario."""
    for step, each in scenario.steps.items():
        for target, condition in each.ways:
            yield name, step, "" if condition is None else str(condition), target


def words_of(name: str, scenario: Scenario) -> WishWords:
    """Return how a user comes up with a scenario's wish, and what is picked in it."""
    known = wish_words().get(name)
    return known or plain_words(scenario.name, dict(_picks(scenario)))


def _picks(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The slots that a user may choose, each with the list that was told before."""
    for step in scenario.steps.values():
        lists = [fact for fact in step.tells if scenario.kinds[fact] == "list"]
        for target, condition in step.ways:
            if lists and isinstance(condition, UserDoes) and condition.act is Act.CHOOSES:
                asks = () if target == END else scenario.steps[target].asks
                yield from ((slot, lists[0]) for slot in asks)


@dataclass
class Draft:
    """A wish with what its services answer.

    Attributes:
        slots: What the user tells when asked for it.
        moves: What the user does.
        answers: What the services answer.
        ways: The ways that are taken.
        turns: How many turns the user has, without the one that comes up with the wish.
    """

    slots: dict[str, JsonValue]
    moves: list[Move] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    turns: int = 0


class WishDrafter:
    """Drafts one wish by going through its scenario once."""

    def __init__(
        self, name: str, scenario: Scenario, random: Random, today: date, taken: Taken
    ) -> None:
        """Set up.

        Args:
            name: the scenario's name.
            scenario: the scenario.
            random: decides all draws.
            today: the day of the conversation.
            taken: the ways that were taken before; those that were not are preferred.
        """
        self._name = name
        self._scenario = scenario
        self._random = random
        self._today = today
        self._taken = taken
        self._words = words_of(name, scenario)
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_edges_from((step, target) for _, step, _, target in ways_of(name, scenario))
        self._far = nx.shortest_path_length(graph, target=END)
        self._now: dict[str, JsonValue] = {}
        self._facts: dict[str, JsonValue] = {}
        self._told: list[str] = []
        self._ways = {
            step: [way for way in ways_of(name, scenario) if way[1] == step]
            for step in (*scenario.steps, END)
        }
        self._called: list[str] = []

    def draft(
        self, told: Mapping[str, JsonValue], opening: Sequence[str], aim: int
    ) -> Draft | None:
        """Draft the wish; None where the way that was begun cannot be gone to its end.

        Args:
            told: Slots with the values that the user has told before.
            opening: The slots that the words tell with which the user comes up with it.
            aim: About how many turns of the user it is to take.
        """
        made = Draft(self._first_values(told))
        self._now = dict(made.slots)
        self._told = [*opening, *(name for name in told if self._now.get(name) == told[name])]
        name = next(iter(self._scenario.steps))
        for _ in range(_MOST_STEPS):
            taken = self._do(name, made, aim)
            if taken is None:
                return None
            made.ways.append(taken)
            name = taken[-1]
            if name == END:
                return made
        return None

    @property
    def told(self) -> Mapping[str, JsonValue]:
        """The slots that the user has told, with their last values."""
        return {name: self._now[name] for name in self._told}

    def _first_values(self, told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """What the user knows at first: not what can only be picked from what a service names."""
        first = next(iter(self._scenario.steps.values())).asks
        found: dict[str, JsonValue] = {}
        for name, slot in self._scenario.slots.items():
            if name not in self._words.picks or name in first:
                same = name in told and isinstance(told[name], str)
                found[name] = told[name] if same else self._slot(name, slot.type)
        return found

    def _do(self, name: str, made: Draft, aim: int) -> Way | None:
        step = self._scenario.steps[name]
        asks = [slot for slot in step.asks if slot not in self._told]
        if not all(self._knows(slot, made) for slot in asks):
            return None
        made.turns += bool(asks)
        self._told += asks
        ways = self._by_preference(name, made, longer=made.turns < aim)
        if step.call is not None and not self._call(step, step.call, ways, made):
            return None
        if any(isinstance(condition, UserDoes) for _, condition in step.ways):
            return next((way for way in ways if self._move(step, way, made)), None)
        return self._led_to(step, self._facts)

    def _knows(self, slot: str, made: Draft) -> bool:
        """Whether the user knows a slot; one that might have been picked may be known as well."""
        kind = self._scenario.slots[slot].type
        if slot not in self._now and self._pool(slot) is not None:
            made.slots[slot] = self._now[slot] = self._slot(slot, kind)
        return slot in self._now

    def _by_preference(self, name: str, made: Draft, *, longer: bool) -> list[Way]:
        """The ways of a step: those that nobody has taken first, and to the end when it is time."""
        before = Counter(made.ways)

        def key(way: Way) -> float:
            far = self._far.get(way[-1], 0)
            again = 6 * self._to_new(way) + 6 * before[way]
            score: float = again + (-4 if longer else 4) * far + 6 * self._random.random()
            return score

        return sorted(self._ways[name], key=key)

    def _to_new(self, way: Way, depth: int = 0) -> int:
        """After how many further ways comes one that nobody has taken; at most three."""
        if not self._taken[way] or depth == _NEW_WITHIN:
            return depth
        further = (self._to_new(each, depth + 1) for each in self._ways[way[-1]])
        return min(further, default=_NEW_WITHIN)

    def _call(self, step: Step, tool: str, ways: Sequence[Way], made: Draft) -> bool:
        """Call a tool, so that its answer leads on as preferred; whether that can be done."""
        arguments: dict[str, JsonValue] = {}
        for name, value in step.arguments.items():
            bound = slot_or_fact(value)
            known = self._facts if bound and "." in bound else self._now
            if bound is not None and bound not in known:
                return False
            arguments[name] = value if bound is None else known[bound]
        before = [
            number
            for number, answer in enumerate(made.answers)
            if answer.tool == tool and same_arguments(answer.arguments, arguments)
        ]
        after = None if not before else self._change_since(made.answers[before[-1]], tool)
        self._called.append(tool)
        if before and after is None:
            self._learn(tool, made.answers[before[-1]].result)
            return True
        for way in ways:
            result = self._result(step, tool, way)
            if result is not None:
                answer = Answer(tool=tool, arguments=arguments, result=result, after=after)
                made.answers.append(answer)
                self._learn(tool, result)
                return True
        return False

    def _change_since(self, answer: Answer, tool: str) -> str | None:
        """A tool that has changed something for the first time since an answer was given."""
        last = len(self._called) - 1 - self._called[::-1].index(tool)
        tools = self._scenario.tools
        return next(
            (
                name
                for name in dict.fromkeys(self._called[last:])
                if tools[name].changes and name not in self._called[:last] and answer.after != name
            ),
            None,
        )

    def _learn(self, tool: str, result: Mapping[str, JsonValue]) -> None:
        self._facts |= _named(tool, result)

    def _led_to(self, step: Step, facts: Mapping[str, JsonValue]) -> Way | None:
        """The way on that facts lead to."""
        name = next(name for name, each in self._scenario.steps.items() if each is step)
        other = None
        for target, condition in step.ways:
            way = (self._name, name, "" if condition is None else str(condition), target)
            if isinstance(condition, Otherwise):
                other = way
            elif condition is None or (
                isinstance(condition, ResultIs) and _holds(condition, facts)
            ):
                return way
        return other

    def _result(self, step: Step, tool: str, way: Way) -> dict[str, JsonValue] | None:
        """What the tool answers so that a step goes on this way; None where it cannot."""
        wanted = next(condition for _, condition in step.ways if str(condition or "") == way[2])
        for _ in range(_DRAWS):
            result = self._drawn(tool)
            if isinstance(wanted, ResultIs) and wanted.operator == "=" and wanted.tool == tool:
                result[wanted.field] = wanted.value
            self._fill_lists(tool, result)
            led = self._led_to(step, {**self._facts, **_named(tool, result)})
            if isinstance(wanted, UserDoes) or led in (way, None):
                return result
        if isinstance(wanted, ResultIs) and wanted.tool == tool:
            # A bound that no draw has met, such as `fines <= 0`.
            result[wanted.field] = wanted.value
            return result if self._led_to(step, self._facts | _named(tool, result)) == way else None
        return None

    def _drawn(self, tool: str) -> dict[str, JsonValue]:
        gives = self._scenario.tools[tool].gives
        found = invented_result(gives, self._random, self._today)
        for name, kind in gives.items():
            pool = values().facts.get(f"{tool}.{name}", values().facts.get(name))
            if pool is not None and isinstance(kind, str):
                value = draw(pool, self._random, self._today)
                found[name] = value if fits_value(value, kind) else found[name]
        return found

    def _fill_lists(self, tool: str, result: dict[str, JsonValue]) -> None:
        """Give each list as many entries as the result counts."""
        gives = self._scenario.tools[tool].gives
        counted = next((result[name] for name, kind in gives.items() if kind == "count"), 3)
        wanted = min(counted, _LONGEST_LIST) if isinstance(counted, int) else 3
        for name in (name for name, kind in gives.items() if kind == "list"):
            pool = values().facts.get(f"{tool}.{name}", values().facts.get(name))
            entries: dict[str, None] = {}
            for _ in range(_DRAWS if pool is not None else 0):
                if pool is not None and len(entries) < wanted:
                    entries[str(draw(pool, self._random, self._today))] = None
            result[name] = [*sorted(entries)] if pool is not None else result[name]

    def _move(self, step: Step, way: Way, made: Draft) -> bool:
        """Let the user take a way, if they can."""
        name, said, target = way[1:]
        named = {condition.act for _, condition in step.ways if isinstance(condition, UserDoes)}
        act = next((each for each in named if said == f"user {each}"), None)
        if act is None:
            yes = Act.DECLINES if Act.CHANGES in named else Act.ACCEPTS
            act = yes if yes not in named else Act.ACCEPTS
        slots: dict[str, JsonValue] = {}
        if act in (Act.CHOOSES, Act.CHANGES):
            slot = self._words.changes.get(name) if act is Act.CHANGES else None
            slot = slot or self._slot_of(act, target)
            if slot is None:
                return False
            value = self._other(slot, picked=act is Act.CHOOSES)
            if value is None:
                return False
            slots[slot] = value
        made.moves.append(Move(step=name, act=act, slots=slots))
        made.turns += 1
        self._now |= slots
        self._told += slots
        return True

    def _slot_of(self, act: Act, target: str) -> str | None:
        """The slot that a user picks or changes on the way to a step."""
        asks = () if target == END else self._scenario.steps[target].asks
        if act is Act.CHOOSES:
            return next((slot for slot in asks if slot in self._words.picks), None)
        told = [slot for slot in asks if slot in self._told]
        if told:
            return self._random.choice(told)
        return asks[0] if asks else (self._told[-1] if self._told else None)

    def _other(self, slot: str, *, picked: bool) -> JsonValue:
        """Another value of a slot: one of those that a service has named, or a drawn one."""
        named = self._facts.get(self._words.picks.get(slot, ""), [])
        others = (
            [value for value in named if value != self._now.get(slot)]
            if isinstance(named, list)
            else []
        )
        if others:
            return self._random.choice(others)
        kind = self._scenario.slots[slot].type
        if picked or (slot in self._words.picks and slot not in self._now):
            return None
        if slot not in self._told:
            return self._now[slot]
        drawn = (self._slot(slot, kind) for _ in range(_DRAWS))
        return next((value for value in drawn if value != self._now.get(slot)), None)

    def _slot(self, name: str, kind: Kind) -> JsonValue:
        pool = self._pool(name)
        if pool is None or isinstance(kind, tuple) or kind == "boolean":
            return invented_result({name: kind}, self._random, self._today)[name]
        return draw(pool, self._random, self._today)

    def _pool(self, slot: str) -> Pool | None:
        pools = values().slots
        return pools.get(f"{self._name}.{slot}", pools.get(slot))


def _named(tool: str, result: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A result as facts, by `TOOL.FIELD`."""
    return {f"{tool}.{name}": value for name, value in result.items()}


def _holds(condition: ResultIs, facts: Mapping[str, JsonValue]) -> bool:
    found = facts.get(condition.fact)
    return isinstance(found, bool | int | float | str) and condition.holds(found)
