"""When a manager's answer names nobody, by what its request asked for."""

import json

import pytest

from ossia_evaluation.chosen import names_nobody
from ossia_evaluation.steps import read_steps
from ossia_servers.wire.ledgers import progress

from .support import WAKE, Play

MEMBERS = ("intent", "time", "customer_relationship_manager")
LINE = {"messages": [{"role": "user", "content": "Who is next?\n\nAction:"}]}
SCHEMA = {
    "messages": [],
    "response_format": {
        "json_schema": {"schema": {"properties": {"next": {"enum": ["intent", "FINISH"]}}}}
    },
}
ANY_JSON = {"messages": [], "response_format": {"type": "json_object"}}
TOOLS = {"messages": [], "tools": [{"function": {"name": "hand_over"}}]}
REACT = {
    "messages": [
        {
            "role": "user",
            "content": "Action: one of [intent, time]\nAction Input: it\nFinal Answer: it",
        }
    ]
}
KEYED = {"messages": [{"role": "user", "content": "Answer NEXT: <role> or finish."}]}
FACTS = {"messages": [{"role": "user", "content": "Please answer the following pre-survey."}]}
PROGRESS = {
    "messages": [
        {
            "role": "user",
            "content": "is_request_satisfied, next_speaker (select from: intent, time)",
        }
    ]
}
ANSWER = {
    "messages": [
        {"role": "user", "content": "provide the final answer to the original request."},
    ]
}
PLAIN = {"messages": [{"role": "user", "content": "Who is next?"}]}


def step(text, request, call=None):
    (exchange,) = Play(WAKE).call("manager", text, tool=call).trace().gateway.exchanges
    trace = Play(WAKE).trace()
    exchange = exchange.model_copy(update={"request": request})
    gateway = trace.gateway.model_copy(update={"exchanges": (exchange,)})
    (found,) = read_steps(trace.model_copy(update={"gateway": gateway}))
    return found


@pytest.mark.parametrize(
    ("text", "request_body"),
    [
        ("intent", PLAIN),
        ("'Finish'.", PLAIN),
        ("customer_relationship_manager", PLAIN),
        ("<tasks><task>Ask the intent agent.</task></tasks>", PLAIN),
        ('{"next": "time"}', PLAIN),
        ('intent[{"Task": "go on"}]', LINE),
        ('Action: Finish[{"response": "done"}]', LINE),
        ('Think[{"response": "let me see"}]', LINE),
        ('{"next": "FINISH"}', SCHEMA),
        ('{"quality": 3}', ANY_JSON),
        ("Your alarm is set.", TOOLS),
        ("Thought: go on\nAction: time\nAction Input: the task", REACT),
        ("Final Answer: Your alarm is set.", REACT),
        ("NEXT: time", KEYED),
        ("1. GIVEN OR VERIFIED FACTS\nNone.", FACTS),
        (progress("time", "intent"), PROGRESS),
        (progress(None, "intent"), PROGRESS),
        ("Your alarm is set.", ANSWER),
    ],
)
def test_somebody_is_named(text, request_body):
    assert not names_nobody(step(text, request_body), MEMBERS)


@pytest.mark.parametrize(
    ("text", "request_body"),
    [
        ("", PLAIN),
        ("I cannot tell.", PLAIN),
        ("Then the time agent goes on.", PLAIN),
        ("<tasks></tasks>", PLAIN),
        ("banana", PLAIN),
        ("intent", LINE),
        ("Finish", LINE),
        ("intent[{}]", LINE),
        ("intent[{oops]", LINE),
        ('fly[{"Task": "go on"}]', LINE),
        ("intent", SCHEMA),
        ('{"next": "banana"}', SCHEMA),
        ('{"next": 7', SCHEMA),
        ("[" * 100_000, SCHEMA),
        ("", TOOLS),
        ("Thought: go on\nAction: banana\nAction Input: the task", REACT),
        ("NEXT: banana", KEYED),
        (progress("chef", "intent"), PROGRESS),
        ("", ANSWER),
    ],
)
def test_nobody_is_named(text, request_body):
    assert names_nobody(step(text, request_body), MEMBERS)


@pytest.mark.parametrize(
    ("name", "nobody"), [("transfer_to_intent", False), ("final_answer", False), ("fly", True)]
)
def test_a_tool_call_names_whom_it_calls(name, nobody):
    assert names_nobody(step(None, TOOLS, (name, {})), MEMBERS) is nobody


def test_only_an_answered_manager_names_nobody():
    refused = read_steps(Play(WAKE).call("manager", None, status="bad_request").trace())
    member = read_steps(Play(WAKE).call("time", json.dumps("?")).trace())
    assert not names_nobody(refused[0], MEMBERS)
    assert not names_nobody(member[0], MEMBERS)
