"""Requests and tokens a minute at a real endpoint, on a clock that no test waits for."""

import asyncio

import pytest

from ossia_servers.gateway import Budget, Paces, Purse
from ossia_servers.gateway.pace import MINUTE_S, USUAL_ANSWER, Window, likely_tokens
from tests.servers.gateway.support import KEY, model_for

SECONDS = Budget(calls=99, tokens=999_999, seconds=10.0)


class Time:
    """A clock that pauses move on, and nothing else."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        await asyncio.sleep(0)
        self.now += seconds

    def paces(self, rpm=None, tpm=None):
        return Paces(rpm, tpm, clock=self, sleep=self.sleep)


class Still(Time):
    """A clock that stands, with pauses that last until they are released."""

    def __init__(self):
        super().__init__()
        self.asked, self.released = asyncio.Event(), asyncio.Event()

    async def sleep(self, seconds):
        self.asked.set()
        await self.released.wait()
        self.now += seconds


def most_in_a_minute(times):
    return max(sum(1 for t in times if start <= t < start + 60) for start in times)


def test_no_minute_has_more_requests_and_waiting_is_nobodys_time(running, upstream, completion):
    async def main():
        time = Time()
        async with (
            upstream(completion()) as endpoint,
            running(
                model_for(endpoint, paces=time.paces(rpm=2)), budget=SECONDS, clock=time
            ) as lab,
        ):
            sent = []
            for _ in range(7):
                assert (await lab.ask()).status_code == 200
                sent.append(time.now)
            assert len(endpoint.requests) == 7
            assert most_in_a_minute(sent) == 2
            assert time.now - 100.0 == pytest.approx(3 * MINUTE_S)
            assert lab.gateway.wait_s("key-1") == pytest.approx(10.0)
            record = lab.gateway.close("key-1")
        assert {e.status for e in record.exchanges} == {"ok"}
        assert record.budget_spent is None
        assert record.model_seconds == pytest.approx(0.0)
        assert record.waited_s == pytest.approx(3 * MINUTE_S)
        waits = [e.timing.waited_s for e in record.exchanges]
        assert waits == pytest.approx([0, 0, MINUTE_S, 0, MINUTE_S, 0, MINUTE_S])

    asyncio.run(main())


def test_a_slow_way_of_the_first_requests_brings_no_more_into_a_minute_of_the_endpoint():
    async def main():
        time, arrived = Time(), []
        pace = time.paces(rpm=3).of("openai/gpt-4o")
        for number in range(12):
            await pace.turn(1)
            arrived.append(time.now + (1.9 if number < 3 else 0.1))
        assert most_in_a_minute(arrived) == 3

    asyncio.run(main())


def test_calls_at_once_take_turns_and_the_wait_is_theirs_once(running, upstream, completion):
    async def main():
        time = Time()
        async with (
            upstream(completion()) as endpoint,
            running(
                model_for(endpoint, paces=time.paces(rpm=1)), budget=SECONDS, clock=time
            ) as lab,
        ):
            answers = await asyncio.gather(*(lab.ask() for _ in range(4)))
            assert [answer.status_code for answer in answers] == [200] * 4
            record = lab.gateway.close("key-1")
        assert time.now - 100.0 == pytest.approx(3 * MINUTE_S)
        assert record.waited_s <= 3 * MINUTE_S
        assert max(e.timing.waited_s for e in record.exchanges) == pytest.approx(3 * MINUTE_S)
        assert record.budget_spent is None

    asyncio.run(main())


def test_tokens_are_held_by_estimate_and_corrected_by_usage(running, upstream, completion):
    async def main():
        time = Time()
        each = likely_tokens({"messages": [{"role": "user", "content": "hello"}]})
        assert each > USUAL_ANSWER
        replies = [completion(usage=(10, 5)), completion(usage=(2000, 100)), completion()]
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, paces=time.paces(tpm=each + 20)), clock=time) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert (await lab.ask()).status_code == 200
            assert time.now == 100.0, "the first took 15 tokens, so the second need not wait"
            assert (await lab.ask()).status_code == 200
            assert time.now == pytest.approx(100.0 + MINUTE_S), (
                "the second took more than a minute has"
            )

    asyncio.run(main())


def test_tokens_given_back_end_a_wait(running, upstream, completion):
    async def main():
        time = Still()
        async with upstream(completion(), delay=0.2) as endpoint:
            model = model_for(endpoint, paces=time.paces(tpm=700))
            async with running(model, clock=time) as lab, asyncio.timeout(15):
                answers = await asyncio.gather(lab.ask(), lab.ask())
                assert [answer.status_code for answer in answers] == [200, 200]
                assert endpoint.most_at_once == 1

    asyncio.run(main())


def test_each_retry_takes_a_turn(running, upstream, completion):
    async def main():
        time = Time()
        async with (
            upstream((500, {}, {}), (429, {}, {}), completion()) as endpoint,
            running(
                model_for(endpoint, paces=time.paces(rpm=1)), budget=SECONDS, clock=time
            ) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert time.now - 100.0 == pytest.approx(2 * MINUTE_S)
            (exchange,) = lab.gateway.close("key-1").exchanges
        assert exchange.attempts == 3
        assert exchange.timing.waited_s == pytest.approx(2 * MINUTE_S)

    asyncio.run(main())


def test_a_framework_that_hangs_up_while_it_waits_was_never_asked_for(
    running, upstream, completion
):
    async def main():
        time, purse = Still(), Purse(1.0)
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint, paces=time.paces(rpm=1), purse=purse), clock=time) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            before = purse.spent_usd
            asked = asyncio.create_task(lab.ask())
            async with asyncio.timeout(10):
                await time.asked.wait()
                asked.cancel()
                while len(lab.gateway.record("key-1").exchanges) < 2:
                    await asyncio.sleep(0.005)
            assert len(endpoint.requests) == 1
            assert purse.spent_usd == before
            last = lab.gateway.record("key-1").exchanges[-1]
            assert (last.status, last.attempts, last.failed_attempts) == ("abandoned", 0, ())

    asyncio.run(main())


def test_a_key_that_ended_meanwhile_ends_the_wait_without_a_request(running, upstream):
    async def main():
        time = Still()
        async with (
            upstream((401, {}, {"error": {"message": f"bad {KEY}"}})) as endpoint,
            running(model_for(endpoint, paces=time.paces(rpm=1)), clock=time) as lab,
        ):
            asked = [asyncio.create_task(lab.ask()) for _ in range(3)]
            async with asyncio.timeout(10):
                await time.asked.wait()
                await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                time.released.set()
                answers = await asyncio.gather(*asked)
            assert {answer.status_code for answer in answers} == {502}
            assert len(endpoint.requests) == 1

    asyncio.run(main())


def test_a_model_has_one_pace_however_often_it_is_opened():
    paces = Time().paces(rpm=1)
    assert paces.of("openai/gpt-4o") is paces.of("openai/gpt-4o")
    assert paces.of("openai/gpt-4o") is not paces.of("openai/o3")
    assert Time().paces().of("openai/gpt-4o") is None
    with pytest.raises(ValueError, match="at least one"):
        Time().paces(rpm=0)


def test_one_larger_than_a_minute_goes_alone():
    window = Window(None, 100)
    assert window.wait_s(0.0, 5000) == 0.0
    window.take(0.0, 5000)
    assert window.wait_s(1.0, 1) == MINUTE_S - 1
    assert window.wait_s(MINUTE_S, 5000) == 0.0


def test_as_many_old_turns_are_awaited_as_make_room():
    window = Window(10, 100)
    for now in (0.0, 10.0, 20.0):
        window.take(now, 30)
    assert window.wait_s(30.0, 10) == 0.0
    assert window.wait_s(30.0, 40) == MINUTE_S - 30
    assert window.wait_s(30.0, 70) == MINUTE_S - 20
    assert window.wait_s(30.0, 100) == MINUTE_S - 10


def test_a_process_that_goes_on_counts_what_the_one_before_has_just_called():
    async def main():
        time, noted = Time(), []
        paces = time.paces(rpm=3, tpm=100)
        pace = paces.of("openai/gpt-4o")
        paces.continue_from(20.0, {"openai/gpt-4o": (2, 50), "other": (9, 9)}, noted.append)
        began = time.now
        await pace.turn(10)
        assert (time.now, noted) == (began, [{"openai/gpt-4o": (3, 60)}])
        await pace.turn(10)
        assert time.now == began + MINUTE_S - 20, "as soon as the last one before is a minute old"
        for long_ago in (MINUTE_S, -5.0):
            paces = time.paces(rpm=1)
            pace, began = paces.of("openai/gpt-4o"), time.now
            paces.continue_from(long_ago, {"openai/gpt-4o": (1, 1)}, noted.append)
            await pace.turn(1)
            assert time.now == began

    asyncio.run(main())
