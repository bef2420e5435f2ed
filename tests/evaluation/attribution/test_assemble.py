"""What is said of the causes that a search has found."""

from types import SimpleNamespace

from ossia_evaluation.attribution import Found, Recording, Status
from ossia_evaluation.attribution.assemble import _differs as differs
from ossia_evaluation.attribution.recording import RecordedStep


def recording(words, received=()):
    message = {"role": "assistant", "content": words}
    return Recording((RecordedStep(0, "user@1", "user", received, (), (message,)),), {})


def test_a_user_without_a_model_differs_by_no_kind_of_fault_of_a_model():
    repair = frozenset({"user@1"})
    material = SimpleNamespace(
        recording=recording("Hello? Are you still there?"),
        counterfactuals={repair: recording("Can you find me a hotel?")},
    )
    assert differs("user@1", material, Found(Status.ATTRIBUTED, (repair,))) == ""
