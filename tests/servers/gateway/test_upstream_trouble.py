"""An endpoint in trouble spends neither the episode's seconds nor the framework's good name."""

import asyncio

import pytest

from ossia_servers.gateway import Budget
from tests.servers.gateway.support import model_for

LIMITED = (429, {"retry-after": "50"}, {"error": {"message": "slow down"}})


def test_pauses_do_not_spend_the_episodes_seconds(running, upstream, completion):
    async def main():
        async def pause(seconds):
            lab.clock.now += seconds

        async with (
            upstream(completion(), LIMITED, LIMITED, completion()) as endpoint,
            running(model_for(endpoint, pauses=pause)) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            lab.clock.now += 560
            assert lab.gateway.wait_s("key-1") == 40
            assert (await lab.ask()).status_code == 200
            assert lab.gateway.wait_s("key-1") == 40
            assert (await lab.ask()).status_code == 200
            lab.clock.now += 40
            assert (await lab.ask()).status_code == 403
            assert lab.gateway.close("key-1").budget_spent == "seconds"

    asyncio.run(main())


def test_an_endpoint_in_trouble_for_long_makes_the_episode_invalid(running, upstream, caplog):
    async def main():
        async def pause(seconds):
            lab.clock.now += seconds
            await asyncio.Event().wait()

        budget = Budget(calls=9, tokens=9999, seconds=1)
        async with (
            upstream(LIMITED) as endpoint,
            running(model_for(endpoint, pauses=pause), budget=budget) as lab,
        ):
            response = await lab.ask()
            assert response.status_code == 502
            (exchange,) = lab.gateway.close("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 2)
            assert exchange.error == (
                "The endpoint failed for as long as the episode may take; the model's last error:"
                " HTTP 429: slow down."
            )

    asyncio.run(main())
    assert caplog.messages[0].endswith("no further attempt: the episode's seconds end before.")


@pytest.mark.slow
def test_a_call_cut_while_the_endpoint_fails_is_blamed_on_the_endpoint(running, upstream):
    broken = (500, {}, {"error": {"message": "boom"}})

    async def main():
        budget = Budget(calls=9, tokens=9999, seconds=3)
        async with (
            upstream(broken, "hang") as endpoint,
            running(model_for(endpoint, backoff_s=0.01), budget=budget) as lab,
        ):
            response = await lab.ask()
            assert response.status_code == 502
            assert response.json()["error"]["type"] == "ossia_upstream"
            (exchange,) = lab.gateway.close("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 2)
            assert "seconds ran out" in exchange.error
            assert "HTTP 500: boom" in exchange.error

    asyncio.run(main())


def test_an_episode_closed_while_the_endpoint_fails_has_an_infrastructure_failure(
    running, upstream
):
    async def main():
        async with (
            upstream((500, {}, {}), "hang") as endpoint,
            running(model_for(endpoint)) as lab,
        ):
            pending = asyncio.create_task(lab.ask())
            async with asyncio.timeout(10):
                while len(endpoint.requests) < 2:
                    await asyncio.sleep(0.005)
            (exchange,) = lab.gateway.close("key-1").exchanges
            assert (exchange.status, exchange.attempts) == ("infrastructure", 2)
            assert (await pending).status_code == 401

    asyncio.run(main())
