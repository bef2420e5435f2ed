"""LangGraph's other idioms: subagents as tools, and handoffs."""

from typing import ClassVar

import pytest

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, Play, VariantContract
from ..support.idioms import with_handoffs, with_tools
from ..support.stage import TURNS, Stage, plan, tool_call

pytestmark = pytest.mark.framework("langgraph")


class _LangGraph(VariantContract):
    version = "1.2.22"
    manager_turns: ClassVar = {ALARM: 6, WEATHER: 7}

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)

    def test_all_calls_report_their_tokens(self, play: Play) -> None:
        played = play(WEATHER)
        reported = played.result.reported
        usages = [each.usage for each in played.record.exchanges]
        assert reported.calls is None
        assert reported.prompt_tokens == sum(each.prompt_tokens for each in usages)
        assert reported.completion_tokens == sum(each.completion_tokens for each in usages)


class TestSubagents(_LangGraph):
    name = "langgraph:tools"

    @staticmethod
    def script(call: ModelCall) -> Reply:
        return with_tools(call, "query")

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        task = {"query": 'The user says: "again"'}
        return tool_call(call, "intent", task) if call.role == "manager" else None

    def test_turns_are_limited(self, play: Play) -> None:
        """One call more than turns is allowed, as finishing takes a call."""
        played = play(ALARM, self.never_ends)
        assert played.heard.count("manager") == TURNS + 1
        assert played.result.answer.startswith("Model call limits exceeded")

    def test_a_member_sees_what_the_manager_writes_alone(self, play: Play, stage: Stage) -> None:
        url = next(each for each in play(WEATHER).record.exchanges if each.role == "url")
        system, task = url.request["messages"]
        assert system["content"] == stage.team.role("url").prompt
        assert task["role"] == "user"
        assert "time says" in task["content"]

    def test_the_manager_is_offered_each_member_with_its_description(
        self, play: Play, stage: Stage
    ) -> None:
        offered = play(ALARM).record.exchanges[0].request["tools"]
        described = {each["function"]["name"]: each["function"]["description"] for each in offered}
        assert described == {role.name: role.description for role in stage.team.members}


class TestHandoffs(_LangGraph):
    name = "langgraph:handoffs"

    @staticmethod
    def script(call: ModelCall) -> Reply:
        return with_handoffs(call, "transfer_to_")

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        return tool_call(call, "transfer_to_intent", {}) if call.role == "manager" else None

    def test_the_conversation_is_shared_without_the_members_own_tools(self, play: Play) -> None:
        last = play(WEATHER).record.exchanges[-1].request["messages"]
        words = [said["name"] for said in last if said["role"] == "assistant" and said["content"]]
        assert words == plan(WEATHER)
        assert "weekday" not in str([said["content"] for said in last if said["role"] == "tool"])

    def test_a_member_that_does_not_hand_back_ends_its_turn(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            if call.role != "url":
                return None
            told: Reply = with_handoffs(call, "transfer_to_")
            assert isinstance(told, dict)
            return str(told["content"])

        played = play(ALARM, deviate)
        assert played.heard.count("url") == 1
        assert len(played.added) == 1
