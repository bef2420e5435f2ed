import json

from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.wire.reading import find_objects, find_told, find_utterances

UTTERANCES = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["C"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def quoted(utterance):
    return f"The user says: {json.dumps(utterance, ensure_ascii=False)}"


@given(UTTERANCES, st.integers(0, 3))
def test_the_sentence_is_found_however_often_it_was_escaped(utterance, depth):
    text = quoted(utterance)
    for _ in range(depth):
        text = json.dumps({"Task": text}, ensure_ascii=False)
    found = find_utterances(f"before {text} after")
    assert [mention.utterance for mention in found] == [utterance]


def test_the_sentence_is_found_in_a_printed_python_dictionary():
    printed = str({"task": quoted("i'm late for the meeting")})
    assert find_utterances(printed)[0].utterance == "i'm late for the meeting"


def test_a_quotation_without_an_end_is_no_mention():
    assert find_utterances('The user says: "wake me') == []


@given(st.dictionaries(st.text(min_size=1, max_size=5), JSON, min_size=1))
def test_an_object_is_found_between_other_words(value):
    found = find_objects(f"id: 1, result: {json.dumps(value)}. and so on }} {{")
    assert found[0].value == value


def test_objects_inside_strings_are_found():
    inner = {"url": "/alarm?intent=alarm_query"}
    text = json.dumps({"content": json.dumps(inner), "failed": False})
    assert [item.value for item in find_objects(text)] == [json.loads(text), inner]


def test_an_escaped_object_is_found_where_nothing_around_it_is_json():
    escaped = json.dumps(json.dumps({"time_slots": {"time": "06:30"}}))[1:-1]
    values = [item.value for item in find_objects(f"{{'content': {escaped}}}")]
    assert {"time_slots": {"time": "06:30"}} in values


@given(st.text(max_size=80))
def test_no_text_is_too_odd(text):
    find_objects(text)
    find_utterances(text)


def test_deep_nesting_is_passed_over():
    assert find_objects('{"a":' * 5000) == []


@given(UTTERANCES, UTTERANCES, st.integers(0, 3))
def test_a_told_turn_is_found_however_often_it_was_escaped(user, answer, depth):
    text = f"The user said: {json.dumps(user)}\nYou answered: {json.dumps(answer)}\n"
    for _ in range(depth):
        text = json.dumps({"Task": text}, ensure_ascii=False)
    found = find_told(f"before {text} after")
    assert [(turn.user, turn.answer) for turn in found] == [(user, answer)]


def test_a_turn_without_an_answer_is_not_told():
    assert find_told('The user said: "hello"\nYou were silent.') == []
