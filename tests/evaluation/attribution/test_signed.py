"""Signs of a model's faults by the step that shows them."""

from dataclasses import replace

from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.reading import read_recording
from ossia_evaluation.attribution import RecordedStep
from ossia_evaluation.attribution.signed import signed_steps
from tests.evaluation.support import BY_NAME, WAKE, Play


def test_a_users_step_that_comes_first_has_received_nothing():
    trace = Play(WAKE).manager("intent").call("intent", "").trace()
    recording = read_recording(trace, Oracle(WAKE, BY_NAME))
    left = RecordedStep(0, "user@start", "user", (), ("",), ({"content": "nothing"},))
    found = signed_steps(trace, replace(recording, steps=(left, *recording.steps)))
    assert {name: sign.kind for name, sign in found.items()} == {"intent#1": "empty"}
