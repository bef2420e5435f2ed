"""What a run may spend at upstream models, held before each call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from ossia_servers.gateway.models import ModelFailure
from ossia_servers.gateway.prices import price_usd
from ossia_servers.gateway.records import Usage

UNLIMITED_ANSWER: Final = 16_384
"""Tokens that an answer is taken for at most where the request sets no limit of its own."""


class SpendingLimit(ModelFailure):
    """The next call could cost more than is left; a smaller one may still be paid."""


def _forget(_spent_usd: float) -> None:
    pass


class Holding(Protocol):
    """Holds what calls can cost at most: a purse, or what reaches one elsewhere."""

    async def hold(self, most_usd: float) -> Any:
        """Wait until a call can be paid, and hold its most; returns what `settle` takes.

        Args:
            most_usd: The most that the call can cost, by what is asked for.

        Raises:
            SpendingLimit: It could exceed the limit.
        """

    def settle(self, held: Any, price: float | None) -> None:
        """Replace what was held for a call by its price; without one it stays at its most."""


class Purse:
    """Counts what a run spends, and lets no call begin that could exceed the limit.

    A call is held at the most that it can cost until its price is known; one whose usage never
    comes stays at that. Where an endpoint has charged for more than it was asked for, later calls
    are held at as many times their most.
    """

    def __init__(self, limit_usd: float | None = None) -> None:
        """Begin with nothing spent.

        Args:
            limit_usd: The most that may be spent; None for no limit.
        """
        self.limit_usd = limit_usd
        self.spent_usd = 0.0
        self._held = 0.0
        self._without_usage = 0.0
        self._times_most = 1.0
        self._note: Callable[[float], None] = _forget
        self._settled = asyncio.Condition()
        self._waking: asyncio.Future[None] | None = None

    def continue_from(self, spent_usd: float, note: Callable[[float], None]) -> None:
        """Go on from what earlier sessions spent.

        Args:
            spent_usd: As `note` was last told.
            note: Is told after each change what is spent, calls under way at their most.
        """
        self.spent_usd, self._note = spent_usd, note

    async def hold(self, most_usd: float) -> float:
        """Wait until a call can be paid whatever becomes of those under way, and hold its most.

        Args:
            most_usd: The most that the call can cost, by what is asked for.

        Returns:
            What is held, as `settle` takes it.

        Raises:
            SpendingLimit: It could exceed the limit.
        """
        limit = self.limit_usd
        async with self._settled:
            while limit is not None and self.spent_usd + self._held + self._most(most_usd) > limit:
                if self.spent_usd + self._most(most_usd) > limit:
                    raise SpendingLimit(self._refusal(self._most(most_usd), limit), attempts=0)
                await self._settled.wait()
            held = self._most(most_usd)
            self._held += held
        self._note(self.spent_usd + self._held)
        return held

    def _most(self, most_usd: float) -> float:
        return most_usd * self._times_most

    def _refusal(self, most_usd: float, limit: float) -> str:
        if self.spent_usd > limit:
            return (
                f"{self.spent_usd:.4f} USD is spent, more than --max-cost {limit:g}: the endpoint"
                " charged for more tokens than it was asked for; a higher --max-cost resumes"
            )
        if most_usd > limit:
            return (
                f"one call alone could cost {most_usd:.4f} USD, more than --max-cost {limit:g};"
                " run again with a higher --max-cost, or limit the answer with --model-param"
                " max_tokens=N"
            )
        return (
            f"{self.spent_usd:.4f} of --max-cost {limit:g} USD is spent{self._lost()}, and the"
            f" next call could cost {most_usd:.4f}; run again with a higher --max-cost to resume"
        )

    def _lost(self) -> str:
        """What this session's attempts without usage took; empty where there are none."""
        if not self._without_usage:
            return ""
        return (
            f" ({self._without_usage:.4f} USD of it for attempts that reported no usage, each"
            " counted at its worst case: --model-param max_tokens=N lowers that)"
        )

    def settle(self, held: float, price: float | None) -> None:
        """Replace what was held for a call by its price; without one it stays at its most."""
        self._held = max(0.0, self._held - held)
        if price is None:
            self._without_usage += held
        elif price > held > 0:
            self._times_most *= price / held
        self.spent_usd += held if price is None else price
        self._note(self.spent_usd + self._held)
        self._waking = asyncio.ensure_future(self._wake())

    async def _wake(self) -> None:
        async with self._settled:
            self._settled.notify_all()


def answer_limit(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens that a request allows for its answer, or None where it says none."""
    limits = (body.get("max_completion_tokens"), body.get("max_tokens"))
    said = [limit for limit in limits if isinstance(limit, int) and limit > 0]
    return min(said, default=None)


def most_usd(model: str, body: Mapping[str, Any], size: int) -> float | None:
    """Return the most that a request can cost, or None where its price is not known.

    No token is shorter than a byte, and the answer has as many tokens as the request allows, or
    `UNLIMITED_ANSWER`.

    Args:
        model: The model's name, as for `price_usd`.
        body: The request as it is sent.
        size: Its length in bytes.
    """
    answer = answer_limit(body) or UNLIMITED_ANSWER
    # Some charge more for what they put into their cache than for what they only read.
    prices = [
        price_usd(
            model,
            Usage(
                prompt_tokens=size,
                completion_tokens=answer,
                source="estimate",
                cache_write_tokens=written,
            ),
        )
        for written in (0, size)
    ]
    known = [price for price in prices if price is not None]
    return max(known) if known else None
