"""What every adapter owes, tested with its real framework in its own environment."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from ossia_servers.gateway import ModelCall, ModelFailure
from ossia_servers.gateway.scripted import Reply

from .environments import found
from .stage import TOOL_ROUNDS, TURNS, Played, Script, Stage, answer_to, open_stage, plan, seen

ALARM = "wake me up at half past six tomorrow for the early train"
WEATHER = "how is the weather in dallas tomorrow"
NONSENSE = "do something odd with the alarm at half past six tomorrow for nobody"

Play = Callable[..., Played]


def broken(role: str) -> Callable[[ModelCall], Reply | None]:
    """Return a deviation in which a role's model answers HTTP 500 for ever."""

    def deviate(call: ModelCall) -> Reply | None:
        if call.role == role:
            raise ModelFailure("the provider answers 500")
        return None

    return deviate


class OnStage:
    """One worker for the tests of a class, which names the adapter and answers for its model."""

    name: str

    @staticmethod
    def script(call: ModelCall) -> Reply:
        """Answer as any role."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def runner(cls) -> Iterator[asyncio.Runner]:
        with asyncio.Runner() as runner:
            yield runner

    @pytest.fixture(scope="class")
    @classmethod
    def stage(cls, runner: asyncio.Runner) -> Iterator[Stage]:
        context = open_stage(cls.name, cls.script)
        yield runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))

    @pytest.fixture
    def play(self, runner: asyncio.Runner, stage: Stage) -> Play:
        return lambda *arguments, **named: runner.run(stage.play(*arguments, **named))


class AdapterContract(OnStage):
    """The tests; a subclass names the adapter and says how its framework is spoken to."""

    version: str
    manager_turns: ClassVar[dict[str, int]]
    """How often the manager is called for the alarm and for the weather."""
    sent_besides: ClassVar[dict[str, Any]] = {}
    """The parameters beside temperature that the framework sends with some requests."""
    streams_members: ClassVar[bool] = False
    """Whether the framework asks for the members' answers as streams."""

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        """Return what a member answers to a call in order to use a tool."""
        raise NotImplementedError

    def test_says_what_it_is(self, stage: Stage) -> None:
        assert stage.worker.info.adapter == self.name.partition(":")[0]
        assert stage.worker.info.version == self.version

    @pytest.mark.parametrize("utterance", [ALARM, WEATHER])
    def test_an_episode_reaches_its_answer(self, stage: Stage, play: Play, utterance: str) -> None:
        played = play(utterance)
        assert played.result.error is None
        assert played.result.answer == answer_to(utterance)
        members = [role for role in played.heard if role != "manager"]
        twice = {"time", "request"}
        expected = [role for name in plan(utterance) for role in [name] * (1 + (name in twice))]
        assert members == expected
        assert played.heard.count("manager") == self.manager_turns[utterance]
        assert [request["status"] for request in played.requests] == [200]
        assert len(played.added) == (utterance == ALARM)
        assert not stage.worker.refused

    def test_roles_get_their_prompts_and_parameters(self, stage: Stage, play: Play) -> None:
        played = play(WEATHER)
        assert set(played.heard) == {role.name for role in stage.team.roles}
        for exchange in played.record.exchanges:
            call = ModelCall(exchange.role, "", exchange.request)
            assert stage.team.role(exchange.role).prompt in seen(call)
            assert exchange.forced["temperature"] == 0
            besides = {key: exchange.forced[key] for key in exchange.forced if key != "temperature"}
            assert besides in ({}, self.sent_besides)
            assert exchange.streamed == (self.streams_members and exchange.role != "manager")

    def test_concurrent_episodes_do_not_mix(self, runner: asyncio.Runner, stage: Stage) -> None:
        utterances = [ALARM.replace("early", f"number{i}x") for i in range(4)]

        async def play_all() -> list[Played]:
            return await asyncio.gather(*(stage.play(utterance) for utterance in utterances))

        for utterance, played in zip(utterances, runner.run(play_all()), strict=True):
            assert played.result.error is None
            assert played.result.answer == answer_to(utterance)
            label = utterance.rpartition(" for ")[2]
            assert [row["name"] for row in played.added] == [label]
            sent = json.dumps(played.sent)
            assert [other for other in utterances if other in sent] == [utterance]

    def test_a_refusal_of_the_server_is_survived(self, play: Play) -> None:
        played = play(NONSENSE)
        assert played.result.error is None
        assert played.result.answer == answer_to(NONSENSE)
        assert [request["status"] >= 400 for request in played.requests] == [True]

    def test_wrong_arguments_of_a_tool_are_survived(self, play: Play) -> None:
        wrong: list[int] = []

        def deviate(call: ModelCall) -> Reply | None:
            if call.role != "request" or wrong:
                return None
            wrong.append(1)
            return self.use_tool(call, "http_request", {"address": "/alarm"})

        played = play(ALARM, deviate)
        assert played.result.error is None
        assert played.heard.count("request") >= 2
        assert self.after_wrong_arguments(played)

    def after_wrong_arguments(self, played: Played) -> bool:
        """Say whether the model was told and went on to do it right."""
        return len(played.added) == 1 and played.result.answer == answer_to(ALARM)

    def test_a_failing_model_does_not_end_the_worker(self, stage: Stage, play: Play) -> None:
        played = play(ALARM, broken("url"))
        assert self.after_broken_member(played)
        assert "request" not in played.heard
        assert stage.worker.alive
        assert play(ALARM).result.answer == answer_to(ALARM)

    def after_broken_member(self, played: Played) -> bool:
        """Say whether the failure of a member's model shows as it does in this framework."""
        return played.result.error is not None and played.result.answer == ""

    def test_a_failing_manager_is_an_error(self, play: Play) -> None:
        played = play(ALARM, broken("manager"))
        assert played.result.error is not None
        assert played.heard == ["manager"]

    def test_a_client_tries_again_as_its_project_tells(self, play: Play) -> None:
        """What a fault plan injects does not say that trying again is no use."""
        declared = found(self.name.partition(":")[0]).client_attempts
        assert play(ALARM, fault="server-error:always").heard == ["manager"] * declared
        recovered = play(ALARM, fault="server-error@manager@first")
        assert (recovered.result.answer == answer_to(ALARM)) == (declared > 1)

    def test_rounds_of_tools_are_limited(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            return self.use_tool(call, "get_date", {}) if call.role == "time" else None

        played = play(ALARM, deviate)
        assert self.after_endless_tools(played)

    def after_endless_tools(self, played: Played) -> bool:
        """Say whether the turn ended at its limit and the episode went on."""
        ended = played.result.error is None and played.result.answer == answer_to(ALARM)
        return ended and played.heard.count("time") == TOOL_ROUNDS + 1

    def test_turns_are_limited(self, play: Play) -> None:
        played = play(ALARM, self.never_ends)
        members = [role for role in played.heard if role != "manager"]
        assert members == ["intent"] * TURNS

    @staticmethod
    def never_ends(call: ModelCall) -> Reply | None:
        """Return a manager's answer that calls the intent role again and again."""
        raise NotImplementedError


class VariantContract(AdapterContract):
    """What else is tested of variants, which no test of the checks plays."""

    def test_another_process_sends_the_same_bytes(
        self, runner: asyncio.Runner, stage: Stage
    ) -> None:
        async def play_here_and_there() -> list[list[dict[str, Any]]]:
            other = open_stage(self.name, self.script, switches={"PYTHONHASHSEED": "4711"})
            async with other as there:
                return [(await place.play(WEATHER)).sent for place in (stage, there)]

        here, there = runner.run(play_here_and_there())
        assert json.dumps(self.comparable(here)) == json.dumps(self.comparable(there))

    @staticmethod
    def comparable(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the requests of an episode without what the framework itself leaves to chance."""
        return sent


__all__ = ["ALARM", "WEATHER", "AdapterContract", "OnStage", "Play", "Script", "VariantContract"]
