"""Text, code and Mermaid of a scenario hold the same graph."""

from collections import Counter

import pytest
from hypothesis import given

from ossia_workflows.graph import GraphError
from ossia_workflows.scenario import FORMS, load_scenario, shipped_scenarios
from tests.workflows.scenario.scenarios import scenarios


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@given(scenario=scenarios())
def test_any_scenario_survives_its_forms(form, scenario):
    assert FORMS[form].read(FORMS[form].write(scenario.graph)) == scenario.graph


@pytest.mark.parametrize("name", shipped_scenarios())
def test_a_shipped_scenario_can_be_played_and_its_forms_say_the_same(name):
    scenario = load_scenario(name)
    graph = scenario.graph
    assert [form.read(form.write(graph)) for form in FORMS.values()] == [graph] * len(FORMS)
    assert name == scenario.name.lower().replace(" ", "-")
    assert 4 <= len(scenario.steps) <= 10
    # What is told can only be known by having called.
    assert any(step.tells for step in scenario.steps.values())


def shape(scenario):
    """Which step leads to which, whatever their names."""
    places = {name: at for at, name in enumerate(("START", *scenario.steps, "END"))}
    return tuple((places[edge.source], places[edge.target]) for edge in scenario.graph.edges)


def test_the_published_scenarios_are_all_there():
    found = [load_scenario(name) for name in shipped_scenarios()]
    assert Counter(scenario.domain for scenario in found) == {
        "Customer Service": 12,
        "Personal Assistant": 7,
        "E-tailing Recommendation": 5,
        "Travel&Transportation": 9,
        "Logistics Solutions": 6,
        "Robotic Process Automation": 12,
    }
    assert len({scenario.role for scenario in found}) == 22
    branching = [each for each in found if any(len(s.ways) > 1 for s in each.steps.values())]
    assert len(branching) > 45
    # They are not one template filled again and again.
    shapes = Counter(map(shape, found))
    assert len(shapes) > 45 and max(shapes.values()) <= 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "First.\n" + text, "headings"),
        (lambda text: text.replace("## code", "## program"), "headings"),
        (lambda text: text.replace("n_track -->", "n_patience -->", 1), "do not say the same"),
    ],
)
def test_an_ensemble_whose_forms_differ_is_refused(change, said):
    form = FORMS["ensemble"]
    with pytest.raises(GraphError, match=said):
        form.read(change(form.write(load_scenario("ride-inquiry").graph)))
