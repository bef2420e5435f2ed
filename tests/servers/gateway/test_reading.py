"""Whatever a framework sends is read or refused, never a crash; streams say what answers say."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.gateway import Usage, canonical_request
from ossia_servers.gateway.chat import (
    answer_body,
    error_body,
    forced_parameters,
    read_request,
    stream_body,
)
from ossia_servers.gateway.estimates import (
    estimate_prompt_tokens,
    estimate_usage,
    message_text,
)
from ossia_servers.gateway.models import Completion

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1, 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PARTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url", "refusal"])}, optional={"text": JSON}
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "function": JSON | st.fixed_dictionaries({}, optional={"name": JSON, "arguments": JSON}),
    },
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]) | JSON},
    optional={
        "content": TEXTS | st.lists(PARTS, max_size=3) | JSON,
        "tool_calls": st.lists(CALLS, max_size=3) | JSON,
        "tool_call_id": JSON,
        "name": JSON,
    },
)
BODIES = st.fixed_dictionaries(
    {
        "model": st.just("ossia-intent") | JSON,
        "messages": st.lists(MESSAGES, min_size=1, max_size=4) | JSON,
    },
    optional={
        "tools": st.lists(JSON, max_size=2) | JSON,
        "tool_choice": JSON,
        "response_format": JSON,
        "stream": JSON,
        "stream_options": JSON,
        "n": JSON,
        "temperature": JSON,
    },
)


@given(st.binary(max_size=60))
def test_any_bytes_are_read(raw):
    request = read_request(raw)
    assert request.fault is not None
    assert orjson.dumps(request.body)


@given(BODIES | JSON)
def test_any_json_is_read_and_what_passes_can_be_used(body):
    request = read_request(orjson.dumps(body))
    if request.fault is not None:
        assert request.fault.endswith(".")
        return
    assert request.role == "intent"
    assert estimate_prompt_tokens(request.body) > 0
    estimate_usage(request.body, request.body["messages"][-1])
    assert all(isinstance(message_text(m), str) for m in request.body["messages"])
    canonical = canonical_request(request.body)
    assert canonical_request(orjson.loads(canonical)) == canonical
    assert not forced_parameters(request.body).keys() & {"messages", "tools", "model", "stream"}


TOOL_CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "id": TEXTS,
            "type": st.just("function"),
            "function": st.fixed_dictionaries({"name": TEXTS, "arguments": TEXTS}),
        }
    ),
    min_size=1,
    max_size=3,
)
ANSWERS = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.none() | TEXTS},
    optional={"tool_calls": TOOL_CALLS},
)


def put_together(stream):
    message = {}
    reason = None
    usage = None
    assert stream.endswith(b"data: [DONE]\n\n")
    for line in stream.split(b"\n\n")[:-2]:
        event = orjson.loads(line.removeprefix(b"data: "))
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            reason = choice["finish_reason"] or reason
            delta = choice["delta"]
            message.setdefault("role", delta.get("role"))
            if delta.get("content") is not None:
                message["content"] = message.get("content", "") + delta["content"]
            for part in delta.get("tool_calls", []):
                calls = message.setdefault("tool_calls", [])
                if part["index"] == len(calls):
                    calls.append({k: v for k, v in part.items() if k != "index"})
                else:
                    function = calls[part["index"]]["function"]
                    function["arguments"] += part["function"]["arguments"]
    return {"content": None, **message}, reason, usage


@given(ANSWERS, TEXTS)
def test_a_stream_puts_together_to_the_plain_answer(message, model):
    usage = Usage(prompt_tokens=4, completion_tokens=2, source="provider")
    completion = Completion(message, "stop", usage)
    plain = orjson.loads(answer_body("x", model, completion, usage))
    stream = stream_body("x", model, completion, usage, with_usage=True)
    together, reason, streamed_usage = put_together(stream)
    assert together == plain["choices"][0]["message"]
    assert reason == plain["choices"][0]["finish_reason"]
    assert streamed_usage == plain["usage"]


def test_an_error_has_the_three_fields():
    assert orjson.loads(error_body("What.", "ossia_budget", "calls")) == {
        "error": {"message": "What.", "type": "ossia_budget", "code": "calls"}
    }
