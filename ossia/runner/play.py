"""One attempt at an episode on a worker: one run of the framework for each turn of the user's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ossia.user import User
from ossia.worker import RunResult, WorkerDied, WorkerProcess
from ossia_servers.gateway import Clock, Unanswered
from ossia_servers.trace import Ending, PlayedTurn, Reported, UserTurn, whole

__all__ = ["GRACE_SECONDS", "Account", "Play", "Played"]

_LOG = logging.getLogger(__name__)

GRACE_SECONDS = 5.0
"""A framework may use this long after its budget of seconds to give up by itself; then it is
cancelled, and after as long again its worker is killed."""


class Account(Protocol):
    """What gateway and servers know of the attempt."""

    def wait_s(self) -> float:
        """Return the seconds that the episode may yet last; negative when they have run out."""
        ...

    def counts(self) -> tuple[int, int]:
        """Return the calls at the gateway and the requests at the servers so far."""
        ...


@dataclass(frozen=True)
class Played:
    """What the framework made of an attempt.

    Attributes:
        ending: How it left the episode.
        answer: Its last answer; empty without one.
        turns: The turns of the user's, where there is one who talks.
        turns_s: The seconds of each, waiting for a turn at the model included.
        reported: What the framework counted in all turns.
        last: Its last result; None when it gave none in time.
        died: The death of its worker, if that ended the attempt.
    """

    ending: Ending
    answer: str
    turns: tuple[PlayedTurn, ...]
    turns_s: tuple[float, ...]
    reported: Reported | None
    last: RunResult | None
    died: WorkerDied | None


class Play:
    """Plays an attempt at an episode on a worker."""

    def __init__(
        self,
        worker: WorkerProcess,
        wire: Mapping[str, Any],
        account: Account,
        clock: Clock,
        workflow: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Set up.

        Args:
            worker: What plays.
            wire: The episode as it goes over the wire.
            account: What gateway and servers know of it.
            clock: Where the time comes from.
            workflow: The steps of the task's workflow, where the framework runs them as a graph.
        """
        self._workflow = workflow
        self._worker = worker
        self._wire = wire
        self._account = account
        self._clock = clock
        self._died: WorkerDied | None = None

    async def run(self, user: User | None, given: Sequence[UserTurn], seconds: float) -> Played:
        """Play to the end, be it the death of the worker or a user that raises.

        Args:
            user: Who talks with the team; None where the task is all that is said.
            given: Turns of the conversation that have been before it.
            seconds: The episode's budget of seconds.
        """
        turns: list[PlayedTurn] = []
        took: list[float] = []
        results: list[RunResult] = []
        words: str | None = self._wire["utterance"]
        before = (0, 0) if user is None else self._account.counts()
        while words is not None:
            history = (*given, *turns)
            started = self._clock.monotonic()
            wait = self._account.wait_s if turns else lambda: seconds
            result, ending = await self._turn(words, history, wait, goes_on=user is not None)
            if result is not None:
                results.append(result)
            if user is None:
                break
            now = self._account.counts()
            turns.append(_turn(words, result, before, now))
            took.append(self._clock.monotonic() - started)
            before = now
            if ending.kind != "answered":
                break
            words, ending = await self._next(user, (*given, *turns))
        answer = "" if result is None or self._died is not None else result.answer
        reported = _sum(results)
        return Played(ending, answer, tuple(turns), tuple(took), reported, result, self._died)

    async def _next(self, user: User, turns: Sequence[UserTurn]) -> tuple[str | None, Ending]:
        """Return what the user says next, and the ending if that is nothing."""
        words, ending = None, Ending(kind="answered")
        try:
            said = await user.reply(turns)
            words = None if said is None else whole(said)
        except Unanswered as error:
            said = f"the model of the simulated user: {error}"
            ending = Ending(kind="infrastructure", detail=said[:2000])
        # A suite's user is foreign code: what was played before it broke is kept.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the user of the episode %s broke", self._wire["id"])
            detail = f"{type(error).__name__}: {error}"[:2000]
            ending = Ending(kind="infrastructure", detail=detail)
        finally:
            if words is None:
                try:
                    # At the end nothing of the conversation is kept.
                    await self._worker.cancel(self._wire["id"])
                except WorkerDied as death:
                    ending = self._ending_of(death)
        return words, ending

    def _ending_of(self, death: WorkerDied) -> Ending:
        self._died = death
        kind: Final = "worker_killed" if death.from_outside else "worker_died"
        return Ending(kind=kind, detail=str(death))

    async def _turn(
        self,
        words: str,
        history: Sequence[UserTurn],
        wait: Callable[[], float],
        *,
        goes_on: bool,
    ) -> tuple[RunResult | None, Ending]:
        """Run, and when time is up cancel; a worker that does not obey is killed."""
        told = [{"user": turn.user, "answer": turn.answer} for turn in history]
        episode = {**self._wire, "utterance": words}
        playing = self._worker.run(episode, told, goes_on=goes_on, workflow=self._workflow)
        running = asyncio.ensure_future(playing)
        try:
            seconds = await self._end_of_time(running, wait)
            if not running.done():
                await self._worker.cancel(self._wire["id"])
                await asyncio.wait({running}, timeout=GRACE_SECONDS)
                if not running.done():
                    await self._worker.kill()
                return None, Ending(kind="timeout", detail=f"cancelled after {seconds:.1f} s")
            result = running.result()
        except WorkerDied as death:
            return None, self._ending_of(death)
        finally:
            if not running.done():
                running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if result.error is not None:
            said = f"{result.error.type}: {result.error.message}"
            return result, Ending(kind="framework_error", detail=said[:2000])
        return result, Ending(kind="answered")

    async def _end_of_time(
        self, running: asyncio.Future[RunResult], wait: Callable[[], float]
    ) -> float:
        """Wait for an episode's end, or until its time is up; returns the seconds waited for.

        The gateway moves the end of the seconds by what trouble of the endpoint took from them, at
        most by as long again and one attempt.
        """
        waited, left = 0.0, wait() + GRACE_SECONDS
        while left > 0 and not running.done():
            await asyncio.wait({running}, timeout=left)
            waited += left
            left = self._account.wait_s() + GRACE_SECONDS
        return waited


def _turn(
    words: str, result: RunResult | None, before: tuple[int, int], now: tuple[int, int]
) -> PlayedTurn:
    return PlayedTurn(
        user=words,
        answer="" if result is None else result.answer,
        calls=now[0] - before[0],
        requests=now[1] - before[1],
    )


def _sum(results: Sequence[RunResult]) -> Reported | None:
    """Add what the framework counted in each turn; a count that is not known once is unknown."""
    counts = [result.reported for result in results]
    known = [each for each in counts if each is not None]
    if not known or len(known) < len(counts):
        return None

    def total(name: str) -> int | None:
        values = [getattr(each, name) for each in known]
        return None if None in values else sum(values)

    return Reported(**{name: total(name) for name in Reported.model_fields})
