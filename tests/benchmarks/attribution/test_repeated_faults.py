"""The same fault about another input, as the case maker puts it in again."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.attribution.repeated_faults import WrongOutput, repeated
from ossia_servers.assistant.offline.faults import FaultType as F

NAMES = st.sampled_from(["time", "date", "place_name", "event_name", "to_time"])
SLOTS = st.dictionaries(NAMES, st.text(min_size=1, max_size=8), max_size=4)


def url(domain="alarm", **params):
    query = "&".join(f"{name}={value}" for name, value in params.items())
    return f"/{domain}?intent=alarm_set&{query}"


@pytest.mark.parametrize(
    ("fault", "right", "wrong", "now", "again"),
    [
        (F.URL_DROPPED_PARAM, url(time="8", date="x"), url(time="8"), url(date="y"), url()),
        (F.URL_RENAMED_PARAM, url(to_time="8"), url(time="8"), url(to_time="9"), url(time="9")),
        (F.URL_ALTERED_PARAM, url(time="8"), url(time="9"), url(time="7"), url(time="9")),
        (F.URL_WRONG_ENDPOINT, url(time="8"), url("lists", time="8"), url(), url("lists")),
    ],
)
def test_an_address_is_wrong_in_the_same_places(fault, right, wrong, now, again):
    found = repeated(fault, WrongOutput(right, wrong), now, ())
    assert (urlsplit(found).path, parse_qsl(urlsplit(found).query)) == (
        urlsplit(again).path,
        parse_qsl(urlsplit(again).query),
    )


def test_an_altered_call_asks_the_same_wrong_thing_whatever_the_address_was():
    first = WrongOutput(url(event_name="yoga+alarm"), url(event_name="alarm"))
    others = (url(event_name="yoga+alarm"), url(event_name="my+yoga"))
    found = repeated(F.REQUEST_ALTERED_CALL, first, url(event_name="yoga"), others)
    assert found == url(event_name="alarm")


def test_a_fault_that_finds_no_name_of_its_own_is_lost():
    first = WrongOutput(url(place_name="area", date="1"), url(place_name="paris", date="1"))
    options = (url(date="2"), url())
    assert repeated(F.REQUEST_ALTERED_CALL, first, url(date="1"), options) is None


def test_what_was_said_stays_where_it_is_right_by_now():
    first = WrongOutput(url(time="8"), url(time="9"))
    assert repeated(F.URL_ALTERED_PARAM, first, url(time="9"), ()) == url(time="9")


def test_words_that_were_left_as_they_were_are_the_new_words():
    def said(value):
        return json.dumps({"time_slots": {"time": value}})

    first, options = WrongOutput(said("07:00"), said("seven")), (said("eight"),)
    assert repeated(F.TIME_UNCONVERTED, first, said("08:00"), options) == said("eight")


def test_a_stale_word_is_stale_in_the_same_place_and_right_where_it_is_said_anyway():
    def said(place, date):
        return json.dumps({"url": url(place_name=place, date=date)})

    first = WrongOutput(said("boston", "2026-03-15"), said("boston", "sunday"))
    options = (said("boston", "2026-03-15"), said("Boston,+Massachusetts", "sunday"))
    right = said("Boston,+Massachusetts", "2026-03-15")
    assert repeated(F.URL_STALE_VALUE, first, right, options) == options[1]
    assert repeated(F.URL_STALE_VALUE, first, right, options[:1]) == right


def test_acts_and_unreadable_answers_are_made_anew():
    claim = '{"status": 200}'
    assert repeated(F.REQUEST_NO_CALL, WrongOutput(url(), claim), url(time="8"), (claim,)) == claim
    again = repeated(
        F.REQUEST_DUPLICATE_CALL, WrongOutput(url(), url()), url(time="8"), (url(time="8"),)
    )
    assert again == url(time="8")
    prose, cut = "The address is ready.", '{"url": "/ala'
    assert (
        repeated(F.URL_MALFORMED, WrongOutput(url(), prose), url(time="8"), (cut, prose)) == prose
    )


@given(SLOTS, SLOTS, SLOTS)
def test_an_intent_errs_in_the_same_slots_and_in_no_other(right, wrong, now):
    def said(slots):
        return json.dumps({"domain": "alarm", "intent": "alarm_set", "slots": slots})

    assume(right != wrong)
    first = WrongOutput(said(right), said(wrong))
    same = repeated(F.INTENT_ALTERED_SLOT, first, said(right), ())
    assert json.loads(same)["slots"] == wrong
    found = repeated(F.INTENT_ALTERED_SLOT, first, said(now), ())
    untouched = [name for name in now if name in right and right[name] == wrong.get(name)]
    if found is not None:
        slots = json.loads(found)["slots"]
        assert all(slots[name] == now[name] for name in untouched)


@pytest.mark.parametrize(
    ("done", "right", "comes"),
    [
        (("intent", "time", "url"), "request", True),
        (("intent", "time"), "url", False),
        (("intent", "time", "location"), "url", False),
        (("intent", "time", "location", "url"), "request", True),
    ],
)
def test_the_moment_of_a_manager_is_the_same_or_the_one_where_the_same_is_due(done, right, comes):
    known = WrongOutput("request", "response", ("intent", "time", "url"))
    assert known.comes(right, done) is comes
