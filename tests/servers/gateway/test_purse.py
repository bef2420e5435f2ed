"""A limit of cost in front of a real endpoint."""

import asyncio

from ossia_servers.gateway import Purse, UpstreamModel, UpstreamOptions, price_usd
from ossia_servers.gateway.purse import UNLIMITED_ANSWER, most_usd
from ossia_servers.gateway.records import Usage


async def no_pause(seconds):
    pass


def model_for(endpoint, purse, **options):
    return UpstreamModel(
        "openai/gpt-4o",
        model="gpt-4o",
        base_url=endpoint.url,
        api_key=None,
        options=UpstreamOptions(purse=purse, sleep=no_pause, **options),
    )


def test_calls_at_once_wait_for_each_other_and_never_exceed_the_limit(
    running, upstream, completion
):
    async def main():
        # One call is held at some 0.001 USD, and costs 0.000075.
        purse = Purse(0.0025)
        noted = []
        purse.continue_from(0.0005, noted.append)
        async with (
            upstream(completion(), delay=0.02) as endpoint,
            running(model_for(endpoint, purse)) as lab,
        ):
            answers = await asyncio.gather(*(lab.ask(max_tokens=100) for _ in range(6)))
            assert {answer.status_code for answer in answers} == {200}
            assert endpoint.most_at_once == 1
            assert round(purse.spent_usd, 9) == 0.0005 + 6 * 0.000075
            assert noted[-1] == purse.spent_usd
            assert max(noted) <= 0.0025
            refused = await lab.ask()
            assert refused.status_code == 502
            assert "could cost 0.1" in refused.text
            assert "could cost 0.1" in lab.gateway.limit_reached
            assert lab.gateway.closed_because is None
            assert (await lab.ask(max_tokens=100)).status_code == 200, "a smaller one still goes"
            assert len(endpoint.requests) == 7

    asyncio.run(main())


def test_an_attempt_without_usage_stays_at_its_most(running, upstream, completion):
    async def main():
        purse = Purse()
        replies = ["hang", (500, {}, {}), completion()]
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, purse, timeout_s=0.3)) as lab,
        ):
            assert (await lab.ask(max_tokens=100)).status_code == 200
        most = 100 * 10 / 1e6
        assert most < purse.spent_usd - 0.000075 < 2 * most

    asyncio.run(main())


def test_a_limit_that_attempts_without_usage_have_used_up_says_so(running, upstream, completion):
    async def main():
        untold = completion()
        del untold["usage"]
        async with (
            upstream(untold) as endpoint,
            running(model_for(endpoint, Purse(0.002))) as lab,
        ):
            while (answer := await lab.ask(max_tokens=100)).status_code == 200:
                pass
        assert "USD of it for attempts that reported no usage" in answer.text
        assert "max_tokens=N lowers that), and the next call" in answer.text

    asyncio.run(main())


def test_an_endpoint_that_charges_more_than_it_was_asked_for_is_told_and_held_at_it(
    running, upstream, completion
):
    async def main():
        greedy = completion()
        greedy["usage"] = {"prompt_tokens": 400, "completion_tokens": 200, "total_tokens": 600}
        purse = Purse(0.0045)
        async with (
            upstream(greedy) as endpoint,
            running(model_for(endpoint, purse)) as lab,
        ):
            # A call is held at some 0.001 USD, and costs 0.003.
            assert (await lab.ask(max_tokens=100)).status_code == 200
            assert round(purse.spent_usd, 6) == 0.003
            second = await lab.ask(max_tokens=100)
            assert second.status_code == 502 and "next call could cost" in second.text
            purse.limit_usd = 0.002
            third = await lab.ask(max_tokens=100)
            assert "0.0030 USD is spent, more than --max-cost 0.002" in third.text
            assert len(endpoint.requests) == 1

    asyncio.run(main())


def test_the_most_counts_bytes_and_what_is_put_into_a_cache():
    plain = Usage(prompt_tokens=500, completion_tokens=UNLIMITED_ANSWER, source="estimate")
    assert most_usd("openai/gpt-4o", {}, 500) == price_usd("openai/gpt-4o", plain)
    assert most_usd("openai/gpt-5.6-sol", {}, 500) > price_usd("openai/gpt-5.6-sol", plain)
    assert most_usd("openai/gpt-4o", {"max_tokens": 1}, 1) < most_usd("openai/gpt-4o", {}, 1)
    assert most_usd("custom/mine", {}, 500) is None
