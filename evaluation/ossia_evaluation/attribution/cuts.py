"""Calls of a recorded episode that got no answer, and how they come again in a replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from ossia_evaluation.attribution.received import Received, Turns
from ossia_evaluation.model_signs import was_unanswered
from ossia_servers.gateway.models import ModelFailure, RequestRefused
from ossia_servers.gateway.records import Exchange
from ossia_servers.stress.errors import ERRORS
from ossia_servers.trace import Trace


@dataclass(frozen=True, slots=True)
class Cut:
    """A call that got no answer, as a part of the tape.

    Attributes:
        situation: the moment of the step.
        call: the call's position within its step.
        key: its relevant input.
        reason: what the framework was told.
        times: how often in a row; None for all that come, as nothing was answered after it.
        seq: the call's place in the episode.
        lost: whether the endpoint gave no answer, rather than a refusal or an end of the episode.
    """

    situation: str
    call: int
    key: str
    reason: str
    times: int | None
    seq: int = -1
    lost: bool = False


def read_cuts(trace: Trace, kind: type[Received], turns: Turns) -> Iterator[Cut]:
    """Yield the calls of a trace that were refused by the endpoint or cut, each with its moment.

    Args:
        trace: the episode.
        kind: how the inputs of its calls are read.
        turns: the turns of its team, none of them taken yet.
    """
    waiting = list[Cut]()
    for exchange in trace.gateway.exchanges:
        if exchange.response is not None:
            kind.of(exchange.role, exchange.request, turns)
            yield from (replace(cut, times=1) for cut in waiting)
            waiting = []
        elif _was_cut(exchange, trace):
            received = kind.of(exchange.role, exchange.request, deepcopy(turns))
            turn, reason = received.turn, exchange.error or "no answer came"
            key, lost = received.relevant(), was_unanswered(exchange)
            waiting.append(Cut(turn.situation, turn.call, key, reason, None, exchange.seq, lost))
    yield from waiting


def _was_cut(exchange: Exchange, trace: Trace) -> bool:
    if exchange.status == "budget":
        return trace.gateway.budget_spent != "calls"
    unanswered = exchange.status == "abandoned" or was_unanswered(exchange)
    return unanswered or refused_by_endpoint(exchange)


def refused_by_endpoint(exchange: Exchange) -> bool:
    """Return whether the endpoint refused a request for its content (HTTP 400, 413 or 422)."""
    return exchange.status == "bad_request" and exchange.attempts > 0


class CutTape:
    """Refuses in a replay what was refused or cut in the recording, at the same moments."""

    def __init__(
        self, cuts: Iterable[Cut], spared: Callable[[str], bool], kind: type[Received]
    ) -> None:
        """Begin a replay.

        Args:
            cuts: the cuts of the recording.
            spared: whether a moment is repaired, so that its cut does not come again.
            kind: how the inputs of calls are read.
        """
        self._cuts = list(cuts)
        self._spared = spared
        self._kind = kind

    def check(self, role: str, request: Mapping[str, Any], turns: Turns) -> None:
        """Refuse a call that comes again unchanged, and leave the count of turns as it is.

        Args:
            role: who asks.
            request: the body of the call.
            turns: the turns of the replay so far.

        Raises:
            RequestRefused: with the recorded reason.
            AnswerLost: the endpoint had given no answer.
        """
        if not self._cuts:
            return
        received = self._kind.of(role, request, deepcopy(turns))
        moment = received.turn.situation, received.turn.call, received.relevant()
        if self._spared(received.turn.situation):
            return
        for number, cut in enumerate(self._cuts):
            if (cut.situation, cut.call, cut.key) == moment:
                if cut.times is not None:
                    del self._cuts[number]
                raise _lost(cut.reason) if cut.lost else RequestRefused(cut.reason)


def _lost(reason: str) -> ModelFailure:
    """What the framework gets again; what hung is a reset here, so that nobody waits."""
    # It brings a web framework along, which only replays need.
    from ossia_servers.gateway.strikes import AnswerLost, Strike

    error = _BY_REASON.get(reason)
    if error is None:
        return AnswerLost(Strike("reset", reason))
    told = (None, error.status, error.body, error.media, dict(error.headers))
    return AnswerLost(Strike("error", reason, *told))


_BY_REASON: Final = {f"HTTP {error.status}": error for error in ERRORS.values()}
