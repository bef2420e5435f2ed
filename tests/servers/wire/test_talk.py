import json

from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.talk import read_talk

TEAM = ("planner", "caller", "dialogue")


def says(words):
    return f"The user says: {json.dumps(words)}"


def told(turns, words):
    lines = "".join(
        f"The user said: {json.dumps(user)}\nYou answered: {json.dumps(answer)}\n"
        for user, answer in turns
    )
    return f"The conversation so far:\n{lines}\n{says(words)}"


def talk(*messages, role="agent", team=TEAM):
    return read_talk(
        read_conversation({"model": f"ossia-{role}", "messages": list(messages)}, team)
    )


def user(text, name=None):
    return {"role": "user", "content": text} | ({"name": name} if name else {})


def test_kept_messages_are_turns_with_their_calls():
    call = {"name": "http_request", "arguments": json.dumps({"url": "/a?intent=b"})}
    turns = talk(
        {"role": "system", "content": "You are the agent."},
        user(says("yes")),
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": call}]},
        {"role": "tool", "tool_call_id": "1", "content": "{}"},
        {"role": "assistant", "content": "Well?"},
        user(says("yes")),
    )
    assert [turn.user for turn in turns] == ["yes", "yes"]
    assert [(made.tool, made.arguments["url"]) for made in turns[0].calls] == [
        ("http_request", "/a?intent=b")
    ]
    assert turns[0].texts[-1] == "Well?"
    assert turns[1].calls == []


def test_a_told_conversation_has_the_same_turns():
    turns = talk(user(told([("no", 'He said "wait"'), ("yes", "")], "yes")))
    assert [turn.user for turn in turns] == ["no", "yes", "yes"]
    assert turns[0].texts == ['He said "wait"']


def test_a_task_that_a_text_quotes_again_is_no_further_turn():
    text = f"Your part: {says('yes')}\nThe whole task:\n{told([('no', 'Well?')], 'yes')}\nresult: x"
    turns = talk(user(text))
    assert [turn.user for turn in turns] == ["no", "yes"]
    assert "result: x" in turns[1].texts[-1]


def test_equal_words_of_two_turns_stay_two_turns_where_somebody_spoke_between():
    first = f"user: {says('yes')}\nplanner: ask\ndialogue: Sure?"
    history = f"{first}\nuser: {says('yes')}\nplanner: go"
    turns = talk(user(history), role="manager")
    assert [(turn.user, turn.spoke) for turn in turns] == [
        ("yes", ["planner", "dialogue"]),
        ("yes", ["planner"]),
    ]


def test_named_messages_tell_who_spoke():
    turns = talk(user(says("hello")), user("next: ask", "planner"), user("Hm?", "dialogue"))
    assert turns[0].spoke == ["planner", "dialogue"]


def test_an_action_that_hands_the_task_on_keeps_what_was_observed():
    handed = json.dumps({"Task": told([("no", "Well?")], "yes")})
    text = (
        'Use Finish[{"response": "x"}] or planner[{"Task": "x"}].\n'
        f"{told([('no', 'Well?')], 'yes')}\nAction:planner[{handed}]\nObservation: next: tell A\n"
        f"Action:dialogue[{handed}]\nObservation: A\nAction:"
    )
    turns = talk(user(text), role="manager")
    assert [turn.user for turn in turns] == ["no", "yes"]
    assert turns[1].spoke == ["planner", "dialogue"]
    assert any("next: tell A" in said for said in turns[1].texts)


def test_without_the_users_words_there_is_no_turn():
    assert talk({"role": "system", "content": "You are."}, user("hello")) == ()


def test_a_user_who_quotes_is_one_user():
    quotes = 'He wrote: The user says: "no" and The user said: "x"\nYou answered: "y"'
    turns = talk(user(told([(quotes, "Well?")], quotes)))
    assert [turn.user for turn in turns] == [quotes, quotes]


def by_tool(name, text):
    call = {"id": name, "function": {"name": name, "arguments": "{}"}}
    return (
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "content": text},
    )


def test_a_member_that_is_a_tool_speaks_and_one_that_is_handed_to_does_not():
    told_by = by_tool("planner", "next: ask")
    (turn,) = talk(user(says("hello")), *told_by, role="manager")
    assert (turn.spoke, turn.calls, turn.texts[-1]) == (["planner"], [], "next: ask")
    handed = by_tool("transfer_to_planner", "Transferred to planner, adopting the role of planner.")
    assert talk(user(says("hello")), *handed, role="manager")[0].spoke == []


def test_a_member_with_a_memory_is_told_the_turn_under_way_anew():
    first, then = user(says("hello")), user(f"{says('hello')}\nnext: call x {{}}")
    (turn,) = talk(first, {"role": "assistant", "content": "next: call x {}"}, then)
    assert [text.strip() for text in turn.texts] == ["next: call x {}"]


def test_a_question_at_the_end_that_repeats_the_task_begins_no_turn():
    team = "We have the following team:\n\nplanner: plans.\ndialogue: talks.\n\n"
    asked = f'{says("hello")}\n\n{team}"is_request_satisfied", "next_speaker"'
    ledger = {"role": "assistant", "content": f"{says('hello')}\n\n{team}The plan: none."}
    (turn,) = talk(ledger, user("next: ask", "planner"), user(asked), role="manager")
    assert turn.spoke == ["planner"]
