"""Ends of keys and quotas, time-outs and hang-ups: nothing is asked in vain, or forgotten."""

import asyncio

import pytest

from tests.servers.gateway.support import model_for

NO_QUOTA = {"error": {"message": "no", "type": "insufficient_quota"}}


@pytest.mark.parametrize(
    "reply", [*((status, {}, {}) for status in (401, 402, 403)), (429, {}, NO_QUOTA)]
)
def test_a_key_or_a_quota_at_its_end_is_asked_no_more(running, upstream, completion, reply):
    async def main():
        async with (
            upstream(completion(), reply) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert lab.gateway.closed_because is None
            for _ in range(3):
                assert (await lab.ask()).status_code == 502
            assert len(endpoint.requests) == 2
            assert f"answered HTTP {reply[0]}" in lab.gateway.closed_because
            _, *failed = lab.gateway.record("key-1").exchanges
            assert [(e.status, e.attempts) for e in failed] == [
                ("infrastructure", 1),
                ("infrastructure", 0),
                ("infrastructure", 0),
            ]

    asyncio.run(main())


def test_flagged_content_is_a_refusal_and_closes_nothing(running, upstream, completion):
    flagged = {"error": {"message": "flagged", "metadata": {"reasons": ["violence"]}}}

    async def main():
        async with (
            upstream((403, {}, flagged), completion()) as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            assert (await lab.ask()).status_code == 400
            assert (await lab.ask()).status_code == 200

    asyncio.run(main())


def test_what_timed_out_is_repeated_once_and_is_in_the_account(running, upstream):
    async def main():
        async with (
            upstream((500, {}, {}), "hang") as endpoint,
            running(model_for(endpoint, timeout_s=0.3, retries=5)) as lab,
        ):
            assert (await lab.ask()).status_code == 502
            assert len(endpoint.requests) == 3
            record = lab.gateway.record("key-1")
            (exchange,) = record.exchanges
            assert exchange.attempts == 3
            assert [a.unaccounted for a in exchange.failed_attempts] == [False, True, True]
            assert exchange.failed_attempts[1].reason == "no answer within 0.3 s"
            assert record.unaccounted_attempts == 2

    asyncio.run(main())


def test_a_framework_that_hangs_up_ends_the_call_of_the_endpoint(running, upstream):
    async def main():
        async with upstream("hang") as endpoint, running(model_for(endpoint)) as lab:
            asked = asyncio.create_task(lab.ask())
            async with asyncio.timeout(10):
                while not endpoint.requests:
                    await asyncio.sleep(0.005)
                assert not endpoint.left
                asked.cancel()
                await asyncio.gather(asked, return_exceptions=True)
                while not endpoint.left or not lab.gateway.record("key-1").exchanges:
                    await asyncio.sleep(0.005)
            assert endpoint.left == 1
            (exchange,) = lab.gateway.record("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("abandoned", 1)
            assert exchange.error == "The framework hung up during this call."
            assert [a.unaccounted for a in exchange.failed_attempts] == [True]

    asyncio.run(main())
