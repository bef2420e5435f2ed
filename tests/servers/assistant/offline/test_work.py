"""What each role answers when nothing but its own turn is in question."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest

from .scenes import ANSWER, INTENT, PLACE, STEPS, TIME, TODAY, URL, request, returned, tool

DATE_TOOL = [tool("get_date")]
HTTP_TOOL = [tool("http_request", "method", "url")]
HOME = "Turn places into exact ones. The user's home is Portland, Oregon."


def answer(model, body):
    return json.loads(model.complete(body)["content"])


def test_the_intent_role_keeps_to_the_catalogue(model):
    catalogue = "Catalogue:\nalarm: alarm_set, alarm_query | date, time\nchat: chat_talk | (none)"
    body = request("intent", system=catalogue, utterance="wake me up at half past six tomorrow")
    frame = answer(model, body)
    assert frame["intent"] == "alarm_set"
    assert frame["slots"] == {"time": "half past six", "date": "tomorrow"}
    body = request("intent", system=catalogue, utterance="play some jazz")
    assert answer(model, body)["intent"] in ("alarm_set", "alarm_query")


def test_the_time_role_asks_for_the_date_once_and_then_uses_it(model):
    body = request("time", STEPS[0], tools=DATE_TOOL)
    call = model.complete(body)["tool_calls"][0]
    assert call["function"] == {"name": "get_date", "arguments": "{}"}
    again = returned(body, call, json.dumps(TODAY))
    assert answer(model, again) == TIME


def test_the_time_role_goes_on_without_a_date(model):
    body = request("time", STEPS[0], tools=DATE_TOOL)
    again = returned(body, {"id": "x"}, "the date is not known")
    assert answer(model, again) == {"time_slots": {}}
    assert answer(model, request("time", STEPS[0])) == {"time_slots": {}}


def test_a_tool_that_may_not_be_chosen_is_not_called(model):
    body = request("time", STEPS[0], tools=DATE_TOOL, tool_choice="none")
    assert answer(model, body) == {"time_slots": {}}


def test_the_location_role_completes_places_and_knows_home(model):
    assert answer(model, request("location", STEPS[0], system=HOME)) == PLACE
    near = {**INTENT, "slots": {"place_name": "near me", "to_place_name": "boston"}}
    assert answer(model, request("location", ("intent", near), system=HOME)) == {
        "place_slots": {
            "place_name": "Portland, Oregon",
            "to_place_name": "Boston, Massachusetts",
        }
    }


def test_the_url_role_puts_normal_forms_in_place_of_words(model):
    assert answer(model, request("url", *STEPS[:3])) == URL


def test_the_url_role_leaves_out_times_without_normal_form_and_adds_what_is_new(model):
    frame = {"intent": "play_music", "slots": {"descriptor": "eighties", "date": "the eighties"}}
    turns = [("intent", frame), ("time", {"time_slots": {"time": "18:00..23:59"}})]
    url = urlsplit(answer(model, request("url", *turns))["url"])
    assert url.path == "/music"
    assert parse_qsl(url.query) == [
        ("intent", "play_music"),
        ("descriptor", "eighties"),
        ("time", "18:00..23:59"),
    ]


def test_without_the_time_role_the_words_stay(model):
    url = answer(model, request("url", STEPS[0]))["url"]
    assert dict(parse_qsl(urlsplit(url).query))["date"] == "friday"


def test_the_request_role_calls_once_and_repeats_the_answer_as_it_is(model):
    body = request("request", *STEPS[:4], tools=HTTP_TOOL)
    call = model.complete(body)["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"method": "GET", **URL}
    text = '{"status":200,  "body":{"code":"SUCCESS"}}'
    assert model.complete(returned(body, call, text))["content"] == text
    assert model.complete(returned(body, call, "refused"))["content"] == "refused"


def test_the_request_role_invents_nothing(model):
    message = model.complete(request("request", STEPS[0], tools=HTTP_TOOL))
    assert "tool_calls" not in message
    assert "no address" in message["content"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (ANSWER["body"], "Done."),
        ({"code": "CLARIFICATION", "msg": "m", "data": {"response": "What time?"}}, "What time?"),
        ({"code": "NOT_FOUND", "msg": "There is no such alarm.", "data": None}, "no such alarm"),
        ("Bad Gateway", "Bad Gateway"),
        ({"data": {"response": ""}}, "I am sorry"),
        (None, "I am sorry"),
    ],
)
def test_the_response_role_tells_what_the_server_said(model, body, said):
    turns = [*STEPS[:4], ("request", {"status": 200, "body": body})]
    text = model.complete(request("response", *turns))["content"]
    assert said in text
    assert "{" not in text


@pytest.mark.parametrize("intent", ["general_joke", "general_greet", "general_quirky"])
def test_chit_chat_is_answered(model, intent):
    frame = {"domain": "general", "intent": intent, "slots": {}}
    text = model.complete(request("response", ("intent", frame), utterance="hm"))["content"]
    assert text and "sorry" not in text


def test_call_ids_follow_from_the_request(model):
    one = request("time", STEPS[0], tools=DATE_TOOL)
    other = request("time", STEPS[0], tools=DATE_TOOL, utterance="another sentence")
    first, again, different = (
        model.complete(body)["tool_calls"][0]["id"] for body in (one, one, other)
    )
    assert first == again != different


def test_an_example_in_a_prompt_is_not_taken_for_a_result(model):
    system = 'Answer like {"url": "/alarm?intent=alarm_set"} for The user says: "wake me".'
    body = request("request", system=system, tools=HTTP_TOOL)
    assert "no address" in model.complete(body)["content"]
    prompt = f"{system}\n{body['messages'][1]['content']}"
    body = {"model": "ossia-request", "messages": [{"role": "user", "content": prompt}]}
    assert "no address" in model.complete(body)["content"]
