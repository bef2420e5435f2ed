"""Connections that send too much, too slowly or nothing do not keep others out."""

import asyncio
import contextlib
import resource
import time

import httpx
import pytest
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from ossia_servers.http.connection import Limits
from ossia_servers.http.serving import serve

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "


def app():
    async def hello(request: Request) -> PlainTextResponse:
        return PlainTextResponse(str(len(await request.body())))

    async def slow(_: Request) -> PlainTextResponse:
        await asyncio.sleep(0.6)
        return PlainTextResponse("slow")

    async def large(_: Request) -> PlainTextResponse:
        return PlainTextResponse("x" * 1_000_000)

    return Starlette(
        routes=[
            Route("/large", large),
            Route("/", hello, methods=["GET", "POST"]),
            Route("/slow", slow, methods=["GET"]),
        ]
    )


def port_of(url):
    return int(url.rpartition(":")[2])


def client_of(url):
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=30)


async def connect(url):
    return await asyncio.open_connection("127.0.0.1", port_of(url))


async def pour(writer, chunk, most):
    """Send a chunk again and again until the server hangs up; returns how many bytes went."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < most and not writer.is_closing():
            writer.write(chunk)
            await writer.drain()
            sent += len(chunk)
            await asyncio.sleep(0)
    return sent


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
@pytest.mark.parametrize(
    "start",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ",
        b"GET /",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Trailer: ",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n2;extension=",
    ],
    ids=["header", "target", "trailer", "chunk-extension"],
)
def test_a_hundred_megabytes_beside_a_body_are_refused_early(run, start):
    async def main():
        async with serve(app()) as url:
            _, writer = await connect(url)
            writer.write(start)
            began = time.monotonic()
            sent = await pour(writer, b"x" * 65536, 100_000_000)
            # The rest of what was sent lay in the buffers of the two sockets.
            assert sent < 20_000_000
            assert time.monotonic() - began < 5
            writer.transport.abort()
            async with client_of(url) as client:
                assert (await client.get("/")).status_code == 200

    run(main())


def test_too_large_headers_are_told_so():
    async def main():
        async with serve(app()) as url, client_of(url) as client:
            most = {"X-A": "x" * 60_000}
            assert (await client.get("/", headers=most)).status_code == 200
            answer = await client.get("/", headers={"X-A": "x" * 66_000})
            assert (answer.status_code, answer.text) == (431, "The headers are too large.")
            many = [("X-A", "x" * 100)] * 700
            assert (await client.get("/", headers=many)).status_code == 431

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize("chunked", [True, False])
def test_a_large_body_is_none_of_the_headers(chunked):
    async def main():
        async with serve(app()) as url, client_of(url) as client:

            async def parts():
                for _ in range(20_000):
                    yield b"12345678"

            kind = {"Content-Type": "application/json"}
            for _ in range(3):
                content = parts() if chunked else b"y" * 5_000_000
                answer = await client.post("/", content=content, headers=kind)
                assert answer.text == ("160000" if chunked else "5000000")

    asyncio.run(main())


def test_a_request_has_to_arrive_in_time():
    cases = [
        b"",
        HALF,
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 9\r\n\r\n{",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + HALF,
    ]

    async def main():
        async with serve(app(), limits=Limits(request_seconds=0.3)) as url:
            for sent in cases:
                reader, writer = await connect(url)
                writer.write(sent)

                more = b"x" if sent.endswith(HALF) else b""

                async def drip(writer=writer, more=more):
                    while not writer.is_closing():
                        writer.write(more)
                        await asyncio.sleep(0.05)

                dripping = asyncio.create_task(drip())
                began = time.monotonic()
                async with asyncio.timeout(5):
                    with contextlib.suppress(ConnectionError):
                        await reader.read()
                assert 0.2 < time.monotonic() - began < 2
                dripping.cancel()
                writer.close()

    asyncio.run(main())


@pytest.mark.slow
def test_whoever_waits_for_the_server_is_not_hurried():
    """An answer may take longer than a request, and an idle connection stays."""

    async def main():
        async with serve(app(), limits=Limits(request_seconds=0.6)) as url:
            reader, writer = await connect(url)
            ask = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"
            # The second waits for the first, and the third comes in two parts meanwhile.
            writer.write(ask + ask + ask[:20])
            await asyncio.sleep(0.4)
            writer.write(ask[20:])
            async with asyncio.timeout(10):
                for _ in range(3):
                    assert (await reader.readuntil(b"slow")).startswith(b"HTTP/1.1 200")
            await asyncio.sleep(0.9)
            writer.write(ask)
            async with asyncio.timeout(10):
                assert (await reader.readuntil(b"slow")).startswith(b"HTTP/1.1 200")
            writer.close()

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_thousand_half_requests_keep_nobody_out(run):
    async def main():
        limits = Limits(connections=100)
        async with serve(app(), limits=limits) as url, client_of(url) as known:
            assert (await known.get("/")).status_code == 200
            halves = []
            for number in range(1000):
                halves.append(await connect(url))
                halves[-1][1].write(HALF)
                if number % 50 == 0:
                    async with client_of(url) as new:
                        assert (await new.get("/")).status_code == 200
                    assert (await known.get("/")).status_code == 200
            for _, writer in halves:
                writer.transport.abort()

    run(main())


def test_idle_connections_make_room_and_busy_ones_do_not():
    async def main():
        async with serve(app(), limits=Limits(connections=3)) as url:
            lines = [await connect(url) for _ in range(3)]
            for reader, writer in lines:
                writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await reader.readuntil(b"\r\n\r\n0")
            busy = asyncio.create_task(slow(url))
            await asyncio.sleep(0.1)
            others = [asyncio.create_task(slow(url)) for _ in range(2)]
            await asyncio.sleep(0.1)
            refused = await slow(url)
            assert refused.startswith(b"HTTP/1.1 503")
            assert refused.endswith(b"There are too many connections.")
            for answer in (await busy, *[await other for other in others]):
                assert answer.endswith(b"slow")
            for _, writer in lines:
                writer.close()
            assert (await slow(url)).endswith(b"slow")

    async def slow(url):
        reader, writer = await connect(url)
        writer.write(b"GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        async with asyncio.timeout(10):
            answer = await reader.read()
        writer.close()
        return answer

    asyncio.run(main())


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_whoever_does_not_read_keeps_nobody_out(run):
    async def main():
        async with serve(app(), limits=Limits(connections=3)) as url:
            deaf = []
            for _ in range(3):
                reader, writer = await connect(url)
                reader._transport.pause_reading()
                deaf.append(writer)
                for _ in range(40):
                    writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await asyncio.sleep(0.5)
            async with client_of(url) as client:
                for _ in range(3):
                    assert (await client.get("/")).status_code == 200
            for writer in deaf:
                writer.transport.abort()

    run(main())


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\x02\x00", b"FOO / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
)
def test_what_is_no_request_is_told_so_and_fills_no_log(sent, caplog):
    async def main():
        async with serve(app()) as url:
            reader, writer = await connect(url)
            writer.write(sent)
            async with asyncio.timeout(5):
                answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert answer.endswith(b"This is no HTTP request for a path.")
            writer.close()
            reader, writer = await connect(url)
            upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
            async with asyncio.timeout(5):
                assert (await reader.readuntil(b"\r\n\r\n0")).startswith(b"HTTP/1.1 200")
            writer.close()

    with caplog.at_level("WARNING"):
        asyncio.run(main())
    assert caplog.records == []


def test_the_most_connections_follow_from_the_files_that_the_process_may_open():
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert Limits().connections == min(4096, files // 3)
