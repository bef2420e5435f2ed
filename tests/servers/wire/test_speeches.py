"""Who said what."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.speeches import Speech, last_words
from ossia_servers.wire.ways import acknowledged


def test_the_work_ends_with_the_answer_as_it_was_last_told():
    speeches = [Speech("response", "First."), Speech("response", "Last."), Speech("url", "/x")]
    assert last_words(speeches) == "Last."
    assert last_words([Speech("url", "/x")]) == "The work is finished."


def manager(*messages):
    task = {"role": "user", "content": 'The user says: "wake me up at seven"'}
    body = {"model": "ossia-manager", "messages": [task, *messages]}
    return [(s.role, s.text) for s in read_conversation(body, MEMBERS).speeches]


INTENT = '{"domain": "alarm", "intent": "alarm_set", "slots": {}}'
ANSWER = '{"status": 200, "body": {}}'


@pytest.mark.parametrize("role", ["user", "tool", "assistant"])
def test_answers_that_name_nobody_are_known_by_their_form(role):
    said = [INTENT, '{"url": "/alarm"}', ANSWER, "Your alarm is set."]
    found = manager(*({"role": role, "content": text} for text in said))
    assert [name for name, _ in found] == ["intent", "url", "request", "response"]


def test_the_managers_own_choices_are_no_answers():
    said = ["intent", INTENT, "url", '{"url": "/alarm"}', "request", ANSWER, "response"]
    found = manager(*({"role": "assistant", "content": text} for text in said))
    assert [name for name, _ in found] == ["intent", "url", "request"]


@pytest.mark.parametrize(
    "acknowledgement",
    [
        "Transferred to intent. Adopt persona immediately.",
        '{"assistant": "intent"}',
        '{"handoff_to": "intent"}',
        "Successfully transferred to intent",
        "Transferred to intent, adopting the role of intent immediately.",
        "",
    ],
)
def test_who_was_handed_the_talk_speaks_next(acknowledgement):
    function = {"name": "transfer_to_intent", "arguments": "{}"}
    found = manager(
        {"role": "assistant", "tool_calls": [{"id": "a", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": acknowledgement},
        {"role": "assistant", "content": "I cannot tell what is meant."},
    )
    assert found == [("intent", "I cannot tell what is meant.")]


def test_a_tool_that_names_its_speaker_is_heard_once():
    call = {"id": "1", "function": {"name": "intent", "arguments": "{}"}}
    request = {
        "model": "ossia-manager",
        "messages": [
            {"role": "user", "content": 'The user says: "hello"'},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "intent: I cannot tell."},
        ],
        "tools": [{"type": "function", "function": {"name": "intent", "parameters": {}}}],
    }
    assert read_conversation(request, MEMBERS).speeches == (Speech("intent", "I cannot tell."),)


@pytest.mark.parametrize("text", ["Transferred 50 dollars to Ann.", "Switched to the news."])
def test_a_servers_deed_is_no_acknowledgement(text):
    assert acknowledged(text, MEMBERS) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = ("domain", "intent", "slots", "url", "status", "body", "time_slots", "place_slots", "next")


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), max_size=4))
def test_a_role_may_say_any_json(objects):
    """A dictionary where a name belongs broke the reading, and with it the episode's replay."""
    messages = [
        {"role": role, "name": name, "content": json.dumps(value)}
        for value in objects
        for role, name in (("user", "intent"), ("assistant", "request"), ("tool", "response"))
    ]
    for told in manager(*messages):
        assert all(isinstance(part, str) for part in told)
