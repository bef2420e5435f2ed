"""A gateway and, where wanted, an upstream endpoint, both over real HTTP on loopback."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import orjson
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from ossia_servers.gateway import Budget, Gateway, fault_body
from ossia_servers.http.serving import serve

ROOMY = Budget(calls=1000, tokens=1_000_000, seconds=600)


class ManualClock:
    """Stands still until a test moves it."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@dataclass
class Running:
    gateway: Gateway
    url: str
    client: httpx.AsyncClient
    clock: ManualClock

    async def post(self, body, key="key-1"):
        content = body if isinstance(body, bytes) else orjson.dumps(body)
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        return await self.client.post(
            self.url + "/v1/chat/completions", content=content, headers=headers
        )

    async def ask(self, text="hello", role="intent", key="key-1", **parameters):
        messages = [{"role": "user", "content": text}]
        return await self.post(
            {"model": f"ossia-{role}", "messages": messages, **parameters}, key=key
        )


@pytest.fixture
def running():
    @asynccontextmanager
    async def start(model, *, budget=ROOMY, clock=None, **options):
        clock = clock or ManualClock()
        gateway = Gateway(model, clock=clock, **options)
        gateway.open("episode-1", "key-1", budget)
        async with (
            serve(gateway.app, told=fault_body) as url,
            httpx.AsyncClient(timeout=20, limits=httpx.Limits(max_connections=200)) as client,
        ):
            yield Running(gateway, url, client, clock)
            await gateway.aclose()

    return start


@dataclass
class Upstream:
    """An endpoint that gives prepared replies in order, the last one for ever.

    A reply is a body for status 200, or `(status, headers, body)`, or `"hang"`.
    """

    replies: list
    url: str = ""
    requests: list = field(default_factory=list)
    most_at_once: int = 0
    delay: float = 0.0
    left: int = 0
    _now: int = 0

    async def answer(self, request):
        number = len(self.requests)
        self.requests.append((dict(request.headers), orjson.loads(await request.body())))
        reply = self.replies[min(number, len(self.replies) - 1)]
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            if reply == "hang":
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                self.left += 1
            await asyncio.sleep(self.delay)
        finally:
            self._now -= 1
        if reply == "hang":
            return Response(b"nobody is there")
        status, headers, body = reply if isinstance(reply, tuple) else (200, {}, reply)
        content = body if isinstance(body, bytes) else orjson.dumps(body)
        return Response(content, status, headers, "application/json")


@pytest.fixture
def upstream():
    @asynccontextmanager
    async def start(*replies, delay=0.0):
        endpoint = Upstream(list(replies), delay=delay)
        route = Route("/v1/chat/completions", endpoint.answer, methods=["POST"])
        async with serve(Starlette(routes=[route])) as url:
            endpoint.url = url + "/v1"
            yield endpoint

    return start


@pytest.fixture
def completion():
    def make(text="fine", *, usage=(10, 5), **message):
        body = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "real-model",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, **message},
                    "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
                }
            ],
        }
        if usage:
            body["usage"] = {
                "prompt_tokens": usage[0],
                "completion_tokens": usage[1],
                "total_tokens": sum(usage),
            }
        return body

    return make


@pytest.fixture
def events():
    def parse(response):
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in response.text.split("\n\n") if line]
        assert all(line.startswith("data: ") for line in lines)
        assert lines[-1] == "data: [DONE]"
        return [orjson.loads(line.removeprefix("data: ")) for line in lines[:-1]]

    return parse
