"""The CAMEL adapter."""

import json
import re
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from ossia_servers.gateway import ModelCall
from ossia_servers.gateway.scripted import Reply

from ..support.contract import ALARM, WEATHER, AdapterContract, Play, broken
from ..support.stage import TOOL_ROUNDS, Played, member_natively, plan, seen, spoken, tool_call

pytestmark = pytest.mark.framework("camel")

PLAN = "You need to either decompose"
ASSIGN = "You need to assign"
QUALITY = "ISSUE TYPE: Quality Evaluation"
FAILURE = "ISSUE TYPE: Task Failure"


def asked(call: ModelCall) -> str:
    """Return what a manager's call is about."""
    text = str(call.request["messages"][-1]["content"])
    return next(kind for kind in (PLAN, ASSIGN, QUALITY, FAILURE) if kind in text)


def result(content: str, *, failed: bool = False) -> str:
    return json.dumps({"content": content, "failed": failed})


def judgement(**fields: Any) -> str:
    nothing = {"issues": [], "recovery_strategy": None, "modified_task_content": None}
    return json.dumps({"reasoning": "I looked at it.", **nothing, **fields})


def planned(utterance: str) -> str:
    tasks = [f'As {role}: The user says: "{utterance}"' for role in plan(utterance)]
    return "<tasks>" + "".join(f"<task>{task}</task>" for task in tasks) + "</tasks>"


def assigned(call: ModelCall) -> str:
    tasks = re.findall(r"Task ID: (\S+)\nContent: As (\w+):", seen(call))
    ids = [task for task, _ in tasks]
    assignments = [
        {"task_id": task, "assignee_id": role, "dependencies": ids[:number]}
        for number, (task, role) in enumerate(tasks)
    ]
    return json.dumps({"assignments": assignments})


class TestCamel(AdapterContract):
    name = "camel"
    version = "0.2.90"
    # The plan, the assignment, and a judgement of each subtask.
    manager_turns: ClassVar = {ALARM: 2 + 5, WEATHER: 2 + 6}

    @staticmethod
    def script(call: ModelCall) -> Reply:
        if call.role != "manager":
            return member_natively(call, result)
        answers: dict[str, Callable[[], str]] = {
            PLAN: lambda: planned(spoken(call)),
            ASSIGN: lambda: assigned(call),
            QUALITY: lambda: judgement(quality_score=95),
            FAILURE: lambda: judgement(recovery_strategy="retry"),
        }
        return answers[asked(call)]()

    @staticmethod
    def use_tool(call: ModelCall, name: str, arguments: dict[str, str]) -> Reply:
        return tool_call(call, name, arguments)

    def after_broken_member(self, played: Played) -> bool:
        """The subtask fails three times; what was done so far is the answer, without an error."""
        done = played.result.error is None and "Subtask 0.1 Result" in played.result.answer
        return done and played.heard.count("url") == 3

    def after_endless_tools(self, played: Played) -> bool:
        """The subtask has no result, so it is tried three times and then given up."""
        return played.heard.count("time") == 3 * (TOOL_ROUNDS + 1) and not played.added

    def test_turns_are_limited(self, play: Play) -> None:
        """CAMEL has no limit of turns, but each subtask is tried at most three times."""
        played = play(ALARM, poor_url("retry", always=True))
        assert played.heard.count("url") == 3
        assert played.result.error is None

    def test_a_worker_sees_the_results_that_its_subtask_depends_on(self, play: Play) -> None:
        exchanges = play(WEATHER).record.exchanges
        url = next(each for each in exchanges if each.role == "url")
        for key in ('"intent": "weather_query"', '"time_slots"', '"place_slots"'):
            assert key in seen(ModelCall("url", "", url.request))

    def test_a_second_attempt_knows_no_clock_and_no_random_id(self, play: Play) -> None:
        exchanges = play(ALARM, poor_url("retry")).record.exchanges
        first, second = (each.request for each in exchanges if each.role == "url")
        told = seen(ModelCall("url", "", second))
        assert "token_usage" in told
        assert "timestamp" not in told
        assert "agent_id" not in told
        assert first["messages"][0] == second["messages"][0]

    def test_a_changed_subtask_is_done_as_changed(self, play: Play) -> None:
        played = play(ALARM, poor_url("replan"))
        exchanges = [each for each in played.record.exchanges if each.role == "url"]
        assert "As url, with care:" in seen(ModelCall("url", "", exchanges[1].request))
        assert len(played.added) == 1

    def test_a_result_that_sounds_like_a_refusal_fails(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            return result("I cannot see it.") if call.role == "response" else None

        played = play(ALARM, deviate)
        assert played.heard.count("response") == 3
        assert "I cannot see it." in played.result.answer
        assert "Subtask 0.1 Result" in played.result.answer

    def test_an_unusable_assignment_calls_nobody_outside(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            if call.role != "manager":
                return None
            if "You need to use the given information to create" in seen(call):
                conf = {"role": "helper", "sys_msg": "You help.", "description": "Helps."}
                return json.dumps(conf)
            if "You need to process one given task" in seen(call):
                return result("done")
            return "nonsense" if asked(call) == ASSIGN else None

        played = play(ALARM, deviate)
        assert set(played.heard) == {"manager"}
        assert played.result.error is None
        requests = [each.request for each in played.record.exchanges]
        prompts = [str(m["content"]) for request in requests for m in request["messages"]]
        listed = [re.findall(r"<(worker-\d+)>:", prompt) for prompt in prompts]
        assert max(map(len, listed)) >= 2
        assert all(len(names) == len({*names}) for names in listed)
        told = "".join(prompts)
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", told)

    def test_a_failing_quality_check_counts_as_good(self, play: Play) -> None:
        def deviate(call: ModelCall) -> Reply | None:
            about_quality = call.role == "manager" and asked(call) == QUALITY
            return broken("manager")(call) if about_quality else None

        assert len(play(ALARM, deviate).added) == 1

    def test_members_report_their_usage_and_the_manager_does_not(self, play: Play) -> None:
        played = play(WEATHER)
        members = [each for each in played.record.exchanges if each.role != "manager"]
        reported = played.result.reported
        assert reported.calls == len(members)
        assert reported.prompt_tokens == sum(each.usage.prompt_tokens for each in members)
        assert reported.completion_tokens == sum(each.usage.completion_tokens for each in members)


def poor_url(strategy: str, *, always: bool = False) -> Callable[[ModelCall], Reply | None]:
    """Return a deviation that judges the url's subtask as poor, the first time or always."""

    def deviate(call: ModelCall) -> Reply | None:
        if call.role != "manager" or asked(call) != QUALITY:
            return None
        about = str(call.request["messages"][-1]["content"])
        first = "- Failure Count: 0" in about
        if "- Task Content: As url" not in about or not (first or always):
            return None
        content = f'As url, with care: The user says: "{spoken(call)}"'
        return judgement(
            quality_score=20,
            issues=["It is incomplete."],
            recovery_strategy=strategy,
            modified_task_content=content,
        )

    return deviate
