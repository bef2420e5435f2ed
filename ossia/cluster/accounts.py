"""What a run may spend and how fast it may ask, held in one place for all nodes.

A node asks before a call goes out and tells afterwards. A question that nobody answers any more
lets no call go.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal, Protocol

from ossia_servers.gateway import ModelFailure, Paces, Purse, SpendingLimit

_UNREACHABLE: Final = (
    "the process that keeps the run's account cannot be reached, so nothing more is spent"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a node asks or tells."""

    node: int
    life: str
    """Which of the node's processes speaks; after a loss it is another one."""
    number: int
    """Of the question; what is told of it later bears the same."""
    what: Literal["hold", "settle", "turn", "correct", "drop"]
    amount: float | None = None
    """US dollars or tokens; None for a price that is not known."""
    model: str = ""


class Line(Protocol):
    """How a node reaches the account."""

    async def ask(self, request: Request) -> str:
        """Ask, and wait until the call may go.

        Returns:
            Why it cannot be paid; empty where it may go.

        Raises:
            ConnectionError: there is nobody to answer.
        """

    def tell(self, request: Request) -> None:
        """Tell, without waiting."""


@dataclass(slots=True)
class _Asked:
    """What a node has asked, and has not told the end of."""

    answering: asyncio.Task[Any] | None
    held: float | None = None
    turn: Any = None


class Accounts:
    """Answers the nodes of a session by its purse and its paces."""

    def __init__(self, purse: Purse, paces: Paces) -> None:
        """Begin without any question.

        Args:
            purse: what the session may spend.
            paces: how many requests and tokens a minute go to each model.
        """
        self._purse = purse
        self._paces = paces
        self._lives: dict[int, str] = {}
        self._asked: dict[int, dict[int, _Asked]] = {}
        self.limit_reached: str | None = None
        """Why a call was not begun for its cost; others may still go."""

    async def answer(self, request: Request) -> str:
        """Answer a question of a node: empty when the call may go, or why it cannot be paid."""
        asked = _Asked(asyncio.current_task())
        if self._of(request).setdefault(request.number, asked) is not asked:
            return ""  # It was dropped before it came.
        try:
            if request.what == "hold":
                asked.held = await self._purse.hold(request.amount or 0.0)
            elif (pace := self._paces.of(request.model)) is not None:
                asked.turn = await pace.turn(int(request.amount or 0))
        except SpendingLimit as limit:
            if self.limit_reached is None:
                self.limit_reached = str(limit)
            return str(limit)
        finally:
            asked.answering = None
        return ""

    def note(self, request: Request) -> None:
        """Take note of what a node tells."""
        asked = self._of(request).pop(request.number, None)
        if asked is None:
            if request.what == "drop":
                self._of(request)[request.number] = _Asked(None)
            return
        if asked.answering is not None:
            asked.answering.cancel()
        if asked.held is not None:
            # What is dropped was not sent.
            self._purse.settle(asked.held, 0.0 if request.what == "drop" else request.amount)
        pace = None if asked.turn is None else self._paces.of(request.model)
        if pace is not None and request.amount is not None:
            pace.correct(asked.turn, int(request.amount))

    def _of(self, request: Request) -> dict[int, _Asked]:
        """The open questions of a node's process; those of an earlier one are closed."""
        if self._lives.get(request.node) != request.life:
            self._lives[request.node] = request.life
            for lost in self._asked.pop(request.node, {}).values():
                if lost.answering is not None:
                    lost.answering.cancel()
                if lost.held is not None:
                    # The call may have gone out and be charged: it counts as its most.
                    self._purse.settle(lost.held, None)
        return self._asked.setdefault(request.node, {})


class FarPurse:
    """The session's purse, as a node reaches it."""

    def __init__(self, asker: Asker) -> None:
        """Say who asks."""
        self._asker = asker

    async def hold(self, most_usd: float) -> int:
        """Wait until a call can be paid; returns the question's number.

        Raises:
            SpendingLimit: it could exceed the limit.
            ModelFailure: there is nobody to answer.
        """
        return await self._asker.ask("hold", most_usd)

    def settle(self, held: int, price: float | None) -> None:
        """Tell the price of a call; None where it is not known."""
        self._asker.tell(held, "settle", price)


class FarPaces:
    """The session's paces, as a node reaches them."""

    def __init__(self, asker: Asker) -> None:
        """Say who asks."""
        self._asker = asker

    def of(self, model: str) -> FarPace:
        """Return the pace of a model."""
        return FarPace(self._asker, model)


class FarPace:
    """The pace of one model."""

    def __init__(self, asker: Asker, model: str) -> None:
        """Say who asks, and the model's name."""
        self._asker = asker
        self._model = model

    async def turn(self, tokens: int) -> int:
        """Wait until a request may go; returns the question's number.

        Raises:
            ModelFailure: there is nobody to answer.
        """
        return await self._asker.ask("turn", tokens, self._model)

    def correct(self, turn: int, tokens: int) -> None:
        """Tell how many tokens a request took."""
        self._asker.tell(turn, "correct", tokens, self._model)


class Asker:
    """One process of a node, which asks and tells."""

    def __init__(self, line: Line, node: int, life: str) -> None:
        """Set up.

        Args:
            line: how it reaches the account.
            node: the node's number.
            life: what tells this process from earlier ones of the node.
        """
        self._line = line
        self._who = (node, life)
        self._numbers = count()

    async def ask(self, what: Literal["hold", "turn"], amount: float, model: str = "") -> int:
        """Ask, and wait until a call may go; returns the question's number.

        Raises:
            SpendingLimit: it cannot be paid.
            ModelFailure: there is nobody to answer, so it must not go.
        """
        number = next(self._numbers)
        try:
            refused = await self._line.ask(Request(*self._who, number, what, amount, model))
        except asyncio.CancelledError:
            self.tell(number, "drop", None, model)
            raise
        except ConnectionError:
            raise ModelFailure(_UNREACHABLE, attempts=0) from None
        if refused:
            raise SpendingLimit(refused, attempts=0)
        return number

    def tell(
        self,
        number: int,
        what: Literal["settle", "correct", "drop"],
        amount: float | None,
        model: str = "",
    ) -> None:
        """Tell what has become of a call that was asked about."""
        self._line.tell(Request(*self._who, number, what, amount, model))
