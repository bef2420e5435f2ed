"""Endpoints that break the protocol: each call ends, and what is said of it is true."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import orjson
import pytest

from ossia_servers.gateway import EndpointClosed, ModelFailure, RequestRefused, jittered
from ossia_servers.gateway.models import ModelCall
from tests.servers.gateway.support import KEY, Pauses, model_for

FINE = {
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
    ]
}


def reply(status, body, *headers):
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(content)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + content


@asynccontextmanager
async def endpoint(raw, *, drip=False):
    """A socket that answers every request with these bytes, and hangs up; with a drip, never."""
    asked = []

    async def answer(reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            asked.append(head)
            writer.write(raw)
            while drip:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", asked


def ask(raw, *, drip=False, pauses=None, **options):
    """Ask once; returns the answer or the failure, and what was said of failed attempts."""
    said = []

    def failed(attempt, reason, unaccounted=False):
        said.append((reason, unaccounted))

    async def main():
        async with endpoint(raw, drip=drip) as (url, asked), asyncio.timeout(20):
            model = model_for(url, pauses=pauses, **{"retries": 1, "timeout_s": 10.0, **options})
            body = {"messages": [{"role": "user", "content": "x"}]}
            try:
                found = await model.complete(ModelCall("intent", "e", body, failed))
            except ModelFailure as failure:
                found = failure
            finally:
                await model.aclose()
            assert not any(b"\r\ncookie:" in head.lower() for head in asked)
            return found, said, len(asked)

    return asyncio.run(main())


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n" + b'{"choices":',
        b"HTTP/1.1 200 OK\r\nconte",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000,
        b"HTTP/1.1 200 OK\r\nx: " + b"a" * 1_000_000,
        reply(200, b"<html>log in</html>", "content-type: text/html"),
        reply(200, b"data: [DONE]\n\n", "content-type: text/event-stream"),
        reply(200, b""),
    ],
    ids=["body", "headers", "chunks", "ssh", "continue", "header", "html", "stream", "empty"],
)
def test_what_is_no_answer_is_asked_again_and_unaccounted(raw):
    failure, said, asked = ask(raw)
    assert isinstance(failure, ModelFailure) and not isinstance(failure, EndpointClosed)
    assert [unaccounted for _, unaccounted in said] == [True, True]
    assert asked == 2


@pytest.mark.parametrize("lasting", ["9" * 400, "60"])
def test_cookies_are_neither_read_nor_sent_back(lasting, recwarn):
    cookie = f"set-cookie: a=b; Max-Age={lasting}"
    # Of an answer that is asked for again, so that a kept one would go back.
    *_, asked = ask(reply(200, b"", cookie))
    assert asked == 2
    found, *_ = ask(reply(200, FINE, cookie))
    assert found.message["content"] == "hi"
    assert not recwarn.list


@pytest.mark.parametrize("status", [301, 307])
@pytest.mark.parametrize(
    "location", ["http://a:abc/", "http://[::bad", "data:,x", "http://a b/", ""]
)
def test_a_redirect_whose_address_is_not_valid_stops_the_run_all_the_same(status, location):
    failure, said, asked = ask(reply(status, b"", f"location: {location}"))
    assert type(failure) is EndpointClosed
    assert (said, asked) == ([], 1)
    assert "redirects are not followed" in str(failure)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello",
            r"the answer is not valid HTTP: illegal chunk header: 'zz\r\n'",
        ),
        (
            b"SSH-2.0-OpenSSH\r\n\r\n",
            "the answer is not valid HTTP: illegal status line: 'SSH-2.0-",
        ),
        (b"", "the answer is not valid HTTP: Server disconnected without sending a response"),
    ],
)
def test_a_broken_connection_is_told_in_words_and_not_in_pythons(raw, told):
    failure, said, _ = ask(raw)
    assert said[0][0].startswith(told)
    assert told in str(failure)
    assert "Error" not in str(failure) and "bytearray" not in str(failure)


def test_a_slow_drip_ends_with_the_attempt():
    failure, said, _ = ask(
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", drip=True, timeout_s=0.5
    )
    assert [reason for reason, _ in said] == ["no answer within 0.5 s"] * 2
    assert failure.attempts == 2


@pytest.mark.parametrize(
    ("error", "kind", "asked", "text"),
    [
        ({"message": "overloaded", "code": 529}, ModelFailure, 2, "with error 529: overloaded"),
        ({"message": "out of money", "code": 402}, EndpointClosed, 1, "with error 402: out of"),
        ({"message": "spent", "code": "insufficient_quota"}, EndpointClosed, 1, "429: spent"),
        ({"message": "too long", "code": "400"}, RequestRefused, 1, "with error 400: too long"),
        ({"message": "oops", "code": None}, ModelFailure, 2, "no choices, but an error: oops"),
        ({"message": f"bad {KEY}", "code": True}, ModelFailure, 2, "an error: bad [key]"),
        ("nothing works", ModelFailure, 2, "an error: nothing works"),
    ],
)
def test_an_error_in_a_reply_of_200_is_what_it_says(error, kind, asked, text):
    failure, _, sent = ask(reply(200, {"error": error}))
    assert type(failure) is kind
    assert text in str(failure)
    assert sent == asked


def test_an_answer_with_an_empty_error_beside_it_is_an_answer():
    found, said, _ = ask(reply(200, {**FINE, "error": None}, "content-type: text/plain"))
    assert (found.message["content"], said) == ("hi", [])


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 2},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": "12", "completion_tokens": "3"},
        {"prompt_tokens": 12, "completion_tokens": 3.5},
        {"prompt_tokens": 10**15, "completion_tokens": 3},
        {"prompt_tokens": True, "completion_tokens": 3},
        [1, 2],
    ],
)
def test_a_usage_that_makes_no_sense_is_none(usage):
    found, said, _ = ask(reply(200, {**FINE, "usage": usage}))
    assert (found.message["content"], found.usage, said) == ("hi", None, [])


@pytest.mark.parametrize("after", ["999999999", "1e400"])
def test_a_wait_that_is_cut_is_spread(after):
    pauses = Pauses()
    limited = reply(429, {"error": {"message": "slow down"}}, f"retry-after: {after}")
    ask(limited, pauses=pauses, retries=4, jitter=jittered(Random(3)))
    assert len(set(pauses.made)) == 4
    assert all(30 <= pause <= 60 for pause in pauses.made)
