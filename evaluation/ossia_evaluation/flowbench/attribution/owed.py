"""What a right agent does in one turn of the user's, by what it has been told and found out."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_evaluation.flowbench.attribution.course import Stage
from ossia_evaluation.flowbench.attribution.else_said import part_about, tells, tells_other
from ossia_evaluation.flowbench.goals import demanded
from ossia_evaluation.flowbench.gold import GoldRuns
from ossia_evaluation.flowbench.measures.calls import Call
from ossia_evaluation.flowbench.trajectory import gold_call
from ossia_servers.flowbench.arguments import same_arguments
from ossia_servers.flowbench.reports import Wanted
from ossia_servers.flowbench.script import right_answer
from ossia_servers.flowbench.spoken import says
from ossia_servers.flowbench.user import Place
from ossia_servers.flowbench.walk import Visit
from ossia_workflows.scenario import Scenario
from ossia_workflows.scenario.model import slot_or_fact

__all__ = ["Edits", "Owed", "Owing", "State", "same_call"]

Slot = tuple[int, str]
"""A slot with the number of its wish."""


@dataclass(frozen=True, slots=True)
class Edits:
    """What a role does otherwise than is right, to be done again about another input.

    Attributes:
        missed: Tools that are not called.
        arguments: By the tool, arguments with another value; None for one that is left out.
        needless: Calls that nothing calls for.
        untold: Facts that are not told.
        mute: Whether it does not ask for what comes next.
        skipped: Members that a manager does not let work.
    """

    missed: frozenset[str] = frozenset()
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    needless: tuple[Call, ...] = ()
    untold: frozenset[str] = frozenset()
    mute: bool = False
    skipped: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return self != Edits()

    def __add__(self, other: Edits) -> Edits:
        """Return the edits of both."""
        return Edits(
            self.missed | other.missed,
            {
                tool: {**self.arguments.get(tool, {}), **other.arguments.get(tool, {})}
                for tool in {*self.arguments, *other.arguments}
            },
            self.needless + other.needless,
            self.untold | other.untold,
            self.mute or other.mute,
            self.skipped | other.skipped,
        )

    def call(self, call: Call) -> Call | None:
        """Return a call as it is made; None where it is not made."""
        if call.name in self.missed:
            return None
        given = {**(call.parameters or {}), **self.arguments.get(call.name, {})}
        return Call(call.name, {name: value for name, value in given.items() if value is not None})


@dataclass
class State:
    """What has come about in a conversation.

    Attributes:
        done: The numbers of the gold run's steps whose call was made as is right.
        unheard: Slots that the user should have told, and did not.
        otherwise: Those of them for which it said something else.
        said: All that the user has said.
        calls: The calls that were made, in order.
    """

    done: set[int] = field(default_factory=set)
    unheard: set[Slot] = field(default_factory=set)
    otherwise: set[Slot] = field(default_factory=set)
    said: str = ""
    calls: list[Call] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Owed:
    """What is owed in a turn.

    Attributes:
        calls: The calls with the numbers of their steps, in order.
        blocked: The tools of steps that are due, whose call nobody can make as is right.
        otherwise: Of those that can be called with what the user said in place of slots, the number
            of the step, the right call and, by the argument, these slots.
        left: Right calls that earlier turns owed and nobody made.
        facts: The facts to tell.
        key: What all of that rests on.
    """

    calls: tuple[tuple[int, Call], ...]
    blocked: frozenset[str]
    otherwise: Mapping[str, tuple[int, Call, Mapping[str, str]]]
    left: tuple[Call, ...]
    facts: Mapping[str, JsonValue]
    key: str


class Owing:
    """What the roles of a session's team owe."""

    def __init__(self, session: SessionTask, golds: GoldRuns) -> None:
        """Take a session.

        Raises:
            TaskError: it has no gold run.
        """
        self.session, self.golds = session, golds
        self.visits = golds.visits(session)
        self.tools = golds.tools(session)
        self._scenarios = [golds.scenarios[wish.scenario] for wish in session.wishes]
        self.guessed: set[tuple[int, str]] = set()
        """By the step, slots and facts that are known for it, whoever had told them."""
        self.taken: dict[int, Mapping[str, JsonValue]] = {}
        """Arguments as the user told them in place of the gold run's, by the step."""

    def of(self, stage: Stage, state: State) -> Owed:
        """Return what is owed at a stage.

        Args:
            stage: The stage.
            state: What has come about before it.
        """
        calls: list[tuple[int, Call]] = []
        blocked, facts, known = set[str](), dict[str, JsonValue](), list[bool]()
        otherwise: dict[str, tuple[int, Call, Mapping[str, str]]] = {}
        for number in stage.due:
            visit = self.visits[number]
            if visit.call is not None and number not in state.done:
                found_out = state.done | {at for at, _ in calls}
                known += [self._is_known(number, fact, found_out) for fact in self._facts(number)]
                lacking = self._lacking(number, state, found_out)
                if not lacking:
                    calls.append((number, self._call(number, state)))
                else:
                    blocked.add(visit.call.tool)
                if lacking and {(visit.wish, each) for each in lacking.values()} <= state.otherwise:
                    otherwise[visit.call.tool] = number, self._call(number, state), lacking
            for fact, value in demanded(visit).items():
                if self.source(number, fact) in state.done | {at for at, _ in calls}:
                    facts[fact] = value
        left = tuple(
            gold_call(visit.call)
            for at, visit in enumerate(self.visits[: stage.place.reached])
            if visit.call is not None and at not in stage.due and at not in state.done
        )
        made = [
            [[call.name, call.parameters] for call in each]
            for each in ([c for _, c in calls], left)
        ]
        asks = [*stage.place.asked_for]
        key = json.dumps([made, facts, known, asks, stage.due], sort_keys=True)
        return Owed(tuple(calls), frozenset(blocked), otherwise, left, facts, key)

    def program(self, stage: Stage, owed: Owed, edits: Edits) -> list[Wanted]:
        """Return what an agent does at a stage, call by call, and says in the end.

        Args:
            stage: The stage.
            owed: What it owes.
            edits: What it does otherwise.
        """
        calls = [made for _, call in owed.calls if (made := edits.call(call)) is not None]
        calls += edits.needless
        items = [Wanted(tool=call.name, arguments=call.parameters or {}) for call in calls]
        return [*items, Wanted(words=self.words(stage, owed, edits))]

    def words(self, stage: Stage, owed: Owed, edits: Edits) -> str:
        """Return what an agent says at a stage."""
        place = stage.place
        now = []
        for number in stage.due:
            visit = self.visits[number]
            tells = {
                fact: value
                for fact, value in visit.tells.items()
                if fact in owed.facts and fact not in edits.untold
            }
            now.append(replace(visit, tells=tells))
        if edits.mute:
            return right_answer(self._scenarios, now, refuses=place.is_aside)
        return right_answer(
            self._scenarios,
            now,
            asks=[(place.wish, slot) for slot in place.asked_for],
            waiting=self.waiting(stage),
            refuses=place.is_aside,
        )

    def waiting(self, stage: Stage) -> Visit | None:
        """Return the step at which the user is to make a move; None where none is waited for."""
        place = stage.place
        if place.asked_for or not place.left:
            return None
        return self.visits[place.reached - 1]

    def bound(self, number: int) -> Mapping[str, str]:
        """Return the slots and facts to which the arguments of a step's call are bound."""
        visit = self.visits[number]
        step = self._scenarios[visit.wish].steps[visit.step]
        found = {name: slot_or_fact(value) for name, value in step.arguments.items()}
        return {name: source for name, source in found.items() if source is not None}

    def scenario(self, stage: Stage) -> Scenario:
        """Return the scenario of a stage."""
        return self._scenarios[stage.place.wish]

    def take(self, call: Call, state: State) -> int | None:
        """Note a call that was made; returns the number of its step, or None where it has none.

        Args:
            call: The call.
            state: What has come about; the step is done from now on.
        """
        state.calls.append(call)
        for number, visit in enumerate(self.visits):
            if number in state.done or visit.call is None:
                continue
            if same_call(gold_call(visit.call), call):
                state.done.add(number)
                return number
        return None

    def _call(self, number: int, state: State) -> Call:
        visit, bound = self.visits[number], self.bound(number)
        assert visit.call is not None
        gold = gold_call(visit.call)
        taken = {
            name: value
            for name, value in self.taken.get(number, {}).items()
            if self.is_untold((visit.wish, bound[name]), state)
        }
        return Call(gold.name, {**(gold.parameters or {}), **taken})

    def _lacking(self, number: int, state: State, found_out: Collection[int]) -> Mapping[str, str]:
        """By the argument, slots and facts that nobody can know who makes a step's call."""
        wish, taken = self.visits[number].wish, self.taken.get(number, {})
        found = {}
        for name, source in self.bound(number).items():
            if "." in source:
                known = self._is_known(number, source, found_out)
            else:
                known = (wish, source) not in state.unheard or name in taken
            if not known and (number, source) not in self.guessed:
                found[name] = source
        return found

    def hear(self, place: Place, words: str, state: State, *, meant: str = "") -> bool:
        """Note which slots the user was to tell and did not; returns whether there are any.

        A wish that needs what an earlier one has told lacks it, too.

        Args:
            place: Where the user takes itself to be after its words.
            words: What it said.
            state: What has come about.
            meant: What it was to say.
        """
        later = list(enumerate(self.session.wishes))[place.wish + 1 :]
        found = False
        for slot, value in place.slots.items():
            named = {(at, slot) for at, wish in later if wish.slots.get(slot) == value}
            named.add((place.wish, slot))
            about = self._scenarios[place.wish].slots[slot].about
            own = part_about(words, about)
            if tells(own, value):
                state.unheard -= named
                state.otherwise -= named
                continue
            found = True
            state.unheard |= named
            if tells_other(own, value, part_about(meant, about)):
                state.otherwise |= named
        return found

    def is_untold(self, slot: Slot, state: State) -> bool:
        """Return whether the user has not told a slot, when asked for it or with its wish."""
        number, name = slot
        wish = self.session.wishes[number]
        opening = name in wish.told and not says(state.said, wish.slots[name])
        return slot in state.unheard or opening

    def _facts(self, number: int) -> Sequence[str]:
        return [source for source in self.bound(number).values() if "." in source]

    def _is_known(self, number: int, fact: str, found_out: Collection[int]) -> bool:
        return self.source(number, fact) in found_out

    def source(self, number: int, fact: str) -> int:
        """Return the number of the step that finds out a fact for another step; -1 for none."""
        tool = fact.partition(".")[0]
        wish = self.visits[number].wish
        return max(
            (
                at
                for at, visit in enumerate(self.visits[: number + 1])
                if visit.wish == wish and visit.call is not None and visit.call.tool == tool
            ),
            default=-1,
        )


def same_call(one: Call, other: Call) -> bool:
    """Return whether two calls are equal: numbers by value, texts without case."""
    return one.name == other.name and same_arguments(one.parameters or {}, other.parameters or {})
