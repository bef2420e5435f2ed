"""What a step says in a replay that was given something else than in the recording."""

import json

from ossia_evaluation.assistant.attribution.director import Director
from ossia_evaluation.assistant.attribution.judging import judge
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution.received import Turns
from ossia_evaluation.attribution.recording import RecordedStep, Recording
from ossia_servers.assistant.members import MEMBERS
from tests.evaluation.support import BY_NAME, WAKE

ORACLE = Oracle(WAKE, BY_NAME)
TO_MANAGER = "transfer_to_manager"


def called(tool, number, content=None):
    function = {"name": tool, "arguments": "{}"}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def handed(name, number, content=None):
    """A handoff and its acknowledgement, as they stand in a history that all share."""
    told = f"Transferred to {name}. Adopt persona immediately."
    done = {"role": "tool", "tool_call_id": f"c{number}", "content": told}
    return [called(f"transfer_to_{name}", number, content), done]


def asked_for_times(slots):
    """The time role's request where members hand the talk back and say their words with that."""
    intent = {"domain": "alarm", "intent": "alarm_set", "slots": slots}
    messages = [
        {"role": "system", "content": "You are the time role."},
        {"role": "user", "content": f"The user says: {json.dumps(WAKE.utterance)}"},
        *handed("intent", 1),
        *handed("manager", 2, json.dumps(intent)),
        *handed("time", 3),
    ]
    back = {"type": "function", "function": {"name": TO_MANAGER, "parameters": {}}}
    return {"model": "ossia-time", "messages": messages, "tools": [back]}


def test_words_that_hand_back_are_said_anew_about_another_input():
    recorded = asked_for_times({"time": "half past seven", "date": "tomorrow"})
    said = called(TO_MANAGER, 4, '{"time_slots": {"time": "19:30", "date": "2026-03-14"}}')
    received = Heard.of("time", recorded, Turns(MEMBERS))
    finding = judge((received,), (said,), ORACLE)
    assert finding is not None
    step = RecordedStep(0, "time#1", "time", (received,), (received.relevant(),), (said,))
    director = Director(ORACLE, Recording((step,), {"time#1": finding}))

    now = director.answer("time", asked_for_times({"date": "tomorrow"}))
    assert json.loads(now["content"]) == {"time_slots": {"date": "2026-03-14"}}
    (call,) = now["tool_calls"]
    assert call["function"]["name"] == TO_MANAGER
