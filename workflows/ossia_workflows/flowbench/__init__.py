"""The teams of FlowBench: one agent as published, or a manager with three members."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final

from ossia_workflows.flowbench.knowledge import Knowledge, knowledge_text, tools_text
from ossia_workflows.scenario import Scenario, known_scenarios, load_scenario
from ossia_workflows.team import Role, Team, prompt_template

__all__ = [
    "AGENT",
    "CALLER",
    "DIALOGUE",
    "MANAGER",
    "PLANNER",
    "Knowledge",
    "TeamKind",
    "knowledge_text",
    "members_of",
    "role_scenarios",
    "service_team",
    "tools_text",
]

AGENT: Final = "agent"
MANAGER: Final = "manager"
DIALOGUE: Final = "dialogue"
PLANNER: Final = "planner"
CALLER: Final = "caller"

_TOOLS: Final = ("http_request",)
_GOAL: Final = "Do for the user what the service provides, in a conversation."


class TeamKind(StrEnum):
    """How the work is shared out."""

    AGENT = "agent"
    """One agent talks with the user and makes the calls; nobody leads it."""
    TEAM = "team"
    """A manager; one member says what comes next, one makes the calls, one talks with the user."""


def members_of(kind: TeamKind) -> tuple[str, ...]:
    """Return the names of a team's members in the order of the work."""
    return (AGENT,) if kind is TeamKind.AGENT else (PLANNER, CALLER, DIALOGUE)


@cache
def role_scenarios(role: str) -> Mapping[str, Scenario]:
    """Return a role's scenarios, one's own included, by the names of their files."""
    return {name: found for name, found in _known().items() if found.role == role}


@cache
def _known() -> Mapping[str, Scenario]:
    return {name: load_scenario(name) for name in known_scenarios()}


def service_team(
    kind: TeamKind, role: str, scenarios: Mapping[str, Scenario], knowledge: Knowledge
) -> Team:
    """Return a team.

    Args:
        kind: how the work is shared out.
        role: who the user talks with, such as `ride_service`.
        scenarios: its scenarios.
        knowledge: what the team knows of their workflows.
    """
    tools = tools_text(role, scenarios.values(), knowledge)
    known = "\n\n".join(filter(None, (tools, knowledge_text(scenarios.values(), knowledge))))
    values = {"role": role.replace("_", " "), "tools": tools, "knowledge": known}
    if kind is TeamKind.AGENT:
        agent = _role(AGENT, "Serves the user in a conversation.", values, _TOOLS)
        return Team(name="flowbench", goal=_GOAL, manager="", final=AGENT, roles=(agent,))
    return Team(
        name="flowbench_team",
        goal=_GOAL,
        manager=MANAGER,
        final=DIALOGUE,
        roles=(
            _role(MANAGER, "Decides who works next.", values),
            _role(PLANNER, "Says where the conversation stands, and what comes next.", values),
            _role(CALLER, "Makes the calls that the planner names.", values, _TOOLS),
            _role(DIALOGUE, "Talks with the user. Always last.", values),
        ),
    )


def _role(
    name: str, description: str, values: Mapping[str, str], tools: tuple[str, ...] = ()
) -> Role:
    prompt = prompt_template("flowbench", name).substitute(values)
    return Role(name=name, description=description, prompt=prompt, tools=tools)
