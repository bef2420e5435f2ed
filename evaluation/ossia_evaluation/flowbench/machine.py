"""The scenarios of a session as one state machine, along what an agent did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import Move, SessionTask
from ossia_evaluation.flowbench.deviations import Cause, Deviation, FailureType, Node
from ossia_evaluation.flowbench.goals import Tells
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.told import is_demanded
from ossia_evaluation.flowbench.trajectory import COMPARED, Made, Trajectory, is_served
from ossia_servers.flowbench.walk import Visit
from ossia_workflows.graph import END
from ossia_workflows.scenario import Condition, Otherwise, ResultIs, Scenario, Step, UserDoes
from ossia_workflows.scenario.model import slot_or_fact

__all__ = ["Entry", "Machine", "State"]

_MOST_CALLS: Final = 100
"""Further calls are not aligned, and count as such that no step wants."""

_Ways: TypeAlias = Sequence[tuple[str, Condition | None]]


class State(NamedTuple):
    """A state of the machine, along the trajectory."""

    place: int
    """How many calls and answers are behind."""
    wish: int
    step: str
    moves: int
    """How many of the wish's moves the user has made."""
    spoken: bool
    """Whether the user has spoken since the step."""
    assumed: int = -1
    """The number of the gold step whose result stands for that of a call which was left out, until
    its tool is called; -1 for none."""


class Entry(NamedTuple):
    """How a state is come to: what deviates, the step done, and the call that is unwanted."""

    state: State
    deviations: tuple[Deviation, ...] = ()
    node: Node | None = None
    unwanted: Made | None = None
    left_out: Call | None = None


class Machine:
    """The scenarios of a session as one state machine, with what the agent did."""

    def __init__(
        self,
        session: SessionTask,
        scenarios: Mapping[str, Scenario],
        gold: Sequence[Visit],
        done: Trajectory,
        tells: Tells,
    ) -> None:
        """Take what `align` takes."""
        self._wishes = session.wishes
        self._scenarios = [scenarios[wish.scenario] for wish in session.wishes]
        self._tools = {name for scenario in self._scenarios for name in scenario.tools}
        self._ways = [
            {name: step.ways for name, step in scenario.steps.items()}
            for scenario in self._scenarios
        ]
        self._log = _Log(done)
        self._gold = _Gold(gold)
        self._answers = done.answers
        self._tells = tells
        self._told: dict[tuple[str, str, str], bool] = {}
        self._calls: dict[State, Call] = {}

    @property
    def beyond(self) -> tuple[Deviation, ...]:
        """The calls that are too many to be aligned."""
        wish = len(self._wishes) - 1
        return tuple(
            Deviation(FailureType.OTHER, wish, "", made.turn, _unwanted(made), Cause.NEEDLESS_CALL)
            for made in self._log.beyond
        )

    def is_over(self, state: State) -> bool:
        """Whether the trajectory is behind."""
        return state.place == len(self._log.events)

    def is_end(self, state: State) -> bool:
        """Whether all is done and nothing is left."""
        return state.wish == len(self._wishes) and self.is_over(state)

    def entries(self, state: State, *, free: bool = False) -> Iterator[Entry]:
        """What may come next, with what deviates in it; of what is `free` nothing does."""
        if not free:
            yield from self._entries(state)
            return
        for entry in self._entries(state, free=True):
            if not entry.deviations:
                yield entry

    def _entries(self, state: State, *, free: bool = False) -> Iterator[Entry]:
        if state.place < len(self._log.events):
            yield self._pass(state)
        if state.wish == len(self._wishes):
            return
        scenario = self._scenarios[state.wish]
        if not state.step:
            yield from self._enter(state, next(iter(scenario.steps)), state.moves, right=True)
            return
        ways = self._ways[state.wish][state.step]
        move = self._move(state)
        moves = state.moves + (move is not None)
        due = self._due(state, ways, move)
        # Behind the last answer nobody speaks any more: what is left was left out.
        waits = not self.is_over(state) and any(isinstance(each, UserDoes) for _, each in ways)
        for target in dict.fromkeys(name for name, _ in ways):
            right = target in due and (state.spoken or not waits)
            if target != END:
                if right or not free:
                    yield from self._enter(state, target, moves, right=right)
            elif right or target in due:
                yield Entry(State(state.place, state.wish + 1, "", 0, False))

    def _pass(self, state: State) -> Entry:
        """An answer, or a call that no step wants here."""
        made = self._log.events[state.place]
        after = state._replace(place=state.place + 1, spoken=state.spoken or made is None)
        if made is None:
            return Entry(after)
        name = made.call.name
        kind, cause, told = FailureType.TOOL_USAGE, Cause.WRONG_ARGUMENT, f"{name} was refused"
        if name not in self._tools:
            told = f"{name or 'no tool'} was called, which is no tool"
        elif made.result is not None:
            kind, cause, told = FailureType.OTHER, Cause.NEEDLESS_CALL, _unwanted(made)
        return Entry(after, (self._deviation(kind, cause, state, told),), unwanted=made)

    def _enter(self, state: State, name: str, moves: int, *, right: bool) -> Iterator[Entry]:
        """Come to a step by a way that is right or not: it is done, or left out."""
        step = self._scenarios[state.wish].steps[name]
        after = State(state.place, state.wish, name, moves, False, state.assumed)
        if step.call is None and not any(is_demanded(self._fact(after, f)) for f in step.tells):
            if right:
                yield Entry(after)
            return
        wrong = () if right else (self._transition(state, after),)
        if step.call is None:
            said = self._untold(after, step, FailureType.MISSING_STEP)
            if right or not said:
                node = self._node(after, due=right, done=not said)
                yield Entry(after, (*wrong, *said[:1]), node)
            return
        bound = self._bound(after, step)
        made = self._next_call(state)
        if made is not None and made.call.name == step.call:
            assumed = self._still_assumed(state, step.call)
            behind = after._replace(place=state.place + 1, assumed=assumed)
            other = self._usage(behind, bound, made) or self._untold(
                behind, step, FailureType.OTHER
            )
            node = self._node(behind, due=right, done=True)
            yield Entry(behind, (*wrong, *other[:1]), node)
        if right:
            told = f"{step.call} was not called"
            missing = self._deviation(FailureType.MISSING_STEP, Cause.MISSED_CALL, after, told)
            node = self._node(after, due=True, done=False)
            assumed = self._gold.visit_of(after.wish, name, moves)
            left = after._replace(spoken=True, assumed=assumed)
            yield Entry(left, (missing,), node, left_out=bound)

    def _node(self, state: State, *, due: bool, done: bool) -> Node:
        return Node(state.wish, state.step, self._turn(state.place), due, done)

    def _next_call(self, state: State) -> Made | None:
        return self._log.events[state.place] if state.place < len(self._log.events) else None

    def _transition(self, state: State, after: State) -> Deviation:
        kind, cause = FailureType.INCORRECT_TRANSITION, Cause.WRONG_TRANSITION
        told = f"{after.step} came after {state.step}, which was not due"
        return self._deviation(kind, cause, after, told)

    def _usage(self, state: State, bound: Call, made: Made) -> tuple[Deviation, ...]:
        if is_served(bound, made):
            return ()
        given = made.call.parameters or {}
        wrong = [
            name
            for name, value in (bound.parameters or {}).items()
            if not COMPARED.is_right(Call("", {name: value}), Call("", given))
        ]
        how = f"with another {wrong[0]}" if wrong else "and refused"
        told = f"{bound.name} was called {how}"
        kind, cause = FailureType.TOOL_USAGE, Cause.WRONG_ARGUMENT
        return (self._deviation(kind, cause, state, told),)

    def _untold(self, state: State, step: Step, kind: FailureType) -> tuple[Deviation, ...]:
        """The facts of a step that no answer from here on tells."""
        answers = self._answers[self._turn(state.place) :]
        return tuple(
            self._deviation(kind, Cause.FORGOTTEN_FACT, state, f"{fact} was not told")
            for fact in step.tells
            if is_demanded(value := self._fact(state, fact))
            and not any(self._is_told(answer, fact, value) for answer in answers)
        )

    def _is_told(self, answer: str, fact: str, value: JsonValue) -> bool:
        key = answer, fact, repr(value)
        if key not in self._told:
            self._told[key] = self._tells(answer, fact, value)
        return self._told[key]

    def _deviation(self, kind: FailureType, cause: Cause, state: State, told: str) -> Deviation:
        return Deviation(kind, state.wish, state.step, self._turn(state.place), told, cause)

    def _turn(self, place: int) -> int:
        return min(self._log.turns[place], len(self._answers) - 1)

    def _still_assumed(self, state: State, tool: str) -> int:
        return -1 if self._gold.tool(state.assumed) == tool else state.assumed

    def _fact(self, state: State, fact: str) -> JsonValue:
        if self._gold.tool(state.assumed) == fact.partition(".")[0]:
            return self._gold.fields[state.assumed].get(fact)
        known = self._log.known[state.place]
        return known[fact] if fact in known else self._gold.fact(state.wish, fact, state.moves)

    def _bound(self, state: State, step: Step) -> Call:
        """The call that a step wants, without arguments that are empty."""
        if state not in self._calls:
            self._calls[state] = self._call(state, step)
        return self._calls[state]

    def _call(self, state: State, step: Step) -> Call:
        wish = self._wishes[state.wish]
        slots = dict(wish.slots)
        for move in wish.moves[: state.moves]:
            slots |= move.slots
        arguments: dict[str, JsonValue] = {}
        for name, given in step.arguments.items():
            bound = slot_or_fact(given)
            value = given
            if bound is not None:
                value = self._fact(state, bound) if "." in bound else slots.get(bound)
            if value not in ("", []):
                arguments[name] = value
        return Call(step.call or "", arguments)

    def _move(self, state: State) -> Move | None:
        """What the user does at a step."""
        moves = self._wishes[state.wish].moves
        if state.moves < len(moves) and moves[state.moves].step == state.step:
            return moves[state.moves]
        return None

    def _due(self, state: State, ways: _Ways, move: Move | None) -> frozenset[str]:
        """The steps to which the conditions lead that are met."""
        other, met = [], []
        for target, condition in ways:
            if isinstance(condition, Otherwise):
                other.append(target)
            elif condition is None or (
                self._holds(state, condition)
                if isinstance(condition, ResultIs)
                else move is not None and condition.act == move.act
            ):
                met.append(target)
        return frozenset(met[:1] or other)

    def _holds(self, state: State, condition: ResultIs) -> bool:
        found = self._fact(state, condition.fact)
        return isinstance(found, bool | int | float | str) and condition.holds(found)


class _Log:
    """What the agent did, in order, and what was known by then."""

    def __init__(self, done: Trajectory) -> None:
        calls, self.beyond = done.calls[:_MOST_CALLS], done.calls[_MOST_CALLS:]
        self.events: list[Made | None] = []
        """The calls, and None for each answer."""
        for turn in range(len(done.answers)):
            self.events += [*(made for made in calls if made.turn == turn), None]
        self.turns = [0]
        """By place, the user's turn; and the number of turns behind the last answer."""
        self.known: list[Mapping[str, JsonValue]] = [{}]
        """By place, the fields of the latest results, as `TOOL.FIELD`."""
        for event in self.events:
            self.turns.append(self.turns[-1] + (event is None))
            found = {} if event is None else _fields(event.call.name, event.result or {})
            self.known.append({**self.known[-1], **found})


class _Gold:
    """What the gold run's calls find out, to stand in for calls that were left out."""

    def __init__(self, gold: Sequence[Visit]) -> None:
        self._visits = gold
        self._moves: list[int] = []
        """By the number of the step, the moves that the user has made in its wish before."""
        self.fields: list[Mapping[str, JsonValue]] = []
        """By the number of the step, the fields of its result, as `TOOL.FIELD`."""
        done = Counter[int]()
        for visit in gold:
            self._moves.append(done[visit.wish])
            done[visit.wish] += visit.move is not None
            call = visit.call
            self.fields.append({} if call is None else _fields(call.tool, call.result))

    def tool(self, number: int) -> str | None:
        """The tool that a step calls; None for no step, and for one without a call."""
        call = self._visits[number].call if number >= 0 else None
        return None if call is None else call.tool

    def visit_of(self, wish: int, step: str, moves: int) -> int:
        """The number of a step as it comes after so many moves; -1 where it never comes."""
        found = [
            number
            for number, visit in enumerate(self._visits)
            if visit.wish == wish and visit.step == step
        ]
        return min(found, key=lambda number: abs(self._moves[number] - moves), default=-1)

    def fact(self, wish: int, fact: str, moves: int) -> JsonValue:
        """A fact as it is known after so many moves, or when it is known first."""
        found = [
            number
            for number, visit in enumerate(self._visits)
            if visit.wish == wish and fact in self.fields[number]
        ]
        known = [number for number in found if self._moves[number] <= moves]
        chosen = known[-1:] or found[:1]
        return self.fields[chosen[0]][fact] if chosen else None


def _fields(tool: str, result: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {f"{tool}.{name}": value for name, value in result.items()}


def _unwanted(made: Made) -> str:
    return f"{made.call.name} was called, which no step wants here"
