"""Whatever an endpoint sends is read within bounds, and kept."""

import asyncio
import gzip
import logging
import tracemalloc
import zlib
from random import Random

import orjson
import pytest

from ossia_servers.gateway import Served, jittered
from ossia_servers.gateway.replies import MOST_REPLY_BYTES, read_usage
from tests.servers.gateway.support import Pauses, model_for


def bomb(size=1 << 28):
    made = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    zeros = bytes(1 << 24)
    return b"".join(made.compress(zeros) for _ in range(size >> 24)) + made.flush()


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
        ({}, b'{"choices": [{"message": {"content": 1' + b"0" * 500 + b"}}]}"),
    ],
    ids=["long", "bomb", "no gzip", "brotli", "deep", "deeper", "no utf-8", "nan", "huge"],
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
