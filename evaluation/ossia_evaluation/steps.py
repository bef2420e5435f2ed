"""Steps: each role's turns inside an episode, read from the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ossia_servers.gateway.records import Exchange
from ossia_servers.trace import Trace
from ossia_servers.wire.answers import words_in
from ossia_servers.wire.messages import read_messages
from ossia_servers.wire.names import MANAGER
from ossia_servers.wire.ways import brings_tool_answer


@dataclass(frozen=True)
class Step:
    """One turn of one role."""

    index: int
    """Position in the episode, from 0."""
    role: str
    occurrence: int
    """How often the role has worked up to and including this step, from 1."""
    exchanges: tuple[Exchange, ...]
    """The model calls of the step; more than one when the role used a tool."""

    @property
    def situation(self) -> str:
        """The moment by name rather than by number, since numbers shift after a repair."""
        return f"{self.role}#{self.occurrence}"

    @property
    def answered(self) -> bool:
        """Whether the model answered the step's last call.

        A call that was refused, cut or malformed says nothing about the role.
        """
        return self.exchanges[-1].status == "ok"

    @property
    def text(self) -> str:
        """What the role said at the end of its turn."""
        said = (words_in(exchange.response or {}) for exchange in reversed(self.exchanges))
        return next(filter(None, said), "")

    @property
    def tool_calls(self) -> tuple[dict[str, Any], ...]:
        """The native tool calls that the role made, as `{"name", "arguments"}`."""
        calls = []
        for exchange in self.exchanges:
            for call in (exchange.response or {}).get("tool_calls") or ():
                calls.append(dict(call.get("function") or {}))
        return tuple(calls)


class StepIndex:
    """Assigns the model calls of one episode to steps, in the order in which they come.

    Every call of the manager is a step of its own. A call of another role continues that role's
    open step when it follows directly, or when it carries a tool's answer back.
    """

    def __init__(self) -> None:
        """Begin an episode."""
        self._latest: dict[str, int] = {}

    def of(self, role: str, carries_answer: Callable[[], bool]) -> int:
        """Return the index of the next call's step.

        Args:
            role: who asks.
            carries_answer: says whether the call carries a tool's answer; called where that counts.
        """
        last, newest = self._latest.get(role), max(self._latest.values(), default=-1)
        if role != MANAGER and last is not None and (last == newest or carries_answer()):
            return last
        self._latest[role] = newest + 1
        return newest + 1


def read_steps(trace: Trace) -> tuple[Step, ...]:
    """Group the model calls of a trace into steps; see `StepIndex`."""
    team = sorted({exchange.role for exchange in trace.gateway.exchanges} - {MANAGER})
    index, steps = StepIndex(), dict[int, list[Exchange]]()
    for exchange in trace.gateway.exchanges:
        step = index.of(exchange.role, partial(_carries_answer, exchange, team))
        steps.setdefault(step, []).append(exchange)
    counts, found = Counter[str](), []
    for number, exchanges in steps.items():
        role = exchanges[0].role
        counts[role] += 1
        found.append(Step(number, role, counts[role], tuple(exchanges)))
    return tuple(found)


def last_step(steps: Sequence[Step], role: str) -> Step | None:
    """Return the last step in which the role was answered by its model, or None."""
    return next((s for s in reversed(steps) if s.role == role and s.answered), None)


def _carries_answer(exchange: Exchange, team: Sequence[str]) -> bool:
    return brings_tool_answer(read_messages(exchange.request), team)
