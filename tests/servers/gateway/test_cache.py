"""Answers that are kept and given again, in front of a real endpoint."""

import asyncio

import pytest

from ossia_servers.gateway import AnswerCache, Budget, Parameter, Purse, UpstreamOptions, open_model
from tests.servers.gateway.support import Pauses

ROOMY = Budget(calls=1000, tokens=1_000_000, seconds=600)
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def model_for(endpoint, cache, parameters=(), **options):
    options = UpstreamOptions(
        base_url=endpoint.url, api_key="k", sleep=Pauses(), cache=cache, timeout_s=10.0, **options
    )
    return open_model("openai/gpt-4o", options, environ={}, parameters=parameters)


def opened(path):
    cache = AnswerCache()
    cache.open(path)
    return cache


def begin(lab, *keys):
    for key in keys:
        lab.gateway.open(f"episode-{key}", key, ROOMY)


def text(response):
    return response.json()["choices"][0]["message"]["content"]


def test_an_identical_request_is_not_sent_again_and_costs_nothing(
    running, upstream, completion, tmp_path
):
    async def main():
        purse = Purse()
        async with (
            upstream(completion("one"), completion("two")) as endpoint,
            running(model_for(endpoint, opened(tmp_path / "kept"), purse=purse)) as lab,
        ):
            begin(lab, "key-2")
            assert text(await lab.ask(temperature=0)) == "one"
            spent = purse.spent_usd
            same = await lab.ask(key="key-2", temperature=0.0, stream=False, user="somebody")
            assert text(same) == "one"
            assert same.json()["usage"]["total_tokens"] == 15
            assert len(endpoint.requests) == 1
            assert purse.spent_usd == spent > 0
            first, second = lab.gateway.close("key-1"), lab.gateway.close("key-2")
        assert (first.cached_calls, first.calls, first.price_usd) == (0, 1, spent)
        assert (second.cached_calls, second.calls, second.price_usd) == (1, 1, 0.0)
        assert second.total_tokens == first.total_tokens == 15
        (exchange,) = second.exchanges
        assert (exchange.status, exchange.attempts, exchange.cached) == ("ok", 0, True)

    asyncio.run(main())


@pytest.mark.parametrize(
    "other",
    [{"text": "hallo"}, {"temperature": 1}, {"seed": 7}, {"max_tokens": 5}, {"tools": TOOLS}],
)
def test_another_request_is_sent(running, upstream, completion, tmp_path, other):
    async def main():
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint, opened(tmp_path / "kept"))) as lab,
        ):
            begin(lab, "key-2")
            await lab.ask()
            await lab.ask(key="key-2", **other)
            assert len(endpoint.requests) == 2

    asyncio.run(main())


def test_what_one_episode_asks_again_is_a_draw_of_its_own(running, upstream, completion, tmp_path):
    async def main():
        replies = [completion(word) for word in ("one", "two", "three")]
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, opened(tmp_path / "kept"))) as lab,
        ):
            begin(lab, "key-2")
            assert [text(await lab.ask()) for _ in range(2)] == ["one", "two"]
            again = [text(await lab.ask(key="key-2")) for _ in range(3)]
            assert again == ["one", "two", "three"]
            assert len(endpoint.requests) == 3

    asyncio.run(main())


def test_identical_requests_at_once_are_sent_once(running, upstream, completion, tmp_path):
    async def main():
        async with (
            upstream(completion(), delay=0.2) as endpoint,
            running(model_for(endpoint, opened(tmp_path / "kept"))) as lab,
        ):
            keys = [f"key-{number}" for number in range(2, 7)]
            begin(lab, *keys)
            answers = await asyncio.gather(*(lab.ask(key=key) for key in keys))
            assert {answer.status_code for answer in answers} == {200}
            assert len(endpoint.requests) == 1

    asyncio.run(main())


def test_a_failure_is_not_kept(running, upstream, completion, tmp_path):
    async def main():
        replies = [(400, {}, {"error": {"message": "no"}}), completion("fine")]
        async with (
            upstream(*replies) as endpoint,
            running(model_for(endpoint, opened(tmp_path / "kept"))) as lab,
        ):
            assert (await lab.ask()).status_code == 400
            assert text(await lab.ask()) == "fine"
            assert len(endpoint.requests) == 2

    asyncio.run(main())


def test_another_session_goes_on_with_what_was_kept_even_after_a_kill(
    running, upstream, completion, tmp_path
):
    path = tmp_path / "kept"

    async def session(word, asked, sent):
        async with (
            upstream(completion(word)) as endpoint,
            running(model_for(endpoint, opened(path))) as lab,
        ):
            found = [text(await lab.ask(one)) for one in asked]
            assert len(endpoint.requests) == sent
            return found

    assert asyncio.run(session("old", ["a", "b"], 2)) == ["old", "old"]
    with path.open("ab") as file:
        file.write(b'{"cache":1,"key":"torn')
    assert asyncio.run(session("new", ["a", "c"], 1)) == ["old", "new"]
    assert asyncio.run(session("newer", ["b", "c"], 0)) == ["old", "new"]


def test_parameters_of_the_run_are_part_of_the_request(running, upstream, completion, tmp_path):
    path = tmp_path / "kept"

    async def session(parameters):
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint, opened(path), parameters)) as lab,
        ):
            await lab.ask()
            return len(endpoint.requests)

    warm = (Parameter(name="temperature", value=1),)
    assert [asyncio.run(session(each)) for each in ((), warm, warm, ())] == [1, 1, 0, 0]


def test_a_cache_that_is_not_opened_keeps_nothing(running, upstream, completion):
    async def main():
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint, AnswerCache())) as lab,
        ):
            begin(lab, "key-2")
            await lab.ask()
            await lab.ask(key="key-2")
            assert len(endpoint.requests) == 2

    asyncio.run(main())
