"""The form of a recorded answer is kept where other words are put into it."""

import json

import pytest

from ossia_evaluation.assistant.attribution.forms import in_the_form, in_usual_form
from ossia_evaluation.assistant.attribution.received import Heard
from ossia_evaluation.attribution.received import Turns
from ossia_evaluation.attribution.recording import RecordedStep
from ossia_servers.assistant.members import MEMBERS

PROTOCOL = """Using the following action types:
Action: Finish[{"response": "the answer"}]
Task: The user says: "how late is it"
Action:"""
OLD, NEW = '{"url": "/datetime?intent=datetime_query"}', '{"url": "/alarm?intent=alarm_query"}'


def finish(text, member="response", rest=""):
    return f'Finish[{{"{member}": {json.dumps(text)}{rest}}}]'


def step_of(role, recorded):
    request = {"model": f"ossia-{role}", "messages": [{"role": "user", "content": PROTOCOL}]}
    received = Heard.of(role, request, Turns(MEMBERS))
    message = {"role": "assistant", "content": recorded}
    return RecordedStep(0, f"{role}#1", role, (received,), (received.relevant(),), (message,))


def kept(recorded, now):
    step = step_of("url", recorded)
    return in_the_form(step, step.messages[0], {"role": "assistant", "content": now})["content"]


@pytest.mark.parametrize(
    ("recorded", "usual"),
    [
        (finish("It is seven."), True),
        (finish("It is seven.", "answer"), False),
        (finish("It is seven.", rest=', "headers": {}'), False),
        ("It is seven.", False),
    ],
)
def test_an_answer_is_in_the_usual_form_or_it_is_not(recorded, usual):
    assert in_usual_form(step_of("response", recorded)) is usual


@pytest.mark.parametrize(
    ("recorded", "meant"),
    [
        (finish(OLD), finish(NEW)),
        (finish(OLD, "respo0se"), finish(NEW, "respo0se")),
        (finish(OLD, rest=', "headers": {}'), finish(NEW, rest=', "headers": {}')),
        ("I think so. " + finish(OLD), "I think so. " + finish(NEW)),
        ("Finish[7b22726573706f6e7365223a]", finish(NEW)),
    ],
)
def test_other_words_come_in_the_recorded_envelope(recorded, meant):
    assert kept(recorded, finish(NEW)) == meant
