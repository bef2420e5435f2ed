"""A real endpoint behind the gateway: retries, limits and nonsense."""

import asyncio
import socket

import pytest

from ossia_servers.gateway import UpstreamOptions
from tests.servers.gateway.support import KEY, Pauses, model_for

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def message(**fields):
    return {"choices": [{"index": 0, "message": {"role": "assistant", **fields}}]}


def test_the_request_is_passed_on_under_the_endpoints_name(running, upstream, completion):
    async def main():
        async with (
            upstream(completion("hi there", usage=(1000, 100))) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            response = await lab.ask("q", temperature=0, seed=3, tools=[{"type": "function"}])
            body = response.json()
            assert body["model"] == "ossia-intent"
            assert body["choices"][0]["message"]["content"] == "hi there"
            ((headers, sent),) = endpoint.requests
            assert headers["authorization"] == f"Bearer {KEY}"
            assert sent == {
                "model": "real-model",
                "messages": [{"role": "user", "content": "q"}],
                "temperature": 0,
                "seed": 3,
                "tools": [{"type": "function"}],
            }
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert exchange.model == "openai/gpt-4o"
            assert exchange.usage.source == "provider"
            assert exchange.price_usd == pytest.approx(0.0035)
            assert exchange.request["model"] == "ossia-intent"

    asyncio.run(main())


def test_a_stream_towards_the_framework_is_an_ordinary_request_upstream(
    running, upstream, completion, events
):
    async def main():
        async with (
            upstream(completion("streamed", usage=(7, 3))) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            response = await lab.ask(stream=True, stream_options={"include_usage": True})
            parsed = events(response)
            assert parsed[-1]["usage"]["total_tokens"] == 10
            assert "stream" not in endpoint.requests[0][1]
            assert "stream_options" not in endpoint.requests[0][1]

    asyncio.run(main())


def test_without_reported_usage_the_tokens_are_estimated(running, upstream, completion):
    async def main():
        async with (
            upstream(completion("x" * 40, usage=None)) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            await lab.ask("y" * 36)
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert exchange.usage.source == "estimate"
            assert (exchange.usage.prompt_tokens, exchange.usage.completion_tokens) == (16, 10)

    asyncio.run(main())


def test_cached_tokens_are_kept_and_made_plausible(running, upstream, completion):
    async def main():
        plain, cached, absurd = (completion(usage=(1000, 100)) for _ in range(3))
        cached["usage"]["prompt_tokens_details"] = {"cached_tokens": 512}
        absurd["usage"]["prompt_tokens_details"] = {"cached_tokens": 5000}
        async with (
            upstream(plain, cached, absurd) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            for _ in range(3):
                await lab.ask()
            first, second, third = lab.gateway.record("key-1").exchanges
            assert [e.usage.cached_tokens for e in (first, second, third)] == [0, 512, 0]
            assert second.price_usd < first.price_usd == third.price_usd

    asyncio.run(main())


def test_429_then_success_waits_as_the_endpoint_asks(running, upstream, completion):
    async def main():
        pauses = Pauses()
        limited = (429, {"retry-after": "7"}, {"error": {"message": "slow down"}})
        async with (
            upstream(limited, limited, completion("at last")) as endpoint,
            running(model_for(endpoint, pauses=pauses)) as lab,
        ):
            response = await lab.ask()
            assert response.status_code == 200
            assert pauses.made == [7.0, 7.0]
            record = lab.gateway.record("key-1")
            assert [(e.status, e.attempts) for e in record.exchanges] == [("ok", 3)]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry-after": "9999"}, 60.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "0"}, 0.5),
        ({"retry-after": "-4"}, 0.5),
        ({"retry-after": "soon"}, 0.5),
        ({"retry-after": "nan"}, 0.5),
        ({"retry-after": "9" * 400}, 60.0),
        ({"retry-after": "Sat, 21 Nov " + "2" * 20 + " 10:00:20 GMT"}, 0.5),
        ({"retry-after": "Sat, 21 Nov 2026 10:00:20 +" + "9" * 20}, 0.5),
        ({}, 0.5),
        (
            {
                "retry-after": "Sat, 21 Nov 2026 10:00:20 GMT",
                "date": "Sat, 21 Nov 2026 10:00:05 GMT",
            },
            15.0,
        ),
        ({"retry-after": "Sat, 21 Nov 2026 10:00:20 GMT"}, 0.5),
    ],
)
def test_every_form_of_retry_after_is_understood(running, upstream, completion, headers, pause):
    async def main():
        pauses = Pauses()
        async with (
            upstream((429, headers, {}), completion()) as endpoint,
            running(model_for(endpoint, pauses=pauses)) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert pauses.made == [pause]

    asyncio.run(main())


def test_500_for_ever_is_an_infrastructure_failure_after_bounded_pauses(running, upstream):
    async def main():
        pauses = Pauses()
        broken = (500, {}, {"error": {"message": "boom"}})
        model_options = {"retries": 6, "backoff_s": 1.0, "backoff_cap_s": 5.0}
        async with (
            upstream(broken) as endpoint,
            running(
                model_for(
                    endpoint,
                    pauses=pauses,
                    jitter=lambda n: 0.5 if n == 2 else 1.0,
                    **model_options,
                )
            ) as lab,
        ):
            response = await lab.ask()
            assert response.status_code == 502
            error = response.json()["error"]
            assert error["type"] == "ossia_upstream"
            assert "HTTP 500: boom" in error["message"]
            assert pauses.made == [1.0, 1.0, 4.0, 5.0, 5.0, 5.0]
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 7)
            assert exchange.response is None
            assert exchange.price_usd is None

    asyncio.run(main())


@pytest.mark.slow
def test_a_hang_ends_by_the_timeout_of_the_attempts(running, upstream, completion):
    async def main():
        async with (
            upstream("hang", completion("woke up"), "hang") as endpoint,
            running(model_for(endpoint, timeout_s=1.0, retries=1)) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            response = await lab.ask()
            assert response.status_code == 502
            assert "no answer within 1 s" in response.json()["error"]["message"]
            first, second = lab.gateway.record("key-1").exchanges
            assert (first.status, first.attempts) == ("ok", 2)
            assert (second.status, second.attempts) == ("infrastructure", 2)

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize(
    "nonsense",
    [
        b"<html>gateway timeout</html>",
        b"",
        b"[]",
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": "text"}]},
        {"choices": [{"message": {"content": 5}}]},
        {"choices": [{"message": {"content": None, "tool_calls": [{"id": "1"}]}}]},
        {"error": {"message": "provider overloaded"}},
        {"choices": [{"message": {"content": ""}, "error": {"code": 502}}]},
        {"choices": [{"message": {"content": "half"}, "finish_reason": "error"}]},
        message(content=[5]),
        message(content=["bare"]),
        message(content=[{"type": "text", "text": 5}]),
        message(content=[{"text": "no type"}]),
        message(content={"type": "text", "text": "no list"}),
        message(content="x", refusal=["no"]),
        message(content=None, function_call="f"),
        message(content=None, tool_calls={"id": "1"}),
        message(content=None, tool_calls=[None]),
        message(content=None, tool_calls=[{**CALL, "id": None}]),
        message(content=None, tool_calls=[{k: v for k, v in CALL.items() if k != "id"}]),
        message(content=None, tool_calls=[{**CALL, "id": 7}]),
        message(content=None, tool_calls=[{**CALL, "type": None}]),
        message(content=None, tool_calls=[CALL, {**CALL, "function": None}]),
        message(content=None, tool_calls=[{**CALL, "function": {"name": "", "arguments": ""}}]),
        message(content=None, tool_calls=[{**CALL, "function": {"name": "f", "arguments": {}}}]),
        message(content=None, tool_calls=[{**CALL, "function": {"name": None, "arguments": ""}}]),
    ],
)
def test_nonsense_is_retried_and_then_an_infrastructure_failure(
    running, upstream, completion, nonsense
):
    async def main():
        async with (
            upstream(nonsense, completion(), nonsense) as endpoint,
            running(model_for(endpoint, retries=1)) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert (await lab.ask()).status_code == 502
            first, second = lab.gateway.record("key-1").exchanges
            assert (first.status, first.attempts) == ("ok", 2)
            assert (second.status, second.attempts) == ("infrastructure", 2)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"content": [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]}, "a b"),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "b"}]}, "b"),
        ({"content": [{"type": "thinking", "thinking": []}], "tool_calls": [CALL]}, None),
        ({"content": None, "tool_calls": [{k: v for k, v in CALL.items() if k != "type"}]}, None),
        ({"content": None, "refusal": "I cannot help with that."}, None),
        ({"content": "fine", "function_call": None, "tool_calls": None}, "fine"),
    ],
)
def test_what_endpoints_answer_rightly_in_other_words_is_read(running, upstream, fields, wanted):
    async def main():
        async with upstream(message(**fields)) as endpoint, running(model_for(endpoint)) as lab:
            response = await lab.ask()
            assert response.status_code == 200
            told = response.json()["choices"][0]["message"]
            assert told["content"] == wanted
            assert told.get("tool_calls") == fields.get("tool_calls")

    asyncio.run(main())


def test_an_endpoint_that_is_not_there_is_an_infrastructure_failure(running):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    async def main():
        async with running(model_for(f"http://127.0.0.1:{port}/v1", retries=2)) as lab:
            assert (await lab.ask()).status_code == 502
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 3)
            assert "3 attempts failed: no connection: All connection attempts" in exchange.error

    asyncio.run(main())


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_the_endpoint_refuses_is_a_bad_request(running, upstream, status):
    async def main():
        refusal = (status, {}, {"error": {"message": "tools are not supported"}})
        async with upstream(refusal) as endpoint, running(model_for(endpoint)) as lab:
            response = await lab.ask()
            assert response.status_code == 400
            assert response.json()["error"]["type"] == "invalid_request_error"
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("bad_request", 1)
            assert "tools are not supported" in exchange.error

    asyncio.run(main())


@pytest.mark.parametrize("status", [404, 410])
def test_a_wrong_model_is_not_retried(running, upstream, status):
    async def main():
        async with (
            upstream((status, {}, {"error": {"message": "no"}})) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            assert (await lab.ask()).status_code == 502
            assert len(endpoint.requests) == 1
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 1)

    asyncio.run(main())


def test_no_more_requests_at_once_than_allowed(running, upstream, completion):
    async def main():
        async with (
            upstream(completion(), delay=0.02) as endpoint,
            running(model_for(endpoint, concurrency=3)) as lab,
        ):
            responses = await asyncio.gather(*(lab.ask(str(n)) for n in range(12)))
            assert {r.status_code for r in responses} == {200}
            assert endpoint.most_at_once == 3

    asyncio.run(main())


@pytest.mark.parametrize("wrong", [{"timeout_s": 0}, {"concurrency": 0}, {"retries": -1}])
def test_senseless_options_are_refused(wrong):
    with pytest.raises(ValueError, match="positive timeout"):
        UpstreamOptions(**wrong)
