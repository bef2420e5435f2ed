"""The model works in rounds where its instructions say so, in every framework's form."""

import json
from dataclasses import replace

import pytest

from ossia_servers.assistant.catalogue import catalogue_text, load_domains
from ossia_servers.assistant.members import MEMBERS
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.compound.rounds import applies, focus
from ossia_servers.wire.conversation import read_conversation
from ossia_workflows import load_team

from .scenes import ORDER, request, returned, says, tool

VALUES = {"catalogue": catalogue_text(load_domains()), "home": "New York, New York"}
TEAM = load_team("assistant-compound", VALUES)
SENTENCE = "if it rains tomorrow, text sam that we stay in and then tell me a joke"


def weather(response):
    data = {"response": response, "query": {}, "result": [{"rain_chance": 50}]}
    return {"status": 200, "body": {"code": "SUCCESS", "msg": "ok", "data": data}}


RAIN = {
    "domain": "weather",
    "intent": "weather_query",
    "slots": {"weather_descriptor": "rain", "date": "tomorrow"},
}
TIME = {"time_slots": {"date": "2026-03-14"}}
URL = {"url": "/weather?intent=weather_query&weather_descriptor=rain&date=2026-03-14"}
FIRST = [("intent", RAIN), ("time", TIME), ("url", URL)]
YES, NO = weather("Yes, rain is likely."), weather("No, rain is unlikely.")
TEXT = {"domain": "phone", "intent": "phone_text", "slots": {"to_person": "sam"}}
NOTHING = {"domain": "none", "intent": "none", "slots": {}}
SENT = {"status": 200, "body": {"code": "SUCCESS", "data": {"response": "Sent.", "result": []}}}


def ask(role, *turns, utterance="if it rains tomorrow, text sam that we stay in", **options):
    return request(role, *turns, utterance=utterance, system=TEAM.role(role).prompt, **options)


def said(model: OfflineModel, body):
    return json.loads(model.complete(body)["content"])


def test_the_intent_role_names_one_wish_a_round(model):
    assert said(model, ask("intent")) == RAIN
    second = said(model, ask("intent", *FIRST, ("request", YES)))
    assert second["intent"] == "phone_text"
    assert second["slots"]["text"] == "we stay in"
    url = {"url": "/phone?intent=phone_text"}
    turns = [*FIRST, ("request", YES), ("intent", TEXT), ("url", url), ("request", SENT)]
    assert said(model, ask("intent", *turns)) == NOTHING


def test_what_hangs_on_a_condition_that_does_not_hold_is_left_out(model):
    assert said(model, ask("intent", *FIRST, ("request", NO))) == NOTHING


def test_chit_chat_comes_last(model):
    turns = [*FIRST, ("request", NO)]
    found = said(model, ask("intent", *turns, utterance=f"tell me a joke. {SENTENCE}"))
    assert found["domain"] in ("general", "none")
    last = said(model, ask("intent", utterance="play some jazz and tell me a joke"))
    assert last["domain"] == "music"


def test_only_the_last_round_counts(model):
    turns = [*FIRST, ("request", YES), ("intent", TEXT)]
    assert said(model, ask("url", *turns)) == {"url": "/phone?intent=phone_text&to_person=sam"}
    assert said(model, ask("url", *FIRST, ("request", NO), ("intent", NOTHING))) == {"url": ""}
    turns = [*FIRST, ("request", NO), ("intent", NOTHING), ("url", {"url": ""})]
    body = ask("request", *turns, tools=[tool("http_request", "method", "url")])
    assert said(model, body) == {"status": 204, "body": {}}


def test_an_answer_of_an_earlier_turn_is_not_told_again(model):
    offered = {"tools": [tool("http_request", "method", "url")]}
    first = ask("request", *FIRST, **offered)
    call = model.complete(first)["tool_calls"][0]
    seen = returned(first, call, json.dumps(YES))
    later = [
        {"role": "user", "name": "intent", "content": json.dumps(TEXT)},
        {"role": "user", "name": "url", "content": '{"url": "/phone?intent=phone_text"}'},
    ]
    body = {**seen, "messages": [*seen["messages"], *later]}
    again = model.complete(body)["tool_calls"][0]
    assert json.loads(again["function"]["arguments"])["url"] == "/phone?intent=phone_text"


def test_the_answer_tells_of_all_rounds(model):
    turns = [*FIRST, ("request", YES), ("intent", TEXT), ("request", SENT), ("intent", NOTHING)]
    assert model.complete(ask("response", *turns))["content"] == "Yes, rain is likely. Sent."


WALK = [
    *FIRST,
    ("request", YES),
    ("intent", TEXT),
    ("url", {"url": "/phone?intent=phone_text"}),
    ("request", SENT),
    ("intent", NOTHING),
    ("response", "Sent."),
]


def history(turns):
    told = [("user", says("text")), *turns]
    return "\n".join(f"{n}: {t if isinstance(t, str) else json.dumps(t)}" for n, t in told)


def plain(turns):
    text = f"{history(turns)}\n\nAnswer with one word only: one of them, or finish."
    messages = [
        {"role": "system", "content": TEAM.role("manager").prompt},
        {"role": "user", "content": text},
    ]
    return {"model": "ossia-manager", "messages": messages}


def selector(turns):
    offered = [name for name in ORDER if not turns or turns[-1][0] != name]
    text = (
        f"{TEAM.role('manager').prompt}\n\n{history(turns)}\n\n"
        f"select the next role from {offered} to play. Only return the role."
    )
    return {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize("form", [plain, selector])
def test_the_manager_leads_through_the_rounds(model, form):
    for number, (role, _) in enumerate(WALK):
        assert model.complete(form(WALK[:number]))["content"] == role
    assert model.complete(plain(WALK))["content"] == "finish"


def action_line(turns):
    done = "".join(
        f'Action:{name}[{{"Task": {json.dumps(handed)}}}]\nObservation: {json.dumps(words)}\n'
        for name, words, handed in turns
    )
    prompt = (
        f"[Role]\n{TEAM.role('manager').prompt}\n[End of Role]\n"
        + "".join(f'Action:{name}[{{"Task": "..."}}]\n' for name in ORDER)
        + f'Action:Finish[{{"response": "..."}}]\n[Execution]\nTask:{says("text")}\n{done}\nAction:'
    )
    return {"model": "ossia-manager", "messages": [{"role": "user", "content": prompt}]}


def test_what_is_handed_over_tells_every_round_once(model):
    turns = []
    for role, words in WALK[:-1]:
        line = model.complete(action_line(turns))["content"]
        assert line.startswith(f"{role}[")
        handed = json.loads(line.removeprefix(f"{role}[").removesuffix("]"))["Task"]
        assert handed.count('"status"') == sum(name == "request" for name, *_ in turns)
        turns.append((role, words, handed))


def test_a_plan_has_a_round_for_each_wish_and_a_last_intent(model):
    workers = "\n".join(f"<{name}>:<the {name} agent>:<>" for name in ORDER)
    text = f"Split it:\n{says(SENTENCE)}\n{workers}\n<tasks>\n<task>one</task>\n</tasks>"
    messages = [
        {"role": "system", "content": TEAM.role("manager").prompt},
        {"role": "user", "content": text},
    ]
    plan = model.complete({"model": "ossia-manager", "messages": messages})["content"]
    roles = [line.split()[2] for line in plan.splitlines() if line.startswith("<task>")]
    assert roles[:4] == ["intent", "time", "url", "request"]
    assert roles[-2:] == ["intent", "response"]
    assert roles.count("intent") == 3


def test_without_such_instructions_there_are_no_rounds():
    single = load_team("assistant", VALUES)
    for role in ORDER:
        body = request(role, *FIRST, utterance=SENTENCE, system=single.role(role).prompt)
        assert not applies(read_conversation(body, MEMBERS))
    said_by_user = request("intent", utterance="the sentence may hold several wishes")
    assert not applies(read_conversation(said_by_user, MEMBERS))


def test_the_date_is_known_in_later_rounds():
    today = {"date": "2026-03-13", "weekday": "Friday", "time": "10:00"}
    turns = [("intent", RAIN), ("time", json.dumps(today)), ("request", YES), ("intent", TEXT)]
    assert focus(read_conversation(ask("time", *turns), MEMBERS)).results.today == today


def test_a_member_that_remembers_is_told_every_round_again():
    """What a manager hands over repeats the rounds; they were counted twice, and wishes lost."""
    conversation = read_conversation(ask("intent"), MEMBERS)
    first = [RAIN, TIME, URL, YES]
    again = " ".join(json.dumps(each) for each in (*first, TEXT, SENT))
    said = [json.dumps(RAIN), " ".join(map(json.dumps, first)), json.dumps(TEXT), again]
    rounds = focus(replace(conversation, texts=tuple(said))).rounds
    assert [each.intent for each in rounds] == [RAIN, TEXT]
    assert [each.answer for each in rounds] == [YES, SENT]
