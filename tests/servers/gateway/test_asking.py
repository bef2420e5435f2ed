"""Ossia's own questions, with an account of their own, at a real endpoint."""

import asyncio

import pytest

from ossia_servers.gateway import Asker, Budget, Unanswered
from tests.servers.gateway.support import model_for

ASKED = [{"role": "user", "content": "What do you say?"}]
ROOMY = Budget(calls=1000, tokens=1_000_000, seconds=600)


def answers(running, upstream, *replies, budget=ROOMY, times=1, **options):
    """Ask with an account of one's own; returns what was said, the records and the requests."""

    async def main():
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, **options)) as lab,
        ):
            lab.gateway.open("episode-1", "mine", budget)
            asker, said = Asker(lab.gateway, "mine", "user"), []
            for _ in range(times):
                try:
                    said.append(await asker(ASKED))
                except Unanswered as error:
                    said.append(error)
            team, own = lab.gateway.close("key-1"), lab.gateway.close("mine")
            return said, team, own, endpoint.requests

    return asyncio.run(main())


def test_the_account_is_its_own(running, upstream, completion):
    said, team, own, sent = answers(running, upstream, completion("Good day."))
    assert said == ["Good day."]
    assert (team.calls, own.calls, own.total_tokens, len(sent)) == (0, 1, 15, 1)
    assert own.exchanges[0].role == "user"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<think>They want the code.</think>\n\nThe code?", "The code?"),
        ("<think>They want", ""),
        ("Do you <think> so?</think>", "Do you <think> so?</think>"),
        (" \n", ""),
        (None, ""),
    ],
)
def test_thoughts_before_the_words_are_left_out(running, upstream, completion, content, words):
    said, *_ = answers(running, upstream, completion(content))
    assert said == [words]


def test_what_is_no_answer_is_told(running, upstream, completion):
    refusal = (400, {}, {"error": {"message": "too long"}})
    said, _, own, _ = answers(running, upstream, refusal)
    assert str(said[0]) == "HTTP 400: too long"
    assert own.exchanges[0].status == "bad_request"
    two = Budget(calls=2, tokens=1_000_000, seconds=600)
    said, *_ = answers(running, upstream, completion("yes"), budget=two, times=3)
    assert said[:2] == ["yes", "yes"]
    assert str(said[2]) == "The episode's budget of calls is spent."


def test_a_pause_is_taken_from_the_seconds_of_an_episode(running, upstream, completion):
    async def main():
        tight = Budget(calls=9, tokens=9999, seconds=10.0)
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint), budget=tight) as lab,
        ):
            lab.clock.now += 4
            with lab.gateway.paused("key-1"):
                lab.clock.now += 100
                assert lab.gateway.wait_s("key-1") == pytest.approx(6)
            lab.clock.now += 5
            assert (await lab.ask()).status_code == 200
            lab.clock.now += 2
            assert (await lab.ask()).status_code == 403
            with lab.gateway.paused("key-1"):
                record = lab.gateway.close("key-1")
            assert record.waited_s == pytest.approx(100)

    asyncio.run(main())
