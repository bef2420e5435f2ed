"""The model on anything at all: it answers, always alike, quickly, and from any thread."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.understanding import artefact

from .scenes import ANSWER, INTENT, ORDER, PLACE, TIME, URL, captured, says

MODEL = OfflineModel.load()
ROLES = st.sampled_from(["manager", *ORDER, "", "other", "a/b"])
PIECES = st.sampled_from(
    [
        says("wake me at six"),
        json.dumps({"Task": says("play jazz")}),
        'The user says: "',
        "The user's home is .",
        "The user's home is Paris, France.",
        *[json.dumps(value) for value in (INTENT, TIME, PLACE, URL, ANSWER)],
        '{"intent": "alarm_set", "slots": {"time": 7, "date": null, "time2": ["six", "seven"]}}',
        '{"intent": "", "slots": {}}',
        '{"status": null, "body": []}',
        '{"time_slots": {"date": {}}}',
        '{"url": ""}',
        '{"date": "yesterday", "weekday": 3}',
        '{"date": "2026-13-45", "weekday": "", "time": "99:99"}',
        "<tasks><task>",
        "<intent>:<Reads.>:<>\n",
        "assignments assignee_id Task ID: 1\nContent: x\n---",
        "ISSUE TYPE: Quality Evaluation",
        "ISSUE TYPE: Task Failure",
        "'content' 'failed'",
        "select the next role from [] to play",
        "select the next role from ['a', 'b'] to play",
        "Action:intent[{}]\nObservation: x\n\nAction:",
        "alarm: alarm_set | date",
        "nothing: nothing_known | date",
        "intent: ",
        "\ud800",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=6).map("\n".join)
CONTENTS = (
    TEXTS
    | st.none()
    | st.integers()
    | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=2)
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "x"]), "content": CONTENTS},
    optional={
        "name": st.sampled_from(ORDER) | st.none(),
        "tool_calls": st.just([{"id": "1", "function": {"name": "get_date", "arguments": "{"}}]),
        "tool_call_id": st.just("1"),
    },
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=5,
)
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "properties": JSON
        | st.dictionaries(
            st.sampled_from(["next", "content", "failed", "task"]),
            JSON | st.fixed_dictionaries({"enum": JSON | st.just(["intent", "end"])}),
        )
    },
)
TOOLS = st.lists(
    JSON
    | st.builds(
        lambda name, parameters: {"function": {"name": name, "parameters": parameters}},
        st.sampled_from(["get_date", "http_request", "transfer_to_intent", "x", ""]),
        JSON | st.just({"properties": {"task": {}}}),
    ),
    max_size=3,
)
REQUESTS = st.fixed_dictionaries(
    {
        "model": ROLES.map("ossia-{}".format) | JSON,
        "messages": st.lists(MESSAGES, max_size=5) | JSON,
    },
    optional={
        "tools": TOOLS | JSON,
        "tool_choice": st.sampled_from(["none", "auto"]) | JSON,
        "response_format": st.builds(
            lambda kind, schema: {"type": kind, "json_schema": {"schema": schema}},
            st.sampled_from(["json_schema", "json_object", "text"]),
            SCHEMAS | JSON,
        )
        | JSON,
    },
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(REQUESTS)
def test_every_request_is_answered_and_always_alike(request):
    message = MODEL.complete(request)
    assert message["role"] == "assistant"
    if message.get("tool_calls"):
        assert message["content"] is None
        for call in message["tool_calls"]:
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    else:
        assert isinstance(message["content"], str)
    assert MODEL.complete(request) == message


def test_no_request_at_all_is_answered():
    assert isinstance(MODEL.complete({})["content"], str)


def test_threads_share_a_model():
    bodies = [body for name in ("langgraph", "camel", "agentlite") for _, body in captured(name)]
    alone = [OfflineModel.load().complete(body) for body in bodies[:3]]
    shared = OfflineModel.load()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(shared.complete, bodies * 5))
    assert answers == [shared.complete(body) for body in bodies] * 5
    assert answers[:3] == alone


def test_an_answer_takes_milliseconds():
    bodies = [body for name in ("langgraph", "camel", "agentlite") for _, body in captured(name)]
    artefact.load.cache_clear()
    fresh = OfflineModel.load()
    started = time.process_time()
    for body in bodies:
        fresh.complete(body)
    assert (time.process_time() - started) / len(bodies) < 0.005


def test_loading_takes_less_than_a_second():
    artefact.load.cache_clear()
    started = time.process_time()
    OfflineModel.load()
    assert time.process_time() - started < 1.0
