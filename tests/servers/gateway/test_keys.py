"""The key of an upstream endpoint goes to that endpoint and nowhere else."""

import asyncio
import logging

import pytest

from ossia_servers.gateway import UpstreamModel, UpstreamOptions

KEY = "sk-upstream-0123456789abcdef"


async def no_pause(seconds):
    pass


def model_for(endpoint, key=KEY):
    return UpstreamModel(
        "openai/gpt-4o",
        model="real-model",
        base_url=endpoint if isinstance(endpoint, str) else endpoint.url,
        api_key=key,
        options=UpstreamOptions(sleep=no_pause, retries=1, timeout_s=10),
    )


@pytest.mark.parametrize(
    "reply",
    [
        (401, {}, {"error": {"message": f"Incorrect API key provided: {KEY}."}}),
        (400, {}, {"error": {"message": f"bad header Bearer {KEY}"}}),
        (500, {"retry-after": "0"}, f"trace: headers={{'authorization': 'Bearer {KEY}'}}".encode()),
        (500, {}, (("x" * 290) + KEY).encode()),
        (200, {}, {"choices": [{"message": {"content": f"your key is {KEY}"}}]}),
        (200, {}, f"not json {KEY}".encode()),
        (403, {}, {"error": {"message": "key sk-proj-********wxyz is revoked"}}),
    ],
)
def test_the_key_never_shows(running, upstream, reply, caplog):
    async def main():
        async with upstream(reply) as endpoint:
            model = model_for(endpoint)
            async with running(model) as lab:
                response = await lab.ask()
                record = lab.gateway.close("key-1")
                return [response.text, str(response.headers), record.model_dump_json(), repr(model)]

    with caplog.at_level(logging.DEBUG, logger="ossia_servers"):
        texts = asyncio.run(main())
    for text in [*texts, caplog.text]:
        assert KEY not in text
        # Nor a part of it, cut off by the limit on an error's length.
        assert "sk-up" not in text
        assert "wxyz" not in text


def test_the_key_shows_neither_in_options_nor_for_being_wrong():
    assert KEY not in repr(UpstreamOptions(api_key=KEY))
    with pytest.raises(ValueError, match="key for openai/gpt-4o") as caught:
        model_for("http://127.0.0.1:1/v1", key=f"{KEY}\nx-other: 1")
    assert KEY not in str(caught.value)


def test_the_model_keeps_the_key_in_one_private_place():
    options = UpstreamOptions(api_key=KEY)
    model = UpstreamModel("m", model="m", base_url="http://x/v1", api_key=KEY, options=options)
    places = [name for name, value in vars(model).items() if KEY in str(value)]
    assert places == ["_UpstreamModel__key"]
    assert model._options.api_key is None


def test_white_space_around_a_key_does_not_matter(running, upstream, completion):
    async def main():
        async with (
            upstream(completion()) as endpoint,
            running(model_for(endpoint, key=f" {KEY}\n")) as lab,
        ):
            assert (await lab.ask()).status_code == 200
            assert endpoint.requests[0][0]["authorization"] == f"Bearer {KEY}"

    asyncio.run(main())


def test_a_short_placeholder_key_does_not_change_answers(running, upstream, completion):
    async def main():
        async with (
            upstream(completion("EMPTY is a word")) as endpoint,
            running(model_for(endpoint, key="EMPTY")) as lab,
        ):
            body = (await lab.ask()).json()
            assert body["choices"][0]["message"]["content"] == "EMPTY is a word"

    asyncio.run(main())
