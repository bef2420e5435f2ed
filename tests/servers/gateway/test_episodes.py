"""Episodes are opened, kept apart and closed; budgets hold to the letter."""

import asyncio

import pytest

from ossia_servers.gateway import (
    Budget,
    GatewayRecord,
    ModelFailure,
    RoleModels,
    ScriptedModel,
    Usage,
)
from ossia_servers.gateway.models import Completion


class Gate:
    """A model that answers when the test lets it."""

    name = "gate"

    def __init__(self, usage=None):
        self.waiting = 0
        self.asked = 0
        self._open = asyncio.Event()
        self._usage = usage

    def let_through(self):
        self._open.set()

    async def complete(self, call):
        self.asked += 1
        self.waiting += 1
        await self._open.wait()
        self.waiting -= 1
        text = call.request["messages"][-1]["content"]
        return Completion({"role": "assistant", "content": text}, "stop", self._usage)

    async def until_waiting(self, number):
        async with asyncio.timeout(10):
            while self.waiting < number:
                await asyncio.sleep(0.002)


def spending(prompt, completion):
    usage = Usage(prompt_tokens=prompt, completion_tokens=completion, source="provider")
    return ScriptedModel(lambda _: Completion({"role": "assistant", "content": "x"}, "stop", usage))


def test_concurrent_episodes_do_not_mix(running):
    async def echo(call):
        await asyncio.sleep(0.001 * (sum(map(ord, call.episode)) % 5))
        return f"{call.episode} {call.role} {call.request['messages'][-1]['content']}"

    async def main():
        async with running(ScriptedModel(echo)) as lab:
            budget = Budget(calls=100, tokens=10_000, seconds=100)
            names = [f"e{n}" for n in range(20)]
            for name in names:
                lab.gateway.open(name, f"key-{name}", budget)
            asked = [(n, r, f"text {i}") for n in names for i, r in enumerate(["intent", "url"])]
            answers = await asyncio.gather(
                *(lab.ask(text, role=role, key=f"key-{name}") for name, role, text in asked)
            )
            for (name, role, text), answer in zip(asked, answers, strict=True):
                content = answer.json()["choices"][0]["message"]["content"]
                assert content == f"{name} {role} {text}"
            for name in names:
                record = lab.gateway.close(f"key-{name}")
                assert record.episode == name
                assert {e.role for e in record.exchanges} == {"intent", "url"}
                assert [e.seq for e in record.exchanges] == [0, 1]
                assert all(e.response["content"].startswith(name) for e in record.exchanges)

    asyncio.run(main())


def test_a_key_belongs_to_one_episode(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            budget = Budget(calls=1, tokens=1, seconds=1)
            with pytest.raises(ValueError, match="key of its own"):
                lab.gateway.open("other", "key-1", budget)
            with pytest.raises(ValueError, match="key of its own"):
                lab.gateway.open("other", "", budget)
            lab.gateway.close("key-1")
            with pytest.raises(ValueError, match="key of its own"):
                lab.gateway.open("other", "key-1", budget)
            with pytest.raises(KeyError):
                lab.gateway.close("key-1")
            with pytest.raises(KeyError):
                lab.gateway.record("never")

    asyncio.run(main())


def test_only_the_roles_of_an_account_may_ask_with_it(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            budget = Budget(calls=9, tokens=1000, seconds=9)
            lab.gateway.open("team", "team", budget, roles=("manager", "intent"))
            for role in ("user", "judge", "nobody"):
                refused = await lab.ask(role=role, key="team")
                assert refused.status_code == 400
                assert refused.json()["error"]["message"] == (
                    f"This episode has no model ossia-{role}; it has: ossia-manager, ossia-intent."
                )
            assert (await lab.ask(role="intent", key="team")).status_code == 200
            record = lab.gateway.close("team")
            assert [each.status for each in record.exchanges] == ["bad_request"] * 3 + ["ok"]
            assert not any(each.is_refused for each in record.exchanges), "no endpoint was asked"

    asyncio.run(main())


def test_late_calls_are_refused_and_counted(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            await lab.ask()
            record = lab.gateway.close("key-1")
            assert (len(record.exchanges), record.late_calls) == (1, 0)
            for _ in range(3):
                response = await lab.ask()
                assert response.status_code == 401
                assert response.json()["error"]["type"] == "ossia_unknown_episode"
            late = lab.gateway.record("key-1")
            assert (len(late.exchanges), late.late_calls) == (1, 3)

    asyncio.run(main())


def test_closing_cuts_pending_calls(running):
    async def main():
        gate = Gate()
        async with running(gate) as lab:
            pending = asyncio.create_task(lab.ask())
            await gate.until_waiting(1)
            assert lab.gateway.record("key-1").exchanges == ()
            lab.clock.now += 4
            record = lab.gateway.close("key-1")
            (exchange,) = record.exchanges
            assert exchange.status == "abandoned"
            assert exchange.timing.latency_s == 4
            assert (await pending).status_code == 401
            assert lab.gateway.record("key-1") == record

    asyncio.run(main())


def test_the_budget_of_calls_is_exact_under_concurrency(running):
    async def main():
        gate = Gate()
        budget = Budget(calls=7, tokens=10**6, seconds=100)
        async with running(gate, budget=budget) as lab:
            tasks = [asyncio.create_task(lab.ask(f"{n}")) for n in range(30)]
            await gate.until_waiting(7)
            async with asyncio.timeout(10):
                while sum(task.done() for task in tasks) < 23:
                    await asyncio.sleep(0.005)
            gate.let_through()
            responses = await asyncio.gather(*tasks)
            assert sorted(r.status_code for r in responses) == [200] * 7 + [403] * 23
            assert gate.asked == 7
            error = next(r.json()["error"] for r in responses if r.status_code == 403)
            assert (error["type"], error["code"]) == ("ossia_budget", "calls")
            record = lab.gateway.close("key-1")
            assert record.budget_spent == "calls"
            assert record.refused_calls == 23
            assert sum(e.status == "ok" for e in record.exchanges) == 7
            assert record.calls == 7

    asyncio.run(main())


def test_malformed_and_failed_calls_count_as_calls(running):
    def script(_):
        raise ModelFailure("down")

    async def main():
        budget = Budget(calls=2, tokens=10**6, seconds=100)
        async with running(ScriptedModel(script), budget=budget) as lab:
            statuses = [(await lab.post(b"{")).status_code]
            statuses += [(await lab.ask()).status_code for _ in range(2)]
            assert statuses == [400, 502, 403]

    asyncio.run(main())


def test_endless_refusals_do_not_fill_the_record(running):
    async def main():
        budget = Budget(calls=0, tokens=10, seconds=100)
        async with running(ScriptedModel(lambda _: "x"), budget=budget) as lab:
            for _ in range(30):
                assert (await lab.ask()).status_code == 403
            record = lab.gateway.close("key-1")
            assert record.refused_calls == 30
            assert len(record.exchanges) == 20
            assert {e.status for e in record.exchanges} == {"budget"}
            assert record.calls == 0

    asyncio.run(main())


def test_the_budget_of_tokens_stops_the_call_after_it_is_reached(running):
    async def main():
        budget = Budget(calls=100, tokens=100, seconds=100)
        async with running(spending(30, 10), budget=budget) as lab:
            statuses = [(await lab.ask()).status_code for _ in range(4)]
            assert statuses == [200, 200, 200, 403]
            record = lab.gateway.close("key-1")
            assert record.budget_spent == "tokens"
            assert (record.prompt_tokens, record.completion_tokens) == (90, 30)

    asyncio.run(main())


def test_pending_prompts_are_held_against_the_budget_of_tokens(running):
    async def main():
        gate = Gate(Usage(prompt_tokens=1, completion_tokens=1, source="provider"))
        # A request of 4 + 172 characters and the fixed parts is estimated at 50 tokens.
        text = "x" * 172
        budget = Budget(calls=100, tokens=120, seconds=100)
        async with running(gate, budget=budget) as lab:
            tasks = [asyncio.create_task(lab.ask(text)) for _ in range(10)]
            await gate.until_waiting(3)
            async with asyncio.timeout(10):
                while sum(task.done() for task in tasks) < 7:
                    await asyncio.sleep(0.005)
            gate.let_through()
            statuses = sorted([(await task).status_code for task in tasks])
            assert statuses == [200] * 3 + [403] * 7
            # The answers cost far less than was held, so there is room again.
            assert (await lab.ask(text)).status_code == 200

    asyncio.run(main())


def test_the_budget_of_seconds_is_checked_before_each_call(running):
    async def main():
        budget = Budget(calls=100, tokens=1000, seconds=10)
        async with running(spending(1, 1), budget=budget) as lab:
            lab.clock.now += 9.99
            assert (await lab.ask()).status_code == 200
            lab.clock.now += 0.01
            response = await lab.ask()
            assert response.status_code == 403
            assert response.json()["error"]["code"] == "seconds"
            record = lab.gateway.close("key-1")
            assert record.budget_spent == "seconds"
            assert [e.status for e in record.exchanges] == ["ok", "budget"]
            assert record.exchanges[0].timing.started_s == pytest.approx(9.99)

    asyncio.run(main())


def test_a_pending_call_is_cut_when_the_seconds_run_out(running):
    async def main():
        gate = Gate()
        async with running(gate, budget=Budget(calls=9, tokens=999, seconds=1)) as lab:
            async with asyncio.timeout(20):
                response = await lab.ask()
            assert response.status_code == 403
            assert response.json()["error"]["code"] == "seconds"
            record = lab.gateway.close("key-1")
            (exchange,) = record.exchanges
            assert (exchange.status, exchange.attempts) == ("budget", 1)
            assert record.budget_spent == "seconds"
            assert record.refused_calls == 0

    asyncio.run(main())


def test_roles_can_have_different_models(running):
    def failing(_):
        raise ModelFailure("down", attempts=2)

    async def main():
        models = RoleModels(
            ScriptedModel(lambda _: "default", name="one"),
            {
                "url": ScriptedModel(lambda _: "special", name="two"),
                "time": ScriptedModel(failing, name="three"),
            },
        )
        assert models.name == "one,time=three,url=two"
        async with running(models) as lab:
            for role in ("intent", "url", "time"):
                await lab.ask(role=role)
            record = lab.gateway.close("key-1")
            assert [e.model for e in record.exchanges] == ["one", "two", "three"]
            assert [e.attempts for e in record.exchanges] == [1, 1, 2]
            assert [e.status for e in record.exchanges] == ["ok", "ok", "infrastructure"]

    asyncio.run(main())


def test_a_record_survives_json_and_separates_timing(running):
    async def main():
        records = []
        for pause in (0.0, 3.0):
            async with running(ScriptedModel(lambda _: "same"), price_model="openai/gpt-4o") as lab:
                await lab.ask("one", temperature=0)
                lab.clock.now += pause
                await lab.ask("two", role="url")
                records.append(lab.gateway.close("key-1"))
        first, second = records
        assert GatewayRecord.model_validate_json(first.model_dump_json()) == first
        assert first != second
        timing = {"exchanges": {"__all__": {"timing"}}}
        assert first.model_dump(exclude=timing) == second.model_dump(exclude=timing)
        assert first.estimated
        assert first.price_usd > 0
        assert first.total_tokens == first.prompt_tokens + first.completion_tokens

    asyncio.run(main())


def test_without_a_price_model_a_local_answer_has_no_price(running):
    async def main():
        async with running(ScriptedModel(lambda _: "x")) as lab:
            await lab.ask()
            record = lab.gateway.close("key-1")
            assert record.exchanges[0].price_usd is None
            assert record.price_usd is None

    asyncio.run(main())


def test_a_server_that_stops_leaves_no_call_pending(running):
    async def main():
        gate = Gate()
        async with running(gate) as lab:
            pending = asyncio.create_task(lab.ask())
            await gate.until_waiting(1)
            gateway = lab.gateway
        assert gateway.record("key-1").exchanges[0].status == "abandoned"
        await asyncio.gather(pending, return_exceptions=True)

    asyncio.run(main())
