"""What is learnt: the very messages that the gateway hears, and answers in the envelope wanted."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossia.assistant.training_set.examples import gold_answer, intent_examples
from ossia.assistant.training_set.heard import HeardPrompt
from ossia.tasks import find_tasks
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.conversation import read_conversation
from ossia_workflows.assistant import role_output

CAPTURED = Path(__file__).resolve().parents[3] / "adapters"
TRAIN = find_tasks("train", "assistant")
ADAPTERS = ("agentlite", "autogen", "camel", "langgraph")
QUOTED = 'say "hi, \\o/" to bob\'s list: {"a": 1}'


def captured(adapter):
    """The intent role's first captured request of an adapter, or None."""
    for file in sorted((CAPTURED / adapter / "requests").glob("*intent*.json")):
        request = json.loads(file.read_text("utf-8"))
        if request["model"] == "ossia-intent":
            return HeardPrompt(adapter, read_conversation(request, MEMBERS).utterance, request)
    return None


HEARD = [prompt for prompt in map(captured, ADAPTERS) if prompt is not None]


def test_the_plain_prompt_is_the_roles_own_and_the_tasks_text():
    example = intent_examples(TRAIN[:1])[0]
    system, user = example.messages
    assert system["content"].startswith("You are the intent agent.")
    assert "alarm: alarm_query" in system["content"] or "alarm_set" in system["content"]
    assert user["content"] == f"The user says: {json.dumps(TRAIN[0].utterance, ensure_ascii=False)}"
    frame = role_output("intent", example.answer)
    assert (frame["domain"], frame["slots"]) == (TRAIN[0].gold.domain, TRAIN[0].gold.slots)
    assert "\n" not in example.answer


def test_one_framework_hears_exactly_the_plain_prompt():
    """LangGraph adds nothing: what is learnt is byte for byte what the gateway sees."""
    heard = next(prompt for prompt in HEARD if prompt.framework == "langgraph")
    task = TRAIN[0].model_copy(update={"utterance": heard.utterance})
    plain = intent_examples([task])[0].messages
    told = [{"role": m["role"], "content": m["content"]} for m in heard.request["messages"]]
    # The catalogue of the day of capture may have been another: the rest is the same.
    assert [m["content"].split("Catalogue")[0] for m in told] == [
        m["content"].split("Catalogue")[0] for m in plain
    ]


@pytest.mark.parametrize("heard", HEARD, ids=lambda prompt: prompt.framework)
def test_other_sentences_take_the_place_of_the_one_that_was_heard(heard):
    task = TRAIN[0].model_copy(update={"utterance": QUOTED})
    messages, answer = heard.worded(QUOTED, gold_answer(task))
    said = json.dumps(messages, ensure_ascii=False)
    assert heard.utterance not in said
    assert read_conversation({**heard.request, "messages": messages}, MEMBERS).utterance == QUOTED
    assert role_output("intent", answer) == json.loads(gold_answer(task))


@pytest.mark.parametrize("heard", HEARD, ids=lambda prompt: prompt.framework)
def test_the_same_sentence_gives_the_same_messages(heard):
    messages, _ = heard.worded(heard.utterance, "{}")
    assert list(messages) == list(heard.request["messages"])


@settings(max_examples=40, deadline=None)
@given(utterance=st.text(min_size=1).filter(lambda text: text.strip()))
def test_any_sentence_is_read_back_from_any_wording(utterance):
    for heard in HEARD:
        messages, _ = heard.worded(utterance, "{}")
        read = read_conversation({**heard.request, "messages": messages}, MEMBERS).utterance
        assert read == utterance


def test_every_wording_is_learnt_of_every_task():
    examples = intent_examples(TRAIN[:3], HEARD)
    assert len(examples) == 3 * len(HEARD)
    for task in TRAIN[:3]:
        assert sum(task.utterance in str(each.messages) for each in examples) == len(HEARD)
