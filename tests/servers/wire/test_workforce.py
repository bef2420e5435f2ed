"""Requests of a workforce: what is a plan is asked of the planner, the rest is form."""

import json

import pytest

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.planning import manage
from ossia_servers.wire.workforce import is_worker_request, wrap

WORKERS = "<7>:<intent agent: reads.>:<>\n<8>:<response agent: tells.>:<>\n"


class Fixed(Planner):
    """Plans the same always, and counts how often it was asked."""

    def __init__(self, *roles):
        self.planned = roles
        self.asked = 0

    def roles(self, conversation):
        self.asked += 1
        return self.planned

    def accepts(self, role, result):
        return (role, result) == ("url", "fine")


def asking(text, **options):
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}], **options}
    return read_conversation(body, MEMBERS)


def test_a_plan_is_the_planners():
    planner = Fixed("response", "intent", "response")
    text = f'<tasks><task>...</task></tasks>\nThe user says: "hello"\n{WORKERS}'
    lines = manage(asking(text), planner).splitlines()
    assert lines == [
        "<tasks>",
        '<task>As the 8 worker: response agent: tells. The user says: "hello"</task>',
        '<task>As the 7 worker: intent agent: reads. The user says: "hello"</task>',
        '<task>As the 8 worker: response agent: tells. The user says: "hello"</task>',
        "</tasks>",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"assignments with assignee_id\n{WORKERS}", "assignments"),
        ("**ISSUE TYPE: Quality Evaluation**", "quality_score"),
        ("**ISSUE TYPE: Task Failure**", "recovery_strategy"),
    ],
)
def test_other_duties_ask_no_planner(text, key):
    planner = Fixed("intent")
    assert key in json.loads(manage(asking(text), planner))
    assert planner.asked == 0


@pytest.mark.parametrize(
    ("worker", "result", "failures", "good"),
    [
        ("url", "fine", 0, True),
        ("url", "poor", 0, False),
        ("intent", "fine", 0, False),
        ("url", "poor", 1, True),
    ],
)
def test_a_result_that_the_planner_refuses_is_sent_back_once(worker, result, failures, good):
    text = (
        f"quality_score\n- Task Content: As the {worker} worker: do it.\n"
        f"- Task Result: {result}\n- Failure Count: {failures}\n"
    )
    verdict = json.loads(manage(asking(text), Fixed()))
    assert (verdict["recovery_strategy"] is None, verdict["quality_score"] > 60) == (good, good)


def test_other_requests_are_none_of_a_workforce():
    assert manage(asking("Which role works next?"), Fixed("intent")) is None


def test_a_worker_is_asked_for_content_and_failed():
    schema = {"properties": {"content": {"type": "string"}, "failed": {"type": "boolean"}}}
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    assert is_worker_request(asking("Work.", response_format=form))
    assert not is_worker_request(asking("Work."))
    assert json.loads(wrap("Grüezi")) == {"content": "Grüezi", "failed": False}
