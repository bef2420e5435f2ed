"""Whatever an endpoint sends is read within bounds, and kept."""

import asyncio
import gzip
import logging
import tracemalloc
import zlib
from random import Random
from sys import float_info

import orjson
import pytest

from ossia_servers.gateway import Served, jittered
from ossia_servers.gateway.replies import (
    MOST_REPLY_BYTES,
    UnreadableReply,
    read_json,
    read_usage,
)
from tests.servers.gateway.support import Pauses, model_for


def bomb(size=1 << 28):
    made = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    zeros = bytes(1 << 24)
    return b"".join(made.compress(zeros) for _ in range(size >> 24)) + made.flush()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b'{"choices": "' + b"x" * MOST_REPLY_BYTES + b'"}'),
        ({"content-encoding": "gzip"}, bomb),
        ({"content-encoding": "gzip"}, b"no gzip"),
        ({"content-encoding": "br"}, b"{}"),
        ({}, b'{"choices": ' + b"[" * 900 + b"]" * 900 + b"}"),
        ({}, b'{"choices": ' + b"[" * 90_000 + b"]" * 90_000 + b"}"),
        ({}, b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
        ({}, b'{"choices": NaN}'),
        ({}, b"null"),
        ({}, b"5"),
        ({}, b'{"choices": [{"message": {"content": 1' + b"0" * 500 + b"}}]}"),
    ],
    ids="long bomb no-gzip brotli deep deeper no-utf-8 nan null number huge".split(),
)
def test_no_reply_is_too_much(running, upstream, completion, headers, body, caplog):
    body = body() if callable(body) else body

    async def main():
        async with (
            upstream((200, headers, body), completion(), (500, headers, body)) as endpoint,
            running(model_for(endpoint, retries=1)) as lab,
        ):
            tracemalloc.start()
            assert (await lab.ask()).status_code == 200
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert most < 10 * MOST_REPLY_BYTES
            assert (await lab.ask()).status_code == 502
            first, second = lab.gateway.close("key-1").exchanges
            assert (first.status, first.attempts) == ("ok", 2)
            assert (second.status, second.attempts) == ("infrastructure", 2)
            assert len(second.error) < 500

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (rb'"content": "a \ud83d b"', {"content": "a \ufffd b"}),
        (rb'"content": "\udc00\ud83d\ude00\ud83d"', {"content": "\ufffd\U0001f600\ufffd"}),
        (rb'"content": "\\ud83d", "\ud800": 1', {"content": r"\ud83d", "\ufffd": 1}),
        (b'"content": "x", "score": -' + b"9" * 5001, {"content": "x", "score": -float_info.max}),
        (b'"content": "x", "seed": ' + b"9" * 18, {"content": "x", "seed": 10**18 - 1}),
        (b'"content": "x", "p": [1e999, 0.5]', {"content": "x", "p": [float_info.max, 0.5]}),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_json_that_could_not_be_written_again_is_read(running, upstream, answer, wanted, streamed):
    beside = b', "usage": {"prompt_tokens": 5' + b"0" * 5000 + b"}, " + rb'"id": "\ud800"'
    body = b'{"choices": [{"message": {' + answer + b"}}]" + beside + b"}"

    async def main():
        async with (
            upstream((200, {}, body)) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            response = await lab.ask(**({"stream": True} if streamed else {}))
            assert response.status_code == 200
            if not streamed:
                told = response.json()["choices"][0]["message"]
                assert told == {"role": "assistant", **wanted}
            record = lab.gateway.close("key-1")
            assert record.exchanges[0].response == {"role": "assistant", **wanted}
            assert record.exchanges[0].usage.source == "estimate"
            assert record.model_dump_json()

    asyncio.run(main())


def test_an_error_with_a_lone_surrogate_is_told_in_its_words(running, upstream):
    async def main():
        body = rb'{"error": {"message": "no \ud800 here"}}'
        async with upstream((400, {}, body)) as endpoint, running(model_for(endpoint)) as lab:
            assert (await lab.ask()).status_code == 400
            assert "no \ufffd here" in lab.gateway.close("key-1").exchanges[0].error

    asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "attempts", "words"),
    [
        (b'{"choices": [{"message": {"content": 1' + b"0" * 5001 + b"}}]}", 2, "not a string"),
        (b'{"choices": [{"message": {"content": 5}}]}', 2, "not a string"),
        (
            b'{"choices": [{"message": {"tool_calls": [{"id": null, "function": {"name": "f",'
            b' "arguments": "{}"}}]}}]}',
            2,
            "a tool call is malformed (its id is null)",
        ),
        (b'{"a": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", 2, "nested too deep"),
        (b'{"a": ' + b"[" * 1_500 + b"]" * 1_500 + b"}", 2, "nested too deep"),
        (b'{"choices": [{"message": {"content": NaN}}]}', 2, "holds NaN, which is not JSON"),
        (b'{"error": {"message": "overloaded"}}', 4, "no choices, but an error: overloaded"),
        (b'{"choices": [{"mess', 4, "not JSON"),
    ],
    ids=["huge", "number", "call", "deeper", "deep", "nan", "error", "cut"],
)
def test_a_whole_answer_in_a_wrong_form_is_asked_for_twice(
    running, upstream, body, attempts, words
):
    async def main():
        async with (
            upstream((200, {}, body)) as endpoint,
            running(model_for(endpoint, retries=3)) as lab,
        ):
            assert (await lab.ask()).status_code == 502
            (exchange,) = lab.gateway.close("key-1").exchanges
            assert exchange.attempts == attempts
            assert words in exchange.error

    asyncio.run(main())


def test_a_compressed_answer_is_read(running, upstream, completion):
    body = gzip.compress(orjson.dumps(completion("packed")))

    async def main():
        async with (
            upstream((200, {"content-encoding": "gzip"}, body)) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            said = (await lab.ask()).json()["choices"][0]["message"]["content"]
            assert said == "packed"

    asyncio.run(main())


def test_callers_do_not_come_back_at_the_same_moment(running, upstream, completion):
    async def main():
        pauses = Pauses()
        limited = (429, {"retry-after": "10"}, {})
        replies = [(500, {}, {}), (500, {}, {}), limited, completion()]
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, pauses=pauses, jitter=jittered(Random(3)))) as lab,
        ):
            assert (await lab.ask()).status_code == 200
        chance = Random(3)
        factors = [chance.uniform(0.5, 1.0) for _ in range(3)]
        assert pauses.made == [0.5 * factors[0], factors[1], 10 * (2 - factors[2])]

    asyncio.run(main())


def test_what_the_endpoint_says_of_its_answer_is_kept_and_priced(running, upstream, completion):
    said = {
        **completion(usage=(1000, 100)),
        "model": "gpt-5.6-sol-2026-07-01",
        "system_fingerprint": "fp_1",
        "created": 1_780_000_000,
    }
    said["usage"] |= {
        "prompt_tokens_details": {"cached_tokens": 300, "cache_write_tokens": 500},
        "completion_tokens_details": {"reasoning_tokens": 60},
    }

    async def main():
        async with (
            upstream(said) as endpoint,
            running(model_for(endpoint, name="openai/gpt-5.6-sol")) as lab,
        ):
            await lab.ask()
            (exchange,) = lab.gateway.close("key-1").exchanges
            assert exchange.served == Served(
                model="gpt-5.6-sol-2026-07-01",
                system_fingerprint="fp_1",
                finish_reason="stop",
                created=1_780_000_000,
            )
            usage = exchange.usage
            assert (usage.cached_tokens, usage.cache_write_tokens) == (300, 500)
            assert usage.reasoning_tokens == 60
            # 200 plain at 4 USD a million, 300 read at 0.4, 500 written at 5, 100 out at 20.
            assert exchange.price_usd == pytest.approx(
                (200 * 4 + 300 * 0.4 + 500 * 5 + 100 * 20) / 1e6
            )

    asyncio.run(main())


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"total_tokens": 150}, (10, 140, 135)),
        ({"total_tokens": 15}, (10, 5, 0)),
        ({"completion_tokens_details": {"reasoning_tokens": 99}}, (10, 5, 5)),
        ({"completion_tokens_details": "none", "prompt_tokens_details": []}, (10, 5, 0)),
        ({"prompt_tokens": 10**30}, None),
        ({"prompt_tokens": True}, None),
        ({"completion_tokens": -1}, None),
    ],
)
def test_reasoning_is_part_of_the_completion(usage, wanted):
    found = read_usage({"prompt_tokens": 10, "completion_tokens": 5, **usage})
    if wanted is None:
        assert found is None
    else:
        assert wanted == (found.prompt_tokens, found.completion_tokens, found.reasoning_tokens)


@pytest.mark.parametrize(
    ("body", "told"),
    [(b"\n <!doctype html><p>Log in", "a web page, not JSON"), (b"data: {}", "not JSON")],
)
def test_a_web_page_is_called_one(body, told):
    with pytest.raises(UnreadableReply, match=f"^the answer is {told}$"):
        read_json(body)
