"""When a session of a run ends early, and how many episodes of it go on at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ossia.errors import AllInvalid, RunStopped
from ossia.runner.config import RunConfig
from ossia.runner.engine import Endpoints
from ossia.runner.finished import Finished
from ossia.runner.hints import is_waiting, told_why
from ossia_evaluation.grade import Verdict
from ossia_servers.gateway import Purse
from ossia_servers.trace import EpisodeKey

STOP_AFTER = 20
"""A session is stopped when so many episodes in a row are invalid: the model is down, and hundreds
of further calls would tell no more. So is the first session of a run where the endpoint refuses
every request of its first episodes, which the next one goes on with all the same."""

STOP_WAITING_AFTER = 5
"""So is one when so many episodes in a row of a model ended at HTTP 429, or without an answer in
time: each has waited as long as it could. A quota has ended in words that nobody knows, or the
endpoint hangs, and what the episodes paid before is lost."""


class Stopping:
    """Stops a session that can only go on in vain."""

    def __init__(self, config: RunConfig, endpoints: Endpoints, *, fresh: bool) -> None:
        """Begin.

        Args:
            config: the run.
            endpoints: tell whether a model will answer no more.
            fresh: whether the run had no finished episode before.
        """
        self._config = config
        self._endpoints = endpoints
        self._first: list[Finished] | None = [] if fresh else None
        self._invalid = 0
        self._waited: Counter[str] = Counter()

    def begun(self, todo: Sequence[EpisodeKey]) -> Iterator[EpisodeKey]:
        """Yield the episodes that are begun: none any more when the limit of cost is reached."""
        return takewhile(lambda _: self._endpoints.limit_reached is None, todo)

    def at_end(self) -> None:
        """Take note that all begun episodes have ended.

        Raises:
            RunStopped: the limit of cost was reached.
        """
        if self._endpoints.limit_reached is not None:
            raise RunStopped(f"the run has stopped: {self._endpoints.limit_reached}")

    def after(self, done: Finished) -> None:
        """Take note of a finished episode.

        Raises:
            RunStopped: the endpoint answers no more, or too many episodes in a row are invalid.
            AllInvalid: the endpoint refused every request of the first episodes.
        """
        because = self._endpoints.closed_because
        if because is not None:
            raise RunStopped(f"the run has stopped: {because}; {_AGAIN}")
        if self._endpoints.limit_reached is not None:
            # What is under way is paid for: it ends by itself, and whoever cannot pay ends at once.
            return
        invalid = done.score.verdict is Verdict.INVALID
        self._invalid = self._invalid + 1 if invalid else 0
        self._note_waiting(done, invalid=invalid)
        if self._invalid >= STOP_AFTER:
            raise RunStopped(
                f"the run has stopped: {STOP_AFTER} episodes in a row are invalid, the last because"
                f" {told_why(done.score.reason, self._config)}; {_AGAIN}"
            )
        if self._first is not None:
            self._first.append(done)
            if len(self._first) == STOP_AFTER:
                _stop_in_vain(self._first, self._config)
                self._first = None

    def _note_waiting(self, done: Finished, *, invalid: bool) -> None:
        """Count the episodes of a model that waited in vain, one after the other."""
        model, reason = done.trace.episode.model, done.score.reason
        self._waited[model] = self._waited[model] + 1 if invalid and is_waiting(reason) else 0
        if self._waited[model] >= STOP_WAITING_AFTER:
            raise RunStopped(
                f"the run has stopped: {STOP_WAITING_AFTER} episodes in a row waited in vain for"
                f" {model}, the last because {told_why(reason, self._config)}; {_AGAIN}"
            )


_AGAIN = "fix the cause, then run the same command again"


def _stop_in_vain(first: Sequence[Finished], config: RunConfig) -> None:
    """Stop a run of whose first episodes none was answered by the model.

    Raises:
        AllInvalid: the endpoint refused every request of theirs.
    """
    gateway, many = first[-1].trace.gateway, len(first)
    if all(one.trace.gateway.is_all_refused for one in first):
        sent = {name for exchange in gateway.exchanges for name in exchange.forced}
        raise AllInvalid(
            f"the endpoint refused every request of the first {many} episodes, the last with:"
            f" {told_why(gateway.first_refusal or '', config, sent)}; they count as failures: fix"
            " the cause and use --fresh, or run the same command again to continue anyway"
        )


class Room:
    """Begins no more episodes at once than what is left of the limit of cost is likely to end.

    Else all of them share what is left, and each may run dry after most of its calls are paid.
    """

    def __init__(self, purse: Purse | None, counter: Sequence[int]) -> None:
        """Begin without any under way.

        Args:
            purse: what may be spent; None for no limit.
            counter: tells how many episodes what is spent was for.
        """
        self._purse = purse
        self._counter = counter
        self._under_way = 0
        self._ended = asyncio.Condition()

    async def __aenter__(self) -> None:
        async with self._ended:
            await self._ended.wait_for(self._fits)
            self._under_way += 1

    async def __aexit__(self, *_: object) -> None:
        async with self._ended:
            self._under_way -= 1
            self._ended.notify_all()

    def _fits(self) -> bool:
        purse, ended = self._purse, self._counter[0]
        if purse is None or purse.limit_usd is None or not self._under_way:
            return True
        if not ended:
            return False  # Nobody knows yet what an episode costs.
        usual = purse.spent_usd / ended
        return (self._under_way + 1) * usual <= purse.limit_usd - purse.spent_usd
