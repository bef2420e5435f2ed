"""A scripted user: follows a session's agenda and hears nothing but what the agent says.

The user knows the slots, tells one when asked for it, and makes a move when the agent has told what
it is about or asks for it. Words are drawn from a file by the session's seed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from string import Template
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.randomness import seeded_random
from ossia_servers.flowbench.agenda import Act, Agenda
from ossia_servers.flowbench.asked import asks_once, sentences
from ossia_servers.flowbench.spoken import spoken
from ossia_servers.flowbench.walk import Visit
from ossia_servers.trace import UserTurn
from ossia_workflows.scenario import Scenario

__all__ = ["AgendaUser", "Place"]

_FRUITLESS: Final = 3
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation stands after what a user has said last.

    Attributes:
        wish: The number of the wish.
        reached: How many steps of the gold run can be done by what the user has said.
        asked_for: The slots that the next step waits for; none where it waits for a move, or for
            nobody.
        left: How often the user is still waited for in this wish.
        is_aside: Whether the last words lead nowhere.
        slots: The slots that the last words tell, with their values.
    """

    wish: int = 0
    reached: int = 0
    asked_for: tuple[str, ...] = ()
    left: int = 0
    is_aside: bool = False
    slots: Mapping[str, JsonValue] = field(default_factory=dict)


class AgendaUser:
    """The user of one attempt at a session; plays `ossia.user.User`."""

    def __init__(
        self, session: SessionTask, scenarios: Mapping[str, Scenario], visits: Sequence[Visit]
    ) -> None:
        """Set up.

        Args:
            session: the session.
            scenarios: its scenarios by name.
            visits: its gold run, which tells what the user is waited for and when.
        """
        self._session = session
        self._asides = {aside.turn: aside for aside in session.asides}
        self._agendas = [
            Agenda(wish, scenarios[wish.scenario], [each for each in visits if each.wish == number])
            for number, wish in enumerate(session.wishes)
        ]
        self._begins = [
            next(at for at, visit in enumerate(visits) if visit.wish == number)
            for number in range(len(session.wishes))
        ]
        self._names = [scenarios[wish.scenario].name.lower() for wish in session.wishes]
        self._wish = 0
        self._fruitless = 0
        self._open: list[str] = []
        self._told: Mapping[str, JsonValue] = {}
        self._is_aside = False

    @property
    def place(self) -> Place:
        """Where the conversation stands."""
        agenda = self._agendas[self._wish]
        reached = self._begins[self._wish] + agenda.reached
        left = agenda.left
        return Place(self._wish, reached, agenda.asked_for, left, self._is_aside, self._told)

    async def reply(self, turns: Sequence[UserTurn]) -> str | None:
        """Return what the user says next, or None at the end of the conversation."""
        return self.next_words(turns)

    def next_words(self, turns: Sequence[UserTurn]) -> str | None:
        """Return the same without waiting.

        Args:
            turns: The conversation so far; each is told once, in order.
        """
        number = len(turns)
        self._open.append(_heard(turns))
        act = self._agendas[self._wish].act(self._open)
        over = act is None and self._wish == len(self._agendas) - 1
        stuck = act is not None and not act.leads and self._fruitless >= _FRUITLESS
        if over or stuck or number >= self._session.most_turns:
            return None
        self._told, self._is_aside = {}, number in self._asides
        if self._is_aside:
            return self._words(self._asides[number].kind, number)
        alone = asks_once("\n".join(self._open))
        self._open.clear()
        if act is None:
            self._wish += 1
            self._fruitless = 0
            opening = self._session.wishes[self._wish].words
            return opening or self._words("wish", number, wish=self._names[self._wish])
        self._agendas[self._wish].do(act)
        self._told = act.slots
        self._fruitless = 0 if act.leads else self._fruitless + 1
        return self._said(act, number, alone=alone)

    def _said(self, act: Act, number: int, *, alone: bool) -> str:
        """What is done, in words; a slot `alone` answers the only question."""
        agenda = self._agendas[self._wish]
        if act.kind == "tell" and len(act.slots) == 1 and alone:
            return spoken(*act.slots.values())
        lines = [self._words(act.kind, number)]
        lines += [
            f"{_upper(agenda.about(name))}: {spoken(value)}" for name, value in act.slots.items()
        ]
        return "\n".join(lines)

    def _words(self, kind: str, number: int, **values: str) -> str:
        draw = seeded_random(self._session.seed, number, kind)
        return Template(draw.choice(_wording()[kind])).substitute(values)


def _heard(turns: Sequence[UserTurn]) -> str:
    """What the agent has said last, without the sentences that the user has said before."""
    answer = turns[-1].answer[:_LONGEST]
    known = frozenset[str]().union(*(_sentences(turn.user) for turn in turns))
    if known.isdisjoint(sentences(answer)):
        return answer
    return "\n".join(each for each in sentences(answer) if each not in known)


@lru_cache(maxsize=1024)
def _sentences(text: str) -> frozenset[str]:
    """The sentences of what the user has said, which are looked for after each turn."""
    return frozenset(sentences(text))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _wording() -> Mapping[str, Sequence[str]]:
    source = resources.files(__package__) / "wording.toml"
    return tomllib.loads(source.read_text("utf-8"))
