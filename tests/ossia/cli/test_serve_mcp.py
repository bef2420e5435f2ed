"""`ossia serve --mcp`: an assistant's task through the tools."""

import asyncio
import json
import re
import signal

import pytest

pytest.importorskip("mcp", reason="needs the extra ossia[mcp]")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from .test_serve import NEW, serve  # noqa: F401

NAMES = [f"mine-{number}" for number in range(6)]


async def played(url, world):
    """Set an alarm and read it back as an agent does."""
    async with (
        httpx2.AsyncClient(headers={"X-Ossia-World": world}, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as agent,
    ):
        names = {tool.name for tool in (await agent.list_tools()).tools}
        assert not [name for name in names if not name.startswith(("read_", "change_"))]
        clock = json.loads((await agent.call_tool("read_clock", {})).content[0].text)
        alarm = {"intent": "alarm_set", "time": "22:15", "date": clock["date"]}
        await agent.call_tool("change_alarm", alarm)
        asked = {"intent": "alarm_query", "date": clock["date"]}
        return json.loads((await agent.call_tool("read_alarm", asked)).content[0].text)


def test_an_alarm_is_set_and_read_back(serve):  # noqa: F811
    served = serve("--mcp")
    assert f"MCP tools at {served.url}/mcp," in served.said
    world = re.search(r"first world: (\S+)", served.said)[1]
    with served.client() as admin:
        for name in NAMES:
            assert admin.post("/worlds", json={"id": name, **NEW}).status_code == 201
        for name in (world, *NAMES):
            read = asyncio.run(played(served.url, name))
            assert "22:15" in [row["time"] for row in read["data"]["result"]]
            (change,) = admin.get(f"/worlds/{name}/diff").json()["changes"]
            assert change["after"]["time"] == "22:15"
    served.process.send_signal(signal.SIGINT)
    served.process.wait()
    assert "Traceback" not in served.said


def test_without_the_option_there_are_no_tools(serve):  # noqa: F811
    served = serve()
    with served.client() as client:
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status_code == 404
        assert "MCP" not in served.said
