"""What answers behind the gateway: the protocol, its data and its failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from ossia_servers.gateway.records import Served, Usage


class OnFailedAttempt(Protocol):
    """Is told of each attempt that failed."""

    def __call__(self, attempt: int, reason: str, unaccounted: bool = False) -> None:
        """Take note.

        Args:
            attempt: The attempt's number.
            reason: Why it failed.
            unaccounted: Whether the endpoint may have worked, and told no usage.
        """


def _ignore(attempt: int, reason: str, unaccounted: bool = False) -> None:
    pass


def _ignore_start(limit_s: float) -> None:
    pass


def _ignore_wait() -> None:
    pass


def _endless() -> float:
    return float("inf")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model.

    Attributes:
        role: The role that asks.
        episode: The episode it belongs to.
        request: The body of the chat completion request; not to be changed.
        on_failed_attempt: To be told the number and the reason of each attempt that failed and
            is to be repeated, so that a call cut while the model is failing is not blamed on the
            team.
        on_attempt: To be told at the start of each attempt how many seconds it may take at most;
            what then answers after the episode's seconds is late, and what does not answer at all
            was hanging.
        on_wait: To be told when the call begins to wait for its turn, which ends with the next
            attempt; that time is neither the team's nor the endpoint's.
        patience_s: Tells how many seconds the call may yet be in trouble before it is cut.
    """

    role: str
    episode: str
    request: Mapping[str, Any]
    on_failed_attempt: OnFailedAttempt = _ignore
    on_attempt: Callable[[float], None] = _ignore_start
    on_wait: Callable[[], None] = _ignore_wait
    patience_s: Callable[[], float] = _endless


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer.

    Attributes:
        message: An assistant message as in the OpenAI interface.
        finish_reason: `stop`, `tool_calls`, `length` and the like.
        usage: Tokens as reported, or None to have them estimated.
        attempts: Tries it took.
        model: Name of what answered where that is not the model that was asked (a router).
        served: What the endpoint says of the answer, or None where there is no endpoint.
        cached: Whether it was kept from an identical request of the run, and costs nothing.
    """

    message: dict[str, Any]
    finish_reason: str
    usage: Usage | None
    attempts: int = 1
    model: str | None = None
    served: Served | None = None
    cached: bool = False


def completion_of(message: Mapping[str, Any]) -> Completion:
    """Make a completion of an assistant message.

    Args:
        message: The message.

    Returns:
        A completion without reported usage, finished by its tool calls if it has any.
    """
    finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
    return Completion(
        message={"role": "assistant", **message}, finish_reason=finish_reason, usage=None
    )


class ModelFailure(Exception):
    """The model gave no valid answer, for reasons outside the team.

    Attributes:
        attempts: Tries it took to give up.
        model: Name of what failed where that is not the model that was asked.
    """

    def __init__(self, message: str, *, attempts: int = 1, model: str | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.model = model


class TapeMiss(ModelFailure):
    """The tape holds no answer to this request."""


class EndpointClosed(ModelFailure):
    """No further request will be answered: no key, no quota, or an address that only redirects."""


class RequestRefused(ModelFailure):
    """The model rejects the request as such (HTTP 400, 413 or 422), so repeating it is useless."""


class Model(Protocol):
    """Something that answers chat completion requests."""

    @property
    def name(self) -> str:
        """The model's name, such as `offline` or `openai/gpt-4o`."""
        ...

    async def complete(self, call: ModelCall) -> Completion:
        """Answer one request.

        Args:
            call: The request and who makes it.

        Returns:
            The answer.

        Raises:
            ModelFailure: If no valid answer could be had.
        """
        ...


@runtime_checkable
class ClosingModel(Protocol):
    """A model that holds connections or files."""

    async def aclose(self) -> None:
        """Release what the model holds."""
        ...


class DelayedModel:
    """Waits before each answer, so that a model that takes no time is asked like one that does."""

    def __init__(self, model: Model, seconds: float) -> None:
        """Set up the delay.

        Args:
            model: What answers.
            seconds: For how long each call waits.
        """
        self._model = model
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The name of the model that answers."""
        return self._model.name

    async def complete(self, call: ModelCall) -> Completion:
        """Wait, then answer.

        Raises:
            ModelFailure: If the model gives no answer.
        """
        await asyncio.sleep(self._seconds)
        return await self._model.complete(call)

    async def aclose(self) -> None:
        """Release what the model holds."""
        if isinstance(self._model, ClosingModel):
            await self._model.aclose()


class RoleModels:
    """Lets different models answer for different roles."""

    def __init__(self, default: Model, by_role: Mapping[str, Model]) -> None:
        """Set up the routes.

        Args:
            default: Answers for every role that is not named.
            by_role: Role to model.
        """
        self._default = default
        self._by_role = dict(by_role)

    @property
    def name(self) -> str:
        """The default's name followed by the exceptions, such as `offline,url=openai/gpt-4o`."""
        exceptions = [f"{role}={model.name}" for role, model in sorted(self._by_role.items())]
        return ",".join([self._default.name, *exceptions])

    def of(self, role: str) -> Model:
        """Return the model that answers for `role`."""
        return self._by_role.get(role, self._default)

    async def complete(self, call: ModelCall) -> Completion:
        """Let the role's model answer.

        Args:
            call: The request and who makes it.

        Returns:
            The answer, with the name of the model that gave it.

        Raises:
            ModelFailure: As raised by that model, with its name.
        """
        model = self.of(call.role)
        try:
            completion = await model.complete(call)
        except ModelFailure as failure:
            failure.model = failure.model or model.name
            raise
        return completion if completion.model else replace(completion, model=model.name)

    async def aclose(self) -> None:
        """Close each of the models once."""
        models = {id(model): model for model in (self._default, *self._by_role.values())}
        for model in models.values():
            if isinstance(model, ClosingModel):
                await model.aclose()
