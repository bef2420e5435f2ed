"""The teams of WorFBench: a planner alone, or three roles that share its work."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ossia_workflows.team import Role, Team

__all__ = [
    "CRITIC",
    "DECOMPOSER",
    "LINKER",
    "MANAGER",
    "PLANNER",
    "TeamKind",
    "members_of",
    "team_of",
]

MANAGER: Final = "manager"
PLANNER: Final = "planner"
DECOMPOSER: Final = "decomposer"
LINKER: Final = "linker"
CRITIC: Final = "critic"


class TeamKind(StrEnum):
    """How the planning is shared out."""

    PLANNER = "planner"
    """One role without tools, which nobody leads."""
    TEAM = "team"
    """A manager; one role names the subtasks, one says what comes before what, one looks at it."""


_FORM: Final = """\
Node:
1: first subtask
2: second subtask
3: third subtask
Edge: (START,1) (START,2) (1,3) (2,3) (3,END)
"""

_PLAN: Final = f"""\
You plan how a task is carried out. You are given the task and the tools or actions that there are.

First write the nodes of the workflow, one subtask a line, numbered from 1. Then write its edges:
which subtask has to be finished before which other one can begin. Subtasks that do not depend on
each other are not connected. The graph begins at START and ends at END.

Give the graph in this form:

{_FORM}"""

_MANAGE: Final = """\
You lead a team that plans how a task is carried out. Let the decomposer name the subtasks, then the
linker say what comes before what, then the critic look at the plan; then finish.
"""

_DECOMPOSE: Final = """\
You are given a task and the tools or actions that there are. Name the subtasks that it takes, one a
line, numbered from 1, below a line `Node:`. Leave the edges to others.
"""

_LINK: Final = f"""\
You are given a task and its subtasks. Say which subtask has to be finished before which other one
can begin; those that do not depend on each other are not connected. The graph begins at START and
ends at END. Give the whole plan in this form:

{_FORM}"""

_CRITICISE: Final = f"""\
You are given a task and a plan of it. Put right what is wrong: subtasks that are missing or not
needed, and edges that are missing or false. Give the whole plan in this form, also where nothing
was wrong:

{_FORM}"""


def members_of(kind: TeamKind) -> tuple[str, ...]:
    """Return the names of a team's members in the order of the work.

    Args:
        kind: how the planning is shared out.
    """
    return (PLANNER,) if kind is TeamKind.PLANNER else (DECOMPOSER, LINKER, CRITIC)


def team_of(kind: TeamKind, examples: Sequence[tuple[str, str]] = ()) -> Team:
    """Return a team.

    Args:
        kind: how the planning is shared out.
        examples: tasks with their plans that a planner alone is shown.
    """
    if kind is TeamKind.PLANNER:
        shown = "".join(f"\nAn example:\n\n{task}\n\n{plan}\n" for task, plan in examples)
        roles = (_role(PLANNER, "Writes the workflow graph of a task.", f"{_PLAN}{shown}"),)
        return Team(name="worfbench", goal=_GOAL, manager="", final=PLANNER, roles=roles)
    return Team(
        name="worfbench_team",
        goal=_GOAL,
        manager=MANAGER,
        final=CRITIC,
        roles=(
            _role(MANAGER, "Decides who works next.", _MANAGE),
            _role(DECOMPOSER, "Names the subtasks of a task.", _DECOMPOSE),
            _role(LINKER, "Says what comes before what.", _LINK),
            _role(CRITIC, "Puts the plan right and gives it to the user.", _CRITICISE),
        ),
    )


_GOAL: Final = "Write the workflow graph of a task."


def _role(name: str, description: str, prompt: str) -> Role:
    # Without the line break at its end, which a framework may drop.
    return Role(name=name, description=description, prompt=prompt.rstrip())
