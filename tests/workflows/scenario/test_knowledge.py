"""Text, code and Mermaid of a scenario hold the same graph."""

import pytest
from hypothesis import given

from ossia_workflows.graph import (
    read_code,
    read_mermaid,
    read_steps,
    write_code,
    write_mermaid,
    write_steps,
)
from ossia_workflows.scenario import load_scenario, shipped_scenarios
from tests.workflows.scenario.scenarios import scenarios

FORMS = {
    "text": (write_steps, read_steps),
    "code": (write_code, read_code),
    "mermaid": (write_mermaid, read_mermaid),
}


@pytest.mark.parametrize("form", FORMS)
@given(scenario=scenarios())
def test_any_scenario_survives_its_forms(form, scenario):
    write, read = FORMS[form]
    assert read(write(scenario.graph)) == scenario.graph


@pytest.mark.parametrize("name", shipped_scenarios())
def test_a_shipped_scenario_can_be_played_and_its_forms_say_the_same(name):
    scenario = load_scenario(name)
    graph = scenario.graph
    assert [read(write(graph)) for write, read in FORMS.values()] == [graph] * len(FORMS)
    assert name == scenario.name.lower().replace(" ", "-")
    assert 4 <= len(scenario.steps) <= 10
    # What is told can only be known by having called.
    assert any(step.tells for step in scenario.steps.values())
