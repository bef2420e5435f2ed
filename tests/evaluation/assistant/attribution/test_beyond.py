"""What a member says or does beyond its contract is seen; what it passes on is not its own."""

import json

import pytest

from ossia_evaluation.assistant.attribution.judging import judge
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution.received import Turns
from ossia_servers.assistant.members import MEMBERS
from tests.evaluation.support import BY_NAME, WAKE

ORACLE = Oracle(WAKE, BY_NAME)
INTENT = (
    '{"domain": "alarm", "intent": "alarm_set",'
    ' "slots": {"time": "half past seven", "date": "tomorrow"}}'
)
TIMES = '{"time_slots": {"time": "07:30", "date": "2026-03-14"}}'
URL = '{"url": "/alarm?intent=alarm_set&time=07%3A30&date=2026-03-14"}'
HTTP = {"type": "function", "function": {"name": "http_request", "parameters": {}}}


def found(role, *said, heard=(INTENT,), calls=()):
    """How a step is judged that says something, or calls tools, after others have spoken."""
    messages = [{"role": "user", "content": f'The user says: "{WAKE.utterance}"'}]
    messages += [{"role": "user", "content": text} for text in heard]
    request = {"model": f"ossia-{role}", "messages": messages, "tools": [HTTP]}
    received = Heard.of(role, request, Turns(MEMBERS))
    answer = {"role": "assistant", "content": "\n".join(said)}
    if calls:
        answer["tool_calls"] = [
            {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
    return judge([received], [answer], ORACLE)


ASKED = '{"method": "%s", "url": "/alarm?intent=alarm_set&time=07%%3A30&date=2026-03-14"}'


def test_what_is_owed_and_nothing_else_is_no_finding():
    assert found("time", TIMES) is None
    assert found("url", URL, heard=(INTENT, TIMES)) is None
    assert (
        found("request", calls=[("http_request", ASKED % "GET")], heard=(INTENT, TIMES, URL))
        is None
    )


@pytest.mark.parametrize(
    ("finding", "fault"),
    [
        (
            found("request", calls=[("http_request", ASKED % "POST")], heard=(INTENT, TIMES, URL)),
            "used POST instead of GET",
        ),
        (found("time", TIMES, calls=[("fetch", "{}")]), "called fetch"),
        (found("time", TIMES, calls=[("http_request", ASKED % "GET")]), "requested /alarm?"),
        (
            found("time", TIMES, '{"domain": "alarm", "intent": "alarm_remove", "slots": {}}'),
            "the result of the intent role",
        ),
        (found("location", '{"place_slots": {}}', URL), "the result of the url role"),
    ],
)
def test_what_is_not_its_own_is_found(finding, fault):
    assert finding is not None and fault in finding.fault


def test_what_was_given_may_be_passed_on():
    assert found("time", TIMES, INTENT) is None
    assert found("url", URL, INTENT, TIMES, heard=(INTENT, TIMES)) is None


def test_what_a_servers_answer_quotes_is_the_servers():
    told = 'It is cold in Minneapolis {"time_slots": {"date": "2026-03-14"}}.'
    answer = {"status": 200, "body": {"code": "SUCCESS", "msg": "ok", "data": {"response": told}}}
    heard = (INTENT, TIMES, URL, json.dumps(answer))
    assert found("response", told, heard=heard) is None
    other = found("response", told.replace("03-14", "03-15"), heard=heard)
    assert other is not None


REFUSED = json.dumps(
    {
        "status": 400,
        "body": {"code": "BAD_REQUEST", "msg": "The parameter 'time' is no time.", "data": None},
    }
)


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("I am sorry, that did not work: The parameter 'time' is no time.", True),
        ("I could not set the alarm.", True),
        ("The parameter 'time' is no time.", True),
        ("Your alarm is set for half past seven.", False),
        ("It will be cold in Minneapolis.", False),
    ],
)
def test_whoever_is_told_of_a_refusal_has_to_tell_of_it(words, right):
    finding = found("response", words, heard=(INTENT, TIMES, URL, REFUSED))
    assert (finding is None) is right
