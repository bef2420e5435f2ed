"""Scenarios: what a team does for a user, with its tools, in steps that have contracts."""

from ossia_workflows.scenario.conditions import (
    Act,
    Condition,
    Otherwise,
    ResultIs,
    UserDoes,
    read_condition,
)
from ossia_workflows.scenario.files import (
    ScenarioError,
    finding_lines,
    known_scenarios,
    load_scenario,
    own_scenarios,
    read_scenario,
    scenario_source,
    scenario_text,
    shipped_scenarios,
)
from ossia_workflows.scenario.flaws import scenario_findings
from ossia_workflows.scenario.knowledge import FORMS, Form
from ossia_workflows.scenario.model import Kind, Scenario, Slot, Step, Tool

__all__ = [
    "FORMS",
    "Act",
    "Condition",
    "Form",
    "Kind",
    "Otherwise",
    "ResultIs",
    "Scenario",
    "ScenarioError",
    "Slot",
    "Step",
    "Tool",
    "UserDoes",
    "finding_lines",
    "known_scenarios",
    "load_scenario",
    "own_scenarios",
    "read_condition",
    "read_scenario",
    "scenario_findings",
    "scenario_source",
    "scenario_text",
    "shipped_scenarios",
]
