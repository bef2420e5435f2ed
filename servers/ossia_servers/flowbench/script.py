"""The gold run of a session as a conversation: what is said and called in each turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_servers.flowbench.spoken import spoken
from ossia_servers.flowbench.user import AgendaUser
from ossia_servers.flowbench.walk import Call, Visit, WalkError
from ossia_servers.trace import UserTurn
from ossia_workflows.scenario import Kind, Scenario, Step

__all__ = ["GoldTurn", "gold_turns", "right_answer"]

_SAYS: Final = re.compile(
    r"\b(?:say|explain|warn) that (.+?)(?=[,;]? (?:and )?ask\b|; |\.?$)", re.IGNORECASE
)
_ASKS: Final = re.compile(r"\bask (whether .+)", re.IGNORECASE)
_REFUSES: Final = "I can only help you with what I am here for."


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """One turn of the gold run.

    Attributes:
        user: What the user says.
        answer: What a right agent answers.
        calls: The calls that it makes before.
        asks: The slots that it asks for.
        tells: The facts that it tells, with their values.
    """

    user: str
    answer: str
    calls: tuple[Call, ...]
    asks: tuple[str, ...]
    tells: Mapping[str, JsonValue]


def gold_turns(
    session: SessionTask, scenarios: Mapping[str, Scenario], visits: Sequence[Visit]
) -> tuple[GoldTurn, ...]:
    """Return the gold run of a session, turn by turn.

    Args:
        session: the session.
        scenarios: its scenarios by name.
        visits: its gold run.

    Raises:
        WalkError: the user does not come to its end in the same turns.
    """
    return tuple(_Script(session, scenarios, visits).turns())


def right_answer(
    scenarios: Sequence[Scenario],
    now: Sequence[Visit],
    *,
    asks: Sequence[tuple[int, str]] = (),
    waiting: Visit | None = None,
    refuses: bool = False,
) -> str:
    """Return what a right agent says in a turn: the facts, then what it waits for.

    Args:
        scenarios: the scenario of each wish.
        now: the steps that are done in the turn.
        asks: the slots to ask for, each with the number of its wish.
        waiting: the step whose move the user is to make, or None.
        refuses: whether the user has spoken of something else.
    """
    said = [_REFUSES if refuses else "All right."]
    for visit in now:
        scenario = scenarios[visit.wish]
        told = [
            f"{_words(fact)}: {_value(value, scenario.kinds[fact])}"
            for fact, value in visit.tells.items()
        ]
        says = _SAYS.search(scenario.steps[visit.step].task)
        if told:
            said.append(f"{', '.join(told)}.")
        elif says is not None:
            said.append(_sentence(says[1]))
    said += [f"Please tell me {scenarios[wish].slots[slot].about}." for wish, slot in asks]
    if waiting is not None:
        said.append(_question(scenarios[waiting.wish].steps[waiting.step]))
    return " ".join(said)


class _Script:
    def __init__(
        self, session: SessionTask, scenarios: Mapping[str, Scenario], visits: Sequence[Visit]
    ) -> None:
        self._session = session
        self._scenarios = [scenarios[wish.scenario] for wish in session.wishes]
        self._visits = visits
        self._asides = frozenset(aside.turn for aside in session.asides)
        self._user = AgendaUser(session, scenarios, visits)

    def turns(self) -> Iterator[GoldTurn]:
        said: list[UserTurn] = []
        words: str | None = self._session.utterance
        while words is not None:
            now = [visit for visit in self._visits if visit.turn == len(said)]
            turn = GoldTurn(
                user=words,
                answer=self._answer(len(said), now),
                calls=tuple(visit.call for visit in now if visit.call is not None),
                asks=tuple(slot for _, slot in self._asks(len(said))),
                tells={fact: value for visit in now for fact, value in visit.tells.items()},
            )
            yield turn
            said.append(UserTurn(user=turn.user, answer=turn.answer))
            words = self._user.next_words(said)
        last = self._visits[-1]
        wanted = last.turn if last.move is None else self._next(last.turn, 1)
        if len(said) != wanted + 1:
            raise WalkError(
                f"{self._session.id}: the user has {len(said)} turns and the gold run {wanted + 1}"
            )

    def _next(self, turn: int, by: int) -> int:
        """The turn after, or before, in which the user leads on."""
        turn += by
        while turn in self._asides:
            turn += by
        return turn

    def _answer(self, number: int, now: Sequence[Visit]) -> str:
        waiting = (
            visit
            for visit in self._visits
            if visit.move is not None and visit.turn <= number < self._next(visit.turn, 1)
        )
        return right_answer(
            self._scenarios,
            now,
            asks=tuple(self._asks(number)),
            waiting=next(waiting, None),
            refuses=number in self._asides,
        )

    def _asks(self, number: int) -> Iterator[tuple[int, str]]:
        """The slots that are asked for in a turn, each with the number of its wish."""
        for visit in self._visits:
            if visit.asks and self._next(visit.turn, -1) <= number < visit.turn:
                yield from ((visit.wish, slot) for slot in visit.asks)


def _question(step: Step) -> str:
    asked = _ASKS.search(step.task)
    return (
        "What would you like to do?" if asked is None else _sentence(f"Please tell me {asked[1]}")
    )


def _value(value: JsonValue, kind: Kind) -> str:
    """A fact in words; those of a choice are joined by underscores."""
    return spoken(value).replace("_", " ") if isinstance(kind, tuple) else spoken(value)


def _words(fact: str) -> str:
    return fact.partition(".")[2].replace("_", " ")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
