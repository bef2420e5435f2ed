"""Chat completions over plain HTTP, with their usage counted."""

from dataclasses import dataclass, field
from typing import Any

import requests

from ossia_adapter import Episode, Reported

__all__ = ["Chat", "ModelError"]

Message = dict[str, Any]


class ModelError(RuntimeError):
    """The endpoint answered with an error or with something that is no completion."""


@dataclass(slots=True)
class Chat:
    """The endpoint of one episode.

    Attributes:
        episode: The episode, whose key and model names are used.
        session: The HTTP session; it must ignore the environment's proxies.
    """

    episode: Episode
    session: requests.Session
    _calls: int = field(default=0, init=False)
    _prompt_tokens: int = field(default=0, init=False)
    _completion_tokens: int = field(default=0, init=False)

    def complete(self, role: str, messages: list[Message], **options: Any) -> Message:
        """Ask a role's model.

        Args:
            role: The role that asks.
            messages: The conversation.
            **options: Further fields of the request, such as ``tools``.

        Returns:
            The assistant's message.

        Raises:
            ModelError: The endpoint answered with an error or no completion.
            requests.RequestException: There was no answer, or not in time.
        """
        self._calls += 1
        response = self.session.post(
            f"{self.episode.gateway_url}/chat/completions",
            json={
                "model": self.episode.model(role),
                "messages": messages,
                "temperature": 0,
                **options,
            },
            headers={"Authorization": f"Bearer {self.episode.api_key}"},
            timeout=self.episode.limits.call_seconds,
        )
        if response.status_code != 200:
            raise ModelError(f"HTTP {response.status_code}: {response.text[:1000]}")
        try:
            completion = response.json()
            message: Message = completion["choices"][0]["message"]
            usage = completion.get("usage") or {}
            self._prompt_tokens += usage.get("prompt_tokens", 0)
            self._completion_tokens += usage.get("completion_tokens", 0)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"no completion: {response.text[:1000]}") from error
        return message

    @property
    def reported(self) -> Reported:
        """The counts so far."""
        return Reported(self._calls, self._prompt_tokens, self._completion_tokens)
