"""AutoGen's other variants on their own environment: agents as tools, Swarm, Magentic-One."""

import pytest

from ossia.conformance.players import ScriptedTeam
from ossia.conformance.stage import Part
from ossia.runner.config import EpisodeLimits
from ossia_servers.gateway.models import completion_of
from ossia_servers.wire.calls import DATE_TOOL, Call
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.routing import present_choice

pytestmark = pytest.mark.framework("autogen")

UTTERANCE = 'what alarms do i have "tomorrow"'
WORDS = {"intent": "It is about {alarms}.", "time": "Tomorrow.", "response": "You have none."}
ORDER = ("intent", "time", "response")
VARIANTS = ("tools", "handoffs", "planner")


class Altered:
    """A scripted team in which one role answers otherwise."""

    name = "altered"

    def __init__(self, team, role, answer):
        self._team = ScriptedTeam(team, ORDER, WORDS)
        self._members = [each.name for each in team.members]
        self._role, self._answer = role, answer

    async def complete(self, call):
        if call.role != self._role:
            return await self._team.complete(call)
        return completion_of(self._answer(read_conversation(call.request, self._members)))


@pytest.fixture
def play(stages):
    """Play an episode of a variant; returns what it left behind, and the stage."""

    def play(variant, alter=None, order=ORDER, **limits):
        def make(stage):
            model = ScriptedTeam(stage.team, order, WORDS)
            if alter is not None:
                model = Altered(stage.team, *alter)
            return Part(UTTERANCE, model=model, limits=EpisodeLimits(**limits))

        return stages.play(f"autogen:{variant}", make)

    return play


def always(role):
    return ("manager", lambda asked: present_choice(asked, role, answer="It is over."))


@pytest.mark.parametrize("variant", VARIANTS)
def test_who_is_called_works_and_the_final_words_are_the_answer(play, variant):
    played, _ = play(variant)
    assert played.error is None
    assert [e.role for e in played.gateway.exchanges if e.role != "manager"] == [*ORDER]
    assert played.result.answer == "You have none."


@pytest.mark.parametrize(("variant", "calls"), [("tools", 4), ("handoffs", 4), ("planner", 7)])
def test_the_manager_is_told_its_prompt_first_in_every_call(play, variant, calls):
    played, stage = play(variant)
    asked = [each.request["messages"] for each in played.of_role("manager")]
    first = {"role": "system", "content": stage.team.role("manager").prompt}
    assert len(asked) == calls
    assert all(messages[0] == first for messages in asked)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_turns_of_members_are_limited(play, variant):
    played, _ = play(variant, always("intent"), turns=3)
    assert played.error is None
    assert len(played.of_role("intent")) == 3


@pytest.mark.parametrize("variant", ["tools", "handoffs"])
def test_one_tool_call_at_a_time_is_asked_for_only_where_tools_are_offered(play, variant):
    played, _ = play(variant)
    for each in played.gateway.exchanges:
        assert ("parallel_tool_calls" in each.request) <= ("tools" in each.request)
    assert all("parallel_tool_calls" in each.request for each in played.of_role("manager"))


def test_a_role_whose_rounds_are_spent_ends_the_swarm(play):
    """Otherwise it would be asked anew, until the turns are spent."""
    again = ("time", lambda asked: present(asked, (Call(DATE_TOOL),)))
    played, _ = play("handoffs", again, tool_rounds=2)
    assert (played.error, len(played.of_role("time"))) == (None, 2)
    assert played.result.answer == ""


def test_an_early_end_of_the_swarm_has_no_answer(play):
    played, _ = play("handoffs", order=("intent",))
    assert (played.error, played.result.answer) == (None, "")


def test_words_without_a_handoff_are_asked_for_again(play):
    """A swarm's speaker stays until it hands over, so that such a model reaches no answer."""
    silent = ("time", lambda asked: {"role": "assistant", "content": "Tomorrow."})
    played, _ = play("handoffs", silent, turns=3)
    assert len(played.of_role("time")) > 1
    assert "response" not in [each.role for each in played.gateway.exchanges]
