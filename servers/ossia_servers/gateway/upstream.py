"""Models behind another OpenAI-compatible endpoint, with retries and a limit on concurrency."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

import orjson

from ossia_servers.gateway.cache import AnswerCache
from ossia_servers.gateway.client import connection_error, open_client
from ossia_servers.gateway.error_replies import (
    closes_endpoint,
    error_field,
    error_status,
    error_text,
    is_moderation,
)
from ossia_servers.gateway.models import (
    Completion,
    EndpointClosed,
    ModelCall,
    ModelFailure,
    RequestRefused,
)
from ossia_servers.gateway.pace import PaceOfEach, Pacing, likely_tokens
from ossia_servers.gateway.parameters import Parameter, with_parameters
from ossia_servers.gateway.prices import price_usd
from ossia_servers.gateway.purse import Holding, most_usd
from ossia_servers.gateway.replies import (
    MalformedReply,
    UnreadableReply,
    read_body,
    read_completion,
    retry_after,
)

if TYPE_CHECKING:
    import httpx

_LOG = logging.getLogger(__name__)

_REFUSED = frozenset({400, 413, 422})
_RETRIED = frozenset({408, 409, 425, 429})

_MOST_IN_VAIN = 2
"""A provider charges for an attempt that was not awaited to its end, and for a whole answer in a
wrong form, which is likely to come again: such an attempt is repeated once."""

_NOT_PASSED_ON = frozenset({"stream", "stream_options", "api_key"})
_SHOWN_CHARACTERS = 300
_SECRET_CHARACTERS = 16
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf)[-_][A-Za-z0-9_*.\-]{6,}|(?<=Bearer )\S+")


def _full(_attempt: int) -> float:
    return 1.0


def jittered(chance: Random) -> Callable[[int], float]:
    """Return a jitter that cuts pauses by up to a half, so that callers do not come back at once.

    Args:
        chance: Where chance comes from.
    """
    return lambda _attempt: chance.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """How an upstream model is reached.

    Attributes:
        base_url: Endpoint up to `/v1`; by default the provider's.
        api_key: Its key; by default from the provider's environment variable. Not shown.
        timeout_s: Most seconds for one attempt.
        retries: Most attempts after the first one; after one that timed out, or whose answer had
            a wrong form, one at most.
        concurrency: Most requests under way at once.
        backoff_s: Pause before the first retry; doubles with each further one.
        backoff_cap_s: Longest such pause.
        retry_after_cap_s: Longest pause that a provider's Retry-After may demand; a longer one is
            cut to this.
        sleep: Makes a pause.
        jitter: Factor between 0 and 1 on a pause, by the number of the attempt that failed; the
            caller decides where chance comes from.
        parameters: What is set or dropped in each request.
        key_variable: The environment variable that the key was read from, if it was named.
        purse: What may be spent by all models of a run; None where nothing is counted.
        paces: How many requests and tokens a minute go to each model; None for no limit.
        cache: Where its answers are kept, to be given again in the same run; None for nowhere.
        price_model: Price all tokens as this model's; by default as the model's own.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 120.0
    retries: int = 5
    concurrency: int = 16
    backoff_s: float = 0.5
    backoff_cap_s: float = 20.0
    retry_after_cap_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, repr=False)
    jitter: Callable[[int], float] = field(default=_full, repr=False)
    parameters: tuple[Parameter, ...] = ()
    key_variable: str | None = None
    purse: Holding | None = None
    paces: PaceOfEach | None = None
    cache: AnswerCache | None = None
    price_model: str | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: If one of them makes no sense.
        """
        if self.timeout_s <= 0 or self.concurrency < 1 or self.retries < 0:
            raise ValueError(
                "An upstream needs a positive timeout and concurrency, and no negative retries."
            )


class _Retry(Exception):
    """An attempt failed in a way that may pass.

    Attributes:
        after_s: How long the provider asks to wait, if it does.
        unaccounted: Whether the endpoint may have worked, and told no usage.
        in_vain: Whether it was charged, and is likely to fail again.
    """

    def __init__(
        self,
        reason: str,
        after_s: float | None = None,
        *,
        unaccounted: bool = False,
        in_vain: bool = False,
    ) -> None:
        super().__init__(reason)
        self.after_s = after_s
        self.unaccounted = unaccounted
        self.in_vain = in_vain


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What an attempt is taken for until its usage is known; 0 where nothing is counted."""

    most_usd: float
    tokens: int


class UpstreamModel:
    """Sends requests on to another endpoint under that endpoint's model name."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str,
        api_key: str | None,
        options: UpstreamOptions | None = None,
    ) -> None:
        """Set up; nothing is sent yet.

        Args:
            name: The model's name in the records, such as `openai/gpt-4o`.
            model: The name to ask the endpoint for.
            base_url: The endpoint up to `/v1`.
            api_key: Its key, or None if it needs none.
            options: Timeouts, retries and the like; its `base_url` and `api_key` are not read.

        Raises:
            ValueError: If the key holds characters that a header cannot carry.
        """
        key = (api_key or "").strip()
        if not all("!" <= character <= "~" for character in key):
            raise ValueError(f"The key for {name} holds characters that no key can have.")
        self.name = name
        self._model = model
        self._url = base_url.rstrip("/") + "/chat/completions"
        self.__key = key or None
        self._options = replace(options or UpstreamOptions(), api_key=None)
        self._slots = asyncio.Semaphore(self._options.concurrency)
        paces = self._options.paces
        self._pace: Pacing | None = None if paces is None else paces.of(name)
        self._client: httpx.AsyncClient | None = None
        self._closed: str | None = None

    def __repr__(self) -> str:
        return f"UpstreamModel({self.name!r})"

    async def complete(self, call: ModelCall) -> Completion:
        """Send the request on until there is a valid answer or no attempt is left.

        Args:
            call: The request.

        Returns:
            The endpoint's answer.

        Raises:
            RequestRefused: If the endpoint rejects the request as such.
            EndpointClosed: If it rejects the key, redirects or has no quota left, now or earlier.
            ModelFailure: If it rejects the model, or every attempt failed.
        """
        body = {k: v for k, v in call.request.items() if k not in _NOT_PASSED_ON}
        options = self._options
        changed = with_parameters(body, options.parameters)
        content = orjson.dumps({**changed, "model": self._model})
        bounds = self._bounds(changed, len(content))
        in_vain = 0
        for attempt in range(1, options.retries + 2):
            try:
                call.on_wait()
                async with self._slots:
                    self._require_open()
                    return await self._paid(call, content, attempt, bounds)
            except _Retry as failure:
                call.on_failed_attempt(attempt, str(failure), failure.unaccounted)
                in_vain += failure.in_vain
                pause = self._pause(attempt, failure.after_s)
                if attempt > options.retries or in_vain >= _MOST_IN_VAIN:
                    attempts = "1 attempt" if attempt == 1 else f"{attempt} attempts"
                    raise ModelFailure(
                        f"{self.name}: {attempts} failed: {failure}.",
                        attempts=attempt,
                    ) from None
                coming = f"next attempt in {pause:.1f} s"
                if call.patience_s() <= pause:
                    coming = "no further attempt: the episode's seconds end before"
                _LOG.warning("%s: %s; %s.", self.name, failure, coming)
            await options.sleep(pause)
        raise AssertionError("unreachable")

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _require_open(self) -> None:
        if self._closed is not None:
            raise EndpointClosed(self._closed, attempts=0)

    def _bounds(self, body: Mapping[str, Any], size: int) -> _Bounds:
        """What an attempt is held at, where anything is counted."""
        name, counted = self._options.price_model or self.name, self._options.purse is not None
        return _Bounds(
            most_usd=(most_usd(name, body, size) or 0.0) if counted else 0.0,
            tokens=0 if self._pace is None else likely_tokens(body),
        )

    async def _paid(
        self, call: ModelCall, content: bytes, attempt: int, bounds: _Bounds
    ) -> Completion:
        """Make an attempt within what may be spent, when its turn has come."""
        purse = self._options.purse
        held: Any = 0.0 if purse is None else await purse.hold(bounds.most_usd)
        # Until it is sent nothing is charged.
        price: float | None = 0.0
        try:
            turn = None if self._pace is None else await self._pace.turn(bounds.tokens)
            # The wait may have been long.
            self._require_open()
            # An attempt that is cut, or whose usage never comes, stays at its most.
            price = None
            call.on_attempt(self._options.timeout_s)
            completion = await self._counted(content, attempt, turn)
            price = price_usd(self._options.price_model or self.name, completion.usage)
            return completion
        except _Retry as failure:
            price = None if failure.unaccounted else 0.0
            raise
        except ModelFailure:
            price = 0.0
            raise
        finally:
            if purse is not None:
                purse.settle(held, price)

    async def _counted(self, content: bytes, attempt: int, turn: Any) -> Completion:
        """Make an attempt, and correct the tokens of its turn where they are known."""
        tokens: int | None = None
        try:
            completion = await self._attempt(content, attempt)
            tokens = completion.usage.total_tokens if completion.usage else None
            return completion
        except _Retry as failure:
            tokens = None if failure.unaccounted else 0
            raise
        except ModelFailure:
            tokens = 0
            raise
        finally:
            if self._pace is not None and turn is not None and tokens is not None:
                self._pace.correct(turn, tokens)

    async def _attempt(self, content: bytes, attempt: int) -> Completion:
        import httpx

        try:
            async with asyncio.timeout(self._options.timeout_s):
                status, headers, raw = await self._exchange(content)
        except TimeoutError:
            raise _Retry(
                f"no answer within {self._options.timeout_s:g} s", unaccounted=True, in_vain=True
            ) from None
        except UnreadableReply as error:
            raise _Retry(self._scrub(str(error)), unaccounted=True) from None
        except (httpx.TransportError, httpx.StreamError, httpx.InvalidURL) as error:
            sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise _Retry(self._scrub(connection_error(error)), unaccounted=sent) from None
        if status != 200:
            self._raise_for(status, headers, raw, attempt)
        # An endpoint may echo the key anywhere, so it goes before anything is read. A short one
        # ("none", "EMPTY") is no secret, and may be a word of the answer.
        if self.__key and len(self.__key) >= _SECRET_CHARACTERS:
            raw = raw.replace(self.__key.encode(), b"[key]")
        try:
            return read_completion(raw, attempt)
        except UnreadableReply as error:
            named, said = error_status(raw), error_field(raw, "message")
            if named is not None:
                self._raise_for(named, headers, raw, attempt, of="HTTP 200 with error")
            reason = f"{error}, but an error: {said}" if said else str(error)
            malformed = isinstance(error, MalformedReply)
            raise _Retry(self._scrub(reason), unaccounted=True, in_vain=malformed) from None

    async def _exchange(self, content: bytes) -> tuple[int, httpx.Headers, bytes]:
        """Send a request; returns the reply's status, headers and decoded body."""
        async with self._open_client().stream("POST", self._url, content=content) as response:
            encoding = response.headers.get("content-encoding", "")
            try:
                raw = await read_body(response.aiter_raw(), encoding)
            except UnreadableReply:
                if response.status_code == 200:
                    raise
                raw = b""
            return response.status_code, response.headers, raw

    def _raise_for(
        self, status: int, headers: httpx.Headers, raw: bytes, attempt: int, of: str = "HTTP"
    ) -> None:
        text = f"{of} {status}: {self._scrub(error_text(status, headers, raw, self._url))}"
        if closes_endpoint(status, raw):
            # Nothing more is sent: each request would be refused as well, or worse, charged.
            self._closed = f"{self.name} answered {text}."
            raise EndpointClosed(self._closed, attempts=attempt)
        if status in _REFUSED or (status == 403 and is_moderation(raw)):
            raise RequestRefused(text, attempts=attempt)
        if status in _RETRIED or status >= 500:
            raise _Retry(text, retry_after(headers))
        raise ModelFailure(f"{self.name} answered {text}.", attempts=attempt)

    def _pause(self, attempt: int, after_s: float | None) -> float:
        options = self._options
        # No pause at all is no answer to how long: every attempt would be spent in one moment.
        if after_s and after_s > options.retry_after_cap_s:
            # Cut, and spread: nobody's wait is as long as was asked for.
            return options.retry_after_cap_s * options.jitter(attempt)
        if after_s:
            # Never earlier than the endpoint asks for, and not all callers at the same moment.
            return min(after_s * (2.0 - options.jitter(attempt)), options.retry_after_cap_s)
        pause = min(options.backoff_s * 2.0 ** (attempt - 1), options.backoff_cap_s)
        return pause * options.jitter(attempt)

    def _scrub(self, text: str) -> str:
        if self.__key:
            text = text.replace(self.__key, "[key]")
        return _KEY_LIKE.sub("[key]", text)[:_SHOWN_CHARACTERS].rstrip(".")

    def _open_client(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = open_client(self.__key, self._options.concurrency)
        return self._client
