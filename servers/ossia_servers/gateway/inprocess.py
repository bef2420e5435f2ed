"""A model that lives in this process, such as the offline one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ossia_servers.gateway.models import Completion, ModelCall, completion_of


class Answerer(Protocol):
    """Answers a chat completion request by computing."""

    def complete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the assistant's message for the body of a request."""
        ...


class InProcessModel:
    """Asks an answerer in the gateway's own thread: it takes milliseconds, and never waits."""

    def __init__(self, answerer: Answerer, *, name: str = "offline") -> None:
        """Wrap an answerer.

        Args:
            answerer: What answers.
            name: The model's name in the records.
        """
        self.name = name
        self._answerer = answerer

    async def complete(self, call: ModelCall) -> Completion:
        """Let the answerer answer.

        Args:
            call: The request.

        Returns:
            Its message; the tokens are left to be estimated.
        """
        return completion_of(self._answerer.complete(call.request))
