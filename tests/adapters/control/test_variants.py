"""The control's other idioms, on its own environment: agents as tools, and handoffs."""

import pytest

from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway import Rule, Rules, ScriptedModel, ToolUse

from .test_control import INTENT, TIME

pytestmark = pytest.mark.framework("control")

DATE = ToolUse(name="get_date", arguments={})
BACK = ToolUse(name="transfer_to_manager", arguments={})


def tool(name, **arguments):
    return ToolUse(name=name, arguments=arguments)


def manager(*steps, end="All is done."):
    """What a manager says one after the other: tool calls, then words."""
    calls = [Rule(role="manager", times=1, tools=step) for step in steps]
    return [*calls, Rule(role="manager", answer=end)]


def scripted(*rules):
    return ScriptedModel.from_rules(Rules(rules=rules))


def asked(played, role, number=-1):
    return played.of_role(role)[number].request


def test_a_member_is_a_tool_and_sees_its_task_alone(play):
    steps = ([tool("intent", task="Read this.")], [tool("response", task="Say it.")])
    answers = (Rule(role="intent", answer=INTENT), Rule(role="response", answer="You have none."))
    played, stage = play(scripted(*manager(*steps), *answers), "tools")
    assert (played.error, played.result.answer) == (None, "All is done.")
    offered = {
        each["function"]["name"]: each["function"] for each in asked(played, "manager")["tools"]
    }
    described = {role.name: role.description for role in stage.team.members}
    assert {name: each["description"] for name, each in offered.items()} == described
    assert offered["time"]["parameters"]["required"] == ["task"]
    assert asked(played, "intent")["messages"] == [
        {"role": "system", "content": stage.team.role("intent").prompt},
        {"role": "user", "content": "Read this."},
    ]
    told = asked(played, "manager")["messages"]
    assert [each["content"] for each in told if each["role"] == "tool"] == [
        INTENT,
        "You have none.",
    ]
    assert played.result.reported.calls == len(played.gateway.exchanges) == 5


def test_a_call_of_a_member_that_cannot_be_made_is_told_to_the_manager(play):
    steps = ([tool("intent")], [tool("cook", task="Cook.")])
    played, _ = play(scripted(*manager(*steps)), "tools")
    told = [
        each["content"] for each in asked(played, "manager")["messages"] if each["role"] == "tool"
    ]
    assert told[0].startswith("wrong arguments: missing a required argument: 'task'")
    assert told[1] == "there is no tool cook"
    assert played.error is None


def test_the_managers_rounds_of_calls_are_the_turns(play):
    again = Rule(role="manager", tools=(tool("intent", task="Again."),))
    model = scripted(again, Rule(role="intent", answer=INTENT))
    played, _ = play(model, "tools", limits=EpisodeLimits(turns=3))
    assert len(played.of_role("intent")) == 3
    assert asked(played, "manager")["tool_choice"] == "none"


def test_a_handoff_gives_the_whole_conversation_over_and_back(play):
    steps = ([tool("transfer_to_time")], [tool("transfer_to_response", reason="last")])
    turns = (
        Rule(role="time", times=1, tools=(DATE,)),
        Rule(role="time", answer=TIME, tools=(BACK,)),
        Rule(role="response", answer="You have none.", tools=(BACK,)),
    )
    played, stage = play(scripted(*manager(*steps), *turns), "handoffs")
    assert (played.error, played.result.answer) == (None, "You have none.")
    offered = [each["function"]["name"] for each in asked(played, "time")["tools"]]
    assert offered == ["get_date", "transfer_to_manager"]
    messages = asked(played, "response")["messages"]
    assert messages[0] == {"role": "system", "content": stage.team.role("response").prompt}
    assert [(each["role"], each.get("name", "")) for each in messages[1:]] == [
        ("user", ""),
        ("assistant", "manager"),
        ("tool", ""),
        ("assistant", "time"),
        ("tool", ""),
        ("assistant", "time"),
        ("tool", ""),
        ("assistant", "manager"),
        ("tool", ""),
    ]
    assert messages[6]["content"] == TIME
    # A reason that nobody asked for does not keep the conversation from being handed over.
    acknowledged = [each["content"] for each in messages if each["role"] == "tool"]
    assert acknowledged[-1] == "Transferred to response."


def test_words_without_a_handoff_back_are_told_to_the_manager(play):
    turn = Rule(role="response", answer="You have none.")
    played, _ = play(scripted(*manager([tool("transfer_to_response")]), turn), "handoffs")
    assert asked(played, "manager")["messages"][-1] == {
        "role": "user",
        "name": "response",
        "content": "You have none.",
    }
    assert played.result.answer == "You have none."


def test_of_two_handoffs_in_one_answer_the_first_is_made(play):
    both = [tool("transfer_to_response"), tool("transfer_to_time")]
    turn = Rule(role="response", answer="You have none.", tools=(BACK,))
    played, _ = play(scripted(*manager(both), turn), "handoffs")
    assert [each.role for each in played.gateway.exchanges] == ["manager", "response", "manager"]


def test_a_handoff_to_nobody_ends_the_episode(play):
    played, _ = play(scripted(*manager([tool("transfer_to_cook")])), "handoffs")
    assert played.result.error.type == "RoutingError"
    assert "transfer_to_cook" in played.result.error.message


def test_rounds_of_tools_and_turns_are_limited_in_handoffs(play):
    again = Rule(role="manager", tools=(tool("transfer_to_time"),))
    limits = EpisodeLimits(turns=3, tool_rounds=2)
    played, _ = play(scripted(again, Rule(role="time", tools=(DATE,))), "handoffs", limits=limits)
    calls = played.of_role("time")
    assert [each.request.get("tool_choice") for each in calls] == [None, None, "none"] * 3
    assert (played.error, played.result.answer) == (None, "")
