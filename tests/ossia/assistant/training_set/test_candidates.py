"""An utterance becomes the same drafts every time, with one value for each slot."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia.assistant.training_set.beginnings import beginnings
from ossia.assistant.training_set.candidates import (
    DAYS,
    DEFAULT_MOMENT,
    FIRST_DAY,
    HOMES,
    NoFrame,
    drafts,
    frame_slots,
    moments,
)
from ossia_dataset.tasks import DEFAULT_NOW, Request
from ossia_dataset.world_tasks import GoldKind
from ossia_servers.assistant.offline.understanding.markup import Example, parse_utterance


def example(marked: str, intent: str = "alarm_set", domain: str = "alarm") -> Example:
    text, spans = parse_utterance(marked)
    return Example(domain, intent, text, spans)


def test_marked_words_are_the_raw_slots():
    found = example("wake me at [six](time) [tomorrow](date)")
    assert frame_slots(found.text, found.spans) == {"time": "six", "date": "tomorrow"}


@pytest.mark.parametrize("between", [" and ", ", ", " or ", ", and "])
def test_values_beside_one_another_are_one(between):
    found = example(f"put [milk](item_name){between}[eggs](item_name) on the list")
    assert frame_slots(found.text, found.spans) == {"item_name": f"milk{between}eggs"}


def test_values_that_stand_apart_are_no_frame():
    found = example("ring on [monday](date) instead of [tuesday](date)")
    with pytest.raises(NoFrame, match="'date' has two values"):
        frame_slots(found.text, found.spans)


@given(st.text(min_size=1))
def test_moments_follow_from_the_words(text):
    found = list(moments(text))
    assert found == list(moments(text))
    assert found[-1] == DEFAULT_MOMENT
    for moment in found:
        assert moment.home in HOMES
        if moment != DEFAULT_MOMENT:
            assert FIRST_DAY <= moment.now < FIRST_DAY + timedelta(days=DAYS)
            assert moment.now.minute % 5 == 0
            assert 6 <= moment.now.hour <= 22


def test_a_draft_has_its_normal_forms():
    drafted = list(drafts(example("wake me at [six](time) [tomorrow](date)")))
    assert [one.gold.kind for one in drafted] == [GoldKind.CHANGE] * len(drafted)
    last = drafted[-1]
    assert (last.now, last.gold.time) == (DEFAULT_NOW, {"date": "2026-03-14", "time": "18:00"})
    assert not last.setup


def test_what_lacks_the_needed_is_a_question_and_chit_chat_is_chat():
    assert next(drafts(example("set an alarm"))).gold.kind is GoldKind.CLARIFICATION
    hello = example("hello", "general_greet", "general")
    assert next(drafts(hello)).gold.kind is GoldKind.CHAT


def test_an_intent_that_acts_may_be_asked_about():
    kinds = {
        one.gold.kind
        for one in drafts(example("any [missed calls](event_name)", "phone_notification", "phone"))
    }
    assert kinds == {GoldKind.CHANGE, GoldKind.ANSWER}


def test_what_is_taken_for_granted_is_made():
    off = Request(domain="iot", params={"intent": "iot_hue_lightoff", "house_place": "attic"})
    (made,) = beginnings(off, DEFAULT_NOW)
    assert [one.url for one in made] == ["/iot?intent=iot_hue_lighton&house_place=attic"]
    nap = Request(domain="alarm", params={"intent": "alarm_remove", "event_name": "nap"})
    (made,) = beginnings(nap, DEFAULT_NOW)
    assert made[0].params["event_name"] == "nap"
    assert list(beginnings(Request(domain="qa", params={"intent": "qa_maths"}), DEFAULT_NOW)) == []
