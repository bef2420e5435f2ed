"""A manager's ledgers: which prompt asks for what, and what is read from hostile ones."""

import json

import pytest

from ossia_servers.assistant.members import MEMBERS
from ossia_servers.wire import ledgers
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.duties import Duty, duty_of
from ossia_servers.wire.planning import manage
from ossia_servers.wire.routing import FINISH, GARBAGE, Form, read_choice, read_form

FACTS = "Please answer the following pre-survey to the best of your ability."
AGAIN = "Please rewrite the following fact sheet, updating it.\n\nHere is the old fact sheet:\n\nx"
PLAN = "Please devise a short bullet-point plan for addressing the original request."
OTHER = "Please explain what went wrong, and then come up with a new plan that takes steps."
TEAM = "We have assembled the following team:\n\nintent: Reads.\nurl: Builds.\n\n"
PROGRESS = '"is_request_satisfied" "next_speaker": string (select from: intent, url)'


def asking(text, *before):
    user = {"role": "user", "content": text}
    return read_conversation({"model": "ossia-manager", "messages": [*before, user]}, MEMBERS)


@pytest.mark.parametrize(
    ("prompt", "duty"),
    [(FACTS, Duty.FACTS), (AGAIN, Duty.FACTS), (PLAN, Duty.OUTLINE), (OTHER, Duty.OUTLINE)],
)
def test_prose_is_asked_for_by_the_prompt_not_by_the_user(prompt, duty):
    assert duty_of(asking(prompt)) is duty
    assert duty_of(asking(f"The user says: {json.dumps(prompt)}")) is Duty.ROUTE


def test_new_facts_hold_every_result_so_far():
    """A framework may forget all but the facts when it plans anew."""
    said = {"role": "user", "name": "url", "content": '{"url": "/alarm"}'}
    task = {"role": "user", "content": 'The user says: "wake me"'}
    told = manage(asking(AGAIN, task, said), None)
    assert '1. GIVEN OR VERIFIED FACTS\nThe user says: "wake me" url: {"url": "/alarm"}\n' in told


def test_a_plan_without_a_list_of_the_team_names_its_members():
    assert ledgers.plan(PLAN, ("intent", "url")).splitlines() == [
        "- intent: does its part of the work.",
        "- url: does its part of the work.",
    ]
    assert ledgers.plan(f"{TEAM}{PLAN}", ("x",)) == "- intent: Reads.\n- url: Builds."


def test_nobody_has_said_what_stands_in_the_list_of_the_team():
    task = {"role": "user", "content": f'The user says: "wake me"\n\n{TEAM}The plan: none.'}
    assert asking(PROGRESS, task).speeches == ()


@pytest.mark.parametrize(
    ("ledger", "choice"),
    [
        (ledgers.progress("url", "intent"), "url"),
        (ledgers.progress(None, "intent"), FINISH),
        ('{"is_request_satisfied": {"answer": false}, "next_speaker": {"answer": "me"}}', GARBAGE),
        ('{"is_request_satisfied": {}, "next_speaker": {"answer": ["url"]}}', "url"),
        ('{"is_request_satisfied": true, "next_speaker": "url"}', "url"),
        ('{"is_request_satisfied": {"answer": false}, "next_speaker": {}}', GARBAGE),
        ('{"next_speaker": null}', GARBAGE),
    ],
)
def test_whom_a_ledger_lets_work_is_read(ledger, choice):
    conversation = asking(f"{TEAM}{PROGRESS}")
    assert read_form(conversation).form is Form.LEDGER
    assert dict(read_form(conversation).names) == {"intent": "intent", "url": "url"}
    assert read_choice({"role": "assistant", "content": ledger}, conversation) == choice
