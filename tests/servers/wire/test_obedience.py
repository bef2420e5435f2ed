"""A player that obeys prompts to the letter is lost where a prompt and an envelope disagree."""

import json
from pathlib import Path

import pytest

from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.obedience import demands, obey

MEMBERS = ("intent", "time", "location", "url", "request", "response")
RECORDED = Path(__file__).parents[2] / "adapters"
DEMAND = "Answer with one JSON object on one line and nothing else:"
RESULT = json.dumps({"url": "/alarm?intent=alarm_set"})


@pytest.mark.parametrize(
    "place", ["camel/requests/query_08_url", "agentlite/requests/event_09_url"]
)
def test_words_stand_alone_where_a_prompt_demands_it_and_else_in_the_envelope(place):
    text = (RECORDED / f"{place}.json").read_text("utf-8")
    assert DEMAND in text
    strict = read_conversation(json.loads(text), MEMBERS)
    assert obey(strict, RESULT) == {"role": "assistant", "content": RESULT}
    neutral = read_conversation(json.loads(text.replace(DEMAND, "Give your result:")), MEMBERS)
    assert obey(neutral, RESULT) == present(neutral, RESULT) != obey(strict, RESULT)


def swarm(prompt):
    back = {"name": "transfer_to_manager", "parameters": {"type": "object", "properties": {}}}
    return read_conversation(
        {
            "model": "ossia-url",
            "messages": [
                {"role": "system", "content": prompt},
                {"role": "user", "content": 'The user says: "wake me up"'},
            ],
            "tools": [{"type": "function", "function": back}],
        },
        MEMBERS,
    )


def test_a_member_hands_back_where_it_is_told_so_in_words():
    told = obey(swarm("Build it, then call transfer_to_manager."), RESULT)
    assert told["tool_calls"][0]["function"]["name"] == "transfer_to_manager"
    assert "tool_calls" not in obey(swarm("Build it."), RESULT)


@pytest.mark.parametrize(
    "prompt",
    [
        DEMAND,
        "Answer in this form and add nothing else:",
        "Reply only with the name.",
        "Name the tasks. Add nothing else.",
        "Rules:\n- No JSON, no addresses.",
        "Respond with exactly one word.",
    ],
)
def test_a_form_of_the_whole_answer_is_found(prompt):
    assert demands(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Give your result as JSON with these fields:",
        "Do exactly what was asked and nothing else.",
        "The answer's `result` holds the rows or the new id.",
        "Say what the server's answer says. Use only the catalogue.",
        "Rest on the team's reports alone.",
        "The sentences hold no JSON, no addresses and no internal names.",
    ],
)
def test_what_a_result_holds_is_no_demand_on_its_form(prompt):
    assert demands(prompt) == ()
