"""The guide to scenarios: its example can be played, and what it lists is all there is."""

import re
from pathlib import Path

from ossia_workflows.graph import Flaw, write_steps
from ossia_workflows.scenario import Act, read_scenario, scenario_findings

GUIDE = (Path(__file__).parents[3] / "docs" / "workflows.md").read_text("utf-8")


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def test_the_example_can_be_played_and_is_shown_as_it_is_written():
    (example,) = blocks("toml")
    scenario = read_scenario(example, "docs/workflows.md")
    assert scenario_findings(scenario) == ()
    assert f"{write_steps(scenario.graph)}\n" in blocks("")


def test_the_lines_of_python_run():
    (code,) = blocks("python")
    exec(code, {})


def test_the_acts_and_findings_that_it_names_are_all_there_are():
    assert set(re.findall(r"`user (\w+)`", GUIDE)) == set(Act)
    named = set(re.findall(r"^\| `([a-z ]+)` \| (?:a |an |no )", GUIDE, re.MULTILINE))
    # A graph alone may also be empty or a circle; here one step is needed and circles are allowed.
    assert named >= set(Flaw) - {Flaw.EMPTY, Flaw.CYCLE}
