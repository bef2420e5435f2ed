"""What takes the place of an answer on its way to the framework, where a fault strikes.

The gateway asks an episode's `Faults` before and after the model answers, and sends what they say.
They are elsewhere, and so is every decision: here is only how it goes over the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure
from ossia_servers.http.ending import end_connection

__all__ = ["AnswerLost", "Faults", "Strike", "TornResponse"]

Act = Literal["answer", "error", "reset", "midway", "hang"]


@dataclass(frozen=True, slots=True)
class Strike:
    """What a framework gets in place of the answer.

    Attributes:
        act: An answer; an HTTP error; a connection that is reset before or in the middle of the
            answer; or nothing, until the framework hangs up.
        error: One sentence on it for the record, where it is no answer.
        completion: The answer, as the framework gets it or its first half; or one that it does not
            get, and that is paid for.
        status: The status of an HTTP error.
        body: Its body.
        media: Its media type.
        headers: Its headers.
        delay_s: Seconds that pass before.
    """

    act: Act
    error: str = ""
    completion: Completion | None = None
    status: int = 200
    body: bytes = b""
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0


class AnswerLost(ModelFailure):
    """In a replay: the framework got no answer here, and gets none again.

    Attributes:
        strike: What it gets.
    """

    def __init__(self, strike: Strike) -> None:
        super().__init__(strike.error)
        self.strike = strike


class Faults(Protocol):
    """The faults of one episode. Both methods are called in the order of the calls."""

    def instead(self, seq: int, call: ModelCall) -> Strike | None:
        """Return what comes without asking the model; None to ask it.

        Args:
            seq: The call's place in the episode.
            call: The call.
        """
        ...

    def after(self, seq: int, call: ModelCall, completion: Completion) -> Strike | None:
        """Return what comes in place of the model's answer; None for the answer itself.

        Args:
            seq: The call's place in the episode.
            call: The call.
            completion: The answer.
        """
        ...


class TornResponse(Response):
    """The first half of a response, and then a reset of its connection.

    Without a body not even its head is sent.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the half, and reset."""
        if self.body:
            head = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **head})
            half = bytes(self.body[: len(self.body) // 2])
            await send({"type": "http.response.body", "body": half, "more_body": True})
        await end_connection(scope, receive, reset=True)
