"""The tools of MCP, called by the client of the official SDK over real HTTP."""

import asyncio
import json
import re
from contextlib import asynccontextmanager
from datetime import datetime

import pytest

pytest.importorskip("mcp", reason="needs the extra ossia[mcp]")

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.mcp_tools import MCP_PATH, McpTools
from ossia_servers.http.serving import serve
from ossia_servers.http.token import demand_admin_token, demand_token
from ossia_servers.worlds import WorldStore

ALARM = {"intent": "alarm_set", "time": "07:30", "date": "2026-03-14"}
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@asynccontextmanager
async def served(token=None):
    """Served tools; yields their URL and the store with the worlds `w` and `v`."""
    store = WorldStore(load_domains())
    for name in "wv":
        store.create(name, seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
    tools = McpTools(load_domains(), build_app(load_domains(), store))
    app = demand_admin_token(tools, "admin")
    try:
        async with (
            tools.running(),
            serve(app if token is None else demand_token(app, token, "admin")) as url,
        ):
            yield url + MCP_PATH, store
    finally:
        store.close()


@asynccontextmanager
async def client(url, mode="auto", world="w", **headers):
    if world is not None:
        headers["X-Ossia-World"] = world
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as found,
    ):
        yield found


def told(result):
    return json.loads(result.content[0].text)


@MODES
def test_an_agent_sets_an_alarm_and_reads_it_back(mode):
    async def main():
        async with served() as (url, store):
            async with client(url, mode) as agent:
                clock = await agent.call_tool("read_clock", {})
                assert told(clock)["date"] == "2026-03-13"
                done = await agent.call_tool("change_alarm", ALARM)
                assert not done.is_error
                assert told(done)["code"] == "SUCCESS"
                read = await agent.call_tool(
                    "read_alarm", {"intent": "alarm_query", "date": "2026-03-14"}
                )
                assert "07:30" in [row["time"] for row in told(read)["data"]["result"]]
            assert len(store.get("w").diff().changes) == 1
            assert not store.get("v").diff().changes

    asyncio.run(main())


@MODES
def test_no_tool_manages_worlds_and_each_says_whether_it_writes(mode):
    async def main():
        async with served() as (url, _), client(url, mode) as agent:
            tools = (await agent.list_tools()).tools
            names = {tool.name for tool in tools}
            assert {"read_alarm", "change_alarm", "read_clock"} <= names
            assert all(re.fullmatch("(read|change)_[a-z]+", name) for name in names)
            assert not [name for name in names if "world" in name or "token" in name]
            for tool in tools:
                assert tool.annotations.read_only_hint == tool.name.startswith("read_")
                assert tool.input_schema["type"] == "object"
                assert not tool.input_schema.keys() & {"oneOf", "anyOf", "allOf"}
            gone = await agent.call_tool("delete_worlds", {"world_id": "w"})
            assert gone.is_error

    asyncio.run(main())


def test_a_tool_that_reads_changes_nothing_whatever_it_is_given():
    async def main():
        async with served() as (url, store):
            async with client(url) as agent:
                for wrong in (ALARM, {}, {"intent": None}, {"intent": "alarm_fly"}):
                    refused = await agent.call_tool("read_alarm", wrong)
                    assert refused.is_error
                    assert "alarm_query" in told(refused)["msg"]
                for wrong in (["alarm_set"], {"a": 1}, 5, 10**30):
                    assert (await agent.call_tool("read_alarm", {"intent": wrong})).is_error
            assert not store.get("w").diff().changes

    asyncio.run(main())


def test_what_the_server_refuses_is_an_error_of_the_tool_in_its_words():
    async def main():
        async with served() as (url, _):
            async with client(url) as agent:
                wrong = await agent.call_tool("change_alarm", {**ALARM, "time": "25:99"})
                assert wrong.is_error
                assert "is not a time" in told(wrong)["msg"]
                for odd in (10**30, ["x"], None, True, {"a": "b"}):
                    assert (await agent.call_tool("change_alarm", {**ALARM, "time": odd})).is_error
                back = await agent.call_tool("change_alarm", {"intent": "alarm_set"})
                assert not back.is_error
                assert told(back)["code"] == "CLARIFICATION"
            async with client(url, world=None) as agent:
                assert "X-Ossia-World" in told(await agent.call_tool("read_clock", {}))["msg"]
            async with client(url, world="nobody's") as agent:
                assert told(await agent.call_tool("change_alarm", ALARM))["code"] == "UNKNOWN_WORLD"

    asyncio.run(main())


def test_a_server_that_breaks_says_no_more_than_that(caplog):
    async def broken(scope, receive, send):
        if scope["type"] == "http":
            raise ZeroDivisionError("what is not for clients")

    async def main():
        tools = McpTools(load_domains(), broken)
        async with tools.running(), serve(tools) as url, client(url + MCP_PATH) as agent:
            with pytest.raises(MCPError, match=r"^Internal server error$"):
                await agent.call_tool("read_clock", {})

    asyncio.run(main())
    assert "what is not for clients" in caplog.text


def test_what_the_block_raises_comes_out_as_it_is():
    async def main():
        async with served():
            raise ConnectionError("a process has ended")

    with pytest.raises(ConnectionError, match="a process has ended"):
        asyncio.run(main())


def test_half_a_character_is_refused_in_words():
    """The SDK's client does not send it; others do."""

    async def main():
        async with served() as (url, store), httpx2.AsyncClient(trust_env=False) as http:
            for name, arguments in (
                ("change_alarm", {**ALARM, "event_name": "\ud800"}),
                ("read_alarm", {"intent": "\ud800"}),
                ("\ud800", {}),
            ):
                params = {"name": name, "arguments": arguments}
                ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                answer = await http.post(
                    url,
                    content=json.dumps(ask),
                    headers={
                        "Accept": "application/json, text/event-stream",
                        "Content-Type": "application/json",
                        "X-Ossia-World": "w",
                    },
                )
                assert "Traceback" not in answer.text
                assert answer.status_code in (200, 400)
                assert "error" in answer.json() or answer.json()["result"]["isError"]
            assert not store.get("w").diff().changes

    asyncio.run(main())


def test_the_token_and_the_guard_hold_for_tools():
    async def main():
        async with served("secret") as (url, store):
            async with httpx2.AsyncClient(trust_env=False) as http:
                ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                accept = {"Accept": "application/json, text/event-stream"}
                right = accept | {"Authorization": "Bearer secret"}
                page = right | {"Origin": "http://evil.example"}
                foreign = right | {"Host": "evil.example"}
                found = [
                    (await http.post(url, json=ask, headers=headers)).status_code
                    for headers in (accept, right, page, foreign)
                ]
                assert found == [401, 200, 403, 421]
                for method in ("GET", "DELETE"):
                    assert (await http.request(method, url, headers=right)).status_code == 405
                large = ask | {"params": {"x": "y" * 200_000}}
                assert (await http.post(url, json=large, headers=right)).status_code == 413
            async with client(url, Authorization="Bearer secret") as agent:
                assert not (await agent.call_tool("change_alarm", ALARM)).is_error
            assert store.get("w").diff().changes

    asyncio.run(main())
