"""One account for all nodes: what is held, what becomes of lost nodes, and of lost questions."""

import asyncio
from contextlib import suppress

import pytest

from ossia.cluster.accounts import Accounts, Asker, FarPaces, FarPurse
from ossia_servers.gateway import ModelFailure, Paces, Purse, SpendingLimit


class Wire:
    """Carries what nodes ask to the account, as a cluster does, or nowhere."""

    def __init__(self, accounts):
        self.accounts = accounts
        self.cut = False

    async def ask(self, request):
        if self.cut:
            raise ConnectionError("gone")
        return await asyncio.shield(asyncio.ensure_future(self.accounts.answer(request)))

    def tell(self, request):
        self.accounts.note(request)


class Clock:
    def monotonic(self):
        return 0.0

    def now(self):
        return 0.0


@pytest.fixture
def purse():
    return Purse(1.0)


@pytest.fixture
def wire(purse):
    return Wire(Accounts(purse, Paces(1, clock=Clock())))


def far(wire, node=0, life="a"):
    return FarPurse(Asker(wire, node, life))


def test_nodes_spend_from_one_purse(wire, purse):
    async def spend():
        one, other = far(wire, 0), far(wire, 1)
        held = await one.hold(0.6)
        waiting = asyncio.ensure_future(other.hold(0.6))
        await asyncio.sleep(0)
        assert not waiting.done()
        one.settle(held, 0.3)
        other.settle(await waiting, 0.5)
        with pytest.raises(SpendingLimit, match=r"0\.8000 of --max-cost 1 USD is spent"):
            await one.hold(0.3)

    asyncio.run(spend())
    assert purse.spent_usd == pytest.approx(0.8)
    assert "0.8000 of --max-cost 1" in wire.accounts.limit_reached


def test_what_a_lost_process_held_counts_as_its_most(wire, purse):
    async def lose():
        await far(wire, life="a").hold(0.6)
        again = far(wire, life="b")
        again.settle(await again.hold(0.2), 0.1)

    asyncio.run(lose())
    assert purse.spent_usd == pytest.approx(0.7)


def test_a_question_that_nobody_awaits_any_more_holds_nothing(wire, purse):
    async def drop():
        one, other = far(wire, 0), far(wire, 1)
        held = await one.hold(0.9)
        waiting = asyncio.ensure_future(other.hold(0.9))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        one.settle(held, 0.0)
        await asyncio.sleep(0.01)
        one.settle(await one.hold(1.0), 0.0)

    asyncio.run(asyncio.wait_for(drop(), 5))
    assert purse.spent_usd == 0.0


def test_a_node_that_reaches_nobody_lets_no_call_go(wire, purse):
    wire.cut = True
    with pytest.raises(ModelFailure, match="cannot be reached, so nothing more is spent"):
        asyncio.run(far(wire).hold(0.1))
    assert purse.spent_usd == 0.0


def test_nodes_ask_no_more_requests_a_minute_than_one_machine(wire):
    async def ask():
        paces = [FarPaces(Asker(wire, node, "a")).of("openai/gpt-4o") for node in (0, 1)]
        await paces[0].turn(10)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(paces[1].turn(10), 0.05)

    asyncio.run(ask())
