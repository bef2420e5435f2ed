"""What a role was given when it was asked: its moment in the episode, and its relevant input.

Every agent sees the whole history, so two prompts hardly ever agree after a repair. What counts is
the part of it that the role's contract builds on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ossia_evaluation.steps import StepIndex
from ossia_servers.wire.conversation import Conversation, read_conversation
from ossia_servers.wire.duties import Duty, duty_of
from ossia_servers.wire.envelope import tool_answers
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.routing import hands_over
from ossia_servers.wire.ways import brings_tool_answer

ROUTE, PLAN, ASSIGN, CHECK, MEND, FACTS, OUTLINE = map(str, Duty)
"""What a manager's call is for: the next role, or a duty of one that plans ahead."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The place of a model call in its episode.

    Attributes:
        index: the step's position, from 0.
        situation: the moment by name, such as `url#2` or `manager@intent>time`; unlike an index it
            stays when an earlier step is repaired and others shift.
        call: the call's position within its step, from 0.
        done: the member roles that have worked before, in their order.
        duty: what a manager's call is for.
    """

    index: int
    situation: str
    call: int
    done: tuple[str, ...]
    duty: str = ROUTE


class Turns:
    """Places the model calls of one episode, in the order in which they come."""

    def __init__(self, team: Sequence[str]) -> None:
        """Begin an episode.

        Args:
            team: the roles that a manager can choose from.
        """
        self.team = tuple(team)
        self._index = StepIndex()
        self._turns: dict[int, Turn] = {}
        self._counts: dict[str, int] = {}
        self._done: list[str] = []

    def place(self, role: str, conversation: Conversation) -> Turn:
        """Return the place of the next call.

        Args:
            role: who asks.
            conversation: the call's request.
        """
        index = self._index.of(role, lambda: brings_tool_answer(conversation.messages, self.team))
        last = self._turns.get(index)
        if last is None:
            turn = self._begin(index, role, conversation)
        else:
            turn = replace(last, call=last.call + 1)
        self._turns[index] = turn
        return turn

    def _begin(self, index: int, role: str, conversation: Conversation) -> Turn:
        done = tuple(self._done)
        duty = str(duty_of(conversation)) if role == MANAGER else ROUTE
        name = role
        if role == MANAGER:
            name = f"{role}@{'>'.join(done) or 'start'}"
            name = name if duty == ROUTE else f"{name}:{duty}"
        else:
            self._done.append(role)
        count = self._counts[name] = self._counts.get(name, 0) + 1
        numbered = f"{name}#{count}" if role != MANAGER or count > 1 else name
        return Turn(index, numbered, 0, done, duty)


class TalkTurns(Turns):
    """Places the calls of a conversation: what a role says in one turn of the user's is a step.

    Who follows the conversation names each turn, by what is due in it and not by its number.
    """

    def __init__(self, team: Sequence[str]) -> None:
        """Begin a conversation, in which the user has said nothing yet."""
        super().__init__(team)
        self._name = ""
        self._steps: dict[str, Turn] = {}

    def begin(self, name: str) -> None:
        """Begin the user's next turn.

        Args:
            name: its name, which no other turn has.
        """
        self._name = name
        self._done.clear()

    def place(self, role: str, conversation: Conversation) -> Turn:
        """Return the place of the next call, in the user's turn that is under way."""
        situation = f"{role}@{self._name}"
        known = self._steps.get(situation)
        if known is None:
            duty = str(duty_of(conversation)) if role == MANAGER else ROUTE
            turn = Turn(len(self._steps), situation, 0, tuple(self._done), duty)
        else:
            turn = replace(known, call=known.call + 1, done=tuple(self._done))
        if role != MANAGER:
            self._done.append(role)
        self._steps[situation] = turn
        return turn


@dataclass(frozen=True, slots=True)
class Received:
    """The input of one model call.

    Attributes:
        role: who is asked.
        turn: when.
        conversation: the request, read.
    """

    role: str
    turn: Turn
    conversation: Conversation

    @classmethod
    def of(cls, role: str, request: Mapping[str, Any], turns: Turns) -> Self:
        """Read a call and place it in its episode."""
        conversation = read_conversation(request, turns.team)
        return cls(role, turns.place(role, conversation), conversation)

    @property
    def tool_answers(self) -> tuple[str, ...]:
        """What the role's tools have answered in this turn."""
        return tool_answers(self.conversation)

    def relevant(self) -> str:
        """Return what the role's contract builds on, as a key."""
        return json.dumps(self._relevant(), sort_keys=True, ensure_ascii=False, default=str)

    def _relevant(self) -> object:
        if self.role == MANAGER:
            if self.turn.duty != ROUTE:
                return self.conversation.prompt
            return self._passed_on() if hands_over(self.conversation) else None
        answer = self.conversation.results.answer
        return None if answer is None else without_echo(answer)

    def _passed_on(self) -> object:
        """What a choice carries on: the results, and the words of those who gave none.

        Where every role's result can be read, other words around it change nothing.
        """
        results = self.conversation.results
        lines = [(role, json.loads(text)) for role, text in results.lines()]
        told = {role for role, _ in lines}
        spoken = [(s.role, s.text) for s in self.conversation.speeches if s.role not in told]
        whole = told >= set(self.turn.done)
        return [lines, spoken, None if whole else self.conversation.prompt]


def role_in(situation: str) -> str:
    """Return the role of a moment, such as `manager` of `manager@intent>time`."""
    return situation.partition("@")[0].partition("#")[0]


def without_echo(answer: Mapping[str, Any]) -> object:
    """Return a server's answer without the request that it repeats, which tells nothing new."""
    body = answer.get("body")
    data = body.get("data") if isinstance(body, Mapping) else None
    if not isinstance(body, Mapping) or not isinstance(data, Mapping):
        return answer
    told = {name: value for name, value in data.items() if name != "query"}
    return {**answer, "body": {**body, "data": told}}
