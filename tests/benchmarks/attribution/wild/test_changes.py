"""Changes that know nothing of a task: what they do to a message, and what they leave alone."""

import json

import pytest

from benchmarks.attribution.wild.changes import FAMILIES, KINDS, Change, family_of, fits
from benchmarks.attribution.wild.choices import named
from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.messages import calls, shown, spots

ADDRESS = "/alarm?intent=alarm_set&time=07%3A30&name=a+b"
WORDS = {"role": "assistant", "content": json.dumps({"url": ADDRESS, "slots": {"time": "half 7"}})}
LINE = {"role": "assistant", "content": 'Finish[{"response": "{\\"time\\": \\"07:30\\"}"}]'}
ARGUMENTS = json.dumps({"method": "GET", "url": ADDRESS})
FUNCTION = {"name": "http_request", "arguments": ARGUMENTS}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": FUNCTION}],
}
CHOICE = {"role": "assistant", "content": '{"next": "time"}'}
PLAN = {"role": "assistant", "content": 'time[{"Task": "The user says: wake me"}]'}
EARLIER = {"role": "assistant", "content": '{"next": "intent"}'}
MESSAGES = (WORDS, LINE, CALL, CHOICE, PLAN, {"role": "assistant", "content": "url"})


def material(message):
    others = tuple(each for each in MESSAGES if each != message)
    earlier = (EARLIER,) if named(message) else (CALL,)
    return Material(alike=others, earlier=earlier, sentences=("Paris is cold.",))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_changes_some_message_and_always_alike(kind):
    found = 0
    for message in MESSAGES:
        before = json.dumps(message)
        for seed in range(10):
            change = Change("url#1", 0, kind, seed)
            made = change.of(message, material(message))
            assert made == change.of(message, material(message))
            assert json.dumps(message) == before
            if made is not None:
                found += 1
                assert made != message
                assert json.loads(json.dumps(made)) == made
    assert found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\ud800", "[" * 5000, "a[b[c]]"])
def test_no_kind_stumbles_over_strange_words(kind, content):
    message = {"role": "assistant", "content": content}
    made = Change("url#1", 0, kind, 1).of(message, Material())
    assert made is None or made != message


def test_kinds_are_named_by_their_family():
    assert {family_of(kind) for kind in KINDS} == set(FAMILIES)
    assert len(KINDS) == sum(map(len, FAMILIES.values()))
    assert fits("manager.two_roles", "manager")
    assert not fits("manager.two_roles", "url")
    assert fits("words.word_deleted", "manager")


def test_texts_are_found_within_texts():
    assert [spot.text for spot in spots(LINE)] == [
        LINE["content"],
        '{"response": "{\\"time\\": \\"07:30\\"}"}',
        '{"time": "07:30"}',
        "07:30",
    ]
    (*_, inmost) = spots(LINE)
    assert inmost.put("8")["content"] == 'Finish[{"response": "{\\"time\\": \\"8\\"}"}]'
    assert [spot.text for spot in spots(CALL)] == [ARGUMENTS, "GET", ADDRESS]


def test_a_text_that_is_put_back_is_the_same_message():
    for message in MESSAGES:
        assert all(spot.put(spot.text) == message for spot in spots(message))
        assert all(call.put(call.name, call.arguments) == message for call in calls(message))


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        ("tool.method", '"method": "GET"'),
        ("tool.name", "http_request "),
        ("tool.argument_dropped", ARGUMENTS),
        ("address.query_dropped", ADDRESS),
    ],
)
def test_a_change_of_a_call_takes_something_away(kind, held):
    for seed in range(10):
        made = Change("request#1", 0, kind, seed).of(CALL, material(CALL))
        assert held not in shown(made)


def test_a_call_is_made_twice_under_another_id():
    made = Change("request#1", 0, "tool.twice", 0).of(CALL, material(CALL))
    first, second = made["tool_calls"]
    assert first["function"] == second["function"]
    assert first["id"] != second["id"]
    done = {"role": "assistant", "content": "done"}
    again = Change("request#1", 1, "tool.again", 0).of(done, Material(earlier=(CALL,)))
    assert again["tool_calls"][0]["function"] == FUNCTION
    assert again["tool_calls"][0]["id"] != "call_1"
    assert Change("request#1", 0, "tool.again", 0).of(CALL, Material()) is None


@pytest.mark.parametrize("message", [CHOICE, PLAN, MESSAGES[-1]])
def test_the_manager_names_another_role_in_the_same_form(message):
    for seed in range(10):
        made = Change("manager@start", 0, "manager.another_role", seed).of(message, Material())
        assert named(made) not in (None, named(message))
        assert made["content"].replace(named(made), named(message), 1) == message["content"]
    again = Change("manager@start", 0, "manager.same_again", 0)
    assert named(again.of(message, Material(earlier=(EARLIER,)))) == "intent"
    assert again.of(message, Material()) is None


def test_a_swap_takes_what_the_same_role_said_elsewhere():
    other = {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "id": "call_2"}]}
    swap = Change("request#1", 0, "swap.other_task", 0)
    made = swap.of(WORDS, Material(alike=(CALL,)))
    assert made["tool_calls"][0]["function"] == FUNCTION
    assert made["tool_calls"][0]["id"] not in ("call_1", "call_2")
    assert swap.of(WORDS, Material(alike=(WORDS,))) is None
    assert other != CALL
