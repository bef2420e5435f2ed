"""CAMEL's other idiom: a ChatAgent that has the members as tools."""

from typing import ClassVar

import pytest

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, Play, VariantContract
from ..support.idioms import GIVEN_UP, with_tools
from ..support.stage import TURNS, Played, Stage, tool_call

pytestmark = pytest.mark.framework("camel")


class TestTools(VariantContract):
    name = "camel:tools"
    version = "0.2.90"
    manager_turns: ClassVar = {ALARM: 6, WEATHER: 7}

    @staticmethod
    def script(call: ModelCall) -> Reply:
        return with_tools(call, "task")

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        task = {"task": 'The user says: "again"'}
        return tool_call(call, "intent", task) if call.role == "manager" else None

    def after_broken_member(self, played: Played) -> bool:
        """The manager is told that its tool has failed."""
        return played.result.answer == GIVEN_UP and played.heard.count("url") == 1

    def test_turns_are_limited(self, play: Play) -> None:
        """One call more than turns is allowed, as finishing takes a call."""
        played = play(ALARM, self.never_ends)
        assert played.heard.count("manager") == TURNS + 1

    def test_the_manager_is_offered_each_member_with_its_description(
        self, play: Play, stage: Stage
    ) -> None:
        offered = play(ALARM).record.exchanges[0].request["tools"]
        described = {each["function"]["name"]: each["function"]["description"] for each in offered}
        assert described == {role.name: role.description for role in stage.team.members}

    def test_every_agent_reports_its_usage(self, play: Play) -> None:
        played = play(WEATHER)
        reported, exchanges = played.result.reported, played.record.exchanges
        assert reported.calls == len(exchanges)
        assert reported.prompt_tokens == sum(each.usage.prompt_tokens for each in exchanges)
