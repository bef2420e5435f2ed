"""Faults between the gateway and a framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import orjson

from ossia_servers.gateway.models import Completion, ModelCall
from ossia_servers.gateway.records import Exchange
from ossia_servers.gateway.strikes import Strike
from ossia_servers.stress.answers import ANSWERS, Change, Changed, text_of
from ossia_servers.stress.asked import Asked, Message
from ossia_servers.stress.calls import CALLS, is_tool_call, tool_called
from ossia_servers.stress.errors import ERRORS
from ossia_servers.stress.injected import NOT_ASKED, Injected, capped
from ossia_servers.stress.plan import Aim, Fault
from ossia_servers.stress.routes import ROUTES
from ossia_servers.wire.answers import read_calls

CHANGES: Final[Mapping[str, Change]] = {**ANSWERS, **CALLS, **ROUTES}
"""What changes an answer, by the kind of fault; the other kinds change none."""

_DELAYED: Final = frozenset({"slow", "slow-unavailable"})


@dataclass(frozen=True, slots=True)
class TeamRoles:
    """Who is who in a team.

    Attributes:
        manager: The role that leads; empty for a team without one.
        members: The other roles.
    """

    manager: str
    members: Sequence[str]


def calls_in_place(fault: Fault, team: TeamRoles, exchanges: Iterable[Exchange]) -> int:
    """Return how many calls of an episode a fault could have hit.

    Args:
        fault: the fault, one of the model's.
        team: who is who.
        exchanges: the calls of an episode that met no fault.
    """
    earlier: list[tuple[str, Message]] = []
    found = 0
    for exchange in exchanges:
        if exchange.response is None:
            continue
        asked = _asked(exchange.role, exchange.request, team, earlier)
        found += _is_in_place(fault, asked, exchange.response)
        earlier.append((exchange.role, exchange.response))
    return found


def _asked(
    role: str,
    request: Mapping[str, Any],
    team: TeamRoles,
    earlier: Sequence[tuple[str, Message]],
) -> Asked:
    return Asked(role, request, team.manager, team.members, earlier)


def _is_in_place(fault: Fault, asked: Asked, answer: Message) -> bool:
    """Whether a call is in the fault's place, and its answer has what the fault changes."""
    place = fault.place
    if not place.holds(asked.role, asked.manager):
        return False
    if place.tool and not any(
        name == place.tool and is_tool_call(name, asked) for name, _ in read_calls(answer)
    ):
        return False
    # Whether it has does not depend on chance.
    return fault.kind not in CHANGES or _changed(fault, asked, answer, Random(0)) is not None


def _changed(fault: Fault, asked: Asked, answer: Message, random: Random) -> Changed | None:
    """The answer as the fault makes it; None where it would be the same."""
    changed = CHANGES[fault.kind](answer, asked, random)
    return None if changed is None or changed[0] == answer else changed


class ModelFaults:
    """The fault of one episode at the gateway, and what it has done so far."""

    def __init__(
        self, aim: Aim, team: TeamRoles, *, slow_seconds: float, asks_in_vain: bool
    ) -> None:
        """Begin an episode.

        Args:
            aim: which calls are hit.
            team: who is who.
            slow_seconds: the delay of what is slow.
            asks_in_vain: whether the model is asked also where nobody gets its answer, so that it
                is known what would have come.
        """
        self._aim = aim
        self._fault = aim.fault
        self._team = team
        self._slow_seconds = slow_seconds
        self._asks_in_vain = asks_in_vain
        self._number = 0
        self._earlier: list[tuple[str, Message]] = []
        self.injected: list[Injected] = []

    def instead(self, seq: int, call: ModelCall) -> Strike | None:
        """Return what comes without asking the model; None to ask it."""
        if self._needs_answer:
            return None
        if not self._fault.place.holds(call.role, self._team.manager) or not self._hit():
            return None
        strike = self._strike()
        self._note(seq, call.role, None, strike)
        return strike

    def after(self, seq: int, call: ModelCall, completion: Completion) -> Strike | None:
        """Return what comes in place of the model's answer; None for the answer itself."""
        answer = completion.message
        asked = _asked(call.role, call.request, self._team, tuple(self._earlier))
        # What needs no answer was counted before the model was asked.
        hit = self._needs_answer and _is_in_place(self._fault, asked, answer) and self._hit()
        self._earlier.append((call.role, answer))
        if not hit:
            return None
        strike = self._strike(completion)
        if self._fault.kind in CHANGES:
            changed = _changed(self._fault, asked, answer, self._aim.random(self._number - 1))
            if changed is not None:
                came = replace(completion, message=changed[0], finish_reason=changed[1])
                strike = Strike("answer", completion=came)
        self._note(seq, call.role, completion, strike, tool_called(answer, asked))
        return strike

    @property
    def _needs_answer(self) -> bool:
        """Whether only the model's answer shows if a call is in place, or is to be known."""
        kind = self._fault.kind
        changes = kind in CHANGES or kind in ("slow", "reset-midway")
        return changes or self._asks_in_vain or bool(self._fault.place.tool)

    def _hit(self) -> bool:
        number, self._number = self._number, self._number + 1
        return self._aim.hits(number)

    def _strike(self, completion: Completion | None = None) -> Strike:
        kind = self._fault.kind
        delay = self._slow_seconds if kind in _DELAYED else 0.0
        error = ERRORS.get(kind)
        # What was asked for in vain on purpose costs nobody anything.
        paid = None if self._asks_in_vain else completion
        if error is not None:
            told, named = f"HTTP {error.status}", dict(error.headers)
            return Strike("error", told, paid, error.status, error.body, error.media, named, delay)
        if kind == "hang":
            return Strike("hang", "no answer until the client hung up", paid)
        if kind == "reset":
            return Strike("reset", "the connection was reset", paid)
        if kind == "reset-midway":
            return Strike("midway", "the connection was reset in the answer", completion)
        return Strike("answer", completion=completion, delay_s=delay)

    def _note(
        self, seq: int, role: str, would: Completion | None, strike: Strike, tool: str = ""
    ) -> None:
        came = f"after {strike.delay_s:g} s: " if strike.delay_s else ""
        if strike.act == "answer" and strike.completion is not None:
            came += _told(strike.completion)
        else:
            came += f"{strike.error} {strike.body.decode()}".strip()
        injected = Injected(
            fault=self._fault.key,
            kind=self._fault.kind,
            where="model",
            seq=seq,
            role=role,
            tool=tool,
            would=NOT_ASKED if would is None else capped(_told(would)),
            came=capped(came),
        )
        self.injected.append(injected)


def _told(completion: Completion) -> str:
    """An answer as the trace tells it: words as they are, and all else as JSON."""
    message, usual = completion.message, {"role", "content"}
    if {*message} <= usual and completion.finish_reason == "stop":
        return text_of(message)
    rest = {key: value for key, value in message.items() if key != "role"}
    return orjson.dumps({**rest, "finish_reason": completion.finish_reason}).decode()
