"""A call while it is being answered."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from hashlib import blake2b

import orjson

from ossia_servers.gateway.chat import (
    ChatRequest,
    answer_body,
    forced_parameters,
    stream_body,
)
from ossia_servers.gateway.estimates import estimate_usage
from ossia_servers.gateway.models import Completion
from ossia_servers.gateway.prices import price_usd
from ossia_servers.gateway.records import Exchange, FailedAttempt, Status, Timing, Usage


@dataclass(slots=True)
class Entry:
    """A call while it is being answered; the session makes an exchange of it.

    Attributes:
        seq: Position in the episode.
        request: The request as read.
        started_s: When it arrived, on the gateway's clock.
        model: What answers or should.
        reserved: Prompt tokens held against the budget while the call is pending.
        cut: Ends the wait for the model, while there is one.
        status: None while the call is pending.
        completion: The answer.
        usage: The answer's tokens.
        error: What went wrong.
        attempts: Tries towards the model.
        failing: Why the model's last attempt failed, while it is being repeated.
        attempt_s: When the present attempt started; None where the model does not tell.
        limit_s: Seconds that it may take at most; None where the model does not tell.
        overtime: Whether the episode's seconds ran out while the attempt was under way. It is
            awaited all the same, since only its end tells a hanging endpoint from a slow team.
        latency_s: Time until the answer was ready.
        asking: Whether an attempt is under way.
        failed: The attempts that gave no answer.
        gone: Whether the framework has hung up.
        waiting_s: Since when it has been waiting for its turn at the model; None while it is not.
        waited_s: How long it has waited before.
    """

    seq: int
    request: ChatRequest
    started_s: float
    model: str
    reserved: int = 0
    cut: asyncio.Timeout | None = None
    status: Status | None = None
    completion: Completion | None = None
    usage: Usage | None = None
    error: str | None = None
    attempts: int = 0
    failing: str | None = None
    attempt_s: float | None = None
    limit_s: float | None = None
    overtime: bool = False
    latency_s: float = 0.0
    asking: bool = False
    failed: list[FailedAttempt] = field(default_factory=list)
    gone: bool = False
    waiting_s: float | None = None
    waited_s: float = 0.0

    def cut_now(self) -> None:
        """End the wait for the model, if there is one."""
        if self.cut is not None and not self.cut.expired():
            self.cut.reschedule(0.0)

    def end_wait(self, now: float) -> None:
        """Note that its turn has come, if it waits."""
        if self.waiting_s is not None:
            self.waited_s += now - self.waiting_s
            self.waiting_s = None

    def cut_by(self, status: Status, event: str) -> tuple[Status, str]:
        """Note that it ends before the model has finished.

        Args:
            status: What kind of end it is, unless the model was failing before.
            event: What happened, without a full stop.

        Returns:
            What kind of end it is, and what happened with its cause.
        """
        if self.asking and self.status is None:
            # What the endpoint makes of it is charged, and never seen.
            self.asking = False
            self.failed.append(FailedAttempt(reason=event, unaccounted=True))
        if self.failing is None:
            return status, event
        return "infrastructure", f"{event}; the model's last error: {self.failing}"

    def finish(self, status: Status, error: str | None, now: float) -> bool:
        """Note how it has ended; returns whether it had not ended before."""
        if self.status is not None:
            return False
        self.status, self.error = status, error
        self.end_wait(now)
        self.latency_s = now - self.started_s - self.waited_s
        return True

    def pay(self, completion: Completion) -> int:
        """Note what an answer took, whether or not the framework gets it.

        Returns:
            Its known tokens.
        """
        self.attempts, self.model = completion.attempts, completion.model or self.model
        body, prompt = self.request.body, self.reserved
        self.usage = completion.usage or estimate_usage(body, completion.message, prompt)
        return self.usage.total_tokens if self.usage else 0

    def written(self, completion: Completion) -> tuple[bytes, int, dict[str, str]]:
        """Return the response with an answer, as the framework asked for it.

        Args:
            completion: The answer.

        Returns:
            Body, status and headers. The answer's id is the same when an episode is played again,
            as frameworks quote it in errors, and tells nothing but what was asked.
        """
        request = self.request
        asked = blake2b(orjson.dumps(request.body), digest_size=8).hexdigest()
        identity = f"chatcmpl-{asked}-{self.seq}"
        named = identity, request.model, completion, self.usage
        if request.streamed:
            body, media = stream_body(*named, with_usage=request.with_usage), "text/event-stream"
        else:
            body, media = answer_body(*named), "application/json"
        return body, 200, {"content-type": media}

    def exchange(self, status: Status, price_model: str | None, opened_s: float) -> Exchange:
        """Return what is recorded of the call when it is finished.

        Args:
            status: How it ended.
            price_model: Price the answer as this model's, or None for its own.
            opened_s: When its episode was opened, on the gateway's clock.
        """
        completion = self.completion
        cached = completion is not None and completion.cached
        return Exchange(
            seq=self.seq,
            role=self.request.role,
            model=self.model,
            request=self.request.body,
            forced=forced_parameters(self.request.body),
            response=completion.message if completion else None,
            finish_reason=completion.finish_reason if completion else None,
            usage=self.usage,
            price_usd=0.0 if cached else price_usd(price_model or self.model, self.usage),
            status=status,
            error=self.error,
            attempts=self.attempts,
            failed_attempts=tuple(self.failed),
            served=completion.served if completion else None,
            cached=cached,
            streamed=self.request.streamed,
            timing=Timing(
                started_s=self.started_s - opened_s,
                latency_s=self.latency_s,
                waited_s=self.waited_s,
            ),
        )
