"""The server starts on a free port, answers, and stops at once whatever is open."""

import asyncio
import logging
import signal
import socket
import sqlite3
import time
from contextlib import asynccontextmanager
from datetime import datetime

import httpx
import pytest
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.http.app import build_app
from ossia_servers.http.serving import serve
from ossia_servers.worlds import WorldStore


def make_app(events: list[str]) -> Starlette:
    async def hello(_: Request) -> PlainTextResponse:
        return PlainTextResponse("hello")

    async def hang(_: Request) -> PlainTextResponse:
        events.append("hanging")
        try:
            await asyncio.Event().wait()
        finally:
            events.append("hang ended")
        return PlainTextResponse("never")

    async def drip(_: Request) -> StreamingResponse:
        async def parts():
            while True:
                yield b"drop\n"
                await asyncio.sleep(0.01)

        return StreamingResponse(parts())

    return Starlette(
        routes=[Route("/", hello), Route("/hang", hang), Route("/drip", drip)],
    )


async def until(condition, seconds=5.0):
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def test_answers_on_a_free_port_and_is_gone_afterwards():
    async def main():
        async with serve(make_app([])) as url, httpx.AsyncClient() as client:
            assert url.startswith("http://127.0.0.1:")
            assert (await client.get(url + "/")).text == "hello"
        async with httpx.AsyncClient() as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(url + "/")

    asyncio.run(main())


def test_two_servers_share_one_loop():
    async def main():
        async with (
            serve(make_app([])) as one,
            serve(make_app([])) as two,
            httpx.AsyncClient() as client,
        ):
            assert one != two
            assert (await client.get(one + "/")).text == "hello"
            assert (await client.get(two + "/")).text == "hello"

    asyncio.run(main())


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_stops_promptly_with_idle_hanging_and_streaming_connections(run, caplog):
    events: list[str] = []

    async def main():
        client = httpx.AsyncClient(timeout=30)
        async with serve(make_app(events)) as url:
            await client.get(url + "/")
            hanging = asyncio.create_task(client.get(url + "/hang"))
            dripping = asyncio.create_task(client.get(url + "/drip"))
            # A client that has connected and says nothing.
            host, port = url.removeprefix("http://").split(":")
            _, silent = await asyncio.open_connection(host, int(port))
            await until(lambda: "hanging" in events)
            before = time.monotonic()
        assert time.monotonic() - before < 2
        assert events == ["hanging", "hang ended"]
        for task in (hanging, dripping):
            with pytest.raises(httpx.TransportError):
                await task
        silent.close()
        await client.aclose()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert others == []

    with caplog.at_level(logging.WARNING):
        run(main())
    assert caplog.records == []


def test_a_port_in_use_is_an_os_error_with_one_sentence():
    async def main():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(
                OSError, match=rf"Cannot listen on 127\.0\.0\.1 port {port}: Address already in use"
            ):
                async with serve(make_app([]), port=port):
                    pass

    asyncio.run(main())


def test_an_impossible_port_is_an_os_error():
    async def main():
        with pytest.raises(OSError, match=r"Cannot listen on 127\.0\.0\.1 port 99999"):
            async with serve(make_app([]), port=99999):
                pass

    asyncio.run(main())


def test_answers_do_not_wait_for_acknowledgements():
    async def main():
        async with serve(make_app([])) as url, httpx.AsyncClient() as client:
            await client.get(url + "/")
            before = time.monotonic()
            for _ in range(50):
                await client.get(url + "/")
            # Delayed acknowledgements would make it two seconds.
            assert time.monotonic() - before < 1

    asyncio.run(main())


def test_signal_handlers_stay_as_they_are():
    async def main():
        before = signal.getsignal(signal.SIGTERM)
        async with serve(make_app([])):
            assert signal.getsignal(signal.SIGTERM) is before

    asyncio.run(main())


def test_a_start_that_is_interrupted_leaves_no_word_behind(caplog):
    @asynccontextmanager
    async def lifespan(_):
        await asyncio.Event().wait()
        yield

    async def main():
        async with serve(Starlette(lifespan=lifespan)):
            raise AssertionError("it never starts")

    async def interrupted():
        starting = asyncio.ensure_future(main())
        await asyncio.sleep(0.1)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    with caplog.at_level(logging.WARNING):
        asyncio.run(interrupted())
    assert not caplog.records


def test_the_lifespan_runs_and_an_error_in_the_block_passes_through():
    events: list[str] = []

    @asynccontextmanager
    async def lifespan(_):
        events.append("up")
        yield
        events.append("down")

    async def main():
        with pytest.raises(KeyError):
            async with serve(Starlette(lifespan=lifespan)):
                raise KeyError("inside")

    asyncio.run(main())
    assert events == ["up", "down"]


def test_a_full_disk_is_told_without_traces(caplog, monkeypatch):
    def full():
        raise sqlite3.OperationalError("database or disk is full")

    async def main():
        store = WorldStore(load_domains())
        store.create("w", seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
        monkeypatch.setattr(store, "end_group", full)
        async with (
            serve(build_app(load_domains(), store)) as url,
            httpx.AsyncClient(base_url=url, trust_env=False) as client,
        ):
            asked = {"intent": "alarm_query"}
            return await client.get("/alarm", params=asked, headers={"X-Ossia-World": "w"})

    answer = asyncio.run(main())
    assert (answer.status_code, answer.json()["code"]) == (500, "NOT_STORED")
    assert "disk is full" in caplog.text
    assert [record for record in caplog.records if record.exc_info] == []
