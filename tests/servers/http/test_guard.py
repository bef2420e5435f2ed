"""What reaches a server on loopback from a browser is refused before anybody acts on it."""

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import datetime

import pytest

from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.gateway import Budget, Gateway, ScriptedModel, fault_body
from ossia_servers.http.app import build_app
from ossia_servers.http.guard import hosts_of
from ossia_servers.http.serving import serve
from ossia_servers.worlds import WorldStore

ALARM = '{"intent": "alarm_set", "time": "07:30", "date": "2026-03-14"}'


class Clock:
    def monotonic(self):
        return 0.0


@asynccontextmanager
async def servers(host="127.0.0.1"):
    """The domain servers with a world `w`; yields port and store."""
    store = WorldStore(load_domains())
    store.create("w", seed="home", now=datetime(2026, 3, 13, 10), home="Austin, Texas")
    try:
        async with serve(build_app(load_domains(), store), host=host) as url:
            yield int(url.rpartition(":")[2]), store
    finally:
        store.close()


async def exchange(port, raw, host="127.0.0.1"):
    """Send bytes as they are; returns the status and the body of the first answer."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(raw.replace("\n", "\r\n").encode("latin-1"))
        async with asyncio.timeout(10):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].split("\r\n")[0])
            body = (await reader.readexactly(length)).decode()
    finally:
        writer.close()
    return int(head.split()[1]), json.loads(body) if body.startswith("{") else body


def alarm(port, *headers, host=None, body=ALARM, kind="application/json", target="/alarm"):
    """A request that sets an alarm."""
    lines = [f"POST {target} HTTP/1.1", "X-Ossia-World: w", *headers]
    if host is not False:
        lines.append(f"Host: {host or f'127.0.0.1:{port}'}")
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    if not any(line.lower().startswith("transfer-encoding") for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\n".join(lines) + f"\n\n{body}"


def asked(*headers, **how):
    """Return the answer to such a request, and whether it changed anything."""

    async def main():
        async with servers() as (port, store):
            status, told = await exchange(port, alarm(port, *headers, **how))
            return status, told, bool(store.get("w").diff().changes)

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "host"),
    [
        (421, "evil.example"),
        (421, "evil.example:{port}"),
        (421, "127.0.0.1.evil.example:{port}"),
        (421, "localhost.evil.example"),
        (421, "localhost."),
        (421, "127.0.0.1:1"),
        (421, "127.0.0.1:{port}@evil.example"),
        (421, "evil.example@127.0.0.1"),
        (421, "127.0.0.1:{port}:{port}"),
        (421, "127.0.0.1:0{port}"),
        (421, "127.0.0.1, evil.example"),
        (421, "127.1"),
        (421, "2130706433"),
        (421, "0.0.0.0:{port}"),
        (421, "192.168.0.1"),
        (421, "[::ffff:7f00:1]"),
        (421, " "),
        (200, "127.0.0.1"),
        (200, "127.0.0.1:{port}"),
        (200, "localhost"),
        (200, "LocalHost:{port}"),
        (200, "[::1]"),
        (200, "[::1]:{port}"),
    ],
)
def test_a_host_is_the_servers_own(status, host):
    async def main():
        async with servers() as (port, store):
            answer = await exchange(port, alarm(port, host=host.format(port=port)))
            assert answer[0] == status, answer
            assert bool(store.get("w").diff().changes) == (status == 200)

    asyncio.run(main())


def test_a_host_comes_once():
    twice = asked("Host: evil.example")
    assert (twice[0], twice[2]) == (400, False)
    same = asked("HOST: 127.0.0.1")
    assert (same[0], same[2]) == (400, False)
    none = asked(host=False)
    assert (none[0], none[2]) == (400, False)


@pytest.mark.parametrize(
    "header",
    [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin:",
        "oRiGiN: http://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: Same-Site",
    ],
)
def test_a_web_page_is_refused(header):
    status, told, changed = asked(header)
    assert (status, told["code"], changed) == (403, "WEB_PAGE", False)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, "application/json"),
        (200, "Application/JSON ; charset=UTF-8"),
        (415, "text/plain"),
        (415, "text/plain; application/json"),
        (415, "text/plain;charset=application/json"),
        (415, "application/x-www-form-urlencoded"),
        (415, "multipart/form-data; boundary=x"),
        (415, "application/json, text/plain"),
        (415, "application/jsonx"),
        (415, "application/x-json"),
        (415, ""),
        (415, None),
        (415, "application/json\nContent-Type: text/plain"),
    ],
)
def test_a_body_is_json(status, kind):
    answer = asked(kind=kind)
    assert (answer[0], answer[2]) == (status, status == 200), answer


def test_a_chunked_body_is_judged_as_any_other():
    chunked = f"{len(ALARM):x}\n{ALARM}\n0\n\n"
    plain = asked("Transfer-Encoding: chunked", body=chunked, kind="text/plain")
    assert (plain[0], plain[2]) == (415, False)
    called_json = asked("Transfer-Encoding: chunked", body=chunked)
    assert (called_json[0], called_json[2]) == (200, True)


def test_what_follows_a_body_is_no_header():
    late = "0\nX-Ossia-World: w\nHost: evil.example\nContent-Type: text/plain\n\n"
    chunked = f"{len(ALARM):x}\n{ALARM}\n{late}"
    status, _, changed = asked("Transfer-Encoding: chunked", body=chunked)
    assert (status, changed) == (200, True)

    async def main():
        async with servers() as (port, _):
            status, told = await exchange(
                port,
                f"POST /alarm HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\n"
                f"Transfer-Encoding: chunked\n\n{chunked}",
            )
            assert (status, "X-Ossia-World is missing" in told["msg"]) == (400, True)

    asyncio.run(main())


@pytest.mark.parametrize(
    "headers",
    [
        ("Transfer-Encoding: xchunked",),
        ("Transfer-Encoding: identity",),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        ("Content-Length: 3", "Content-Length: 4"),
        ("Host : evil.example",),
        ("X-A: b\n Host: evil.example\x00",),
    ],
)
def test_what_two_readers_may_read_in_two_ways_is_refused(headers):
    status, _, changed = asked(*headers)
    assert (status, changed) == (400, False)


@pytest.mark.parametrize(
    "target",
    ["http://evil.example/alarm", "http://127.0.0.1/alarm", "//evil.example/alarm", "*", "alarm"],
)
def test_a_request_is_for_a_path(target):
    """A request for a whole URL would name a host beside `Host`."""
    status, _, changed = asked(target=target)
    assert status in (400, 404)
    assert not changed


def test_a_request_without_a_body_needs_no_type():
    async def main():
        async with servers() as (port, _):
            empty = await exchange(
                port,
                f"POST /alarm?intent=alarm_query HTTP/1.1\nHost: localhost:{port}\n"
                "X-Ossia-World: w\nContent-Length: 0\n\n",
            )
            assert empty[0] == 200

    asyncio.run(main())


def test_a_rebinding_page_reads_nothing():
    """The page's name points at loopback by now: the browser takes it for the page's own site."""

    async def main():
        async with servers() as (port, store):
            own = f"Host: evil.example:{port}\nSec-Fetch-Site: same-origin"
            reads = await exchange(port, f"GET /openapi.json HTTP/1.1\n{own}\n\n")
            assert reads[0] == 421
            assert "paths" not in reads[1]
            acts = await exchange(
                port,
                "GET /alarm?intent=alarm_set&time=07:30&date=2026-03-14 HTTP/1.1\n"
                f"{own}\nX-Ossia-World: w\n\n",
            )
            assert acts[0] == 421
            before = await exchange(
                port,
                f"OPTIONS /alarm HTTP/1.1\nHost: 127.0.0.1:{port}\nOrigin: http://evil.example\n"
                "Access-Control-Request-Method: POST\n\n",
            )
            assert before[0] == 403
            assert not store.get("w").diff().changes

    asyncio.run(main())


def test_a_server_on_ipv6_knows_its_address():
    async def main():
        async with servers("::1") as (port, _):
            own = await exchange(port, alarm(port, host=f"[::1]:{port}"), "::1")
            other = await exchange(port, alarm(port, host=f"[::2]:{port}"), "::1")
            assert (own[0], other[0]) == (200, 421)

    try:
        asyncio.run(main())
    except OSError as error:
        pytest.skip(str(error))


def test_the_gateway_refuses_in_its_own_form():
    async def main():
        gateway = Gateway(ScriptedModel(lambda call: "hello"), clock=Clock())
        gateway.open("e", "key", Budget(calls=9, tokens=99, seconds=99.0))
        async with serve(gateway.app, told=fault_body) as url:
            port = int(url.rpartition(":")[2])
            said = '{"model": "ossia-intent", "messages": [{"role": "user", "content": "hi"}]}'

            async def chat(**how):
                how = {"target": "/v1/chat/completions", "body": said, **how}
                return await exchange(port, alarm(port, "Authorization: Bearer key", **how))

            assert (await chat())[0] == 200
            foreign = await chat(host="evil.example")
            assert foreign[0] == 421
            assert foreign[1]["error"]["code"] == "foreign_host"
            assert (await chat(kind="text/plain"))[0] == 415
        record = gateway.close("key")
        assert record.calls == 1

    asyncio.run(main())


def test_names_of_an_address_that_others_reach_are_unknown():
    assert hosts_of("0.0.0.0", 80) is None
    assert hosts_of("192.168.0.7", 80) is None
    assert b"127.0.0.2:80" in hosts_of("127.0.0.2", 80)
