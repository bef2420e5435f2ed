"""The model on requests that real frameworks made."""

import json
import re

import pytest

from .scenes import captured

LANGGRAPH = captured("langgraph")
CAMEL = captured("camel")
AGENTLITE = captured("agentlite")
OWED = {
    "intent": {"domain", "intent", "slots"},
    "time": {"time_slots"},
    "location": {"place_slots"},
    "url": {"url"},
    "request": {"status", "body"},
}
LUNCH_URL = (
    "/calendar?intent=calendar_set&event_name=lunch+with+anna&place_name=Dallas%2C+Texas"
    "&date=2026-03-20&time=12%3A00"
)


def ids(cases):
    return [name for name, _ in cases]


def sequence(name):
    """Split `event_04_time_after_tool` into scene, number and rest."""
    scene, number, rest = name.split("_", 2)
    return scene, int(number), rest


def following(cases, name):
    """Return the role whose request came after this one in the capture, or None at the end."""
    scene, number, _ = sequence(name)
    for other, body in cases:
        if sequence(other)[:2] == (scene, number + 1):
            return body["model"].removeprefix("ossia-")
    return None


def check_member(message, role, tool_stage, unwrap):
    """Check what a role says: a tool call at the right time, else what its contract demands."""
    calls = message.get("tool_calls")
    if role == "time" and tool_stage == "before":
        assert [call["function"]["name"] for call in calls] == ["get_date"]
        return
    if role == "request" and tool_stage == "before":
        arguments = json.loads(calls[0]["function"]["arguments"])
        assert calls[0]["function"]["name"] == "http_request"
        assert arguments["method"] == "GET"
        assert arguments["url"].startswith("/calendar?intent=calendar_")
        return
    assert not calls
    said = unwrap(message["content"])
    assert "\n" not in said
    if role == "response":
        assert said == "You have lunch with Anna at noon."
    else:
        assert OWED[role] <= set(json.loads(said))


def stage_of(name, role):
    if role not in ("time", "request"):
        return "none"
    return "after" if name.endswith("after_tool") else "before"


@pytest.mark.parametrize(("name", "body"), LANGGRAPH, ids=ids(LANGGRAPH))
def test_a_schema_router_is_obeyed(model, name, body):
    message = model.complete(body)
    role = body["model"].removeprefix("ossia-")
    if role == "manager":
        expected = following(LANGGRAPH, name) or "FINISH"
        assert json.loads(message["content"]) == {"next": expected}
    else:
        check_member(message, role, stage_of(name, role), lambda said: said)


@pytest.mark.parametrize(("name", "body"), AGENTLITE, ids=ids(AGENTLITE))
def test_action_lines_are_written(model, name, body):
    line = model.complete(body)["content"]
    action, arguments = re.fullmatch(r"(\w+)\[(.+)\]", line).groups()
    arguments = json.loads(arguments)
    role = body["model"].removeprefix("ossia-")
    if role == "manager":
        assert action == (following(AGENTLITE, name) or "Finish")
        if action != "Finish":
            assert arguments["Task"].startswith("The user says: ")
        else:
            assert arguments["response"].startswith("Done with: ")
        return
    if stage_of(name, role) == "before":
        assert action == {"time": "get_date", "request": "http_request"}[role]
        return
    assert action == "Finish"
    check_member({"content": arguments["response"]}, role, "after", lambda said: said)


@pytest.mark.parametrize(("name", "body"), CAMEL, ids=ids(CAMEL))
def test_a_workforce_is_served(model, name, body):
    message = model.complete(body)
    _, _, rest = sequence(name)
    said = message["content"]
    if rest == "manager_decompose":
        tasks = re.findall(r"<task>(.*?)</task>", said, re.DOTALL)
        assert said.startswith("<tasks>") and said.endswith("</tasks>")
        assert all("The user says: " in task for task in tasks)
        places = ["location"] if name.startswith("event") else []
        order = ["intent", "time", *places, "url", "request", "response"]
        assert [re.match(r"As the (\w+) worker", task)[1] for task in tasks] == order
    elif rest == "manager_assign":
        assignments = json.loads(said)["assignments"]
        assert assignments[0]["assignee_id"] == "intent"
        assert assignments[-1]["assignee_id"] == "response"
        for number, each in enumerate(assignments):
            assert each["dependencies"] == [other["task_id"] for other in assignments[:number]]
    elif rest.startswith("manager_quality"):
        assert json.loads(said)["quality_score"] >= 60
        assert json.loads(said)["recovery_strategy"] is None
    elif rest.startswith("manager_failure"):
        assert json.loads(said)["recovery_strategy"] == "retry"
    else:
        role = body["model"].removeprefix("ossia-")
        check_member(message, role, stage_of(name, role), lambda text: json.loads(text)["content"])
        if said is not None:
            assert json.loads(said)["failed"] is False


@pytest.mark.parametrize(
    ("cases", "unwrap"),
    [
        (LANGGRAPH, lambda said: said),
        (CAMEL, lambda said: json.loads(said)["content"]),
        (
            AGENTLITE,
            lambda said: json.loads(said.removeprefix("Finish[").removesuffix("]"))["response"],
        ),
    ],
    ids=["schema", "workforce", "lines"],
)
def test_all_forms_carry_the_same_address(model, cases, unwrap):
    body = next(body for name, body in cases if name.startswith("event") and name.endswith("_url"))
    assert json.loads(unwrap(model.complete(body)["content"])) == {"url": LUNCH_URL}
