"""What the gateway keeps of an episode: its exchanges, its budget and their totals."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    model_validator,
)

RECORD_VERSION: Literal[4] = 4

Status = Literal["ok", "bad_request", "budget", "infrastructure", "abandoned", "injected"]
BudgetPart = Literal["calls", "tokens", "seconds"]


class Clock(Protocol):
    """Where the gateway takes the time from."""

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start, never going back."""
        ...


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Budget(_Frozen):
    """The most that one episode may spend; checked before each call.

    Attributes:
        calls: Chat completion requests of any kind, refused or malformed ones included.
        tokens: Prompt and completion tokens together. Prompts of pending calls are counted by
            their estimate until the answer is there.
        seconds: Time since the episode was opened, without that of attempts towards the model that
            failed and of the pauses after them, which may last as long again, and without that of
            waiting for a turn at the model and of pauses. A call that is pending when the seconds
            run out is cut.
    """

    calls: NonNegativeInt
    tokens: NonNegativeInt
    seconds: NonNegativeFloat = Field(allow_inf_nan=False)


class Usage(_Frozen):
    """Tokens of one call.

    Attributes:
        prompt_tokens: Tokens read, the cached ones included.
        completion_tokens: Tokens written.
        source: Whether the provider reported them or they are estimated from the text.
        cached_tokens: How many of the prompt tokens came from the provider's prompt cache.
        cache_write_tokens: How many of the prompt tokens were put into it.
        reasoning_tokens: How many of the completion tokens are reasoning that is not shown.

    Raises:
        ValueError: If a part is larger than the whole.
    """

    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt
    source: Literal["provider", "estimate"]
    cached_tokens: NonNegativeInt = 0
    cache_write_tokens: NonNegativeInt = 0
    reasoning_tokens: NonNegativeInt = 0

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.cached_tokens + self.cache_write_tokens > self.prompt_tokens:
            raise ValueError("cached_tokens and cache_write_tokens cannot exceed prompt_tokens")
        if self.reasoning_tokens > self.completion_tokens:
            raise ValueError("reasoning_tokens cannot exceed completion_tokens")
        return self

    @property
    def total_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


class Timing(_Frozen):
    """When a call was made; apart from what is the same in every repetition.

    Attributes:
        started_s: Seconds from the episode's opening to the arrival of the request.
        latency_s: Seconds from the arrival to the answer's being ready, without those waited.
        waited_s: Seconds that the request waited for its turn at the model.
    """

    started_s: float
    latency_s: float
    waited_s: NonNegativeFloat = 0.0


class Served(_Frozen):
    """What an endpoint says of its answer; None where it says nothing.

    Attributes:
        model: The snapshot that answered, such as `gpt-4o-2024-08-06`.
        system_fingerprint: Its configuration.
        finish_reason: Why the answer ended, in its own word.
        created: When it was made, in seconds since 1970.
    """

    model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    created: NonNegativeInt | None = None


class FailedAttempt(_Frozen):
    """A try towards the model that gave no answer.

    Attributes:
        reason: Why.
        unaccounted: Whether the endpoint may have worked, and charged, without telling the usage.
    """

    reason: str
    unaccounted: bool = False


class Exchange(_Frozen):
    """One request of an agent and what became of it.

    Attributes:
        seq: Position in the episode by arrival, from 0.
        role: The role that called, from the model name; empty if the request named none.
        model: What answered or should have, such as `offline` or `openai/gpt-4o`.
        request: The body as the framework sent it, without keys; empty if it was not a JSON
            object.
        forced: The parameters set by the framework beyond messages, tools, response_format, model
            and streaming.
        response: The assistant's message, or None if there was no answer.
        finish_reason: Why the answer ended, or None.
        usage: Its tokens, or None if they are not known.
        price_usd: Its price, or None if it is not known.
        status: `ok`; `bad_request` (the request was malformed, or the model refused it as such);
            `budget` (refused or cut); `infrastructure` (the model could not be reached or gave no
            valid answer); `abandoned` (pending when the episode was closed); `injected` (a fault of
            the run's plan has kept the answer from the framework).
        error: One sentence on what went wrong, or None.
        attempts: Tries towards the model; 0 if it was not asked.
        streamed: Whether the framework asked for a stream.
        timing: When it happened.
        failed_attempts: The tries that gave no answer, in order.
        served: What the endpoint says of its answer, or None.
        cached: Whether the answer was kept from an identical request of the run: nothing was sent,
            its price is 0, and its tokens are those of the first time.
    """

    seq: NonNegativeInt
    role: str
    model: str
    request: dict[str, Any]
    forced: dict[str, Any]
    response: dict[str, Any] | None
    finish_reason: str | None
    usage: Usage | None
    price_usd: NonNegativeFloat | None
    status: Status
    error: str | None
    attempts: NonNegativeInt
    streamed: bool
    timing: Timing
    failed_attempts: tuple[FailedAttempt, ...] = ()
    served: Served | None = None
    cached: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether the endpoint refused the request for its content (HTTP 400, 413 or 422).

        What the gateway itself takes for malformed never reaches the endpoint.
        """
        return self.status == "bad_request" and self.attempts > 0


def _of_now(version: Any) -> Any:
    """Take what earlier versions stored for the present one, whose later fields have defaults.

    The first kept neither failed attempts nor what an endpoint said, the second neither waiting nor
    cached answers, the third no injected faults.
    """
    return RECORD_VERSION if version in (1, 2, 3) else version


class GatewayRecord(_Frozen):
    """All that happened at the gateway in one episode.

    Attributes:
        version: Version of this format.
        episode: The episode's id.
        exchanges: In order of arrival.
        budget_spent: The part of the budget that ran out first, or None.
        refused_calls: Calls refused because the budget was spent; only the first of them are
            among the exchanges.
        late_calls: Calls with the episode's key after it was closed.
        waited_s: Seconds in which the episode waited for a turn at a model or was paused, and for
            nothing else.
    """

    version: Annotated[Literal[4], BeforeValidator(_of_now)] = RECORD_VERSION
    episode: str
    exchanges: tuple[Exchange, ...] = ()
    budget_spent: BudgetPart | None = None
    refused_calls: NonNegativeInt = 0
    late_calls: NonNegativeInt = 0
    waited_s: NonNegativeFloat = 0.0

    @property
    def unaccounted_attempts(self) -> int:
        """Tries whose tokens and price are not known, since no usage came."""
        return sum(a.unaccounted for e in self.exchanges for a in e.failed_attempts)

    @property
    def calls(self) -> int:
        """Calls that a model was asked to answer, or that were answered from elsewhere.

        That is from the cache, or by a fault that struck before the model was asked.
        """
        asked = (e for e in self.exchanges if e.attempts or e.cached or e.status == "injected")
        return sum(1 for _ in asked)

    @property
    def cached_calls(self) -> int:
        """Calls that were answered from the cache."""
        return sum(1 for exchange in self.exchanges if exchange.cached)

    @property
    def prompt_tokens(self) -> int:
        """Known prompt tokens of all exchanges."""
        return sum(exchange.usage.prompt_tokens for exchange in self.exchanges if exchange.usage)

    @property
    def completion_tokens(self) -> int:
        """Known completion tokens of all exchanges."""
        return sum(e.usage.completion_tokens for e in self.exchanges if e.usage)

    @property
    def total_tokens(self) -> int:
        """Known tokens of all exchanges."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def estimated(self) -> bool:
        """Whether any of the token counts is an estimate."""
        return any(e.usage.source == "estimate" for e in self.exchanges if e.usage)

    @property
    def price_usd(self) -> float | None:
        """Price of all answers; None if there is none or one of them has no known price."""
        prices = [e.price_usd for e in self.exchanges if e.status == "ok"]
        known = [price for price in prices if price is not None]
        return sum(known) if known and len(known) == len(prices) else None

    @property
    def first_refusal(self) -> str | None:
        """The endpoint's words on the first request that it refused for its content, or None."""
        refused = (exchange for exchange in self.exchanges if exchange.is_refused)
        return next((exchange.error or "no reason given" for exchange in refused), None)

    @property
    def is_all_refused(self) -> bool:
        """Whether the endpoint was asked, and refused every request for its content."""
        asked = [one for one in self.exchanges if one.attempts or one.cached]
        return bool(asked) and all(exchange.is_refused for exchange in asked)

    @property
    def fatal_refusal(self) -> Exchange | None:
        """The first refused request whose role was not answered afterwards, or None.

        A framework that shortened or changed such a request, and was answered, has recovered.
        """
        for number, exchange in enumerate(self.exchanges):
            later = self.exchanges[number + 1 :]
            if exchange.is_refused and not any(
                other.status == "ok" and other.role == exchange.role for other in later
            ):
                return exchange
        return None

    @property
    def model_seconds(self) -> float:
        """Sum of the latencies of all exchanges."""
        return sum(exchange.timing.latency_s for exchange in self.exchanges)
