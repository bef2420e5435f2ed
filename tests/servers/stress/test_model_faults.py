"""Model faults as a client of the gateway meets them, over real HTTP."""

import asyncio
import json
import time

import httpx
import pytest

from ossia_servers.gateway import Budget, Completion, Gateway, completion_of, fault_body
from ossia_servers.http.serving import serve
from ossia_servers.stress import texts
from ossia_servers.stress.errors import ERRORS
from ossia_servers.stress.kinds import KINDS
from ossia_servers.stress.model_faults import CHANGES, ModelFaults, TeamRoles, calls_in_place
from ossia_servers.stress.plan import Aim, read_fault

TEAM = TeamRoles("manager", ("intent", "time", "request"))
ARGUMENTS = {"method": "GET", "url": "/alarm?intent=alarm_set&time=07%3A30"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "http_request", "arguments": json.dumps(ARGUMENTS)},
}
SAYS = {"role": "assistant", "content": '{"intent": "alarm_set", "slots": {"time": "7:30"}}'}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
CHOOSES = {"role": "assistant", "content": "time"}
ROUTING = "Who works next? Answer with one of intent, time, request, or FINISH."


class Answering:
    name = "offline"

    def __init__(self, message):
        self.message, self.asked = message, 0

    async def complete(self, call):
        self.asked += 1
        return completion_of(self.message)


class Clock:
    """The loop's own."""

    def monotonic(self):
        return asyncio.get_running_loop().time()


def met(*given, **named):
    """Ask through a gateway where a fault strikes; the last response or error, and the record."""
    return asyncio.run(asked_of(*given, **named))


async def asked_of(
    key, message, *, streamed=False, role="request", calls=1, earlier=(), patience=1.0, asks=True
):
    model = Answering(message)
    gateway = Gateway(model, clock=Clock())
    faults = ModelFaults(
        Aim(read_fault(key), 0, "t", calls), TEAM, slow_seconds=0.05, asks_in_vain=asks
    )
    gateway.open("e", "key", Budget(calls=50, tokens=10**6, seconds=30), faults=faults)
    async with (
        serve(gateway.app, told=fault_body) as url,
        httpx.AsyncClient(timeout=patience) as client,
    ):
        found = None
        for asked, answer in [*earlier, (role, message)]:
            model.message = answer
            body = {
                "model": f"ossia-{asked}",
                "messages": [{"role": "user", "content": ROUTING}],
                "stream": streamed,
            }
            try:
                found = await client.post(
                    f"{url}/v1/chat/completions",
                    json=body,
                    headers={"authorization": "Bearer key"},
                )
            except httpx.HTTPError as error:
                found = error
        await asyncio.sleep(0.01)
        return found, gateway.close("key"), faults.injected, model.asked


def came(response):
    """Message and finish reason of a response, streamed or not."""
    if response.headers["content-type"].startswith("application/json"):
        (choice,) = response.json()["choices"]
        return choice["message"], choice["finish_reason"]
    message, reason = {"role": "assistant", "content": None}, None
    events = [line[6:] for line in response.text.split("\n\n") if line]
    assert events.pop() == "[DONE]"
    for event in events:
        (choice,) = json.loads(event)["choices"]
        reason = choice["finish_reason"] or reason
        delta = choice["delta"]
        if delta.get("content") is not None:
            message["content"] = (message["content"] or "") + delta["content"]
        for part in delta.get("tool_calls", ()):
            made = message.setdefault("tool_calls", [])
            if "function" in part and "name" in part["function"]:
                made.append({key: part[key] for key in part if key != "index"})
            else:
                made[part["index"]]["function"]["arguments"] += part["function"]["arguments"]
    return message, reason


def one_call(message):
    (call,) = message["tool_calls"]
    return call["function"]["name"], call["function"]["arguments"]


@pytest.mark.parametrize("kind", sorted(ERRORS))
def test_an_api_error_comes_as_a_provider_sends_it(kind):
    response, record, (injected,), asked = met(kind, SAYS)
    error = ERRORS[kind]
    assert (response.status_code, response.content) == (error.status, error.body)
    assert response.headers["content-type"].split(";")[0] == error.media
    assert "x-should-retry" not in response.headers
    assert response.headers.get("retry-after") == error.headers.get("retry-after")
    (exchange,) = record.exchanges
    assert (exchange.status, exchange.response, exchange.attempts) == ("injected", None, 0)
    assert (record.calls, record.total_tokens, asked) == (1, 0, 1)
    assert (injected.fault, injected.where, injected.seq, injected.role) == (
        *(kind, "model", 0),
        "request",
    )
    assert injected.would == SAYS["content"]
    assert f"HTTP {error.status} " in injected.came


def test_an_upstream_is_not_asked_for_an_answer_that_nobody_gets():
    response, record, (injected,), asked = met("server-error", SAYS, asks=False)
    assert (response.status_code, asked, injected.would) == (500, 0, "not asked")
    assert record.exchanges[0].status == "injected"


@pytest.mark.parametrize(
    "key",
    ["server-error@second", "refused:burst@second", "unauthorized@last", "reset:sometimes=0.5"],
)
def test_an_upstreams_calls_are_hit_where_those_of_another_model_are(key):
    def hit(asks):
        earlier = [("request", SAYS)] * 5
        _, _, injected, _ = met(key, SAYS, earlier=earlier, calls=6, asks=asks)
        return [one.seq for one in injected]

    assert hit(asks=False) == hit(asks=True) != []


def test_what_came_late_says_so():
    _, _, (injected,), _ = met("slow-unavailable", SAYS)
    assert injected.came.startswith("after 0.05 s: HTTP 503")


def test_a_torn_or_named_answer_of_an_upstream_is_paid_for():
    for key, message in (("reset-midway", SAYS), ("server-error@tool=http_request", CALLS)):
        _, record, _, asked = met(key, message, asks=False)
        assert (asked, record.exchanges[0].status) == (1, "injected")
        assert record.total_tokens > 0


@pytest.mark.parametrize("streamed", [False, True])
def test_connections_are_reset_before_and_in_the_middle(streamed):
    error, record, (injected,), _ = met("reset", SAYS, streamed=streamed)
    assert isinstance(error, httpx.ReadError | httpx.RemoteProtocolError)
    assert record.exchanges[0].error == "the connection was reset"
    error, record, (injected,), _ = met("reset-midway", SAYS, streamed=streamed)
    assert isinstance(error, httpx.ReadError | httpx.RemoteProtocolError)
    assert (injected.would, injected.came) == (
        SAYS["content"],
        "the connection was reset in the answer",
    )


def test_half_of_the_answer_is_there_before_the_connection_is_reset():
    async def main():
        gateway, read = Gateway(Answering(SAYS), clock=Clock()), b""
        aim = Aim(read_fault("reset-midway@first"), 0, "t")
        faults = ModelFaults(aim, TEAM, slow_seconds=0, asks_in_vain=True)
        gateway.open("e", "key", Budget(calls=5, tokens=10**6, seconds=30), faults=faults)
        messages = [{"role": "user", "content": "hi"}]
        async with serve(gateway.app) as url, httpx.AsyncClient() as client:
            asking = client.stream(
                "POST",
                f"{url}/v1/chat/completions",
                json={"model": "ossia-time", "messages": messages, "stream": True},
                headers={"authorization": "Bearer key"},
            )
            with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
                async with asking as response:
                    assert response.status_code == 200
                    async for part in response.aiter_raw():
                        read += part
            gateway.close("key")
        return read

    assert b"[DONE]" not in asyncio.run(main())


def test_what_hangs_ends_when_the_client_gives_up():
    begun = time.monotonic()
    error, record, _, _ = met("hang", SAYS, patience=0.2)
    assert isinstance(error, httpx.ReadTimeout)
    assert time.monotonic() - begun < 5
    (exchange,) = record.exchanges
    assert (exchange.status, exchange.error) == ("injected", "no answer until the client hung up")
    assert exchange.timing.latency_s > 0.1


@pytest.mark.parametrize("streamed", [False, True])
def test_what_is_slow_comes_late_and_whole(streamed):
    response, record, (injected,), _ = met("slow", SAYS, streamed=streamed)
    assert came(response) == (SAYS, "stop")
    assert record.exchanges[0].timing.latency_s >= 0.04
    assert injected.came == f"after 0.05 s: {SAYS['content']}"


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("empty", CALLS, ({"content": ""}, "stop")),
        ("cut", SAYS, ({"content": SAYS["content"][:15]}, "stop")),
        ("truncated", SAYS, ({"content": SAYS["content"][:25]}, "length")),
        ("filtered", CALLS, ({"content": texts.FILTER_NOTICE}, "content_filter")),
        ("stripped-calls", CALLS, ({"content": ""}, "stop")),
        ("dropped-call", CALLS, ({"content": ""}, "stop")),
        ("wrong-encoding", SAYS, ({"content": f"ï»¿{SAYS['content']}"}, "stop")),
        ("other-json", SAYS, ({"content": texts.OTHER_JSON}, "stop")),
        ("fenced", SAYS, ({"content": texts.fenced(SAYS["content"])}, "stop")),
        ("two-answers", SAYS, ({"content": f"{SAYS['content']}\n{SAYS['content']}"}, "stop")),
        ("error-text", SAYS, ({"content": texts.ERROR_TEXT}, "stop")),
        ("timeout-text", SAYS, ({"content": texts.TIMEOUT_TEXT}, "stop")),
        ("html-text", SAYS, ({"content": texts.HTML_PAGE}, "stop")),
        (
            "call-without-id",
            CALLS,
            (
                {"content": None, "tool_calls": [{k: CALL[k] for k in ("type", "function")}]},
                "tool_calls",
            ),
        ),
    ],
)
def test_an_answer_is_changed(kind, message, expected, streamed):
    response, record, (injected,), _ = met(kind, message, streamed=streamed)
    assert came(response) == ({"role": "assistant", **expected[0]}, expected[1])
    (exchange,) = record.exchanges
    assert exchange.status == "ok"
    assert {"role": "assistant", **expected[0]} == exchange.response
    assert injected.would != injected.came


@pytest.mark.parametrize(
    ("kind", "name", "arguments"),
    [
        ("unknown-tool", "http_request_v2", ARGUMENTS),
        ("no-arguments", "http_request", {}),
        ("other-arguments", "http_request", {"wrong_param": "unexpected value"}),
        (
            "wrong-argument",
            "http_request",
            {**ARGUMENTS, "url": "/alarm?intent=alarm_set&time=07%3A31"},
        ),
        (
            "ambiguous-argument",
            "http_request",
            {**ARGUMENTS, "url": "/alarm?intent=alarm_set&time=Springfield"},
        ),
    ],
)
def test_a_tool_call_is_changed(kind, name, arguments):
    response, _, (injected,), _ = met(kind, CALLS)
    called, given = one_call(came(response)[0])
    assert (called, json.loads(given), injected.tool) == (name, arguments, "http_request")


def test_arguments_are_broken_garbled_missing_and_renamed():
    def given(response):
        return one_call(came(response)[0])[1]

    whole = CALL["function"]["arguments"]
    broken = given(met("broken-arguments", CALLS)[0])
    assert whole.startswith(broken) and 0 < len(broken) < len(whole) / 2
    garbled = given(met("garbled-arguments", CALLS)[0])
    differing = sum(one != other for one, other in zip(whole, garbled, strict=True))
    assert differing == len(whole) // 5
    missing = json.loads(given(met("missing-argument", CALLS)[0]))
    assert len(missing) == 1 and missing.items() <= ARGUMENTS.items()
    renamed = json.loads(given(met("renamed-argument", CALLS)[0]))
    assert sorted(renamed.values()) == sorted(ARGUMENTS.values())
    assert len({*renamed} & {*ARGUMENTS}) == 1


def test_a_call_is_doubled_under_another_id():
    message, reason = came(met("doubled-call", CALLS)[0])
    first, second = message["tool_calls"]
    assert first == CALL
    assert (second["function"], second["id"]) == (CALL["function"], "call_1-2")
    assert reason == "tool_calls"


def test_the_garbled_and_the_endless():
    garbled = came(met("garbled", SAYS)[0])[0]["content"]
    assert len(garbled) == len(SAYS["content"]) and garbled != SAYS["content"]
    long = came(met("too-long", SAYS)[0])[0]["content"]
    assert len(long) > 19_000 and long.endswith(SAYS["content"])


def test_an_earlier_answer_comes_again_and_the_first_call_cannot_be_hit():
    earlier = [("intent", CHOOSES), ("request", CALLS)]
    response, _, (injected,), _ = met("stale@last", SAYS, earlier=earlier, calls=2)
    assert came(response)[0] == CALLS
    assert (injected.seq, injected.would) == (2, SAYS["content"])


@pytest.mark.parametrize(("kind", "chosen"), [("unknown-role", "auditor"), ("wrong-role", None)])
def test_the_manager_chooses_somebody_else(kind, chosen):
    response, _, (injected,), _ = met(kind, CHOOSES, role="manager")
    said = came(response)[0]["content"]
    assert said == chosen or (chosen is None and said in ("intent", "request"))
    assert injected.role == "manager"
    # A member chooses nobody.
    response, _, none, _ = met(kind, CHOOSES, role="intent")
    assert (came(response)[0], none) == (CHOOSES, [])


def test_calls_in_place_are_those_that_an_episode_without_the_fault_had():
    earlier = [("manager", CHOOSES), ("request", CALLS), ("request", SAYS)]
    _, record, none, _ = met("empty@role=nobody", CHOOSES, role="manager", earlier=earlier)
    assert none == []

    def count(key):
        return calls_in_place(read_fault(key), TEAM, record.exchanges)

    assert count("empty") == 4
    assert count("server-error@manager") == 2
    assert count("server-error@member") == 2
    assert count("unknown-tool") == 1
    assert count("server-error@tool=http_request") == 1
    # The last is what had come before.
    assert count("stale") == 2
    assert count("wrong-role") == 2
    assert count("empty@role=time") == 0


def test_every_kind_at_the_model_does_something():
    known = {*CHANGES, *ERRORS, "hang", "slow", "reset", "reset-midway"}
    assert known == {name for name, kind in KINDS.items() if kind.where == "model"}
    assert isinstance(completion_of(SAYS), Completion)
