"""What is put into a framework's envelope can be read out of it again, in every form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.wire.answers import read_calls
from ossia_servers.wire.calls import Call
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present, tool_answers, tools_offered
from ossia_servers.wire.routing import GARBAGE, hands_over, present_choice, read_choice

TASK = 'The user says: "wake me up at seven"'
MEMBERS = ("intent", "time", "location", "url", "request", "response")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=60)


def request(role, *, system="You are one of a team.", said=TASK, **more):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": said}]
    return {"model": f"ossia-{role}", "messages": messages, **more}


def tool(name, **fields):
    properties = {field: {"type": "string"} for field in fields or {"url": ""}}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def by_tools():
    offered = [tool(f"transfer_to_{role}", task="") for role in MEMBERS]
    return read_conversation(request("manager", tools=offered), MEMBERS)


def by_delegation():
    return read_conversation(
        request("manager", tools=[tool("delegate", member_id="", task="")]), MEMBERS
    )


def by_enumeration():
    delegate = tool("assign", who="", task="")
    names = [f"{role}_agent" for role in MEMBERS]
    delegate["function"]["parameters"]["properties"]["who"]["enum"] = names
    return read_conversation(request("manager", tools=[delegate]), MEMBERS)


def by_schema():
    field = {"type": "string", "enum": [*MEMBERS, "FINISH"]}
    schema = {"type": "object", "properties": {"next": field}, "required": ["next"]}
    form = {"type": "json_schema", "json_schema": {"name": "route", "schema": schema}}
    return read_conversation(request("manager", response_format=form), MEMBERS)


def by_list():
    names = ", ".join(MEMBERS)
    said = f"{TASK}\nRead the above, then select the next role from [{names}]. Only the role."
    return read_conversation(request("manager", said=said), MEMBERS)


def by_words():
    return read_conversation(request("manager"), MEMBERS)


@pytest.mark.parametrize(
    "form", [by_tools, by_delegation, by_enumeration, by_schema, by_list, by_words]
)
@pytest.mark.parametrize("role", MEMBERS)
def test_a_choice_is_read_as_it_was_made(form, role):
    assert read_choice(present_choice(form(), role), team=MEMBERS) == role


@pytest.mark.parametrize("form", [by_schema, by_words])
def test_the_end_is_read_as_it_was_said(form):
    assert read_choice(present_choice(form(), "finish"), team=MEMBERS) == "finish"


@pytest.mark.parametrize("form", [by_tools, by_delegation])
def test_where_tools_choose_the_end_is_words_without_a_call(form):
    message = present_choice(form(), "finish")
    assert not message.get("tool_calls")
    assert message["content"]


def test_where_no_end_is_offered_the_first_name_is_taken():
    assert read_choice(present_choice(by_list(), "finish"), team=MEMBERS) == MEMBERS[0]


@given(WORDS)
def test_a_members_words_are_said_as_they_are(words):
    assert present(by_words(), words) == {"role": "assistant", "content": words}


@given(st.dictionaries(st.sampled_from(["method", "url"]), WORDS))
def test_native_calls_keep_name_and_arguments(arguments):
    conversation = read_conversation(
        request("request", tools=[tool("http_request", url="")]), MEMBERS
    )
    message = present(conversation, (Call("http_request", arguments),))
    assert read_calls(message) == (("http_request", arguments),)
    assert message["content"] is None
    assert message == present(conversation, (Call("http_request", arguments),))


def test_calls_of_one_message_have_ids_of_their_own():
    conversation = read_conversation(
        request("request", tools=[tool("http_request", url="")]), MEMBERS
    )
    call = Call("http_request", {"url": "/alarm"})
    ids = [item["id"] for item in present(conversation, (call, call))["tool_calls"]]
    assert len(set(ids)) == 2


@given(st.text(max_size=60))
def test_any_content_can_be_read(content):
    message = {"role": "assistant", "content": content}
    assert read_choice(message, team=MEMBERS) in {*MEMBERS, "manager", "finish", GARBAGE}
    assert isinstance(read_calls(message), tuple)


@given(st.text(max_size=40))
def test_arguments_that_are_no_json_are_empty(text):
    message = {"tool_calls": [{"function": {"name": "http_request", "arguments": text}}]}
    ((name, arguments),) = read_calls(message)
    assert name == "http_request"
    try:
        wanted = json.loads(text)
    except ValueError:
        wanted = {}
    assert arguments == (wanted if isinstance(wanted, dict) else {})


def test_a_line_of_a_text_protocol_is_a_call_and_its_end_is_none():
    line = 'Action: http_request[{"method": "GET", "url": "/alarm"}]'
    assert read_calls({"content": line}) == (("http_request", {"method": "GET", "url": "/alarm"}),)
    assert read_calls({"content": 'Finish[{"response": "done"}]'}) == ()


@pytest.mark.parametrize("content", ["", None, "intent or time", "nobody", "{", "{}", "[1]"])
def test_what_names_no_single_role_is_garbage(content):
    assert read_choice({"content": content}, team=MEMBERS) == GARBAGE


def test_what_tools_answered_and_offer_is_read_from_the_request():
    body = request("request", tools=[tool("http_request", url="")])
    body["messages"].append({"role": "tool", "tool_call_id": "a", "content": '{"status": 200}'})
    conversation = read_conversation(body, MEMBERS)
    assert tool_answers(conversation) == ('{"status": 200}',)
    assert tools_offered(conversation) == {"http_request"}


def test_a_manager_that_calls_tools_hands_over_and_one_that_names_does_not():
    assert hands_over(by_tools())
    assert not hands_over(by_list())
