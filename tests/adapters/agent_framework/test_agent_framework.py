"""The Agent Framework adapter: agents as tools, and handoffs."""

from typing import Any, ClassVar

import pytest

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, AdapterContract, Play, VariantContract
from ..support.idioms import GIVEN_UP, with_handoffs, with_tools
from ..support.stage import TOOL_ROUNDS, TURNS, Played, Stage, plan, tool_call

pytestmark = pytest.mark.framework("agent-framework")


class _AgentFramework(AdapterContract):
    version = "1.23.0"
    manager_turns: ClassVar = {ALARM: 6, WEATHER: 7}

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)


class TestTools(_AgentFramework):
    name = "agent-framework"
    sent_besides: ClassVar = {"tool_choice": "auto"}
    streams_members: ClassVar = True

    @staticmethod
    def script(call: ModelCall) -> Reply:
        return with_tools(call, "task")

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        task = {"task": 'The user says: "again"'}
        return tool_call(call, "intent", task) if call.role == "manager" else None

    def after_broken_member(self, played: Played) -> bool:
        """The manager is told that its function failed, and not why."""
        return played.result.answer == GIVEN_UP and "provider" not in str(played.sent)

    def test_the_manager_is_offered_each_member_with_its_description(
        self, play: Play, stage: Stage
    ) -> None:
        offered = play(ALARM).record.exchanges[0].request["tools"]
        described = {each["function"]["name"]: each["function"]["description"] for each in offered}
        assert described == {role.name: role.description for role in stage.team.members}

    def test_the_managers_calls_report_their_tokens(self, play: Play) -> None:
        played = play(WEATHER)
        managers = [each for each in played.record.exchanges if each.role == "manager"]
        reported = played.result.reported
        assert reported.calls is None
        assert reported.prompt_tokens == sum(each.usage.prompt_tokens for each in managers)


class TestHandoffs(_AgentFramework, VariantContract):
    name = "agent-framework:handoffs"
    sent_besides: ClassVar = {"tool_choice": "auto", "parallel_tool_calls": False}

    @staticmethod
    def script(call: ModelCall) -> Reply:
        return with_handoffs(call, "handoff_to_")

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        return tool_call(call, "handoff_to_intent", {}) if call.role == "manager" else None

    @staticmethod
    def comparable(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The order of handoff tools is that of a set; only the hash seed decides it."""
        for request in sent:
            request["tools"].sort(key=lambda tool: tool["function"]["name"])
        return sent

    def after_endless_tools(self, played: Played) -> bool:
        """A member that cannot hand back is asked once more, and the user is waited for."""
        ended = played.result.error is None and not played.added
        return ended and played.heard.count("time") == 2 * (TOOL_ROUNDS + 1)

    def test_the_conversation_is_shared_without_the_members_own_tools(self, play: Play) -> None:
        last = play(WEATHER).record.exchanges[-1].request["messages"]
        words = [
            said["name"] for said in last if said["role"] == "assistant" and said.get("content")
        ]
        assert words == plan(WEATHER)
        assert "weekday" not in str(last)

    def test_a_member_that_does_not_hand_back_is_asked_once_more(self, play: Play) -> None:
        played = play(ALARM, lambda call: "I stay." if call.role == "intent" else None)
        assert played.heard == ["manager", "intent", "intent"]
        assert "User did not respond." in str(played.sent[-1])
        assert played.result.answer == "I stay."

    def test_turns_are_those_of_members(self, play: Play) -> None:
        assert play(ALARM, self.never_ends).heard.count("manager") == TURNS
