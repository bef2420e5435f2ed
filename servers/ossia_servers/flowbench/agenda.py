"""What a user still has to do for one wish, and what of it an agent's words call for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import Move, Wish
from ossia_servers.flowbench.asked import asked_slots, asks_whether, is_asking, is_closing
from ossia_servers.flowbench.spoken import says
from ossia_servers.flowbench.walk import Visit
from ossia_workflows.scenario import Scenario

__all__ = ["Act", "Agenda", "offered_slots"]


@dataclass(frozen=True, slots=True)
class Act:
    """What a user does in one turn.

    Attributes:
        kind: What is said, as the wording calls it.
        slots: The slots that are told, with their values.
        leads: Whether the conversation goes on by it.
        move: The move that is made.
    """

    kind: str
    slots: Mapping[str, JsonValue] = field(default_factory=dict)
    leads: bool = False
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class _Due:
    """What the user is waited for: slots, or a move on a step that has told facts.

    Attributes:
        visit: The number of the step within the wish.
        asks: The slots.
        move: The move.
        facts: What the step has told before it.
    """

    visit: int = 0
    asks: tuple[str, ...] = ()
    move: Move | None = None
    facts: tuple[JsonValue, ...] = ()


class Agenda:
    """One wish of a user in the course of a conversation."""

    def __init__(self, wish: Wish, scenario: Scenario, visits: Sequence[Visit]) -> None:
        """Set up.

        Args:
            wish: the wish.
            scenario: its scenario.
            visits: its part of the gold run.
        """
        self._length = len(visits)
        self._slots = scenario.slots
        self._values = dict(wish.slots)
        self._due = list(_dues(visits))
        self._outcome = _outcome(visits)
        self._offered = frozenset(offered_slots(visits, wish, scenario))
        self._told = set(wish.told)
        self._heard = ""
        self._asked_for_outcome = False

    def act(self, replies: Sequence[str]) -> Act | None:
        """Return what the user does; None when the wish is done.

        Args:
            replies: what the agent has said since the user last did something about the wish.
        """
        words = "\n".join(replies)
        self._heard = f"{self._heard}\n{replies[-1]}"
        if not words.strip():
            return Act("silent")
        due = self._due[0] if self._due else _Due()
        asked = asked_slots(words, self._slots, due.asks, deciding=due.move is not None)
        new = {name: self._values[name] for name in asked if self._may_tell(name)}
        move = self._called_for(words, asked)
        if move is not None:
            return self._make(move, new)
        if new:
            return Act("tell", new, leads=True)
        if self._is_over(words):
            return None
        if asked:
            return self._again(asked)
        if not self._due:
            return None if self._asked_for_outcome else Act("result")
        return Act("unclear" if is_asking(words) and not is_closing(words) else "waiting")

    def do(self, act: Act) -> None:
        """Take note that the user has done this."""
        self._told |= set(act.slots)
        self._asked_for_outcome |= act.kind == "result"
        if act.move is not None:
            self._values |= act.move.slots
            while self._due.pop(0).move is not act.move:
                pass
        while self._due and self._due[0].move is None and self._told >= set(self._due[0].asks):
            del self._due[0]

    @property
    def reached(self) -> int:
        """How many steps can be done by what the user has told and done so far."""
        if not self._due:
            return self._length
        due = self._due[0]
        return due.visit + (due.move is not None)

    @property
    def left(self) -> int:
        """How often the user is still waited for."""
        return len(self._due)

    @property
    def asked_for(self) -> tuple[str, ...]:
        """The slots that the next step waits for; none where it waits for a move, or for nobody."""
        due = self._due[0] if self._due else _Due()
        return tuple(slot for slot in due.asks if slot not in self._told)

    def about(self, slot: str) -> str:
        """Return what a slot is, in words."""
        return self._slots[slot].about

    def _may_tell(self, slot: str) -> bool:
        """Whether it has a value that is not told yet, and that the user can know."""
        if slot not in self._values or slot in self._told:
            return False
        return self._knows(slot, self._values[slot])

    def _knows(self, slot: str, value: JsonValue) -> bool:
        """Whether a slot's value is the user's own, or one that the agent has told."""
        return (slot, value) not in self._offered or says(self._heard, value)

    def _called_for(self, words: str, asked: Sequence[str]) -> Move | None:
        """The next move, if the agent has told what it is about, or asks for it in its turn."""
        due = next((each for each in self._due if each.move is not None), _Due())
        said = [says(words, fact) for fact in due.facts if not isinstance(fact, bool)]
        if due.move is None or due is not self._due[0]:
            # What was to be asked before has been left out: the user follows if all is told.
            return due.move if said and all(said) else None
        if any(said):
            return due.move
        if is_closing(words):
            return None
        if asked:
            called = asks_whether(words) and self._told >= set(asked)
        else:
            called = is_asking(words) or not due.facts
        return due.move if called else None

    def _make(self, move: Move, new: Mapping[str, JsonValue]) -> Act:
        if not all(self._knows(name, value) for name, value in move.slots.items()):
            return Act("which")
        told = {name: value for name, value in new.items() if name not in move.slots}
        return Act(move.act, {**move.slots, **told}, leads=True, move=move)

    def _again(self, asked: Sequence[str]) -> Act:
        told = {name: self._values[name] for name in asked if name in self._told}
        if told:
            return Act("again", told)
        offered = {name for name, _ in self._offered}
        return Act("unknown" if offered.isdisjoint(asked) else "which")

    def _is_over(self, words: str) -> bool:
        """Whether the agent tells what comes out in the end, with or without all steps before."""
        facts = [fact for fact in self._outcome if not isinstance(fact, bool)]
        if self._due:
            return bool(facts) and all(says(words, fact) for fact in facts)
        return not self._outcome or any(says(self._heard, fact) for fact in facts)


def _dues(visits: Sequence[Visit]) -> Iterator[_Due]:
    for number, visit in enumerate(visits):
        if visit.asks:
            yield _Due(number, asks=visit.asks)
        if visit.move is not None:
            yield _Due(number, move=visit.move, facts=tuple(visit.tells.values()))


def _outcome(visits: Sequence[Visit]) -> tuple[JsonValue, ...]:
    """The facts that are told after the last thing that the user does."""
    found: list[JsonValue] = []
    for visit in visits:
        if visit.asks:
            found.clear()
        found += visit.tells.values()
        if visit.move is not None:
            found.clear()
    return tuple(found)


def offered_slots(
    visits: Sequence[Visit], wish: Wish, scenario: Scenario
) -> Iterator[tuple[str, JsonValue]]:
    """The slots with a value that is told before, so that the user cannot know it by then."""
    values, told, given = dict(wish.slots), set[str](), set[str]()
    for visit in visits:
        slots = {name: values[name] for name in visit.asks}
        yield from _among(told - given, slots, scenario)
        if visit.call is not None:
            given |= set(_texts(visit.call.arguments.values()))
        told |= set(_texts(visit.tells.values()))
        if visit.move is not None:
            yield from _among(told - given, visit.move.slots, scenario)
            values |= visit.move.slots


def _among(
    facts: set[str], slots: Mapping[str, JsonValue], scenario: Scenario
) -> Iterator[tuple[str, JsonValue]]:
    """The slots whose text is among facts; one of a few choices is nobody's secret."""
    for name, value in slots.items():
        if isinstance(value, str) and value in facts and isinstance(scenario.slots[name].type, str):
            yield name, value


def _texts(values: Iterable[JsonValue]) -> Iterator[str]:
    """The texts among values and in their lists."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
