"""The gateway itself: an OpenAI-compatible endpoint that knows episodes and roles."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ossia_servers.gateway.chat import (
    ChatRequest,
    answer_body,
    error_body,
    model_entry,
    models_body,
    read_request,
    stream_body,
)
from ossia_servers.gateway.entries import Entry
from ossia_servers.gateway.leaving import Leaving
from ossia_servers.gateway.models import (
    ClosingModel,
    EndpointClosed,
    Model,
    ModelCall,
    ModelFailure,
    RequestRefused,
    RoleModels,
    TapeMiss,
)
from ossia_servers.gateway.purse import SpendingLimit
from ossia_servers.gateway.records import Budget, BudgetPart, Clock, GatewayRecord
from ossia_servers.gateway.sessions import Session

_LOG = logging.getLogger(__name__)

ROLES = ("manager", "intent", "time", "location", "url", "request", "response")
"""The roles that `/v1/models` lists unless told otherwise; others are answered all the same."""

MOST_BODY_BYTES = 16 * 1024 * 1024
"""Longer requests are malformed."""

# The episodes closed last are kept whole, so that calls which come too late are counted.
_KEPT_CLOSED = 64

_JSON = "application/json"

CHAT_PATH = "/v1/chat/completions"
"""Where chat completions are asked for."""


class _Application(Starlette):
    """The routes, with the one that is asked thousands of times found without a search."""

    def __init__(self, chat: Callable[[Request], Awaitable[Response]], **settings: Any) -> None:
        super().__init__(**settings)
        self._chat = chat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["path"] == CHAT_PATH
        if not asked or scope["method"] != "POST":
            await super().__call__(scope, receive, send)
            return
        response = await self._chat(Request(scope, receive))
        await response(scope, receive, send)


class Gateway:
    """Stands between frameworks and a model: knows who calls, keeps the budget, records all.

    Its methods are called from the loop that serves `app`.
    """

    def __init__(
        self,
        model: Model,
        *,
        clock: Clock,
        price_model: str | None = None,
        roles: Sequence[str] = ROLES,
    ) -> None:
        """Make a gateway without episodes.

        Args:
            model: What answers.
            clock: Where the time comes from.
            price_model: Price all tokens as this model's, such as `openai/gpt-4o`; by default
                each answer has the price of the model that gave it, if that is known.
            roles: The roles to list under `/v1/models`.
        """
        self._model = model
        self._clock = clock
        self._price_model = price_model
        self._roles = tuple(roles)
        self._open: dict[str, Session] = {}
        self._closed: OrderedDict[str, Session] = OrderedDict()
        self.closed_because: str | None = None
        """Why no further request of some model will be answered, such as a key that has ended."""
        self.limit_reached: str | None = None
        """Why a call was not begun for its cost; others under way may end, and smaller ones go."""
        self.app = _Application(
            self._chat,
            routes=[
                Route(CHAT_PATH, self._chat, methods=["POST"]),
                Route("/v1/models", self._list_models, methods=["GET"]),
                Route("/v1/models/{model}", self._show_model, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _http_error},
        )

    def open(
        self, episode: str, api_key: str, budget: Budget, *, model: Model | None = None
    ) -> None:
        """Begin an episode; its seconds run from here.

        Args:
            episode: The episode's id.
            api_key: The key that its calls carry.
            budget: What it may spend.
            model: What answers in this episode; by default the gateway's model.

        Raises:
            ValueError: If the key is empty or in use, or was used a short time ago.
        """
        if not api_key or api_key in self._open or api_key in self._closed:
            raise ValueError(f"Episode {episode} needs a key of its own.")
        self._open[api_key] = Session(
            episode, budget, opened_s=self._clock.monotonic(), model=model or self._model
        )

    def close(self, api_key: str) -> GatewayRecord:
        """End an episode: pending calls are cut, later ones refused and counted.

        Args:
            api_key: The episode's key.

        Returns:
            Its record.

        Raises:
            KeyError: If no open episode has this key.
        """
        session = self._open.pop(api_key, None)
        if session is None:
            raise KeyError("No open episode has this key.")
        now = self._clock.monotonic()
        session.close(now)
        self._closed[api_key] = session
        if len(self._closed) > _KEPT_CLOSED:
            self._closed.popitem(last=False)
        return session.record(self._price_model, now)

    def wait_s(self, api_key: str) -> float:
        """Return how long an open episode may yet last.

        Args:
            api_key: The episode's key.

        Returns:
            Seconds; negative when they have run out, but never as long as an attempt towards the
            model has to be awaited.

        Raises:
            KeyError: If no open episode has this key.
        """
        return self._open[api_key].wait_s(self._clock.monotonic())

    def paused(self, api_key: str) -> AbstractContextManager[None]:
        """Take the time of a block from an open episode's seconds and from its latency.

        Args:
            api_key: The episode's key.

        Raises:
            KeyError: If no open episode has this key.
        """
        return self._open[api_key].paused(self._clock)

    def calls(self, api_key: str) -> int:
        """Return how many calls an open episode has begun.

        Args:
            api_key: The episode's key.

        Raises:
            KeyError: If no open episode has this key.
        """
        return self._open[api_key].begun

    def record(self, api_key: str) -> GatewayRecord:
        """Return what an episode has recorded so far, pending calls left out.

        Args:
            api_key: The key of an open episode, or of one closed a short time ago.

        Returns:
            Its record, with the late calls counted until now.

        Raises:
            KeyError: If no such episode is known.
        """
        session = self._open.get(api_key) or self._closed.get(api_key)
        if session is None:
            raise KeyError("No episode has this key.")
        return session.record(self._price_model, self._clock.monotonic())

    async def aclose(self) -> None:
        """End all episodes and close the connections of the gateway's model."""
        for api_key in list(self._open):
            self.close(api_key)
        if isinstance(self._model, ClosingModel):
            await self._model.aclose()

    async def _chat(self, http: Request) -> Response:
        session = self._session(http)
        if session is None:
            return _unknown_episode()
        arrived = self._clock.monotonic()
        request = await _read_body(http)
        if session.closed:
            session.late_calls += 1
            return _unknown_episode()
        spent = session.spent(arrived)
        if spent is not None:
            return _budget_spent(session.refuse(request, spent, arrived), spent)
        entry = session.begin(request, arrived)
        if request.fault is not None:
            session.fail(entry, "bad_request", request.fault, self._clock.monotonic())
            return _error(400, request.fault, "invalid_request_error", "bad_request")
        leaving = Leaving(http.receive, entry)
        try:
            return await self._answer(session, entry, leaving)
        finally:
            leaving.end()
            # Only a server that stops in the middle leaves the call unfinished here.
            session.cut_short(entry, "abandoned", "The gateway stopped during this call", arrived)

    async def _answer(self, session: Session, entry: Entry, leaving: Leaving) -> Response:
        request = entry.request
        model = session.model
        if isinstance(model, RoleModels):
            entry.model = model.of(request.role).name
        call = self._call(session, entry, leaving)
        try:
            session.watch(entry.started_s)
            async with asyncio.timeout(None) as entry.cut:
                completion = await model.complete(call)
                # What cannot be written must not count as an answer.
                orjson.dumps(completion.message)
        except TimeoutError as error:
            if entry.cut is None or not entry.cut.expired():
                return self._broken(session, entry, error)
            return self._cut(session, entry)
        except ModelFailure as failure:
            return self._failed(session, entry, failure)
        # The process boundary of the model: whatever breaks in it ends this call alone.
        except Exception as error:  # noqa: BLE001
            return self._broken(session, entry, error)
        if entry.overtime:
            late = session.late(entry, completion, self._clock.monotonic())
            return _unknown_episode() if session.closed else _budget_spent(late, "seconds")
        session.succeed(entry, completion, self._clock.monotonic())
        if session.closed:
            return _unknown_episode()
        identity = f"chatcmpl-{session.token}-{entry.seq}"
        if request.streamed:
            body = stream_body(
                identity, request.model, completion, entry.usage, with_usage=request.with_usage
            )
            return Response(body, media_type="text/event-stream")
        return Response(
            answer_body(identity, request.model, completion, entry.usage), media_type=_JSON
        )

    def _call(self, session: Session, entry: Entry, leaving: Leaving) -> ModelCall:
        def failed(attempt: int, reason: str, unaccounted: bool = False) -> None:
            now = self._clock.monotonic()
            session.attempt_failed(entry, attempt, reason, now, unaccounted=unaccounted)

        def started(limit_s: float) -> None:
            leaving.watch()
            session.attempt_started(entry, limit_s, self._clock.monotonic())

        def waits() -> None:
            leaving.watch()
            session.wait_started(entry, self._clock.monotonic())

        def patience_s() -> float:
            return session.patience_s(self._clock.monotonic())

        asked = entry.request
        told = failed, started, waits, patience_s
        return ModelCall(asked.role, session.episode, asked.body, *told)

    def _cut(self, session: Session, entry: Entry) -> Response:
        if session.closed:
            return _unknown_episode()
        if entry.gone:
            event = "The framework hung up during this call"
            session.cut_short(entry, "abandoned", event, self._clock.monotonic())
            return _error(499, f"{event}.", "ossia_abandoned", "abandoned")
        event = "The episode's budget of seconds ran out during this call"
        if session.in_trouble(entry):
            event = "The endpoint was in trouble for as long as the episode's budget of seconds"
        error = session.cut_short(entry, "budget", event, self._clock.monotonic())
        if entry.status == "infrastructure":
            return _error(502, error, "ossia_upstream", "upstream")
        return _budget_spent(error, "seconds")

    def _failed(self, session: Session, entry: Entry, failure: ModelFailure) -> Response:
        text = str(failure)
        now = self._clock.monotonic()
        if isinstance(failure, EndpointClosed) and self.closed_because is None:
            self.closed_because = text.removesuffix(".")
        if isinstance(failure, SpendingLimit) and self.limit_reached is None:
            self.limit_reached = text
        if isinstance(failure, RequestRefused):
            session.fail(entry, "bad_request", text, now, failure=failure)
            return _error(400, text, "invalid_request_error", "refused_by_model")
        session.fail(entry, "infrastructure", text, now, failure=failure)
        if isinstance(failure, TapeMiss):
            return _error(502, text, "ossia_tape_miss", "tape_miss")
        return _error(502, text, "ossia_upstream", "upstream")

    def _broken(self, session: Session, entry: Entry, error: Exception) -> Response:
        _LOG.error("The model %s broke.", entry.model, exc_info=error)
        failure = ModelFailure(f"The model {entry.model} broke: {type(error).__name__}.")
        return self._failed(session, entry, failure)

    async def _list_models(self, http: Request) -> Response:
        if self._session(http) is None:
            return _unknown_episode()
        return Response(models_body(self._roles), media_type=_JSON)

    async def _show_model(self, http: Request) -> Response:
        if self._session(http) is None:
            return _unknown_episode()
        role = http.path_params["model"].removeprefix("ossia-")
        if http.path_params["model"] != f"ossia-{role}" or role not in self._roles:
            return _error(404, "There is no such model.", "invalid_request_error", "no_model")
        return Response(orjson.dumps(model_entry(role)), media_type=_JSON)

    def _session(self, http: Request) -> Session | None:
        scheme, _, key = http.headers.get("authorization", "").partition(" ")
        key = key.strip() if scheme.lower() == "bearer" else ""
        late = self._closed.get(key)
        if late is not None:
            late.late_calls += 1
        return self._open.get(key)


async def _read_body(http: Request) -> ChatRequest:
    parts: list[bytes] = []
    size = 0
    try:
        async for part in http.stream():
            size += len(part)
            if size > MOST_BODY_BYTES:
                return ChatRequest({}, fault=f"The body exceeds {MOST_BODY_BYTES} bytes.")
            parts.append(part)
    except ClientDisconnect:
        return ChatRequest({}, fault="The body did not arrive in full.")
    return read_request(b"".join(parts))


def _error(status: int, message: str, kind: str, code: str) -> Response:
    # The gateway has already retried what can be retried; clients that know this header obey it.
    headers = {"x-should-retry": "false"}
    return Response(error_body(message, kind, code), status, headers, _JSON)


def _unknown_episode() -> Response:
    message = "The API key belongs to no open episode."
    return _error(401, message, "ossia_unknown_episode", "unknown_episode")


def _budget_spent(message: str, part: BudgetPart) -> Response:
    return _error(403, message, "ossia_budget", part)


async def _http_error(http: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = (
        f"{http.method} {http.url.path} is not served; there are POST /v1/chat/completions "
        "and GET /v1/models."
    )
    return _error(status, message, "invalid_request_error", "not_served")
