"""What a framework sees: answers, streams, models and errors in the OpenAI form."""

import asyncio

import orjson
import pytest

from ossia_servers.gateway import ScriptedModel, Usage
from ossia_servers.gateway.models import Completion

TOOL_MESSAGE = {
    "content": None,
    "tool_calls": [
        {
            "id": "call_a",
            "type": "function",
            "function": {"name": "get_date", "arguments": "{}"},
        },
        {
            "id": "call_b",
            "type": "function",
            "function": {"name": "http_request", "arguments": '{"method": "GET", "url": "/x"}'},
        },
    ],
}


def run(coroutine):
    return asyncio.run(coroutine)


def test_a_plain_answer_echoes_the_requested_model(running):
    async def main():
        async with running(ScriptedModel(lambda call: f"I am {call.role}")) as lab:
            response = await lab.ask("hi", role="time")
            assert response.status_code == 200
            body = response.json()
            assert body["object"] == "chat.completion"
            assert body["model"] == "ossia-time"
            assert body["choices"] == [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "I am time"},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ]
            usage = body["usage"]
            assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0
            second = (await lab.ask("hi", role="time")).json()
            assert second["id"] != body["id"]
            names = body["id"], second["id"]
        async with running(ScriptedModel(lambda call: f"I am {call.role}")) as again:
            repeated = [(await again.ask("hi", role="time")).json()["id"] for _ in names]
            other = (await again.ask("ho", role="time")).json()["id"]
        assert tuple(repeated) == names
        assert other.partition("-")[2].partition("-")[0] not in names[0]

    run(main())


def test_the_model_sees_the_request_as_sent(running):
    seen = []

    def script(call):
        seen.append(call)
        return "ok"

    async def main():
        async with running(ScriptedModel(script)) as lab:
            body = {
                "model": "ossia-url",
                "messages": [
                    {"role": "system", "content": "be brief"},
                    {"role": "user", "content": [{"type": "text", "text": "hello"}]},
                ],
                "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
                "tool_choice": "auto",
                "response_format": {"type": "json_object"},
                "temperature": 0.1,
            }
            assert (await lab.post(body)).status_code == 200
            (call,) = seen
            assert call.request == body
            assert (call.role, call.episode) == ("url", "episode-1")
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert exchange.request == body
            assert exchange.forced == {"tool_choice": "auto", "temperature": 0.1}

    run(main())


def test_tool_calls_finish_with_tool_calls(running):
    async def main():
        async with running(ScriptedModel(lambda _: TOOL_MESSAGE)) as lab:
            choice = (await lab.ask()).json()["choices"][0]
            assert choice["finish_reason"] == "tool_calls"
            assert choice["message"] == {"role": "assistant", **TOOL_MESSAGE}

    run(main())


@pytest.mark.parametrize("with_usage", [True, False])
def test_a_stream_carries_the_text_and_the_usage_when_asked(running, events, with_usage):
    async def main():
        async with running(ScriptedModel(lambda _: "two words")) as lab:
            options = {"stream_options": {"include_usage": True}} if with_usage else {}
            parsed = events(await lab.ask(stream=True, **options))
            assert {e["model"] for e in parsed} == {"ossia-intent"}
            assert {e["object"] for e in parsed} == {"chat.completion.chunk"}
            chosen = [e["choices"][0] for e in parsed if e["choices"]]
            assert chosen[0]["delta"]["role"] == "assistant"
            assert "".join(c["delta"].get("content", "") for c in chosen) == "two words"
            assert [c["finish_reason"] for c in chosen][-1] == "stop"
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert exchange.streamed
            assert exchange.forced == {}
            assert exchange.usage is not None
            if with_usage:
                assert parsed[-1]["choices"] == []
                assert parsed[-1]["usage"]["total_tokens"] == exchange.usage.total_tokens
            else:
                assert all("usage" not in e for e in parsed)

    run(main())


def test_streamed_tool_calls_can_be_put_together(running, events):
    async def main():
        async with running(ScriptedModel(lambda _: TOOL_MESSAGE)) as lab:
            calls = {}
            reason = None
            for event in events(await lab.ask(stream=True)):
                choice = event["choices"][0]
                reason = choice["finish_reason"] or reason
                for part in choice["delta"].get("tool_calls", []):
                    call = calls.setdefault(part["index"], {"arguments": ""})
                    call["id"] = part.get("id", call.get("id"))
                    call["name"] = part["function"].get("name", call.get("name"))
                    call["arguments"] += part["function"].get("arguments", "")
            assert reason == "tool_calls"
            assert calls == {
                0: {"id": "call_a", "name": "get_date", "arguments": "{}"},
                1: {
                    "id": "call_b",
                    "name": "http_request",
                    "arguments": '{"method": "GET", "url": "/x"}',
                },
            }

    run(main())


def test_reported_usage_is_passed_on_and_kept(running):
    usage = Usage(prompt_tokens=100, completion_tokens=7, source="provider", cached_tokens=64)
    reply = Completion({"role": "assistant", "content": "x"}, "length", usage, attempts=3)

    async def main():
        async with running(ScriptedModel(lambda _: reply)) as lab:
            body = (await lab.ask()).json()
            assert body["usage"] == {
                "prompt_tokens": 100,
                "completion_tokens": 7,
                "total_tokens": 107,
                "prompt_tokens_details": {"cached_tokens": 64},
            }
            assert body["choices"][0]["finish_reason"] == "length"
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.usage, exchange.attempts) == (usage, 3)

    run(main())


def test_the_models_are_listed_for_an_episode_only(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x"), roles=("manager", "intent")) as lab:
            headers = {"authorization": "Bearer key-1"}
            listed = await lab.client.get(lab.url + "/v1/models", headers=headers)
            assert [m["id"] for m in listed.json()["data"]] == ["ossia-manager", "ossia-intent"]
            one = await lab.client.get(lab.url + "/v1/models/ossia-intent", headers=headers)
            assert one.json()["id"] == "ossia-intent"
            none = await lab.client.get(lab.url + "/v1/models/gpt", headers=headers)
            assert none.status_code == 404
            assert (await lab.client.get(lab.url + "/v1/models")).status_code == 401

    run(main())


def test_an_unknown_key_is_refused(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "key-1"}):
                response = await lab.client.post(
                    lab.url + "/v1/chat/completions", headers=headers, json={}
                )
                assert response.status_code == 401
                assert response.json()["error"]["type"] == "ossia_unknown_episode"
            assert lab.gateway.record("key-1").exchanges == ()

    run(main())


def test_other_paths_answer_in_the_same_error_form(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            for method, path, status in [
                ("POST", "/v1/responses", 404),
                ("GET", "/v1/chat/completions", 405),
            ]:
                response = await lab.client.request(method, lab.url + path)
                assert response.status_code == status
                error = response.json()["error"]
                assert error["type"] == "invalid_request_error"
                assert path in error["message"]

    run(main())


GOOD = {"model": "ossia-intent", "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"model": "ossia-intent", "messages": [{"role": "user", "content": NaN}]}', "not JSON"),
        ({**GOOD, "model": "gpt-4o"}, "ossia-ROLE"),
        ({**GOOD, "model": "ossia-"}, "ossia-ROLE"),
        ({**GOOD, "model": 7}, "ossia-ROLE"),
        ({**GOOD, "messages": []}, "messages"),
        ({**GOOD, "messages": "x"}, "messages"),
        ({**GOOD, "messages": [{"content": "x"}]}, "messages[0]"),
        ({**GOOD, "messages": [*GOOD["messages"], "x"]}, "messages[1]"),
        ({**GOOD, "messages": [{"role": "user", "content": 7}]}, "content"),
        ({**GOOD, "messages": [{"role": "user", "content": ["x"]}]}, "part"),
        ({**GOOD, "messages": [{"role": "assistant", "tool_calls": {}}]}, "tool_calls"),
        ({**GOOD, "tools": {}}, "tools"),
        ({**GOOD, "tools": ["f"]}, "tools"),
        ({**GOOD, "tool_choice": 1}, "tool_choice"),
        ({**GOOD, "response_format": "json"}, "response_format"),
        ({**GOOD, "stream": "yes"}, "stream"),
        ({**GOOD, "n": 2}, "n must be 1"),
        ({**GOOD, "metadata": orjson.loads("[" * 300 + "]" * 300)}, "deeper"),
    ],
)
def test_malformed_requests_are_bad_requests_and_recorded(running, body, part):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            content = body
            if not isinstance(body, bytes):
                import json

                content = json.dumps(body).encode()
            response = await lab.post(content)
            assert response.status_code == 400
            error = response.json()["error"]
            assert error["type"] == "invalid_request_error"
            assert part in error["message"]
            record = lab.gateway.close("key-1")
            (exchange,) = record.exchanges
            assert exchange.status == "bad_request"
            assert exchange.error == error["message"]
            assert exchange.attempts == 0
            assert record.model_dump_json()

    run(main())


def test_a_wide_but_flat_request_is_fine(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            messages = [{"role": "user", "content": "x"}] * 500
            response = await lab.post({**GOOD, "messages": messages})
            assert response.status_code == 200

    run(main())


def test_keys_in_the_body_are_not_kept(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            await lab.ask(api_key="secret-in-body")
            assert "secret-in-body" not in lab.gateway.close("key-1").model_dump_json()

    run(main())


def test_an_answer_that_cannot_be_written_is_an_infrastructure_failure(running, caplog):
    async def main():
        async with running(ScriptedModel(lambda _: {"content": object()})) as lab:
            assert (await lab.ask()).status_code == 502
            record = lab.gateway.close("key-1")
            assert record.exchanges[0].status == "infrastructure"
            assert record.model_dump_json()

    run(main())


def test_a_model_that_breaks_is_an_infrastructure_failure(running, caplog):
    def script(_):
        raise KeyError("a slip")

    async def main():
        async with running(ScriptedModel(script)) as lab:
            response = await lab.ask()
            assert response.status_code == 502
            assert response.json()["error"]["type"] == "ossia_upstream"
            assert response.headers["x-should-retry"] == "false"
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert exchange.status == "infrastructure"
            assert "KeyError" in exchange.error

    run(main())
    assert "a slip" in caplog.text
