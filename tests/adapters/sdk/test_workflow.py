"""The steps of a workflow on the wire."""

import pytest

from ossia_adapter import WireError, WorkflowStep
from ossia_adapter.workflow import read_workflow

STEPS = [
    {"id": "1", "task": "Look", "after": []},
    {"id": "2", "task": "Act", "after": ["1"]},
]


def test_steps_are_read_and_told_with_what_came_of_those_before():
    look, act = read_workflow(STEPS)
    assert look == WorkflowStep("1", "Look", ())
    assert look.told({}) == "Step 1 of a workflow, and nothing else, is to be done now: Look"
    assert act.told({"1": 'a "b"\n', "other": "x"}).splitlines()[1:] == [
        "What came of the steps before it:",
        '1: "a \\"b\\"\\n"',
    ]


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([STEPS[0], STEPS[0]], "twice"),
        (STEPS[::-1], "after one that is not before it"),
        ([{**STEPS[0], "after": ["1"]}], "after one that is not before it"),
        ([{**STEPS[0], "after": [1]}], "must hold texts"),
        ([{**STEPS[0], "after": "1"}], "must be a list"),
        ([{**STEPS[0], "id": ""}], "must not be empty"),
        ([{**STEPS[0], "more": 1}], "unknown keys: more"),
        (["1"], "must be an object"),
    ],
)
def test_a_malformed_workflow_is_refused(steps, problem):
    with pytest.raises(WireError, match=problem):
        read_workflow(steps)
