"""Scripted and in-process models, opening models by name, estimates and prices."""

import asyncio
import json
import subprocess
import sys
import time

import pytest

from ossia_servers.assistant.offline.opening import open_offline
from ossia_servers.gateway import (
    InProcessModel,
    ModelCall,
    ModelFailure,
    ReplayModel,
    ScriptedModel,
    Tape,
    UpstreamModel,
    UpstreamOptions,
    Usage,
    open_model,
    price_usd,
)
from ossia_servers.gateway.estimates import estimate_prompt_tokens, estimate_usage, message_text

SLOW = "offline:delay=0.05"


def call(text="hello", role="intent", episode="e1", history=()):
    messages = [*history, {"role": "user", "content": text}]
    return ModelCall(role, episode, {"model": f"ossia-{role}", "messages": messages})


def script_file(tmp_path, *rules):
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"rules": rules}))
    return file


def answers(model, *calls):
    async def main():
        return [(await model.complete(one)).message.get("content") for one in calls]

    return asyncio.run(main())


def test_the_first_rule_that_fits_answers(tmp_path):
    model = ScriptedModel.from_file(
        script_file(
            tmp_path,
            {"role": "url", "answer": "by role"},
            {"last": "^good", "answer": "by last message"},
            {"text": "secret.*word", "answer": "by whole text"},
            {"answer": "otherwise"},
        )
    )
    history = [{"role": "system", "content": [{"type": "text", "text": "the secret good word"}]}]
    assert answers(
        model,
        call("good day", role="url"),
        call("good day"),
        call("a good day"),
        call("x", history=history),
    ) == ["by role", "by last message", "otherwise", "by whole text"]


def test_times_count_per_episode(tmp_path):
    model = ScriptedModel.from_file(
        script_file(tmp_path, {"times": 2, "answer": "first"}, {"answer": "then"})
    )
    assert answers(model, call(), call(), call(), call(episode="e2")) == [
        "first",
        "first",
        "then",
        "first",
    ]


def test_tool_rules_number_their_calls_through_the_conversation(tmp_path):
    rule = {"tools": [{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": '{"b'}]}
    model = ScriptedModel.from_file(script_file(tmp_path, rule))

    async def main():
        first = await model.complete(call())
        assert first.finish_reason == "tool_calls"
        calls = first.message["tool_calls"]
        assert [c["function"] for c in calls] == [
            {"name": "f", "arguments": '{"a":1}'},
            {"name": "g", "arguments": '{"b'},
        ]
        second = await model.complete(call(history=[first.message]))
        ids = [c["id"] for c in calls + second.message["tool_calls"]]
        assert len(set(ids)) == 4

    asyncio.run(main())


@pytest.mark.parametrize(("kind", "part"), [("error", "500"), ("malformed", "completion")])
def test_rules_can_fail(tmp_path, kind, part):
    model = ScriptedModel.from_file(script_file(tmp_path, {"fail": kind}))
    with pytest.raises(ModelFailure, match=part):
        answers(model, call())


def test_rules_can_hang(tmp_path):
    model = ScriptedModel.from_file(script_file(tmp_path, {"fail": "hang"}))

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(model.complete(call()), 0.05)

    asyncio.run(main())


def test_a_request_that_no_rule_fits_is_loud(tmp_path):
    model = ScriptedModel.from_file(script_file(tmp_path, {"role": "url", "answer": "x"}))
    with pytest.raises(ModelFailure, match=r"No rule of the script fits.*role intent.*'hello'"):
        answers(model, call())


@pytest.mark.parametrize(
    ("rules", "part"),
    [
        ([], "rules"),
        ([{"role": "x"}], "either an answer"),
        ([{"answer": "x", "fail": "hang"}], "either an answer"),
        ([{"answer": {"content": "x"}, "tools": [{"name": "f", "arguments": {}}]}], "tool calls"),
        ([{"answer": "x", "last": "("}], "last"),
        ([{"answer": "x", "colour": "red"}], "colour"),
    ],
)
def test_wrong_rules_say_what_is_wrong(tmp_path, rules, part):
    file = script_file(tmp_path, *rules)
    with pytest.raises(ValueError, match=part):
        open_model(f"scripted:{file}")


def test_an_answerer_in_the_process_answers():
    class Parrot:
        def complete(self, request):
            return {"content": request["messages"][-1]["content"].upper()}

    model = InProcessModel(Parrot())
    assert model.name == "offline"
    assert answers(model, call("hello")) == ["HELLO"]


def test_models_open_by_name(tmp_path):
    Tape().write(tmp_path / "tape.jsonl")
    assert isinstance(open_model(f"replay:{tmp_path / 'tape.jsonl'}"), ReplayModel)
    script = script_file(tmp_path, {"answer": "x"})
    assert isinstance(open_model(f"scripted:{script}"), ScriptedModel)
    model = open_model("openai/gpt-4o", environ={"OPENAI_API_KEY": "sk-from-environment"})
    assert isinstance(model, UpstreamModel)
    assert model.name == "openai/gpt-4o"
    assert "sk-from-environment" not in repr(model)
    assert open_model("ollama/llama3.1:8b", environ={}).name == "ollama/llama3.1:8b"


def test_a_delay_is_taken_before_each_answer_and_changes_none():
    plain, slow = (open_model(text, offline=open_offline) for text in ("offline", SLOW))
    began = time.monotonic()
    answers = [asyncio.run(model.complete(call())) for model in (plain, slow)]
    assert time.monotonic() - began >= 0.05
    assert answers[0].message == answers[1].message
    assert slow.name == SLOW


def test_the_offline_model_opens_and_answers():
    model = open_model("offline", offline=open_offline)
    assert model.name == "offline"
    (content,) = answers(model, call('The user says: "what time is it"'))
    assert isinstance(content, str)


def test_the_endpoint_decides_what_a_name_means(running, upstream, completion):
    async def main():
        async with upstream(completion()) as endpoint:
            options = UpstreamOptions(base_url=endpoint.url, api_key="k")
            for spec, name, sent in [
                ("openai/gpt-4o", "openai/gpt-4o", "gpt-4o"),
                ("openrouter/openai/gpt-4o", "openrouter/openai/gpt-4o", "openai/gpt-4o"),
                ("meta-llama/Llama-3", "custom/meta-llama/Llama-3", "meta-llama/Llama-3"),
                ("llama3.1:8b", "custom/llama3.1:8b", "llama3.1:8b"),
            ]:
                model = open_model(spec, options, environ={})
                assert model.name == name
                await model.complete(call())
                assert endpoint.requests[-1][1]["model"] == sent
                await model.aclose()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("spec", "options", "part"),
    [
        ("", {}, "There is no model ''"),
        ("gpt-4o", {}, "There is no model 'gpt-4o'.*openai"),
        ("nobody/gpt", {}, "There is no model.*with one of the providers"),
        ("opnai/gpt-4o", {}, "There is no model.*did you mean openai/gpt-4o"),
        ("OpenAI/gpt-4o", {}, "There is no model.*did you mean openai/gpt-4o"),
        ("openai/", {}, "There is no model"),
        ("openai/gpt-4o", {}, "needs a key in OPENAI_API_KEY"),
        ("openai/gpt-4o", {"base_url": "localhost:8000"}, "does not start with http"),
        ("own", {"base_url": "http://"}, "names no host"),
        ("own", {"base_url": "http://[::1:9/v1"}, "cannot be read: Invalid IPv6 URL"),
        ("own", {"base_url": "http://127.0.0.1:99999/v1"}, "cannot be read: Port out of range"),
        ("own", {"base_url": "http://me:secret@host/v1"}, "holds a user"),
        ("own", {"base_url": "http://host/v1?key=secret"}, "holds a user, a query"),
        ("offline", {}, "no offline model was given"),
        ("replay:", {}, "needs a file"),
        ("replay:/nowhere/tape.jsonl", {}, "cannot be read"),
        ("scripted:/nowhere/script.json", {}, "cannot be read"),
        ("scripted:/", {}, "cannot be read"),
    ],
)
def test_a_wrong_name_is_one_clear_sentence(spec, options, part):
    with pytest.raises(ValueError, match=part) as caught:
        open_model(spec, UpstreamOptions(**options), environ={})
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")


def test_importing_the_gateway_leaves_the_slow_libraries_out():
    program = (
        "import sys, ossia_servers.gateway;"
        "print([m for m in ('httpx', 'genai_prices', 'uvicorn', 'fastapi') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_estimate_follows_its_rule():
    request = {
        "messages": [
            {"role": "system", "content": "x" * 10},
            {"role": "user", "content": [{"type": "text", "text": "y" * 5}], "name": "me"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "ab", "arguments": "{}"}}],
            },
        ],
        "tools": [{"a": 1}],
    }
    # 10 + (5 + 2) + 4 characters, and 9 of the tools' JSON: 30 / 4, rounded up, is 8.
    assert estimate_prompt_tokens(request) == 8 + 3 * 4 + 3
    assert estimate_usage(request, {"content": "z" * 9}) == Usage(
        prompt_tokens=23, completion_tokens=3, source="estimate"
    )


def test_a_request_with_an_image_has_no_estimate():
    image = {"type": "image_url", "image_url": {"url": "data:..."}}
    content = [{"type": "text", "text": "what is this?"}, image]
    request = {"messages": [{"role": "user", "content": content}]}
    assert estimate_usage(request, {"content": "a cat"}) is None
    assert estimate_prompt_tokens(request) > 0
    assert message_text(request["messages"][0]) == "what is this?"


USAGE = Usage(prompt_tokens=1000, completion_tokens=100, source="provider")


@pytest.mark.parametrize("model", ["openai/gpt-4o", "openrouter/openai/gpt-4o", "gpt-4o"])
def test_known_models_have_a_price(model):
    assert price_usd(model, USAGE) == pytest.approx(0.0035)


@pytest.mark.parametrize(
    "model", ["offline", "scripted", "replay", "", "ollama/llama3", "custom/gpt-4o", "openai/none"]
)
def test_an_unknown_price_is_none(model):
    assert price_usd(model, USAGE) is None


def test_unknown_tokens_have_no_price():
    assert price_usd("openai/gpt-4o", None) is None


def test_more_cached_than_read_tokens_are_refused():
    with pytest.raises(ValueError, match="cached_tokens"):
        Usage(prompt_tokens=1, completion_tokens=1, source="provider", cached_tokens=2)
