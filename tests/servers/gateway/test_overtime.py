"""Attempts that are under way when an episode's seconds run out."""

import asyncio

from ossia_servers.gateway import Budget, ModelFailure, Usage
from ossia_servers.gateway.models import Completion

SECOND = Budget(calls=9, tokens=9999, seconds=1.0)


class Steered:
    """A model whose attempts end when and as the test says."""

    name = "steered"

    def __init__(self):
        self.calls = {}
        self._ends = {}

    async def complete(self, call):
        call.on_attempt(0.5)
        self.calls[call.role] = call
        end = self._ends[call.role] = asyncio.Event()
        await end.wait()
        match call.role:
            case "hanging":
                call.on_failed_attempt(1, "no answer")
                raise ModelFailure("1 attempt failed: no answer.")
            case "recovering":
                call.on_failed_attempt(1, "no answer")
                call.on_attempt(0.5)
                if "slow" in self._ends:
                    self.end("slow")
        usage = Usage(prompt_tokens=70, completion_tokens=7, source="provider")
        return Completion({"role": "assistant", "content": "x"}, "stop", usage)

    def end(self, role):
        self._ends[role].set()

    async def until_asked(self, *roles):
        async with asyncio.timeout(20):
            while not set(roles) <= set(self.calls):
                await asyncio.sleep(0.005)


async def ask_past_the_end(lab, model, *roles):
    """Ask with 0.2 s left, and let them run out; the answers are on their way."""
    lab.clock.now += 0.8
    asked = [asyncio.create_task(lab.ask(role=role)) for role in roles]
    await model.until_asked(*roles)
    lab.clock.now += 0.5
    async with asyncio.timeout(20):
        while lab.gateway.wait_s("key-1") != 0.0:
            await asyncio.sleep(0.005)
    return asked


def test_an_endpoint_that_hangs_when_the_seconds_run_out_is_to_blame(running):
    async def main():
        model = Steered()
        async with running(model, budget=SECOND) as lab:
            (asked,) = await ask_past_the_end(lab, model, "hanging")
            model.end("hanging")
            assert (await asked).status_code == 502
            record = lab.gateway.close("key-1")
            assert [e.status for e in record.exchanges] == ["infrastructure"]
            assert record.budget_spent is None

    asyncio.run(main())


def test_an_answer_after_the_seconds_is_late_and_its_tokens_count(running):
    async def main():
        model = Steered()
        async with running(model, budget=SECOND) as lab:
            (asked,) = await ask_past_the_end(lab, model, "slow")
            model.end("slow")
            response = await asked
            assert response.status_code == 403
            assert response.json()["error"]["code"] == "seconds"
            assert lab.gateway.wait_s("key-1") < 0
            record = lab.gateway.close("key-1")
            (exchange,) = record.exchanges
            assert (exchange.status, exchange.attempts, exchange.response) == ("budget", 1, None)
            assert record.budget_spent == "seconds"
            assert record.total_tokens == 77

    asyncio.run(main())


def test_an_endpoint_that_recovers_costs_the_episode_nothing(running):
    async def main():
        model = Steered()
        async with running(model, budget=SECOND) as lab:
            asked = await ask_past_the_end(lab, model, "recovering", "slow")
            model.end("recovering")
            assert [(await answer).status_code for answer in asked] == [200, 200]
            assert round(lab.gateway.wait_s("key-1"), 6) == 0.2
            assert lab.gateway.close("key-1").budget_spent is None

    asyncio.run(main())


def test_an_attempt_that_may_outlast_the_budget_is_cut(running):
    async def main():
        model = Steered()
        async with running(model, budget=SECOND.model_copy(update={"seconds": 0.4})) as lab:
            response = await lab.ask(role="slow")
            assert response.status_code == 403
            assert lab.gateway.close("key-1").budget_spent == "seconds"

    asyncio.run(main())
