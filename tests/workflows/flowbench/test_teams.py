import re

import pytest

from ossia_workflows.flowbench import (
    Knowledge,
    TeamKind,
    members_of,
    role_scenarios,
    service_team,
)
from ossia_workflows.scenario import FORMS, shipped_scenarios

ROLES = sorted({file.parent.name for file in shipped_scenarios().values()})
FENCED = re.compile(r"^## Scenario: (.+?)$.*?^```(\w+)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
NAMES = re.compile(r"`(\w+)` \(")


def prompt(role, knowledge):
    team = service_team(TeamKind.AGENT, role, role_scenarios(role), knowledge)
    return team.roles[0].prompt


@pytest.mark.parametrize("knowledge", ["text", "code", "flowchart", "ensemble"])
def test_a_prompt_gives_back_the_workflow_of_each_scenario(knowledge):
    assert len(ROLES) == 22
    for role in ROLES:
        read = {
            name: FORMS[form].read(written)
            for name, form, written in FENCED.findall(prompt(role, Knowledge(knowledge)))
        }
        wanted = {each.name: each.graph for each in role_scenarios(role).values()}
        assert read == wanted


def test_a_prompt_tells_slots_and_tools_with_all_their_names():
    told = prompt("ride_service", Knowledge.TEXT)
    scenarios = role_scenarios("ride_service").values()
    names = set(NAMES.findall(told))
    for scenario in scenarios:
        assert set(scenario.slots) <= names
        for name, tool in scenario.tools.items():
            assert f"- `{name}`: {tool.about}\n" in told
            assert {*tool.parameters, *tool.gives} <= names
    assert told.count("- changes something") == sum(
        tool.changes for scenario in scenarios for tool in scenario.tools.values()
    )
    assert "- `car` (one of standard, van, wheelchair): the kind of car" in told


def test_a_parameter_that_may_be_left_out_is_told_so():
    optional = {
        (role, name)
        for role in ROLES
        for scenario in role_scenarios(role).values()
        for tool in scenario.tools.values()
        for name in tool.optional
    }
    assert optional
    for role, name in optional:
        assert re.search(rf"`{name}` \([^)]*; may be left out\)", prompt(role, Knowledge.NONE))


def test_without_knowledge_only_the_tools_are_told():
    told = prompt("ride_service", Knowledge.NONE)
    assert "- `order_car`: Order the car." in told
    assert not re.search(r"Scenario|[Ww]orkflow|Slots", told)
    least = prompt("ride_service", Knowledge.NONE_WITHOUT_TOOLS)
    assert "/ride_service?intent=TOOL" in least
    assert not re.search(r"order_car|Scenario|[Ww]orkflow|Slots", least)


def test_in_a_team_the_caller_knows_tools_and_the_planner_workflows_as_well():
    scenarios = role_scenarios("ride_service")
    team = service_team(TeamKind.TEAM, "ride_service", scenarios, Knowledge.CODE)
    assert tuple(role.name for role in team.members) == members_of(TeamKind.TEAM)
    assert (team.manager, team.final) == ("manager", "dialogue")
    assert {role.name for role in team.roles if role.tools} == {"caller"}
    knowing = {role.name for role in team.roles if "plan = Workflow()" in role.prompt}
    assert knowing == {"planner"}
    calling = {role.name for role in team.roles if "`order_car`" in role.prompt}
    assert calling == {"planner", "caller"}
    assert not any(
        "$" in re.sub(r"```.*?```", "", role.prompt, flags=re.DOTALL)
        for role in team.roles
        if role.name != "planner"
    )
