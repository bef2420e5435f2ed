"""One request on one world, without HTTP: the routes, the scorer and the checks all use this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ossia_servers.worlds import Worlds
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.parsing import parse_params
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Refusal, Reply
from ossia_servers.worlds.unheard import trials, with_unheard
from ossia_servers.worlds.world import World


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer to one request."""

    record: ServerRequest
    body: dict[str, Any]
    """The JSON body on the wire."""

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.record.status


def execute(
    store: Worlds,
    world: World,
    domain: Domain,
    given: Mapping[str, str],
    method: Literal["GET", "POST"] = "GET",
) -> Executed:
    """Serve one request: check it, run its handler, make its changes and its record durable.

    A refusal changes nothing. A handler's own bug propagates after its changes are taken back.

    Raises:
        RuntimeError: the handler broke its declaration (a mistake in the domain).
    """
    try:
        intent, params = parse_params(domain, given)
        tried = trials(world, domain, intent, params)
        with world.transaction() as touched:
            reply = intent.answer(world, params)
            if reply.clarification is not None and world.changing:
                raise RuntimeError(f"{intent.name} changed the world and asked a question")
    except Refusal as refusal:
        return _finish(store, world, _refused(domain, given, method, refusal), None, {})
    reply = with_unheard(world, reply, params, tried)
    changes = world.compare(touched.before, touched.after).changes
    if changes and not intent.writes:
        raise RuntimeError(f"{intent.name} is declared read-only but changed the world")
    record = ServerRequest.model_construct(
        method=method,
        domain=domain.name,
        params=dict(given),
        status=200,
        code="SUCCESS" if reply.clarification is None else "CLARIFICATION",
        response=reply.response,
        result=reply.result,
        changes=changes,
    )
    return _finish(store, world, record, _data(reply, params.query()), touched.after)


def record_failure(
    store: Worlds,
    world: World,
    domain: Domain,
    given: Mapping[str, str],
    method: Literal["GET", "POST"],
) -> Executed:
    """Record that a request broke its server; the world is as it was before."""
    broken = Refusal(f"The {domain.name} server failed.", code="INTERNAL_ERROR", status=500)
    return _finish(store, world, _refused(domain, given, method, broken), None, {})


def _data(reply: Reply, query: dict[str, str | float]) -> dict[str, Any]:
    data: dict[str, Any] = {"response": reply.response, "query": query, "result": reply.result}
    if reply.clarification is not None:
        data["clarification"] = {
            "question": reply.clarification.question,
            "missing": list(reply.clarification.missing),
        }
    return data


def _refused(
    domain: Domain, given: Mapping[str, str], method: Literal["GET", "POST"], refusal: Refusal
) -> ServerRequest:
    return ServerRequest.model_construct(
        method=method,
        domain=domain.name,
        params=dict(given),
        status=refusal.status,
        code=refusal.code,
        response=refusal.message,
        result=None,
        changes=(),
    )


def _finish(
    store: Worlds,
    world: World,
    record: ServerRequest,
    data: dict[str, Any] | None,
    touched: Mapping[tuple[str, str], Mapping[str, Any] | None],
) -> Executed:
    store.commit(world, touched, record.dump())
    message = "ok" if record.code == "SUCCESS" else record.response
    return Executed(record, {"code": record.code, "msg": message, "data": data})
