"""The gateway itself: an OpenAI-compatible endpoint that knows episodes and roles."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ossia_servers.gateway.chat import model_entry, models_body, within
from ossia_servers.gateway.entries import Entry
from ossia_servers.gateway.leaving import Leaving
from ossia_servers.gateway.models import (
    ClosingModel,
    Completion,
    EndpointClosed,
    Model,
    ModelCall,
    ModelFailure,
    RequestRefused,
    RoleModels,
    TapeMiss,
)
from ossia_servers.gateway.purse import SpendingLimit
from ossia_servers.gateway.records import Budget, Clock, GatewayRecord
from ossia_servers.gateway.refusals import (
    budget_spent,
    http_error,
    read_body,
    refusal,
    unknown_episode,
)
from ossia_servers.gateway.sessions import Session
from ossia_servers.gateway.strikes import AnswerLost, Faults, Strike, TornResponse

_LOG = logging.getLogger(__name__)

ROLES = ("manager", "intent", "time", "location", "url", "request", "response")
"""The roles that `/v1/models` lists unless told otherwise; others are answered all the same."""

_GONE = "The framework hung up during this call"

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
            exception_handlers={HTTPException: http_error},
        )

    def open(
        self,
        episode: str,
        api_key: str,
        budget: Budget,
        *,
        model: Model | None = None,
        faults: Faults | None = None,
        roles: Collection[str] | None = None,
    ) -> None:
        """Begin an episode; its seconds run from here.

        Args:
            episode: The episode's id.
            api_key: The key that its calls carry.
            budget: What it may spend.
            model: What answers in this episode; by default the gateway's model.
            faults: What takes the place of some answers; None for nothing.
            roles: The roles that may ask, such as those of its team; None for any.

        Raises:
            ValueError: If the key is empty or in use, or was used a short time ago.
        """
        if not api_key or api_key in self._open or api_key in self._closed:
            raise ValueError(f"Episode {episode} needs a key of its own.")
        opened_s = self._clock.monotonic()
        answers = model or self._model
        self._open[api_key] = Session(
            episode, budget, opened_s=opened_s, model=answers, faults=faults, roles=roles
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
            return unknown_episode()
        arrived = self._clock.monotonic()
        request = within(await read_body(http), session.roles)
        if session.closed:
            session.late_calls += 1
            return unknown_episode()
        spent = session.spent(arrived)
        if spent is not None:
            return budget_spent(session.refuse(request, spent, arrived), spent)
        entry = session.begin(request, arrived)
        if request.fault is not None:
            session.fail(entry, "bad_request", request.fault, self._clock.monotonic())
            return refusal(400, request.fault, "invalid_request_error", "bad_request")
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
        call, faults = self._call(session, entry, leaving), session.faults
        strike = None if faults is None else faults.instead(entry.seq, call)
        if strike is not None:
            return await self._struck(session, entry, strike, leaving)
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
        except AnswerLost as lost:
            return await self._struck(session, entry, lost.strike, leaving)
        except ModelFailure as failure:
            return self._failed(session, entry, failure)
        # The process boundary of the model: whatever breaks in it ends this call alone.
        except Exception as error:  # noqa: BLE001
            return self._broken(session, entry, error)
        if entry.overtime:
            late = session.late(entry, completion, self._clock.monotonic())
            return unknown_episode() if session.closed else budget_spent(late, "seconds")
        strike = None if faults is None else faults.after(entry.seq, call, completion)
        if strike is not None:
            return await self._struck(session, entry, strike, leaving)
        return self._answered(session, entry, completion)

    def _answered(self, session: Session, entry: Entry, completion: Completion) -> Response:
        session.succeed(entry, completion, self._clock.monotonic())
        if session.closed:
            return unknown_episode()
        return Response(*entry.written(completion))

    async def _struck(
        self, session: Session, entry: Entry, strike: Strike, leaving: Leaving
    ) -> Response:
        """Send what a fault has put in the place of the answer."""
        if strike.act == "hang" or strike.delay_s:
            leaving.watch()
            session.watch(entry.started_s)
            try:
                async with asyncio.timeout(None) as entry.cut:
                    await asyncio.sleep(inf if strike.act == "hang" else strike.delay_s)
            except TimeoutError:
                if not entry.gone:
                    return self._cut(session, entry)
        if strike.act == "answer" and strike.completion is not None and not entry.gone:
            return self._answered(session, entry, strike.completion)
        paid = strike.completion
        session.strike(entry, strike.error or _GONE, paid, self._clock.monotonic())
        if session.closed or strike.act in ("answer", "hang"):
            return unknown_episode()
        if strike.act == "error":
            return Response(strike.body, strike.status, dict(strike.headers), strike.media)
        if paid is None or strike.act == "reset":
            return TornResponse()
        return TornResponse(*entry.written(paid))

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
            return unknown_episode()
        if entry.gone:
            session.cut_short(entry, "abandoned", _GONE, self._clock.monotonic())
            return refusal(499, f"{_GONE}.", "ossia_abandoned", "abandoned")
        event = "The episode's budget of seconds ran out during this call"
        if session.in_trouble(entry):
            event = "The endpoint failed for as long as the episode may take"
        error = session.cut_short(entry, "budget", event, self._clock.monotonic())
        if entry.status == "infrastructure":
            return refusal(502, error, "ossia_upstream", "upstream")
        return budget_spent(error, "seconds")

    def _failed(self, session: Session, entry: Entry, failure: ModelFailure) -> Response:
        text = str(failure)
        now = self._clock.monotonic()
        if isinstance(failure, EndpointClosed) and self.closed_because is None:
            self.closed_because = text.removesuffix(".")
        if isinstance(failure, SpendingLimit) and self.limit_reached is None:
            self.limit_reached = text
        if isinstance(failure, RequestRefused):
            session.fail(entry, "bad_request", text, now, failure=failure)
            return refusal(400, text, "invalid_request_error", "refused_by_model")
        session.fail(entry, "infrastructure", text, now, failure=failure)
        if isinstance(failure, TapeMiss):
            return refusal(502, text, "ossia_tape_miss", "tape_miss")
        return refusal(502, text, "ossia_upstream", "upstream")

    def _broken(self, session: Session, entry: Entry, error: Exception) -> Response:
        _LOG.error("The model %s broke.", entry.model, exc_info=error)
        failure = ModelFailure(f"The model {entry.model} broke: {type(error).__name__}.")
        return self._failed(session, entry, failure)

    async def _list_models(self, http: Request) -> Response:
        if self._session(http) is None:
            return unknown_episode()
        return Response(models_body(self._roles), media_type=_JSON)

    async def _show_model(self, http: Request) -> Response:
        if self._session(http) is None:
            return unknown_episode()
        role = http.path_params["model"].removeprefix("ossia-")
        if http.path_params["model"] != f"ossia-{role}" or role not in self._roles:
            return refusal(404, "There is no such model.", "invalid_request_error", "no_model")
        return Response(orjson.dumps(model_entry(role)), media_type=_JSON)

    def _session(self, http: Request) -> Session | None:
        scheme, _, key = http.headers.get("authorization", "").partition(" ")
        key = key.strip() if scheme.lower() == "bearer" else ""
        late = self._closed.get(key)
        if late is not None:
            late.late_calls += 1
        return self._open.get(key)
