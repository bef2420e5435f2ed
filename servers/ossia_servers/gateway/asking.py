"""Ossia's own questions to a model, such as a simulated user's: through the gateway, like a team's.

So they have an account of their own, with the gateway's retries, limits and records.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeAlias

from ossia_servers.gateway.service import CHAT_PATH, Gateway

__all__ = ["Ask", "Asker", "Message", "Unanswered"]

Message: TypeAlias = Mapping[str, str]
"""A message of a chat completion request: its `role` and its `content`."""

Ask: TypeAlias = Callable[[Sequence[Message]], Awaitable[str]]
"""Puts messages to a model and returns the text of its answer, which may be empty; raises
`Unanswered` where there is none."""

_THOUGHT: Final = re.compile(r"\A\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)
"""What some endpoints leave before the answer; one that never ends is all there is."""


class Unanswered(Exception):
    """A model gave no answer that could be used; the message says why."""


class Asker:
    """Asks through a gateway with the key of an open account; plays `Ask`."""

    def __init__(self, gateway: Gateway, api_key: str, role: str) -> None:
        """Set up.

        Args:
            gateway: What is asked.
            api_key: The account's key.
            role: Who asks, as the records name it.
        """
        self._gateway = gateway
        self._headers = {"authorization": f"Bearer {api_key}"}
        self._model = f"ossia-{role}"

    async def __call__(self, messages: Sequence[Message]) -> str:
        """Return the text of an answer, without the thoughts before it.

        Raises:
            Unanswered: The model failed, refused the request, or the account is spent.
        """
        import httpx

        # Without a socket, and else like everybody's request. The gateway ends every call.
        transport = httpx.ASGITransport(self._gateway.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://gateway", headers=self._headers, timeout=None
        ) as client:
            body = {"model": self._model, "messages": list(messages)}
            response = await client.post(CHAT_PATH, json=body)
        told = response.json()
        if response.status_code != 200:
            raise Unanswered(told["error"]["message"])
        return _THOUGHT.sub("", told["choices"][0]["message"].get("content") or "").strip()
