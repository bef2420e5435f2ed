"""One episode's account at the gateway: what it may spend, has spent, and said."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ossia_servers.gateway.chat import ChatRequest
from ossia_servers.gateway.entries import Entry
from ossia_servers.gateway.estimates import estimate_prompt_tokens
from ossia_servers.gateway.lost import LostTime
from ossia_servers.gateway.models import Completion, Model, ModelFailure
from ossia_servers.gateway.records import (
    Budget,
    BudgetPart,
    Clock,
    FailedAttempt,
    GatewayRecord,
    Status,
)
from ossia_servers.gateway.strikes import Faults

# A framework that ignores refusals may go on for ever; its later ones are counted only.
_RECORDED_REFUSALS = 20

_NO_CALL = -1
"""Stands among waiting calls for an episode that is paused."""


class Session:
    """The account of one episode. All methods are called from the gateway's loop."""

    def __init__(
        self,
        episode: str,
        budget: Budget,
        *,
        opened_s: float,
        model: Model,
        faults: Faults | None = None,
        roles: Collection[str] | None = None,
    ) -> None:
        """Open the account.

        Args:
            episode: The episode's id.
            budget: What it may spend.
            opened_s: The time on the gateway's clock.
            model: What answers in this episode.
            faults: What takes the place of some answers; None for nothing.
            roles: The roles that may ask; None for any.
        """
        self.episode = episode
        self.closed = False
        self.late_calls = 0
        self._budget = budget
        self._opened_s = opened_s
        self.model = model
        self.faults = faults
        self.roles = roles
        self._entries: list[Entry] = []
        self._calls = 0
        self._tokens = 0
        self._reserved = 0
        self._refused = 0
        self._spent: BudgetPart | None = None
        self._lost = LostTime()
        self._waits = LostTime()
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def begun(self) -> int:
        """Calls that have begun; each has its place in the record, in this order."""
        return len(self._entries)

    def watch(self, now: float) -> None:
        """See to it that pending calls are cut when the episode's seconds run out.

        One timer for the episode; one for each call would cost more than the rest of the call.

        Args:
            now: The time on the gateway's clock.
        """
        if self._deadline is None:
            self._set_deadline(now)

    def wait_started(self, entry: Entry, now: float) -> None:
        """Note that a call waits for its turn at the model, until its next attempt starts.

        Args:
            entry: The pending call.
            now: The time on the gateway's clock.
        """
        if entry.status is None and entry.waiting_s is None:
            entry.waiting_s = now
            self._lost.end(entry.seq, now)
            self._waits.begin(entry.seq, now)
            self._set_deadline(now)

    @contextmanager
    def paused(self, clock: Clock) -> Iterator[None]:
        """Let the episode wait, while the block runs, for something that is none of its calls.

        Args:
            clock: The gateway's clock.
        """
        started = clock.monotonic()
        self._waits.begin(_NO_CALL, started)
        self._set_deadline(started)
        try:
            yield
        finally:
            ended = clock.monotonic()
            self._waits.end(_NO_CALL, ended)
            if not self.closed:
                self._set_deadline(ended)

    def attempt_started(self, entry: Entry, limit_s: float, now: float) -> None:
        """Note that the model tries to answer a call, for the first time or again.

        Args:
            entry: The pending call.
            limit_s: Seconds that the attempt may take at most.
            now: The time on the gateway's clock.
        """
        if entry.status is not None:
            return
        entry.attempt_s, entry.limit_s, entry.asking = now, limit_s, True
        entry.end_wait(now)
        if self._ended(entry, now):
            self._set_deadline(now)

    def attempt_failed(
        self, entry: Entry, attempt: int, reason: str, now: float, *, unaccounted: bool = False
    ) -> None:
        """Note an attempt that the model may repeat; its time is no longer the team's.

        Args:
            entry: The pending call.
            attempt: The attempt's number.
            reason: Why it failed.
            now: The time on the gateway's clock.
            unaccounted: Whether the endpoint may have worked, and told no usage.
        """
        if entry.status is not None:
            return
        entry.asking = False
        entry.failed.append(FailedAttempt(reason=reason, unaccounted=unaccounted))
        entry.attempts, entry.failing, entry.overtime = attempt, reason, False
        since = entry.started_s if entry.attempt_s is None else entry.attempt_s
        self._lost.begin(entry.seq, since)
        if self.left_s(now) > 0:
            for other in self._entries:
                other.overtime = False
        self._set_deadline(now)

    def _set_deadline(self, now: float) -> None:
        """Set the timer anew: for the end of the seconds, or of the patience with the endpoint."""
        if self._deadline is not None:
            self._deadline.cancel()
        # As long as a call is in trouble, or waits for its turn, the seconds stand still.
        if self._waits.open and not self._lost.open:
            self._deadline = None
            return
        wait = self.patience_s(now) if self._lost.open else self.left_s(now)
        self._deadline = asyncio.get_running_loop().call_later(max(0.0, wait), self._expire)

    def _expire(self) -> None:
        self._deadline = None
        for entry in self._entries:
            if entry.status is not None:
                continue
            if self._lost.open:
                if self.in_trouble(entry):
                    entry.cut_now()
            elif entry.limit_s is not None and entry.limit_s <= self._budget.seconds:
                entry.overtime = True
            else:
                entry.cut_now()

    def left_s(self, now: float) -> float:
        """Return the seconds that the episode has left at `now`.

        The time lost by the endpoint's trouble is given back, at most as long as the budget; that
        of waiting for a turn, which is no fault of anybody's, without limit.
        """
        lost = min(self._lost.total(now), self._budget.seconds) + self._waited_s(now)
        return self._opened_s + self._budget.seconds + lost - now

    def _waited_s(self, now: float) -> float:
        return self._waits.beside(self._lost, now)

    def _ended(self, entry: Entry, now: float) -> bool:
        """End a call's trouble and its waiting; returns whether there was any."""
        troubled, waited = self._lost.end(entry.seq, now), self._waits.end(entry.seq, now)
        return troubled or waited

    def wait_s(self, now: float) -> float:
        """Return how long the episode may yet last; negative when it should have ended.

        Never negative while an endpoint has to be awaited, which has an end of its own.
        """
        awaited = any(entry.overtime and entry.status is None for entry in self._entries)
        left = self.left_s(now)
        return max(0.0, left) if awaited or self._lost.open or self._waits.open else left

    def in_trouble(self, entry: Entry) -> bool:
        """Return whether a call's last attempt has failed and the next has not started."""
        return self._lost.holds(entry.seq)

    def patience_s(self, now: float) -> float:
        """Return the seconds that the endpoint's trouble may yet take before calls are cut."""
        return self._budget.seconds - self._lost.total(now)

    def spent(self, now: float) -> BudgetPart | None:
        """Return the part of the budget that allows no further call at `now`, if there is one."""
        if self._calls >= self._budget.calls:
            return "calls"
        if self._tokens + self._reserved >= self._budget.tokens:
            return "tokens"
        return "seconds" if self.left_s(now) <= 0 else None

    def begin(self, request: ChatRequest, now: float) -> Entry:
        """Count a call and hold its prompt against the budget until it is finished.

        Args:
            request: The request.
            now: The time on the gateway's clock.

        Returns:
            The pending call.
        """
        entry = self._append(request, now)
        self._calls += 1
        if request.fault is None:
            entry.reserved = estimate_prompt_tokens(request.body)
            self._reserved += entry.reserved
        return entry

    def refuse(self, request: ChatRequest, part: BudgetPart, now: float) -> str:
        """Note a call that the budget does not allow.

        Args:
            request: The request.
            part: What is spent.
            now: The time on the gateway's clock.

        Returns:
            One sentence for the caller.
        """
        self._refused += 1
        self._spent = self._spent or part
        error = f"The episode's budget of {part} is spent."
        if self._refused <= _RECORDED_REFUSALS:
            entry = self._append(request, now)
            entry.status, entry.error = "budget", error
        return error

    def succeed(self, entry: Entry, completion: Completion, now: float) -> None:
        """Finish a call with its answer.

        Args:
            entry: The pending call.
            completion: The answer.
            now: The time on the gateway's clock.
        """
        if not self._finish(entry, "ok", None, now):
            return
        entry.completion = completion
        self._tokens += entry.pay(completion) or entry.reserved

    def late(self, entry: Entry, completion: Completion, now: float) -> str:
        """Finish a call whose answer came after the episode's seconds; its tokens count.

        Args:
            entry: The pending call.
            completion: The answer.
            now: The time on the gateway's clock.

        Returns:
            One sentence for the caller.
        """
        error = "The episode's budget of seconds ran out during this call."
        if entry.status is None:
            self.fail(entry, "budget", error, now)
            self._tokens += entry.pay(completion)
        return error

    def strike(self, entry: Entry, error: str, paid: Completion | None, now: float) -> None:
        """Finish a call whose answer a fault has kept from the framework.

        Args:
            entry: The pending call.
            error: One sentence on it.
            paid: The answer that was asked for in vain, whose tokens count; None for none.
            now: The time on the gateway's clock.
        """
        if self._finish(entry, "injected", error, now) and paid is not None:
            self._tokens += entry.pay(paid)

    def fail(
        self,
        entry: Entry,
        status: Status,
        error: str,
        now: float,
        *,
        failure: ModelFailure | None = None,
    ) -> None:
        """Finish a call without an answer.

        Args:
            entry: The pending call.
            status: What kind of end it is.
            error: One sentence on it.
            now: The time on the gateway's clock.
            failure: The model's failure, if that is the cause.
        """
        unasked = status == "bad_request" or entry.waiting_s is not None
        if not self._finish(entry, status, error, now):
            return
        if failure is not None:
            entry.attempts, entry.model = failure.attempts, failure.model or entry.model
        elif not unasked:
            entry.attempts += 1
        if status == "budget":
            self._spent = self._spent or "seconds"

    def cut_short(self, entry: Entry, status: Status, event: str, now: float) -> str:
        """Finish a call that the model did not finish.

        If the model had failed before and was trying again, that is the cause.

        Args:
            entry: The pending call.
            status: What kind of end it is otherwise.
            event: What happened, without a full stop.
            now: The time on the gateway's clock.

        Returns:
            One sentence for the caller.
        """
        status, event = entry.cut_by(status, event)
        self.fail(entry, status, f"{event}.", now)
        return f"{event}."

    def close(self, now: float) -> None:
        """End the episode; pending calls are cut.

        Args:
            now: The time on the gateway's clock.
        """
        self.closed = True
        for entry in self._entries:
            if entry.status is None:
                self.cut_short(entry, "abandoned", "The episode was closed during this call", now)
                entry.cut_now()
        if self._deadline is not None:
            self._deadline.cancel()

    def record(self, price_model: str | None, now: float) -> GatewayRecord:
        """Return the record of all finished calls.

        Args:
            price_model: Price every answer as this model's, or None for each its own.
            now: The time on the gateway's clock.

        Returns:
            The record.
        """
        exchanges = (
            e.exchange(e.status, price_model, self._opened_s) for e in self._entries if e.status
        )
        return GatewayRecord(
            episode=self.episode,
            exchanges=tuple(exchanges),
            budget_spent=self._spent,
            refused_calls=self._refused,
            late_calls=self.late_calls,
            waited_s=self._waited_s(now),
        )

    def _append(self, request: ChatRequest, now: float) -> Entry:
        entry = Entry(len(self._entries), request, now, self.model.name)
        self._entries.append(entry)
        return entry

    def _finish(self, entry: Entry, status: Status, error: str | None, now: float) -> bool:
        if not entry.finish(status, error, now):
            return False
        if self._ended(entry, now) and not self.closed:
            self._set_deadline(now)
        self._reserved -= entry.reserved
        return True
