"""How many requests and tokens a minute go to each upstream model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ossia_servers.gateway.estimates import estimate_prompt_tokens
from ossia_servers.gateway.purse import answer_limit
from ossia_servers.gateway.records import Clock

MINUTE_S: Final = 62.0
"""Seconds in which no more requests go than a minute allows. The endpoint counts them as they
arrive, and one may take two seconds longer to get there than another."""

USUAL_ANSWER: Final = 500
"""Tokens that an answer is taken for before it is there, or the request's own limit if lower."""


Minute = Mapping[str, tuple[int, int]]
"""The requests and the tokens of the last minute, by the model."""


@dataclass(slots=True)
class Turn:
    """A request that has been let go.

    Attributes:
        at_s: When, on the clock.
        tokens: Its tokens, as estimated or as they were.
    """

    at_s: float
    tokens: int


class Window:
    """The requests of the last minute, and when the next one may go."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        """Begin without any.

        Args:
            requests: Most in any `MINUTE_S`; None for no limit.
            tokens: Likewise.
        """
        self._requests = requests
        self._tokens = tokens
        self._turns: deque[Turn] = deque()

    def continue_from(self, at_s: float, requests: int, tokens: int) -> None:
        """Count what another process has let go, all of it at the time of the last.

        Args:
            at_s: When that was, on the clock.
            requests: How many requests.
            tokens: Their tokens.
        """
        self._turns.append(Turn(at_s, tokens))
        self._turns.extend(Turn(at_s, 0) for _ in range(requests - 1))

    def so_far(self) -> tuple[int, int]:
        """Return the requests and the tokens of the last minute."""
        return len(self._turns), sum(turn.tokens for turn in self._turns)

    def wait_s(self, now: float, tokens: int) -> float:
        """Return in how many seconds a request may go; 0 if it may go at once.

        One with more tokens than a minute has goes when no other was let go for a minute.

        Args:
            now: The time.
            tokens: Its tokens.
        """
        turns = self._turns
        while turns and turns[0].at_s + MINUTE_S <= now:
            turns.popleft()
        wait = 0.0
        if self._requests is not None and len(turns) >= self._requests:
            wait = turns[len(turns) - self._requests].at_s + MINUTE_S - now
        if self._tokens is None:
            return wait
        over = sum(turn.tokens for turn in turns) + tokens - self._tokens
        for turn in turns:
            if over <= 0:
                break
            over -= turn.tokens
            wait = max(wait, turn.at_s + MINUTE_S - now)
        return wait

    def take(self, now: float, tokens: int) -> Turn:
        """Note that a request is let go."""
        turn = Turn(now, tokens)
        self._turns.append(turn)
        return turn


class Pacing(Protocol):
    """Lets requests to one model go: a pace, or what reaches one elsewhere."""

    async def turn(self, tokens: int) -> Any:
        """Wait until a request may go; returns what `correct` takes.

        Args:
            tokens: Its tokens as estimated.
        """

    def correct(self, turn: Any, tokens: int) -> None:
        """Replace the estimate of a turn by its tokens."""


class PaceOfEach(Protocol):
    """The paces of several models."""

    def of(self, model: str) -> Pacing | None:
        """Return the pace of a model, or None where nothing is limited.

        Args:
            model: Its name.
        """


class Pace:
    """Lets requests to one model go in the order in which they came, as fast as is allowed."""

    def __init__(
        self,
        window: Window,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]],
        note: Callable[[], None],
    ) -> None:
        """Begin.

        Args:
            window: What a minute allows.
            clock: Where the time comes from.
            sleep: Makes a pause.
            note: Is called when a request is let go, before it goes.
        """
        self._window = window
        self._note = note
        self._clock = clock
        self._sleep = sleep
        self._line = asyncio.Lock()
        self._freed = asyncio.Event()

    async def turn(self, tokens: int) -> Turn:
        """Wait until a request may go.

        Args:
            tokens: Its tokens as estimated.

        Returns:
            Its turn, to be corrected when its tokens are known.
        """
        # The lock hands itself on in order, so a large request is not overtaken for ever.
        async with self._line:
            while (wait := self._window.wait_s(self._clock.monotonic(), tokens)) > 0:
                await self._pause(wait)
            turn = self._window.take(self._clock.monotonic(), tokens)
            self._note()
            return turn

    def correct(self, turn: Turn, tokens: int) -> None:
        """Replace the estimate of a turn by its tokens."""
        fewer = tokens < turn.tokens
        turn.tokens = tokens
        if fewer:
            self._freed.set()

    async def _pause(self, seconds: float) -> None:
        """Wait for a time, or until tokens are given back."""
        self._freed.clear()
        ends = {
            asyncio.ensure_future(self._sleep(seconds)),
            asyncio.ensure_future(self._freed.wait()),
        }
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ends:
                each.cancel()


class Paces:
    """The paces of a run, one for each upstream model."""

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Set the limits; nothing waits without one.

        Args:
            requests: Most requests a minute to each model; None for no limit.
            tokens: Most tokens a minute likewise.
            clock: Where the time comes from.
            sleep: Makes a pause.

        Raises:
            ValueError: If a limit is not positive.
        """
        if min(requests or 1, tokens or 1) < 1 or 0 in (requests, tokens):
            raise ValueError("A pace allows at least one request and one token a minute.")
        self._limits = requests, tokens
        self._clock = clock
        self._sleep = sleep
        self._of: dict[str, Pace] = {}
        self._windows: dict[str, Window] = {}
        self._told: Callable[[Minute], None] | None = None

    def continue_from(self, ago_s: float, minute: Minute, note: Callable[[Minute], None]) -> None:
        """Go on after an earlier process, whose last calls count as well.

        Args:
            ago_s: Seconds since its last call.
            minute: What it told last; empty where there was none.
            note: Is told of the last minute whenever a request is let go, before it goes.
        """
        self._told = note
        if 0 <= ago_s < MINUTE_S:
            for model, window in self._windows.items():
                requests, tokens = minute.get(model, (0, 0))
                if requests:
                    window.continue_from(self._clock.monotonic() - ago_s, requests, tokens)

    def _note(self) -> None:
        if self._told is not None:
            self._told({model: window.so_far() for model, window in self._windows.items()})

    def of(self, model: str) -> Pace | None:
        """Return the pace of a model, or None where nothing is limited.

        Args:
            model: Its name; however often it is opened, it has one pace.
        """
        if self._limits == (None, None):
            return None
        if model not in self._of:
            window = Window(*self._limits)
            self._windows[model] = window
            self._of[model] = Pace(window, clock=self._clock, sleep=self._sleep, note=self._note)
        return self._of[model]


def likely_tokens(body: Mapping[str, Any]) -> int:
    """Estimate the tokens of a request and of its answer, before it is sent."""
    limit = answer_limit(body)
    return estimate_prompt_tokens(body) + min(USUAL_ANSWER, limit or USUAL_ANSWER)
