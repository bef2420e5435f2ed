"""In which form a manager's choice is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.routing import FINISH, Form, present_choice, read_choice, read_form


def asked(text, **more):
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}], **more}
    return read_form(read_conversation(body, MEMBERS))


@pytest.mark.parametrize(
    ("text", "form", "names"),
    [
        ("Select the next role from ['intent', 'url'] to play.", Form.LIST, ["intent", "url"]),
        (
            "select the next agent from [url] ... select the next agent from [time, intent]",
            Form.LIST,
            ["time", "intent"],
        ),
        ("Which role works next?", Form.WORD, []),
        ("select the next role from []", Form.WORD, []),
        ("Who? One of intent, url, or finish.", Form.WORD, ["intent", "url"]),
        ("Answer with a line NEXT: <role>, one of intent, time.", Form.LINE, ["intent", "time"]),
    ],
)
def test_the_names_of_the_last_question_are_offered(text, form, names):
    routing = asked(text)
    assert (routing.form, list(routing.names)) == (form, names)


def test_a_word_for_the_end_is_the_prompts_own():
    assert asked("One of intent, url, or FINISH when done.").end == "FINISH"
    assert asked("Reply with NEXT: <role>; say END at the end.").end == "END"
    said = (
        "matchStatus is one of: [ongoing, or finished]. Which role? One of intent, url, or finish."
    )
    assert asked(said).end == "finish"


TEAM = ("intent", "project_management", "customer_relationship_manager", "time")
SPELLED = {
    "own": str,
    "camel": lambda role: "".join(part.title() for part in role.split("_")) + "Agent",
    "asked": "ask_{}".format,
    "transferred": "transfer_to_{}".format,
}


def function(name, **properties):
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def as_tools(names, field):
    return {"tools": [function(name, **{field: {"type": "string"}}) for name in names]}


def as_output(names, field):
    named = {"type": "object", "properties": {field: {"$ref": "#/$defs/Who"}}}
    output = function("final_result")
    output["function"]["parameters"] = named | {"$defs": {"Who": {"enum": [*names, "FINISH"]}}}
    return {"tools": [output], "tool_choice": "required"}


def as_schema(names, field):
    who = {"anyOf": [{"const": name} for name in (*names, "end")]}
    schema = {"type": "object", "properties": {field: who, "why": {"type": "string"}}}
    return {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}


def as_delegate(names, field):
    return {"tools": [function("assign", who={"enum": list(names)}, **{field: {"type": "string"}})]}


def as_words(text):
    return lambda names, field: {"said": text.format(", ".join(names))}


FORMS = {
    "tools": as_tools,
    "output": as_output,
    "schema": as_schema,
    "delegate": as_delegate,
    "word": as_words("Who is next? One of {}, or finish."),
    "line": as_words("Answer with NEXT: <name>, one of {}, or finish."),
    "react": as_words(
        "Action: the action to take, should be one of [{}]\nAction Input: the input to the action\n"
        "Final Answer: the final answer"
    ),
}
"""How a request asks for one of some names, in a field of any name where there is one."""


@given(
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(sorted(SPELLED)),
    st.sampled_from([*TEAM, FINISH]),
    st.from_regex(r"[a-z]{3,12}(_[a-z]{3,8})?", fullmatch=True),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=30),
)
def test_a_choice_in_any_form_is_read_as_it_was_made(form, spelling, choice, field, answer):
    asking = FORMS[form](tuple(map(SPELLED[spelling], TEAM)), field)
    said = asking.pop("said", "Go on.")
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": said}], **asking}
    conversation = read_conversation(body, TEAM)
    assert set(read_form(conversation).names) == set(TEAM)
    message = present_choice(conversation, choice, task="Do your part.", answer=f"Done. {answer}")
    assert read_choice(message, conversation) == choice
