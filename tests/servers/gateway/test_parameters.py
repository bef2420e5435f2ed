"""Parameters that are set or dropped on the way to an upstream, as the endpoint gets them."""

import asyncio

import pytest

from ossia_servers.gateway import (
    ModelCall,
    Parameter,
    UpstreamOptions,
    known_parameters,
    open_model,
    read_parameter,
    read_specification,
)

ROLES = ("intent", "time")


def specifications(*texts):
    return [read_specification(text, ROLES) for text in texts]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("temperature=0.5", Parameter(name="temperature", value=0.5)),
        ("temperature=", Parameter(name="temperature", dropped=True)),
        ("reasoning_effort=low", Parameter(name="reasoning_effort", value="low")),
        ('user="NaN"', Parameter(name="user", value="NaN")),
        ("seed=18446744073709551615", Parameter(name="seed", value=2**64 - 1)),
        ("user=infinite jest", Parameter(name="user", value="infinite jest")),
        ("seed=null", Parameter(name="seed")),
        ('stop=["a=b"]', Parameter(name="stop", value=["a=b"])),
        ("a:b:top_p=1", Parameter(name="top_p", value=1, model="a:b")),
        ("m2:top_p=1", Parameter(name="top_p", value=1, model="intent=a:b,*=offline")),
        ("a:seed=4", Parameter(name="seed", value=4, model="a")),
    ],
)
def test_a_parameter_is_read_with_its_model(text, wanted):
    models = specifications("a", "intent=a:b,*=offline")
    assert read_parameter(text, models) == wanted


@pytest.mark.parametrize("text", ["", "temperature", "=1", "b:temperature=0", "model=x", "stream="])
def test_what_names_no_parameter_or_one_of_the_framework_is_refused(text):
    with pytest.raises(ValueError, match=r"name=value|cannot be changed"):
        read_parameter(text, specifications("a"))


@pytest.mark.parametrize(
    "value",
    ["NaN", "-nan", "Infinity", " -inf", "1e999", "9" * 400, ".5", "1_0", "[1", '{"a": NaN}', '"a'],
)
def test_what_only_looks_like_a_number_or_json_is_refused(value):
    with pytest.raises(ValueError, match=r"^'p=.*': the value is not valid JSON; .* in quotes$"):
        read_parameter(f"p={value}", specifications("a"))


def test_a_value_that_could_not_be_sent_as_it_is_written_is_refused():
    with pytest.raises(ValueError, match="too large"):
        read_parameter("seed=99999999999999999999", specifications("a"))
    with pytest.raises(ValueError, match=r"'stop=\\udcff' is not in UTF-8"):
        read_parameter("stop=\udcff", specifications("a"))


@pytest.mark.parametrize(
    ("model", "refuses"),
    [
        ("openai/o1", True),
        ("openai/o3", True),
        ("openai/o3-mini-2025-01-31", True),
        ("openai/o4-mini", True),
        ("openai/gpt-5", True),
        ("openai/gpt-5-mini", True),
        ("openai/gpt-5-chat-latest", False),
        ("openai/gpt-4o", False),
        ("openai/o3-of-nobody", False),
        ("ollama/o3", False),
        ("o3", False),
    ],
)
def test_models_that_refuse_temperature_are_known_by_name(model, refuses):
    names = [each.name for each in known_parameters(specifications(model))]
    assert ("temperature" in names) is refuses


def test_what_is_set_closer_to_a_model_goes_first(upstream, completion):
    models = specifications("openai/o3-mini", "openai/gpt-4o")
    texts = ("temperature=0.1", "top_p=", "m2:temperature=0.2", "openai/gpt-4o:user=me")
    given = [read_parameter(text, models) for text in texts]

    async def sent_to(endpoint, spec):
        options = UpstreamOptions(base_url=endpoint.url, api_key="k")
        model = open_model(str(spec), options, parameters=[*known_parameters(models), *given])
        asked = {"messages": [], "temperature": 0, "top_p": 1, "presence_penalty": 1, "stream": 1}
        await model.complete(ModelCall("intent", "e", asked))
        await model.aclose()
        return endpoint.requests[-1][1]

    async def main():
        async with upstream(completion()) as endpoint:
            assert await sent_to(endpoint, models[0]) == {
                "model": "o3-mini",
                "messages": [],
                "temperature": 0.1,
            }
            assert await sent_to(endpoint, models[1]) == {
                "model": "gpt-4o",
                "messages": [],
                "temperature": 0.2,
                "presence_penalty": 1,
                "user": "me",
            }

    asyncio.run(main())
