"""A model of one's own as an OpenAI-compatible endpoint on loopback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ossia_servers.gateway.chat import answer_body, error_body, models_body, stream_body
from ossia_servers.gateway.models import Completion
from ossia_servers.gateway.records import Usage

_LOG = logging.getLogger(__name__)
_JSON = "application/json"


class Answer(Protocol):
    """What a generator returns."""

    @property
    def text(self) -> str:
        """The words."""
        ...

    @property
    def prompt_tokens(self) -> int:
        """Tokens read."""
        ...

    @property
    def completion_tokens(self) -> int:
        """Tokens written."""
        ...

    @property
    def finished(self) -> bool:
        """Whether the model ended by itself."""
        ...


class Generator(Protocol):
    """Answers conversations, one at a time."""

    def answer(self, messages: Sequence[Mapping[str, Any]], most_tokens: int = ...) -> Answer:
        """Answer a conversation; raises `ValueError` for one that does not fit."""
        ...


class _StreamOptions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    include_usage: bool = False


class _Body(BaseModel):
    """What is read of a request; how a framework samples is not, since answers are greedy."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str = "local"
    messages: list[dict[str, Any]] = Field(min_length=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    stream: bool = False
    stream_options: _StreamOptions = _StreamOptions()


class LocalServer:
    """Serves a generator. A thread of its own does the reckoning, so that the loop stays free."""

    def __init__(self, generator: Generator, name: str, most_tokens: int = 512) -> None:
        """Make a server.

        Args:
            generator: What answers.
            name: The name under `/v1/models`; requests may name any.
            most_tokens: Longest answer where a request does not say.
        """
        self._generator = generator
        self._name = name
        self._most_tokens = most_tokens
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-model")
        self._count = 0
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        yield
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _models(self, http: Request) -> Response:
        return Response(models_body((self._name,)), media_type=_JSON)

    async def _chat(self, http: Request) -> Response:
        try:
            body = _Body.model_validate_json(await http.body())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the body"
            return _refused(f"{place}: {first['msg']}.")
        limit = body.max_completion_tokens or body.max_tokens or self._most_tokens
        loop = asyncio.get_running_loop()
        try:
            done = await loop.run_in_executor(
                self._thread, self._generator.answer, body.messages, limit
            )
        except ValueError as error:
            return _refused(str(error))
        except RuntimeError as error:
            # What the reckoning itself may raise, such as memory that does not suffice.
            _LOG.error("The model broke.", exc_info=error)
            return _error(500, "The model broke; see the log.", "server_error", "broken")
        self._count += 1
        return _answered(f"chatcmpl-local-{self._count}", body, done)


def _answered(identity: str, body: _Body, done: Answer) -> Response:
    completion = Completion(
        message={"role": "assistant", "content": done.text},
        finish_reason="stop" if done.finished else "length",
        usage=None,
    )
    usage = Usage(
        prompt_tokens=done.prompt_tokens,
        completion_tokens=done.completion_tokens,
        source="provider",
    )
    if body.stream:
        told = body.stream_options.include_usage
        events = stream_body(identity, body.model, completion, usage, with_usage=told)
        return Response(events, media_type="text/event-stream")
    return Response(answer_body(identity, body.model, completion, usage), media_type=_JSON)


def _refused(message: str) -> Response:
    return _error(400, message, "invalid_request_error", "bad_request")


def _error(status: int, message: str, kind: str, code: str) -> Response:
    return Response(error_body(message, kind, code), status, media_type=_JSON)
