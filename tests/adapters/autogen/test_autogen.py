"""The AutoGen adapter on its own environment, against the real gateway and the real servers."""

import asyncio
import json
import re
from dataclasses import replace
from typing import ClassVar

import pytest

from ossia.conformance.stage import Part
from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway import ModelCall, Rule, Rules, ScriptedModel, ToolUse
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, AdapterContract, Play, broken
from ..support.stage import TOOL_ROUNDS, Played, member_natively, plan, seen, spoken, tool_call

pytestmark = pytest.mark.framework("autogen")

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


@pytest.fixture
def play_rules(stages):
    """Play an episode that a model leads; returns what it left behind, and the stage."""
    return lambda model, **options: stages.play(
        "autogen", lambda stage: Part(UTTERANCE, model=model, **options)
    )


class TestAutoGen(AdapterContract):
    name = "autogen"
    version = "0.7.5"
    # The chat ends once the final role has spoken: the manager is not asked again.
    manager_turns: ClassVar = {ALARM: 5, WEATHER: 6}
    sent_besides: ClassVar = {"tool_choice": "auto"}

    @staticmethod
    def script(call: ModelCall) -> Reply:
        if call.role != "manager":
            return member_natively(call)
        _, talk, _ = seen(call).split("Only return the role.")
        done = re.findall(r"^(\w+): ", talk, re.MULTILINE)
        return next(role for role in plan(spoken(call)) if role not in done)

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        return "intent" if call.role == "manager" else None

    def after_endless_tools(self, played: Played) -> bool:
        """The word after the last round has to be a text; without one the agent fails."""
        failed = "Reflect on tool use produced no valid text" in played.result.error.message
        return failed and played.heard.count("time") == TOOL_ROUNDS + 1

    def test_what_it_reports_leaves_the_selector_out(self, play: Play) -> None:
        played = play(WEATHER)
        members = [each.usage for each in played.record.exchanges if each.role != "manager"]
        reported = played.result.reported
        assert reported.calls is None
        assert reported.prompt_tokens == sum(usage.prompt_tokens for usage in members)
        assert reported.completion_tokens == sum(usage.completion_tokens for usage in members)

    def test_the_error_of_an_agent_is_told_in_a_text(self, play: Play) -> None:
        error = play(ALARM, broken("url")).result.error
        assert error.type == "RuntimeError"
        assert "502" in error.message


def test_prompts_and_conversation_arrive_word_for_word(play_rules):
    played, stage = play_rules(rules())
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


def test_a_prompt_with_braces_is_no_template(stages):
    prompt = 'Answer with {"role": ...}, {roles} or {}.'

    async def scenario(stage):
        roles = tuple(
            role.model_copy(update={"prompt": prompt}) if role.name == "manager" else role
            for role in stage.team.roles
        )
        team = stage.team.model_copy(update={"roles": roles})
        changed = replace(stage, team=team)
        return await changed.play(Part(UTTERANCE, model=rules()), episode=stages.episode())

    played = stages.on("autogen", scenario)
    assert played.error is None
    (message,) = played.of_role("manager")[0].request["messages"]
    assert message["content"].startswith(prompt + "\n\n")


def test_garbage_routing_is_asked_thrice_and_falls_back_to_the_first_role(play_rules):
    played, _ = play_rules(
        rules(Rule(role="manager", answer="nobody")), limits=EpisodeLimits(turns=2)
    )
    assert [each.role for each in played.gateway.exchanges] == ["manager"] * 3 + ["intent"] + [
        "manager"
    ] * 3 + ["intent"]
    assert (played.error, played.result.answer) == (None, "")


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (ToolUse(name="http_request", arguments='{"method": "GET", "ur'), "Unterminated"),
        (ToolUse(name="http_request", arguments={"url": "/alarm"}), "method"),
        (ToolUse(name="rm", arguments={}), "rm"),
    ],
)
def test_a_wrong_tool_call_is_told_to_the_model(play_rules, use, told):
    played, _ = play_rules(rules(Rule(role="request", last_role="user", tools=(use,))))
    messages = played.of_role("request")[-1].request["messages"]
    assert told in " ".join(str(m["content"]) for m in messages if m["role"] == "tool")
    assert played.result.answer == "You have no alarm tomorrow."


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


def test_a_cancelled_episode_makes_no_further_calls(stages):
    model = HangingUrl()

    async def scenario(stage):
        part = Part(UTTERANCE, model=model)
        wire = stage.open(part, episode=stages.episode())
        running = asyncio.create_task(stage.worker.run(wire))
        await model.reached.wait()
        assert await stage.worker.cancel(wire["id"])
        result = await running
        await asyncio.sleep(0.5)
        return stage.close(part, wire, result, 0.0)

    played = stages.on("autogen", scenario)
    assert played.result.error.type == "Cancelled"
    assert played.gateway.exchanges[-1].role == "url"
    assert len(played.of_role("url")) == 1
