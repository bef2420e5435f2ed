"""The AutoGen adapter on its own environment, against the real gateway and the real servers."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ossia.adapters import InstallError, find_adapter, install, ossia_home
from ossia.conformance.stage import open_stage
from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway import Rule, Rules, ScriptedModel, ToolUse

pytestmark = pytest.mark.framework("autogen")

ROOT = Path(__file__).resolve().parents[3]
UTTERANCE = 'what alarms do i have "tomorrow"'
TASK = 'The user says: "what alarms do i have \\"tomorrow\\""'
INTENT = '{"domain": "alarm", "intent": "alarm_query", "slots": {"date": "tomorrow"}}'
PATH = "/alarm?intent=alarm_query&date=2026-03-14"
ORDER = ("intent", "time", "url", "request", "response")


def rules(*more: Rule, order=ORDER):
    """Make a model that leads one episode through the roles; further rules come first."""
    said = [
        *(Rule(role="manager", times=1, answer=name) for name in order),
        Rule(role="intent", answer=INTENT),
        Rule(role="time", last_role="tool", answer='{"time_slots": {"date": "2026-03-14"}}'),
        Rule(role="time", tools=(ToolUse(name="get_date", arguments={}),)),
        Rule(role="url", answer=json.dumps({"url": PATH})),
        Rule(role="request", last_role="tool", answer='{"status": 200, "body": {}}'),
        Rule(
            role="request",
            tools=(ToolUse(name="http_request", arguments={"method": "GET", "url": PATH}),),
        ),
        Rule(role="response", answer="You have no alarm tomorrow."),
    ]
    return ScriptedModel.from_rules(Rules(rules=(*more, *said)))


def on_stage(model, scenario):
    home = ossia_home({"OSSIA_HOME": str(ROOT / ".ossia"), **os.environ})
    info = find_adapter("autogen", home)
    try:
        install(info)
    except InstallError as error:
        pytest.skip(str(error))

    async def main():
        async with open_stage(info, model) as stage:
            return await asyncio.wait_for(scenario(stage), 60)

    return asyncio.run(main())


def play(model, **options):
    async def scenario(stage):
        return await stage.play(UTTERANCE, **options), stage

    return on_stage(model, scenario)


def test_the_team_plays_to_its_end():
    played, stage = play(rules())
    assert played.error is None
    assert played.result.answer == "You have no alarm tomorrow."
    roles = [each.role for each in played.gateway.exchanges]
    assert (
        roles
        == (
            "manager intent manager time time manager url manager request request manager response"
        ).split()
    )
    assert [(each.domain, each.status) for each in played.requests] == [("alarm", 200)]
    assert stage.worker.refused == {}
    assert stage.worker.info.packages["autogen-ext"] == "0.7.5"
    # What AutoGen reports leaves the selector's calls out.
    usages = [each.usage for each in played.gateway.exchanges if each.role != "manager"]
    assert played.result.reported.prompt_tokens == sum(usage.prompt_tokens for usage in usages)


def test_prompts_and_conversation_arrive_word_for_word():
    played, stage = play(rules())
    first = played.of_role("manager")[0].request
    (message,) = first["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith(stage.team.role("manager").prompt + "\n\n")
    assert TASK in message["content"]
    assert f"select the next role from {[role.name for role in stage.team.members]}" in str(
        message["content"]
    )
    (url,) = played.of_role("url")
    system, task, intent, *_ = url.request["messages"]
    assert system == {"role": "system", "content": stage.team.role("url").prompt}
    assert (task["content"], intent["content"]) == (TASK, INTENT)
    assert url.forced == {"temperature": 0}
    time = played.of_role("time")[0].request
    assert [tool["function"]["name"] for tool in time["tools"]] == ["get_date"]
    result = played.of_role("time")[-1].request["messages"][-1]
    assert json.loads(result["content"])["date"] == "2026-03-13"


def test_a_prompt_with_braces_is_no_template():
    prompt = 'Answer with {"role": ...}, {roles} or {}.'

    async def scenario(stage):
        roles = tuple(
            role.model_copy(update={"prompt": prompt}) if role.name == "manager" else role
            for role in stage.team.roles
        )
        team = stage.team.model_copy(update={"roles": roles})
        return await replace(stage, team=team).play(UTTERANCE)

    played = on_stage(rules(), scenario)
    assert played.error is None
    (message,) = played.of_role("manager")[0].request["messages"]
    assert message["content"].startswith(prompt + "\n\n")


def test_garbage_routing_is_asked_thrice_and_falls_back_to_the_first_role():
    played, _ = play(rules(Rule(role="manager", answer="nobody")), limits=EpisodeLimits(turns=2))
    assert [each.role for each in played.gateway.exchanges] == ["manager"] * 3 + ["intent"] + [
        "manager"
    ] * 3 + ["intent"]
    assert (played.error, played.result.answer) == (None, "")


def test_the_rounds_of_tools_are_limited():
    again = Rule(role="time", tools=(ToolUse(name="get_date", arguments={}),))
    played, _ = play(rules(again), limits=EpisodeLimits(tool_rounds=2, turns=6))
    assert len(played.of_role("time")) == 3


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (ToolUse(name="http_request", arguments='{"method": "GET", "ur'), "Unterminated"),
        (ToolUse(name="http_request", arguments={"url": "/alarm"}), "method"),
        (ToolUse(name="rm", arguments={}), "rm"),
    ],
)
def test_a_wrong_tool_call_is_told_to_the_model(use, told):
    played, _ = play(rules(Rule(role="request", last_role="user", tools=(use,))))
    messages = played.of_role("request")[-1].request["messages"]
    assert told in " ".join(str(m["content"]) for m in messages if m["role"] == "tool")
    assert played.result.answer == "You have no alarm tomorrow."


def test_a_failing_model_is_an_error():
    played, _ = play(rules(Rule(role="url", fail="error")))
    assert played.result.error.type == "RuntimeError"
    assert "502" in played.result.error.message
    assert len(played.of_role("url")) == 1


def test_a_slow_model_is_an_error():
    played, _ = play(rules(Rule(role="url", fail="hang")), limits=EpisodeLimits(call_seconds=0.5))
    assert played.result.error.type == "RuntimeError"
    assert "timed out" in played.result.error.message


class HangingUrl:
    """The scripted model, but the url role's call never ends."""

    name = "hanging"

    def __init__(self):
        self.reached = asyncio.Event()
        self._model = rules()

    async def complete(self, call):
        if call.role == "url":
            self.reached.set()
            await asyncio.Event().wait()
        return await self._model.complete(call)


def test_a_cancelled_episode_makes_no_further_calls():
    model = HangingUrl()

    async def scenario(stage):
        wire = stage.open(UTTERANCE, episode="a")
        running = asyncio.create_task(stage.worker.run(wire))
        await model.reached.wait()
        assert await stage.worker.cancel("a")
        result = await running
        await asyncio.sleep(0.5)
        return stage.close(wire, result, 0.0)

    played = on_stage(model, scenario)
    assert played.result.error.type == "Cancelled"
    assert played.gateway.exchanges[-1].role == "url"
    assert len(played.of_role("url")) == 1
