"""The control on its own environment, against the real gateway and the real servers."""

import json

import pytest

from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway import Rule, Rules, ScriptedModel, ToolUse

pytestmark = pytest.mark.framework("control")

INTENT = '{"domain": "alarm", "intent": "alarm_query", "slots": {"date": "tomorrow"}}'
TIME = '{"time_slots": {"date": "2026-03-14"}}'
PATH = "/alarm?intent=alarm_query&date=2026-03-14"
URL = json.dumps({"url": PATH})


def rules(*more: Rule, order=("intent", "time", "url", "request", "response", "finish")):
    """Make a model that leads one episode through the roles; further rules come first."""
    said = [
        *(Rule(role="manager", times=1, answer=name) for name in order),
        Rule(role="intent", answer=INTENT),
        Rule(role="time", last_role="tool", answer=TIME),
        Rule(role="time", tools=(ToolUse(name="get_date", arguments={}),)),
        Rule(role="url", answer=URL),
        Rule(role="request", last_role="tool", answer='{"status": 200, "body": {}}'),
        Rule(
            role="request",
            tools=(ToolUse(name="http_request", arguments={"method": "GET", "url": PATH}),),
        ),
        Rule(role="response", answer="You have no alarm tomorrow."),
    ]
    return ScriptedModel.from_rules(Rules(rules=(*more, *said)))


def test_the_team_plays_to_its_end(play):
    played, stage = play(rules())
    assert played.error is None
    assert played.result.answer == "You have no alarm tomorrow."
    roles = [each.role for each in played.gateway.exchanges]
    assert (
        roles
        == (
            "manager intent manager time time manager url manager request request "
            "manager response manager"
        ).split()
    )
    assert [(each.domain, each.status) for each in played.requests] == [("alarm", 200)]
    assert played.result.reported.calls == len(played.gateway.exchanges)
    assert stage.worker.refused == {}


def test_the_conversation_is_passed_on_word_for_word(play):
    played, stage = play(rules())
    first, *_ = played.of_role("manager")
    system, question = (message["content"] for message in first.request["messages"])
    assert system.startswith(stage.team.role("manager").prompt)
    assert 'user: The user says: "what alarms do i have tomorrow"' in question
    (url,) = played.of_role("url")
    assert url.request["messages"] == [
        {"role": "system", "content": stage.team.role("url").prompt},
        {"role": "user", "content": 'The user says: "what alarms do i have tomorrow"'},
        {"role": "user", "name": "intent", "content": INTENT},
        {"role": "user", "name": "time", "content": TIME},
    ]
    assert url.forced == {"temperature": 0}
    tool_message = played.of_role("time")[-1].request["messages"][-1]
    assert json.loads(tool_message["content"])["date"] == "2026-03-13"


@pytest.mark.parametrize("said", ["Intent", " `intent`\n", '"intent".', "**intent**"])
def test_marks_around_a_name_are_forgiven(play, said):
    first = Rule(role="manager", times=1, answer=said)
    played, _ = play(rules(first, order=("time", "finish")))
    assert played.error is None
    assert [each.role for each in played.gateway.exchanges][:2] == ["manager", "intent"]


@pytest.mark.parametrize("said", ["", "the chef", "intent or time"])
def test_a_manager_that_names_no_role_ends_the_episode(play, said):
    played, _ = play(rules(Rule(role="manager", answer=said)))
    assert played.result.error.type == "RoutingError"
    assert len(played.gateway.exchanges) == 1


def test_the_turns_are_limited(play):
    played, _ = play(
        rules(Rule(role="manager", answer="intent")),
        limits=EpisodeLimits(turns=3),
    )
    assert (played.error, played.result.answer) == (None, "")
    assert len(played.of_role("intent")) == 3


def test_the_rounds_of_tools_are_limited(play):
    again = Rule(role="time", tools=(ToolUse(name="get_date", arguments={}),))
    played, _ = play(rules(again), limits=EpisodeLimits(tool_rounds=2))
    calls = played.of_role("time")
    assert len(calls) == 3
    assert calls[-1].request["tool_choice"] == "none"
    assert played.error is None


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (ToolUse(name="http_request", arguments='{"method": "GET", "ur'), "wrong arguments"),
        (ToolUse(name="http_request", arguments={"url": "/alarm"}), "wrong arguments"),
        (ToolUse(name="http_request", arguments="[]"), "wrong arguments"),
        (ToolUse(name="rm", arguments={}), "there is no tool rm"),
        (
            ToolUse(name="http_request", arguments={"method": "GET", "url": "http://x/"}),
            "the url must be a path",
        ),
    ],
)
def test_a_wrong_tool_call_is_told_to_the_model(play, use, told):
    played, _ = play(rules(Rule(role="request", last_role="user", tools=(use,))))
    assert told in played.of_role("request")[-1].request["messages"][-1]["content"]
    assert played.result.answer == "You have no alarm tomorrow."


def test_a_failing_model_is_an_error(play):
    played, _ = play(rules(Rule(role="url", fail="error")))
    assert played.result.error.type == "ModelError"
    assert "HTTP 502" in played.result.error.message


def test_a_slow_model_is_an_error(play):
    played, _ = play(rules(Rule(role="url", fail="hang")), limits=EpisodeLimits(call_seconds=0.5))
    assert played.result.error.type == "TimeoutError"
