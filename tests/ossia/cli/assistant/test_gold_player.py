"""`--model gold` of the assistant's suites: the gold run, role by role, in real frameworks."""

import json

import pytest

TASKS = {
    "assistant": ("alarm-001", "email-005", "general-001"),
    "assistant-compound": ("compound-003", "compound-018", "compound-032", "compound-068"),
}


@pytest.mark.framework
@pytest.mark.parametrize(
    ("suite", "frameworks"),
    [("assistant", ("control",)), ("assistant-compound", ("control", "langgraph"))],
)
def test_gold_succeeds_in_frameworks(ossia, suite, frameworks):
    """That it does in all is the check `suites` of adapters."""
    chosen = [option for task in TASKS[suite] for option in ("--task", task)]
    done = ossia(
        "compare",
        "--suite",
        suite,
        "--model",
        "gold",
        *chosen,
        "-f",
        ",".join(frameworks),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["frameworks"]) == len(frameworks)
    for line in found["frameworks"]:
        counts = line["success"]["count"], line["invalid"]
        assert counts == (len(TASKS[suite]), 0), line["framework"]
