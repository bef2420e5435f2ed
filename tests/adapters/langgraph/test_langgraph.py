"""The LangGraph adapter."""

import json
from typing import ClassVar

import pytest

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, AdapterContract, Play
from ..support.stage import member_natively, plan, spoken, tool_call

pytestmark = pytest.mark.framework("langgraph")


def route(role: str) -> Reply:
    return json.dumps({"next": role})


class TestLangGraph(AdapterContract):
    name = "langgraph"
    version = "1.2.22"
    manager_turns: ClassVar = {ALARM: 6, WEATHER: 7}

    @staticmethod
    def script(call: ModelCall) -> Reply:
        if call.role != "manager":
            return member_natively(call)
        schema = call.request["response_format"]["json_schema"]["schema"]
        offered = schema["properties"]["next"]["enum"]
        done = {message.get("name") for message in call.request["messages"]}
        left = [role for role in plan(spoken(call)) if role not in done]
        assert set(left) <= set(offered)
        return route(left[0] if left else "FINISH")

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        return route("intent") if call.role == "manager" else None

    def test_all_calls_report_their_tokens(self, play: Play) -> None:
        played = play(WEATHER)
        reported = played.result.reported
        usages = [each.usage for each in played.record.exchanges]
        assert reported.calls is None
        assert reported.prompt_tokens == sum(each.prompt_tokens for each in usages)
        assert reported.completion_tokens == sum(each.completion_tokens for each in usages)

    def test_spent_turns_are_an_error(self, play: Play) -> None:
        assert play(ALARM, self.never_ends).result.error.type == "GraphRecursionError"

    def test_the_manager_sees_who_said_what(self, play: Play) -> None:
        last = play(WEATHER).record.exchanges[-1]
        names = [message.get("name") for message in last.request["messages"]]
        assert last.role == "manager"
        assert names == [None, None, *plan(WEATHER)]

    @pytest.mark.parametrize("answer", ["intent", "", json.dumps({"next": "nobody"})])
    def test_unusable_routing_is_an_error(self, play: Play, answer: str) -> None:
        played = play(ALARM, lambda call: answer)
        assert played.result.error is not None
        assert played.heard == ["manager"]

    def test_early_finish_gives_the_last_words(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            named = any(message.get("name") for message in call.request["messages"])
            return route("FINISH") if call.role == "manager" and named else None

        played = play(ALARM, deviate)
        assert json.loads(played.result.answer)["intent"] == "alarm_set"
        assert play(ALARM, lambda call: route("FINISH")).result.answer == ""

    def test_broken_arguments_of_a_tool_end_the_turn_in_silence(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            if call.role == "request":
                return tool_call(call, "http_request", '{"method": "GET", "url": "/al')
            return None

        played = play(ALARM, deviate)
        assert played.result.error is None
        assert played.heard.count("request") == 1
        assert not played.requests
