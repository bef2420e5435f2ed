"""The AgentLite adapter."""

import json
import re
from typing import ClassVar

import pytest

from ossia_servers.gateway import Exchange, ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, AdapterContract, OnStage, Play
from ..support.stage import (
    TOOL_ROUNDS,
    Played,
    answer_to,
    is_result,
    line,
    plan,
    seen,
    spoken,
    tool_of,
)

pytestmark = pytest.mark.framework("agentlite")

NOT_COMPLETED = "I cannot help with that. Please be more specific."
STEP = re.compile(r"^Action:(\w+)\[(.*)\]\nObservation: (.*)$", re.MULTILINE)


def act(name: str, **parameters: str) -> str:
    return f"{name}[{json.dumps(parameters)}]"


def steps(call: ModelCall) -> list[tuple[str, str, str]]:
    """Return what an agent did so far: action, parameters, observation."""
    return STEP.findall(seen(call).rpartition("[Execution]")[2])


def team_of(play: Play) -> str:
    """Return what the manager is told of its team."""
    text = seen(ModelCall("manager", "", play(WEATHER).record.exchanges[0].request))
    return text.partition("[Team_Doc]\n")[2].partition("\n[End of Team_Doc]")[0]


def actions(exchange: Exchange) -> list[str]:
    """Return the names of the actions that a request offers."""
    text = seen(ModelCall("", "", exchange.request))
    return re.findall(r"\{'name': '(\w+)', 'description'", text)


def answered(call: ModelCall) -> Reply:
    """Answer as any role."""
    utterance, done = spoken(call), steps(call)
    if call.role == "manager":
        left = [role for role in plan(utterance) if role not in {step[0] for step in done}]
        if not left:
            return act("Finish", response=done[-1][2])
        results = " ".join(f"{name} says {told}." for name, _, told in done)
        return act(left[0], Task=f'The user says: "{utterance}" {results}')
    tool = tool_of(call.role, utterance)
    if tool is not None and not (done and is_result(done[-1][2])):
        return act(tool[0], **tool[1])
    answer = done[-1][2] if call.role == "request" else line(call.role, utterance)
    return act("Finish", response=answer)


class TestDescribed(AdapterContract):
    name = "agentlite"
    version = "0.1.12"
    manager_turns: ClassVar = {ALARM: 6, WEATHER: 7}

    script = staticmethod(answered)

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return act(name, **arguments)

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        task = f'The user says: "{spoken(call)}"'
        return act("intent", Task=task) if call.role == "manager" else None

    def after_endless_tools(self, played: Played) -> bool:
        """The turn ends with the framework's excuse, and the episode goes on."""
        manager = [each for each in played.record.exchanges if each.role == "manager"]
        told = f"Observation: {NOT_COMPLETED}" in seen(ModelCall("", "", manager[2].request))
        return told and played.heard.count("time") == TOOL_ROUNDS + 1 and len(played.added) == 1

    def test_turns_are_limited(self, play: Play) -> None:
        """One step more than turns is allowed, as finishing takes a step."""
        played = play(ALARM, self.never_ends)
        assert played.result.answer == NOT_COMPLETED
        assert played.heard.count("manager") == 9

    def test_actions_are_in_alphabetical_order(self, play: Play) -> None:
        for exchange in play(WEATHER).record.exchanges:
            names = actions(exchange)
            assert {"Finish", "Think"} <= set(names)
            assert names == sorted(names)

    def test_a_tool_without_parameters_takes_any(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            first = call.role == "time" and not steps(call)
            return act("get_date", none="nothing", query="today") if first else None

        assert len(play(ALARM, deviate).added) == 1

    def test_a_member_that_writes_no_action_is_told(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            first = call.role == "url" and "Observation:" not in seen(call)
            return "Let me think." if first else None

        played = play(ALARM, deviate)
        assert played.heard.count("url") == 2
        assert len(played.added) == 1

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            ("I would ask the intent agent.", "RoutingError"),
            ('Action:intent[{"Task": "go"}]', "RoutingError"),
            ("", "RoutingError"),
            ("intent", "RoutingError"),
            ('intent[{"task": "go"}]', "RoutingError"),
        ],
    )
    def test_an_unusable_line_of_the_manager_is_an_error(
        self, play: Play, answer: str, error: str
    ) -> None:
        played = play(ALARM, lambda call: answer)
        assert played.result.error.type == error
        assert played.heard == ["manager"]

    def test_it_reports_no_usage(self, play: Play) -> None:
        assert play(ALARM).result.reported is None

    def test_the_team_is_described_not_prompted(self, play: Play) -> None:
        team = team_of(play)
        assert team.startswith("{'intent': \"Reads the user's sentence")
        assert "'response': 'Tells the user the result" in team
        assert "You are the" not in team


class TestStock(OnStage):
    """The same but for what the manager is told of its team."""

    name = "agentlite:stock"
    script = staticmethod(answered)

    def test_the_team_is_told_by_descriptions_and_prompts(self, play: Play) -> None:
        team = team_of(play)
        assert team.startswith("{'intent': 'Reads the user\\'s sentence")
        assert team.count("You are the") == 6


class TestAct(OnStage):
    """The same but for an action less."""

    name = "agentlite:act"
    script = staticmethod(answered)

    def test_nobody_can_think(self, play: Play) -> None:
        played = play(ALARM)
        assert played.result.answer == answer_to(ALARM)
        for exchange in played.record.exchanges:
            assert "Finish" in actions(exchange)
            assert "Think" not in actions(exchange)
