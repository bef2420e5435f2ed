"""The model on requests built for one convention each."""

import json

import pytest

from .scenes import ANSWER, INTENT, ORDER, STEPS, UTTERANCE, request, returned, says, tool

ROUTER = {
    "type": "object",
    "properties": {"next": {"type": "string", "enum": [*ORDER, "FINISH"]}},
    "required": ["next"],
}
DESCRIBED = "\n".join(f"{role}: the agent for {role}." for role in ORDER)


def schema(router):
    return {"type": "json_schema", "json_schema": {"name": "Router", "schema": router}}


def selector(spoken, offered):
    history = "\n".join(
        f"{name}: {said if isinstance(said, str) else json.dumps(said)}"
        for name, said in [("user", says(UTTERANCE)), *spoken]
    )
    names = str(offered)
    text = (
        f"The following roles are available:\n{DESCRIBED}.\nRead the following conversation. Then "
        f"select the next role from {names} to play. Only return the role.\n\n{history}\n\nRead "
        f"the above conversation. Then select the next role from {names} to play. Only return the "
        "role."
    )
    return {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}


def plain(spoken, offered=ORDER):
    history = "\n".join(
        f"{name}: {said if isinstance(said, str) else json.dumps(said)}"
        for name, said in [("user", says(UTTERANCE)), *spoken]
    )
    text = (
        f"The conversation so far:\n\n{history}\n\nWhich role works next? Answer with one word "
        f"only: one of {', '.join(offered)}, or finish when the work is done."
    )
    system = "You manage a team. After `response` the work is finished.\n\nThe roles:\n" + DESCRIBED
    return {
        "model": "ossia-manager",
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
    }


def walk(choose):
    """Let the manager lead through the steps; return what it chose at each."""
    spoken, chosen = [], []
    for step in [*STEPS, ("response", "Done.")]:
        chosen.append(choose(spoken))
        spoken.append(step)
    return [*chosen, choose(spoken)]


def test_a_schema_router_leads_through_the_team(model):
    form = schema(ROUTER)

    def choose(spoken):
        body = request("manager", *spoken, response_format=form)
        return json.loads(model.complete(body)["content"])["next"]

    assert walk(choose) == [*ORDER, "FINISH"]


def test_a_plain_manager_leads_through_the_team(model):
    assert walk(lambda spoken: model.complete(plain(spoken))["content"]) == [*ORDER, "finish"]


def test_a_selector_leads_through_the_team_without_the_last_speaker(model):
    def choose(spoken):
        last = spoken[-1][0] if spoken else None
        offered = [role for role in ORDER if role != last]
        return model.complete(selector(spoken, offered))["content"]

    assert walk(choose)[:-1] == ORDER
    assert walk(choose)[-1] in ORDER


def test_tools_named_after_roles_are_called(model):
    tools = [tool(f"transfer_to_{role}", "task") for role in ORDER]
    call = model.complete(request("manager", STEPS[0], tools=tools))["tool_calls"][0]["function"]
    assert call["name"] == "transfer_to_time"
    task = json.loads(call["arguments"])["task"]
    assert task.startswith(says(UTTERANCE))
    assert json.dumps(INTENT) in task


def test_tools_are_left_alone_when_the_work_is_done(model):
    tools = [tool(f"transfer_to_{role}", "task") for role in ORDER]
    body = request("manager", *STEPS, ("response", "All done."), tools=tools)
    assert model.complete(body) == {"role": "assistant", "content": "All done."}


def test_roles_that_are_tools_are_called_one_after_another(model):
    said = {role: json.dumps(result) for role, result in STEPS} | {"response": "All done."}
    tools = [tool(f"ask_{role}", "task") for role in ORDER]
    body, called = request("manager", tools=tools), []
    for _ in range(10):
        message = model.complete(body)
        if "tool_calls" not in message:
            break
        call = message["tool_calls"][0]
        called.append(call["function"]["name"].removeprefix("ask_"))
        body = returned(body, call, said[called[-1]])
    assert called == ORDER
    assert message["content"] == "All done."


@pytest.mark.parametrize(
    ("name", "member", "options"),
    [
        ("delegate_task_to_member", "member_id", {"type": "string"}),
        ("Delegate work to coworker", "coworker", {"anyOf": [{"type": "string"}]}),
        ("task", "subagent_type", {"type": "string"}),
        ("assign", "who", {"enum": [f"{role}-agent" for role in ORDER]}),
    ],
)
def test_one_tool_that_is_told_the_member_leads_through_the_team(model, name, member, options):
    said = {role: json.dumps(result) for role, result in STEPS} | {"response": "All done."}
    delegate = tool(name, member, "task")
    delegate["function"]["parameters"]["properties"][member] = options
    body, called = request("manager", tools=[delegate]), []
    for _ in range(10):
        message = model.complete(body)
        if "tool_calls" not in message:
            break
        (call,) = message["tool_calls"]
        given = json.loads(call["function"]["arguments"])
        assert (call["function"]["name"], set(given)) == (name, {member, "task"})
        assert given["task"].startswith(says(UTTERANCE))
        called.append(given[member].removesuffix("-agent"))
        body = returned(body, call, said[called[-1]])
    assert called == ORDER
    assert message["content"] == "All done."


def test_a_tool_that_transfers_the_talk_to_an_agent_answers_for_nobody(model):
    body = request("manager", tools=[tool("transfer_to_agent", "agent_name")])
    (call,) = model.complete(body)["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"agent_name": "intent"}
    again = model.complete(returned(body, call, json.dumps("transferred")))["tool_calls"][0]
    assert json.loads(again["function"]["arguments"]) == {"agent_name": "intent"}


@pytest.mark.parametrize("parameter", ["url", "date", "members"])
def test_other_tools_of_a_manager_hand_nothing_over(model, parameter):
    other = tool("look_up", parameter)
    if parameter == "members":
        other["function"]["parameters"]["properties"][parameter] = {"type": "array"}
    assert model.complete(request("manager", tools=[other])) == {
        "role": "assistant",
        "content": "intent",
    }


def test_a_router_with_other_fields_and_names_is_filled(model):
    router = {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "agent": {"enum": ["IntentAgent", "TimeAgent", "URLAgent", "end"]},
            "task": {"type": "string"},
            "sure": {"type": "boolean"},
        },
    }
    body = request("manager", response_format=schema(router))
    answer = json.loads(model.complete(body)["content"])
    assert answer["agent"] == "IntentAgent"
    assert answer["task"] == says(UTTERANCE)
    assert answer["reasoning"] and answer["sure"] is False


def test_json_without_a_schema_is_given_as_json(model):
    body = request("manager", response_format={"type": "json_object"})
    assert json.loads(model.complete(body)["content"]) == {"next": "intent"}


def test_a_role_that_spoke_out_of_form_is_not_asked_again(model):
    spoken = [("intent", "I do not know what the user wants.")]
    assert model.complete(plain(spoken))["content"] == "url"
    body = request("manager", *spoken, response_format=schema(ROUTER))
    assert json.loads(model.complete(body)["content"]) == {"next": "url"}


def test_a_team_of_others_is_led_to_the_one_role_that_is_known(model):
    office = ["calendar", "project_management", "response"]
    router = {"type": "object", "properties": {"next": {"enum": [*office, "FINISH"]}}}
    told = [("response", "Nothing was done.")]
    assert model.complete(plain([], office))["content"] == "response"
    assert model.complete(plain(told, office))["content"] == "finish"
    for spoken, choice in (([], "response"), (told, "FINISH")):
        body = request("manager", *spoken, response_format=schema(router))
        assert json.loads(model.complete(body)["content"])["next"] == choice


def test_an_empty_turn_counts_as_a_turn(model):
    body = request("manager", STEPS[0], ("time", ""), response_format=schema(ROUTER))
    assert json.loads(model.complete(body)["content"]) == {"next": "location"}


def test_chit_chat_goes_straight_to_the_response(model):
    chat = {"domain": "general", "intent": "general_joke", "slots": {}}
    assert model.complete(plain([("intent", chat)]))["content"] == "response"


@pytest.mark.parametrize(
    ("result", "failures", "strategy"),
    [
        (json.dumps(INTENT), 0, None),
        ("I could not do it.", 0, "retry"),
        ("I could not do it.", 1, None),
    ],
)
def test_a_result_out_of_form_is_sent_back_once(model, result, failures, strategy):
    text = (
        "1. **retry** - Retry with the same worker\n\nquality_score\n"
        f"- Task ID: 0.1\n- Task Content: As the intent worker: read. {says(UTTERANCE)}\n"
        f"- Task Result: {result}\n- Failure Count: {failures}\n- Task Depth: 2\n\n"
        "**ISSUE TYPE: Quality Evaluation**\n"
    )
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}
    verdict = json.loads(model.complete(body)["content"])
    assert verdict["recovery_strategy"] == strategy
    assert (verdict["quality_score"] < 60) == (strategy is not None)


def test_workers_are_told_apart_by_their_descriptions(model):
    workers = "".join(
        f"<{number}>:<{role} agent: works.>:<>\n" for number, role in enumerate(ORDER, start=11)
    )
    text = (
        f"Answer with <tasks><task>...</task></tasks>.\n{says(UTTERANCE)}\n"
        f"The workers, as <ID>:<description>:<tools>.\n{workers}"
    )
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}
    plan = model.complete(body)["content"]
    tasks = "".join(
        f"Task ID: t{number}\nContent: {line.removeprefix('<task>').removesuffix('</task>')}\n---\n"
        for number, line in enumerate(plan.splitlines()[1:-1])
    )
    text = f"assignments with assignee_id\n{tasks}\n{workers}"
    body = {"model": "ossia-manager", "messages": [{"role": "user", "content": text}]}
    assigned = json.loads(model.complete(body)["content"])["assignments"]
    assert [each["assignee_id"] for each in assigned] == ["11", "12", "13", "14", "15", "16"]


def test_an_escaped_sentence_and_results_are_read(model):
    task = f"{says(UTTERANCE)} request: {json.dumps(ANSWER)}"
    text = f"Do this: {json.dumps({'Task': task})}"
    body = {"model": "ossia-response", "messages": [{"role": "user", "content": text}]}
    assert model.complete(body)["content"] == "Done."
