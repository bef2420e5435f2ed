"""Changes of answers by themselves, without a gateway."""

import json
from random import Random

import pytest

from ossia_servers.stress.asked import Asked
from ossia_servers.stress.model_faults import CHANGES
from ossia_servers.wire.routing import read_choice
from tests.servers.stress.test_model_faults import ARGUMENTS, ROUTING, TEAM


@pytest.mark.parametrize("kind", sorted(CHANGES))
@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None, "tool_calls": None},
        {"content": [], "tool_calls": [{}]},
        {"content": "x", "tool_calls": [{"function": {"name": "http_request"}}]},
        {"tool_calls": [{"function": {"name": "http_request", "arguments": "[1]"}}, 7]},
        {"tool_calls": [{"function": {"name": "f", "arguments": '{"a": {"b": [1]}, "c": true}'}}]},
        {"content": "\ud800"},
    ],
)
def test_no_answer_breaks_a_change(kind, message):
    for role in ("manager", "request", ""):
        asked = Asked(role, {"messages": []}, "manager", TEAM.members, [("request", message)])
        changed = CHANGES[kind](message, asked, Random(0))
        assert changed is None or isinstance(changed[0], dict)


def test_a_choice_is_changed_where_reasons_name_the_role_too():
    request = {
        "model": "ossia-manager",
        "messages": [{"role": "user", "content": ROUTING}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "schema": {
                    "properties": {
                        "why": {"type": "string"},
                        "next": {"enum": ["intent", "time", "request", "FINISH"]},
                    }
                }
            },
        },
    }
    asked = Asked("manager", request, "manager", TEAM.members)
    message = {"role": "assistant", "content": '{"why": "time is unknown", "next": "time"}'}
    changed, _ = CHANGES["wrong-role"](message, asked, Random(1))
    assert changed["content"].startswith('{"why": "time is unknown", "next": "')
    assert read_choice(changed, asked.conversation) in ("intent", "request")


def test_calls_of_a_text_protocol_are_changed_as_well():
    prompt = (
        "Use:\nAction: the action, should be one of [http_request]\nAction Input: the input\n"
        "Final Answer: the answer"
    )
    request = {"model": "ossia-request", "messages": [{"role": "user", "content": prompt}]}
    asked = Asked("request", request, "manager", TEAM.members)
    written = f"Action: http_request\nAction Input: {json.dumps(ARGUMENTS)}"
    message = {"role": "assistant", "content": written}
    text = {
        kind: CHANGES[kind](message, asked, Random(0))[0]["content"]
        for kind in ("unknown-tool", "no-arguments", "broken-arguments", "doubled-call")
    }
    assert "Action: http_request_v2\n" in text["unknown-tool"]
    assert text["no-arguments"].rstrip().endswith("Action Input: {}")
    assert text["broken-arguments"].startswith("Action: http_request\nAction Input: {")
    assert len(text["broken-arguments"]) < len(written)
    assert text["doubled-call"].count("Action: http_request") == 2
    assert CHANGES["call-without-id"](message, asked, Random(0)) is None


@pytest.mark.parametrize(
    ("kind", "given"), [("unknown-role", {"auditor"}), ("wrong-role", {*TEAM.members})]
)
def test_a_workforces_manager_assigns_a_subtask_to_somebody_else(kind, given):
    prompt = "\n".join(
        (
            "Return a JSON object with 'assignments', each with task_id and assignee_id.",
            *(f"<{name}>:<does its part>:<>" for name in TEAM.members),
            "Task ID: 0.0\nContent: one\n---\nTask ID: 0.1\nContent: two\n---",
        )
    )
    request = {"model": "ossia-manager", "messages": [{"role": "user", "content": prompt}]}
    asked = Asked("manager", request, "manager", TEAM.members)
    parts = [
        {"task_id": f"0.{at}", "assignee_id": name, "dependencies": []}
        for at, name in enumerate(TEAM.members[:2])
    ]
    message = {"role": "assistant", "content": json.dumps({"assignments": parts})}
    changed, reason = CHANGES[kind](message, asked, Random(1))
    new = json.loads(changed["content"])["assignments"]
    ((was, now),) = [(a, b) for a, b in zip(parts, new, strict=True) if a != b]
    assert now["assignee_id"] in given and now["assignee_id"] != was["assignee_id"]
    assert {**now, "assignee_id": was["assignee_id"]} == was
    assert reason == "stop"
    # Its plan names nobody.
    plan = {"role": "assistant", "content": "<tasks><task>one</task></tasks>"}
    assert CHANGES[kind](plan, asked, Random(1)) is None
