"""What counts as a deviation of a step, given what it received."""

import json

import pytest

from ossia_dataset.builtin import load_tasks
from ossia_evaluation.attribution.judging import judge
from ossia_evaluation.attribution.oracles import Oracle
from ossia_evaluation.attribution.received import Received, Turns
from ossia_servers.catalogue import load_domains

TASK = next(task for task in load_tasks("test") if task.id == "recommendation-001")
ORACLE = Oracle(TASK, {domain.name: domain for domain in load_domains()})
ADDRESS = "/recommendation?intent=recommendation_events"


def finding(url, *turns):
    """Judge the url role after turns of others, in the last user message of each."""
    said = [{"role": "user", "content": f"The user says: {json.dumps(TASK.utterance)}"}]
    said += [{"role": "user", "name": name, "content": json.dumps(told)} for name, told in turns]
    received = Received.of("url", {"model": "ossia-url", "messages": said}, Turns())
    answer = {"role": "assistant", "content": json.dumps({"url": url})}
    return judge([received], [answer], ORACLE)


@pytest.mark.parametrize(
    "params",
    [
        "",
        "&place_name=my+area&date=this+weekend",
        "&place_name=area&date=the+weekend",
        "&place_name=here",
        "&place_name=New+York%2C+New+York&date=2026-03-14..2026-03-15",
    ],
)
def test_where_nobody_gave_normal_forms_any_words_that_mean_them_will_do(params):
    assert finding(ADDRESS + params) is None


@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ("&place_name=Boston&date=this+weekend", "place_name"),
        ("&place_name=area&date=next+weekend", "date"),
        ("&place_name=area&date=some+day", "date"),
        ("&food_type=thai", "food_type"),
    ],
)
def test_words_that_mean_something_else_are_a_deviation(params, wrong):
    found = finding(ADDRESS + params)
    assert found is not None
    assert wrong in found.fault


def test_what_was_received_in_normal_form_has_to_be_passed_on():
    slots = {"place_name": "area", "date": "this weekend"}
    intent = {"domain": "recommendation", "intent": "recommendation_events", "slots": slots}
    told = [
        ("intent", intent),
        ("time", {"time_slots": {"date": "2026-03-14..2026-03-15"}}),
        ("location", {"place_slots": {"place_name": "New York, New York"}}),
    ]
    right = "&place_name=New+York%2C+New+York&date=2026-03-14..2026-03-15"
    assert finding(ADDRESS + right, *told) is None
    assert finding(ADDRESS + "&place_name=area&date=this+weekend", *told) is not None
