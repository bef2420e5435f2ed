"""The gold run of a session: the steps that a right agent comes to, and in which turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import Move, SessionTask, Wish
from ossia_workflows.graph import END
from ossia_workflows.scenario import Otherwise, ResultIs, Scenario, Step, UserDoes
from ossia_workflows.scenario.model import slot_or_fact

__all__ = ["Call", "Service", "Visit", "WalkError", "walk"]

Service: TypeAlias = Callable[[str, Mapping[str, JsonValue]], Mapping[str, JsonValue]]
"""Answers a tool's call with its arguments: the fields of its result."""

_MOST_VISITS: Final = 100
_NOTHING: Final = object()


class WalkError(Exception):
    """A session does not fit its scenario; one line says where."""


@dataclass(frozen=True, slots=True)
class Call:
    """A right call with what the service answers."""

    tool: str
    arguments: Mapping[str, JsonValue]
    result: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Visit:
    """One step of the gold run.

    Attributes:
        wish: The number of the wish.
        step: The scenario's step.
        turn: The user's turn in which it is done: its call made, its facts told. The opening is 0.
        asks: The slots that the user is asked for in the turn before; empty where all are known.
        call: Its call, or None.
        tells: The facts to tell, as `TOOL.FIELD`, with their values.
        move: What the user does on it in the next turn; None where the step waits for nobody.
    """

    wish: int
    step: str
    turn: int
    asks: tuple[str, ...]
    call: Call | None
    tells: Mapping[str, JsonValue]
    move: Move | None


def walk(
    session: SessionTask, scenarios: Mapping[str, Scenario], service: Service
) -> tuple[Visit, ...]:
    """Return the steps of the gold run, in order.

    Args:
        session: the session.
        scenarios: its scenarios by name.
        service: what answers the calls.

    Raises:
        WalkError: a slot has no value, a move is not of the step that waits, or is left over.
    """
    clock = _Turns(session)
    visits: list[Visit] = []
    told: dict[str, JsonValue] = {}
    for number, wish in enumerate(session.wishes):
        if number:
            clock.next()
        visits += _Walk(number, wish, scenarios[wish.scenario], service, clock).visits(told)
    return tuple(visits)


class _Turns:
    """Counts the user's turns; asides come before a turn that leads on."""

    def __init__(self, session: SessionTask) -> None:
        self._asides = frozenset(aside.turn for aside in session.asides)
        self.now = 0

    def next(self) -> None:
        self.now += 1
        while self.now in self._asides:
            self.now += 1


class _Walk:
    """Goes through one scenario."""

    def __init__(
        self, number: int, wish: Wish, scenario: Scenario, service: Service, clock: _Turns
    ) -> None:
        self._number = number
        self._wish = wish
        self._scenario = scenario
        self._service = service
        self._clock = clock
        self._slots = dict(wish.slots)
        self._known = set(wish.told)
        self._facts: dict[str, JsonValue] = {}
        self._moves = list(wish.moves)

    def visits(self, told: dict[str, JsonValue]) -> Iterator[Visit]:
        """Yield the steps.

        Args:
            told: The slots told for the wishes before, which are not asked for again; those of this
                one are added in the end.
        """
        self._known |= {
            name for name, value in told.items() if self._slots.get(name, _NOTHING) == value
        }
        name = next(iter(self._scenario.steps))
        for _ in range(_MOST_VISITS):
            if name == END:
                break
            step = self._scenario.steps[name]
            visit = self._visit(name, step)
            yield visit
            name = self._next(step, visit.move)
        else:
            raise WalkError(f"{self._wish.scenario}: no end after {_MOST_VISITS} steps")
        if self._moves:
            raise WalkError(f"{self._wish.scenario}: no step waits for {self._moves[0]}")
        told |= {slot: self._slots[slot] for slot in self._known if slot in self._slots}

    def _visit(self, name: str, step: Step) -> Visit:
        asks = tuple(slot for slot in step.asks if slot not in self._known)
        if asks:
            self._clock.next()
            self._known |= set(asks)
        call = None if step.call is None else self._call(step.call, step.arguments)
        tells = {fact: self._known_of(fact) for fact in step.tells}
        turn, move = self._clock.now, None
        if any(isinstance(condition, UserDoes) for _, condition in step.ways):
            move = self._move(name)
        return Visit(self._number, name, turn, asks, call, tells, move)

    def _call(self, tool: str, bound: Mapping[str, JsonValue]) -> Call:
        arguments = {name: self._value(value) for name, value in bound.items()}
        result = self._service(tool, arguments)
        self._facts |= {f"{tool}.{field}": value for field, value in result.items()}
        return Call(tool, arguments, result)

    def _value(self, bound: JsonValue) -> JsonValue:
        name = slot_or_fact(bound)
        return bound if name is None else self._known_of(name)

    def _known_of(self, name: str) -> JsonValue:
        known = self._facts if "." in name else self._slots
        if name not in known:
            raise WalkError(f"{self._wish.scenario}: nothing is known of {name}")
        return known[name]

    def _move(self, step: str) -> Move:
        if not self._moves or self._moves[0].step != step:
            raise WalkError(f"{self._wish.scenario}: the user has no move at {step}")
        move = self._moves.pop(0)
        self._clock.next()
        self._slots |= move.slots
        self._known |= set(move.slots)
        return move

    def _next(self, step: Step, move: Move | None) -> str:
        other = None
        for target, condition in step.ways:
            if isinstance(condition, Otherwise):
                other = target
            elif condition is None or (
                self._facts_meet(condition)
                if isinstance(condition, ResultIs)
                else move is not None and condition.act == move.act
            ):
                return target
        if other is None:
            raise WalkError(f"{self._wish.scenario}: no way on from '{step.task}'")
        return other

    def _facts_meet(self, condition: ResultIs) -> bool:
        found = self._known_of(condition.fact)
        return isinstance(found, bool | int | float | str) and condition.holds(found)
