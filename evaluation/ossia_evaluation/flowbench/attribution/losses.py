"""What a framework did not pass on, so that a role could not know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ossia_evaluation.attribution import RecordedStep
from ossia_evaluation.flowbench.attribution.memory import Memory
from ossia_evaluation.flowbench.attribution.owed import Edits, Owed, Owing
from ossia_evaluation.flowbench.attribution.turn_log import plans_in
from ossia_servers.flowbench.arguments import same_arguments
from ossia_servers.flowbench.walk import Call
from ossia_servers.trace import UserTurn
from ossia_workflows.flowbench import MANAGER, PLANNER

__all__ = ["Losses"]

_NOTHING: Final = (Edits(), "")


@dataclass
class Losses:
    """Finds what was lost.

    Attributes:
        owing: What the roles owe.
        turns: The turns of the episode.
        begins: By the wish, the turn in which it begins.
        told: By slot, with the number of its wish, the turn in which the user told it.
        found: By the step, the turn in which its call was made.
    """

    owing: Owing
    turns: Sequence[UserTurn]
    begins: dict[int, int] = field(default_factory=dict)
    told: dict[tuple[int, str], int] = field(default_factory=dict)
    found: dict[int, int] = field(default_factory=dict)

    def of_decider(
        self, step: RecordedStep, edits: Edits, owed: Owed, wish: int, turn: int
    ) -> tuple[Edits, str]:
        """Return the edits that come of what somebody who decides was not shown, and what that is.

        Args:
            step: The step.
            edits: What it does otherwise.
            owed: What is owed in its turn.
            wish: The number of the wish.
            turn: The number of the turn.
        """
        memory = Memory(step.received)
        arguments: dict[str, Mapping[str, Any]] = {}
        missed, gone = set[str](), list[str]()
        for number, call in owed.calls:
            away = {
                name: source
                for name, source in self.owing.bound(number).items()
                if self._is_away(number, source, (call.parameters or {}).get(name), turn, memory)
            }
            given = edits.arguments.get(call.name, {})
            lost = {name: value for name, value in given.items() if name in away}
            if lost:
                arguments[call.name] = lost
            if away and call.name in edits.missed:
                missed.add(call.name)
            gone += away.values() if lost or call.name in missed else ()
        earlier = [each.user for each in self.turns[self.begins[wish] : turn]]
        if not memory.has_heard_all(earlier):
            # Who does not know what has been said cannot know where the conversation stands.
            everything = replace(edits, arguments=arguments, untold=frozenset())
            return everything, "the framework dropped what the user had said" if everything else ""
        found = Edits(frozenset(missed), arguments)
        return (found, _dropped(gone)) if found else _NOTHING

    def of_member(
        self, step: RecordedStep, edits: Edits, planner: RecordedStep | None
    ) -> tuple[Edits, str]:
        """Return the same of somebody who carries out what the planner has said."""
        if step.role == MANAGER or planner is None or step.role == PLANNER:
            return _NOTHING
        memory = Memory(step.received)
        plans = plans_in(planner.messages)
        if not plans or any(memory.has_words(each.words or each.tool) for each in plans):
            return _NOTHING
        return edits, "the framework dropped what the planner had said"

    def _is_away(self, number: int, source: str, value: Any, turn: int, memory: Memory) -> bool:
        """Whether a slot or a fact was told or found out before, and is not shown."""
        if "." not in source:
            told = self.told.get((self.owing.visits[number].wish, source))
            if told is None or told >= turn:
                return False
            return not memory.has_heard(self.turns[told].user) and not memory.has_value(value)
        at = self.owing.source(number, source)
        call = self.owing.visits[at].call if at >= 0 else None
        if call is None or self.found.get(at, turn) >= turn:
            return False
        if memory.has_result(call.tool) or memory.has_value(value):
            return False
        return at == number or not self._can_call_again(at, call, turn, memory)

    def _can_call_again(self, number: int, call: Call, turn: int, memory: Memory) -> bool:
        """Whether a right call changes nothing, says the same again, and its arguments are known.

        What it has found out is then no loss, since whoever needs it may find it out again.
        """
        if self.owing.tools[call.tool].changes:
            return False
        for answer in self.owing.session.answers:
            same = answer.tool == call.tool and same_arguments(answer.arguments, call.arguments)
            if same and answer.after is not None:
                return False
        return not any(
            self._is_away(number, source, call.arguments.get(name), turn, memory)
            for name, source in self.owing.bound(number).items()
        )


def _dropped(sources: Sequence[str]) -> str:
    names = dict.fromkeys(
        f"the result of {source.partition('.')[0]}" if "." in source else f"the user's {source}"
        for source in sources
    )
    return f"the framework dropped {', '.join(names)}"
