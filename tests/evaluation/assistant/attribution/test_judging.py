"""What counts as a deviation of a step, given what it received."""

import json

import pytest

from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_evaluation.assistant.attribution.judging import judge
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution.received import Turns
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.members import MEMBERS

TASK = next(task for task in assistant_tasks("test") if task.id == "recommendation-001")
ORACLE = Oracle(TASK, {domain.name: domain for domain in load_domains()})
ADDRESS = "/recommendation?intent=recommendation_events"


def finding(url, *turns):
    """Judge the url role after turns of others, in the last user message of each."""
    said = [{"role": "user", "content": f"The user says: {json.dumps(TASK.utterance)}"}]
    said += [{"role": "user", "name": name, "content": json.dumps(told)} for name, told in turns]
    received = Heard.of("url", {"model": "ossia-url", "messages": said}, Turns(MEMBERS))
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


NORMAL = [
    (
        "intent",
        {
            "domain": "recommendation",
            "intent": "recommendation_events",
            "slots": {"place_name": "area", "date": "this weekend"},
        },
    ),
    ("location", {"place_slots": {"place_name": "New York, New York"}}),
]
PLACE, DAYS = "&place_name=New+York%2C+New+York", "&date=2026-03-14..2026-03-15"


def test_a_path_with_a_slash_too_many_is_a_deviation_that_another_input_keeps():
    told = [*NORMAL, ("time", {"time_slots": {"date": "2026-03-14..2026-03-15"}})]
    found = finding("/recommendation//?intent=recommendation_events" + PLACE + DAYS, *told)
    assert found is not None
    assert "ended the path in '//'" in found.fault
    assert found.edit.apply("/weather?intent=weather_query", {}) == (
        "/weather//?intent=weather_query"
    )


def test_a_value_that_was_given_as_no_text_may_be_passed_on_in_any_way():
    told = [*NORMAL, ("time", {"time_slots": {"date": {"value": "2026-03-14..2026-03-15"}}})]
    passed = "&date=%7B%27value%27%3A+%272026-03-14..2026-03-15%27%7D"
    assert finding(ADDRESS + PLACE + passed, *told) is None
    assert finding(ADDRESS + PLACE, *told) is None
    assert finding(ADDRESS + "&place_name=Boston" + passed, *told) is not None


def intent_finding(sentence, slots):
    message = {"role": "user", "content": f"The user says: {json.dumps(sentence)}"}
    received = Heard.of("intent", {"model": "ossia-intent", "messages": [message]}, Turns(MEMBERS))
    said = {"domain": "recommendation", "intent": "recommendation_events", "slots": slots}
    answer = {"role": "assistant", "content": json.dumps(said)}
    return judge([received], [answer], ORACLE)


def test_the_intent_role_owes_no_slot_whose_words_it_was_not_told():
    cut = TASK.utterance.replace("this weekend", "").strip()
    assert cut != TASK.utterance
    place = {"place_name": TASK.gold.slots["place_name"]}
    assert intent_finding(cut, place) is None
    assert intent_finding(TASK.utterance, place) is not None
    assert intent_finding(cut, {**place, "date": "tomorrow"}) is not None


def manager_choice(choice, *turns):
    said = [{"role": "user", "content": f"The user says: {json.dumps(TASK.utterance)}"}]
    said += [{"role": "user", "name": name, "content": json.dumps(told)} for name, told in turns]
    counted = Turns(MEMBERS)
    for name, _ in turns:
        Heard.of(name, {"model": f"ossia-{name}", "messages": said[:1]}, counted)
    received = Heard.of("manager", {"model": "ossia-manager", "messages": said}, counted)
    return judge([received], [{"role": "assistant", "content": choice}], ORACLE)


def test_the_manager_may_pass_over_a_role_whose_result_another_has_told():
    time = ("time", {"time_slots": {"date": "2026-03-14..2026-03-15"}})
    url = ("url", {"url": ADDRESS + PLACE + DAYS})
    assert manager_choice("response", *NORMAL, time, url) is not None
    answer = {"status": 200, "body": {"code": "SUCCESS", "msg": "ok", "data": {"response": "A"}}}
    told = [NORMAL[0], ("location", answer), time, url]
    assert manager_choice("response", *told) is None
    assert manager_choice("request", *told) is None


def last_words(said, told, tool="response"):
    """Judge a manager's last words, whose tool has told it response's."""
    data = {"response": "I found the Farmers Market.", "result": [{"name": "Farmers Market"}]}
    server = {"code": "SUCCESS", "msg": "ok", "data": data}
    tools = [{"type": "function", "function": {"name": name}} for name in ("request", tool)]
    messages = [{"role": "user", "content": f"The user says: {json.dumps(TASK.utterance)}"}]
    for name, text in (("request", json.dumps({"status": 200, "body": server})), (tool, told)):
        call = {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": name, "content": text}]
    counted = Turns(MEMBERS)
    for role in ("intent", "time", "location", "url", "request", "response"):
        Heard.of(role, {"model": f"ossia-{role}", "messages": messages[:1]}, counted)
    request = {"model": "ossia-manager", "messages": messages, "tools": tools}
    received = Heard.of("manager", request, counted)
    return judge([received], [{"role": "assistant", "content": said}], ORACLE)


def test_a_manager_that_tells_the_user_itself_owes_what_response_had_told_it():
    right, wrong = "I found the Farmers Market.", "I could not find anything."
    assert last_words(right, right) is None
    assert last_words("There is the Farmers Market.", right) is None
    found = last_words(wrong, right)
    assert found is not None and found.remedy == "with what response said"
    assert last_words(wrong, wrong) is None, "it is response that erred"
    assert last_words(wrong, right, "transfer_to_response") is None, "nobody is told its words"


def test_a_parameter_that_is_said_twice_is_a_deviation_that_another_input_keeps():
    told = [*NORMAL, ("time", {"time_slots": {"date": "2026-03-14..2026-03-15"}})]
    found = finding(ADDRESS + PLACE + DAYS + "&place_name=", *told)
    assert found is not None
    assert "repeated place_name as ''" in found.fault
    assert found.edit.apply("/weather?intent=weather_query", {}) == (
        "/weather?intent=weather_query&place_name="
    )


ALARM = next(task for task in assistant_tasks("test") if task.id == "alarm-003")
ALARM_ORACLE = Oracle(ALARM, {domain.name: domain for domain in load_domains()})


def of_intent(**changed):
    """Judge the intent role that says the gold frame of an alarm, but for what is changed."""
    gold = ALARM.gold
    frame = {"domain": gold.domain, "intent": gold.intent, "slots": dict(gold.slots), **changed}
    said = [{"role": "user", "content": f"The user says: {json.dumps(ALARM.utterance)}"}]
    received = Heard.of("intent", {"model": "ossia-intent", "messages": said}, Turns(MEMBERS))
    answer = {"role": "assistant", "content": json.dumps(frame)}
    return judge([received], [answer], ALARM_ORACLE)


def test_a_fault_of_the_intent_role_says_what_was_predicted_and_expected():
    assert of_intent() is None
    for changed, fault in (
        (
            {"domain": "calendar", "intent": "calendar_set"},
            "predicted calendar_set, expected alarm_set",
        ),
        ({"domain": "calendar"}, "predicted calendar alarm_set, expected alarm alarm_set"),
        ({"intent": ""}, "predicted no intent, expected alarm_set"),
        (
            {"slots": {**ALARM.gold.slots, "event_name": "vet", "query": "everything"}},
            "invented query='everything'",
        ),
        (
            {"slots": {**ALARM.gold.slots, "time": "five pm"}},
            f"gave time='five pm', expected '{ALARM.gold.slots['time']}'",
        ),
        (
            {"slots": {k: v for k, v in ALARM.gold.slots.items() if k != "time"}},
            f"left out time='{ALARM.gold.slots['time']}'",
        ),
    ):
        found = of_intent(**changed)
        assert found is not None, changed
        assert fault in found.fault
