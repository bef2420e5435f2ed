"""Models behind another OpenAI-compatible endpoint, with retries and a limit on concurrency."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import ValidationError

from ossia_servers.gateway.answers import read_answer
from ossia_servers.gateway.models import Completion, ModelCall, ModelFailure, RequestRefused
from ossia_servers.gateway.records import Usage

if TYPE_CHECKING:
    import httpx

_LOG = logging.getLogger(__name__)

_REFUSED = frozenset({400, 413, 422})
_RETRIED = frozenset({408, 409, 425, 429})
_NOT_PASSED_ON = frozenset({"stream", "stream_options", "api_key"})
_SHOWN_CHARACTERS = 300
_SECRET_CHARACTERS = 16
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf)[-_][A-Za-z0-9_*.\-]{6,}|(?<=Bearer )\S+")


def _full(_attempt: int) -> float:
    return 1.0


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """How an upstream model is reached.

    Attributes:
        base_url: Endpoint up to `/v1`; by default the provider's.
        api_key: Its key; by default from the provider's environment variable. Not shown.
        timeout_s: Most seconds for one attempt.
        retries: Most attempts after the first one.
        concurrency: Most requests under way at once.
        backoff_s: Pause before the first retry; doubles with each further one.
        backoff_cap_s: Longest such pause.
        retry_after_cap_s: Longest pause that a provider's Retry-After may demand; a longer one is
            cut to this.
        sleep: Makes a pause.
        jitter: Factor between 0 and 1 on a pause, by the number of the attempt that failed; the
            caller decides where chance comes from.
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
    """

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


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
        self._client: httpx.AsyncClient | None = None

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
            ModelFailure: If it rejects the key or the model, or every attempt failed.
        """
        body = {k: v for k, v in call.request.items() if k not in _NOT_PASSED_ON}
        content = orjson.dumps({**body, "model": self._model})
        options = self._options
        for attempt in range(1, options.retries + 2):
            try:
                async with self._slots:
                    call.on_attempt(options.timeout_s)
                    return await self._attempt(content, attempt)
            except _Retry as failure:
                call.on_failed_attempt(attempt, str(failure))
                pause = self._pause(attempt, failure.after_s)
                if attempt > options.retries:
                    raise ModelFailure(
                        f"{self.name} gave no answer in {attempt} attempt(s): {failure}.",
                        attempts=attempt,
                    ) from None
                _LOG.warning("%s: %s; next attempt in %.1f s.", self.name, failure, pause)
            await options.sleep(pause)
        raise AssertionError("unreachable")

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _attempt(self, content: bytes, attempt: int) -> Completion:
        import httpx

        try:
            async with asyncio.timeout(self._options.timeout_s):
                response = await self._open_client().post(self._url, content=content)
        except TimeoutError:
            raise _Retry(f"no answer within {self._options.timeout_s:g} s") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            text = self._scrub(str(error))
            raise _Retry(f"{type(error).__name__}: {text or 'no details'}") from None
        if response.status_code != 200:
            self._raise_for(response, attempt)
        # An endpoint may echo the key anywhere, so it goes before anything is read. A short one
        # ("none", "EMPTY") is no secret, and may be a word of the answer.
        raw = response.content
        if self.__key and len(self.__key) >= _SECRET_CHARACTERS:
            raw = raw.replace(self.__key.encode(), b"[key]")
        return _read_completion(raw, attempt)

    def _raise_for(self, response: httpx.Response, attempt: int) -> None:
        status = response.status_code
        text = f"HTTP {status}: {self._scrub(_error_text(response.content))}"
        if status in _REFUSED:
            raise RequestRefused(text, attempts=attempt)
        if status in _RETRIED or status >= 500:
            raise _Retry(text, _retry_after(response.headers))
        raise ModelFailure(f"{self.name} answered {text}.", attempts=attempt)

    def _pause(self, attempt: int, after_s: float | None) -> float:
        options = self._options
        # No pause at all is no answer to how long: every attempt would be spent in one moment.
        if after_s:
            return min(after_s, options.retry_after_cap_s)
        pause = min(options.backoff_s * 2.0 ** (attempt - 1), options.backoff_cap_s)
        return pause * options.jitter(attempt)

    def _scrub(self, text: str) -> str:
        if self.__key:
            text = text.replace(self.__key, "[key]")
        return _KEY_LIKE.sub("[key]", text)[:_SHOWN_CHARACTERS].rstrip(".")

    def _open_client(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            headers = {"content-type": "application/json", "accept": "application/json"}
            if self.__key:
                headers["authorization"] = f"Bearer {self.__key}"
            limit = self._options.concurrency
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=None,
                limits=httpx.Limits(max_connections=limit, max_keepalive_connections=limit),
            )
        return self._client


def _error_text(raw: bytes) -> str:
    try:
        error = orjson.loads(raw).get("error")
        message = error.get("message") if isinstance(error, dict) else error
    except (orjson.JSONDecodeError, AttributeError):
        message = None
    if not isinstance(message, str):
        message = raw.decode("utf-8", "replace")
    return " ".join(message.split()) or "no details"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, without a clock: a date is compared with the answer's own date."""
    text = headers.get("retry-after", "").strip()
    try:
        milliseconds = headers.get("retry-after-ms")
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return max(0.0, float(text))
    except ValueError:
        pass
    until, now = _date(text), _date(headers.get("date", ""))
    if until is None or now is None:
        return None
    return max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo is not None else None


def _read_completion(raw: bytes, attempt: int) -> Completion:
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise _Retry("the answer is not JSON") from None
    try:
        message, finish_reason = read_answer(body)
    except ValueError as error:
        raise _Retry(str(error)) from None
    return Completion(
        message=message,
        finish_reason=finish_reason,
        usage=_read_usage(body.get("usage")),
        attempts=attempt,
    )


def _read_usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt = usage.get("prompt_tokens")
    try:
        return Usage.model_validate(
            {
                "prompt_tokens": prompt,
                "completion_tokens": usage.get("completion_tokens"),
                "source": "provider",
                "cached_tokens": cached if _fits(cached, prompt) else 0,
            }
        )
    except ValidationError:
        return None


def _fits(cached: Any, prompt: Any) -> bool:
    return isinstance(cached, int) and isinstance(prompt, int) and 0 <= cached <= prompt
