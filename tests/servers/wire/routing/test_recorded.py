"""What is read from real requests of frameworks, and what is answered to them."""

import json
from pathlib import Path

import pytest

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.duties import Planner
from ossia_servers.wire.envelope import present, tool_answers, tools_offered
from ossia_servers.wire.planning import manage
from ossia_servers.wire.routing import (
    FINISH,
    Form,
    ends_with_answer,
    hands_over,
    heard,
    present_choice,
    read_choice,
    read_form,
)

ROLES = ("intent", "time", "location", "url", "request", "response")
FOLDER = Path(__file__).parent / "requests"
OWN = {role: role for role in ROLES}
CALLED = {role: f"transfer_to_{role}" for role in ROLES}

# Folder: the form, the names offered, whether the choice carries what is known, and whether the
# end tells the user the answer.
TABLE = {
    "control": (Form.WORD, OWN, False, False),
    "autogen": (Form.LIST, {r: r for r in ROLES if r != "time"}, False, False),
    "autogen-tools": (Form.TOOLS, OWN, True, True),
    "autogen-handoffs": (Form.TOOLS, CALLED, False, True),
    "autogen-planner": (Form.LEDGER, OWN, False, False),
    "langgraph": (Form.SCHEMA, OWN, False, False),
    "agentlite": (Form.PROTOCOL, OWN, True, True),
    "camel": (Form.PLAN, {}, False, False),
    "openai-agents-tools": (Form.TOOLS, OWN, True, True),
    "openai-agents-handoffs": (Form.TOOLS, CALLED, False, True),
    "openai-agents-handing-back": (Form.TOOLS, CALLED, False, True),
    "pydantic-ai-tools": (Form.TOOLS, OWN, True, True),
    "pydantic-ai-output": (Form.TOOLS, OWN, False, False),
    "langgraph-supervisor": (Form.TOOLS, CALLED, False, True),
    "langgraph-swarm": (Form.TOOLS, CALLED, False, True),
    "smolagents-code": (Form.PROTOCOL, OWN, True, True),
    "langchain-react": (Form.PROTOCOL, OWN, True, True),
}
HANDING_BACK = ["openai-agents-handing-back", "langgraph-swarm", "autogen-handoffs"]
ROUTED = [name for name in TABLE if name != "camel"]


def request(name, stage):
    return json.loads((FOLDER / name / f"{stage}.json").read_text("utf-8"))


def recorded(name, stage):
    return read_conversation(request(name, stage), MEMBERS)


def having(stage):
    return [name for name in TABLE if (FOLDER / name / f"{stage}.json").is_file()]


def test_every_recorded_framework_is_in_the_table():
    assert sorted(TABLE) == sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", TABLE)
def test_the_form_and_the_names_are_read(name):
    form, names, carries, tells = TABLE[name]
    conversation = recorded(name, "middle")
    routing = read_form(conversation)
    assert conversation.role == "manager"
    assert (routing.form, dict(routing.names)) == (form, names)
    assert (hands_over(conversation), ends_with_answer(conversation)) == (carries, tells)


@pytest.mark.parametrize("name", ROUTED)
def test_members_are_heard_whoever_the_messages_say_spoke(name):
    middle = heard(recorded(name, "middle"))
    assert list(dict.fromkeys(speech.role for speech in middle.speeches)) == ["intent", "time"]
    assert middle.results.intent["intent"] == "alarm_set"
    assert set(middle.results.time_slots) == {"date", "time"}


@pytest.mark.parametrize("name", [name for name in having("end") if name != "camel"])
def test_all_members_are_heard_once_at_the_end(name):
    end = heard(recorded(name, "end"))
    assert [speech.role for speech in end.speeches] == [
        role for role in ROLES if role != "location"
    ]
    assert end.results.answer["status"] == 200


@pytest.mark.parametrize("name", ROUTED)
@pytest.mark.parametrize("role", ROLES)
def test_a_choice_is_read_as_it_was_made(name, role):
    conversation = recorded(name, "middle")
    if role in TABLE[name][1]:
        assert read_choice(present_choice(conversation, role), conversation) == role


@pytest.mark.parametrize("name", [name for name in ROUTED if name != "autogen"])
def test_the_end_is_read_as_it_was_said(name):
    conversation = recorded(name, "end")
    assert read_choice(present_choice(conversation, FINISH), conversation) == FINISH


@pytest.mark.parametrize("name", having("asked"))
def test_nothing_of_others_is_a_members_own_answer(name):
    conversation = recorded(name, "asked")
    assert tool_answers(conversation) == ()
    assert "http_request" in tools_offered(conversation)
    call = Call("http_request", {"method": "GET", "url": "/alarm?intent=alarm_query"})
    assert read_calls(present(conversation, (call,))) == ((call.tool, dict(call.arguments)),)


@pytest.mark.parametrize("name", having("answered"))
def test_a_members_own_answer_is_read(name):
    (answer,) = tool_answers(recorded(name, "answered"))
    assert json.loads(answer)["status"] == 200


@pytest.mark.parametrize("name", HANDING_BACK)
def test_who_can_hand_back_does_so_with_its_words(name):
    message = present(recorded(name, "answered"), "It is done.")
    assert message["content"] == "It is done."
    assert [call for call, _ in read_calls(message)] == ["transfer_to_manager"]


def test_what_a_ledger_is_asked_for_is_answered_by_fixed_rules():
    facts, plan, answer = (recorded("autogen-planner", s) for s in ("facts", "plan", "answer"))
    planner = _Nobody()
    assert manage(facts, planner).startswith(
        '1. GIVEN OR VERIFIED FACTS\nThe user says: "wake me up at half past seven tomorrow"\n\n2. '
    )
    lines = manage(plan, planner).splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"- {role}" for role in ROLES]
    assert manage(answer, planner) is None
    assert read_form(answer).form is Form.ANSWER
    assert (hands_over(answer), ends_with_answer(answer)) == (True, True)
    said = present_choice(answer, FINISH)
    assert said["content"] == [s.text for s in answer.speeches if s.role == "response"][-1]
    assert read_choice(said, answer) == FINISH


def test_a_ledger_is_complete_and_ends_by_its_own_entry():
    middle = recorded("autogen-planner", "middle")
    keys = set(middle.schema["properties"])
    for choice in ("url", FINISH):
        ledger = json.loads(present_choice(middle, choice)["content"])
        assert set(ledger) == keys
        assert ledger["is_request_satisfied"]["answer"] is (choice == FINISH)
        assert ledger["next_speaker"]["answer"] in ROLES
        assert all(isinstance(ledger[key]["reason"], str) for key in keys)


class _Nobody(Planner):
    """Is asked for no plan that is carried out."""
