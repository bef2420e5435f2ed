"""The suites of FlowBench: conversations, in which an agent or a team follows workflows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from ossia.suite import Domains, Suite
from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, SessionTask, TurnTask
from ossia_servers.trace import UserTurn
from ossia_workflows.flowbench import Knowledge, TeamKind, role_scenarios, service_team
from ossia_workflows.team import Team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia.user import User
    from ossia_evaluation.grader import Grader
    from ossia_servers.flowbench.walk import Visit

TEAMS: Final[Mapping[str, TeamKind]] = {
    "flowbench": TeamKind.AGENT,
    "flowbench-team": TeamKind.TEAM,
    "flowbench-turns": TeamKind.AGENT,
}
"""The team of each suite."""

TURNS: Final = "flowbench-turns"
"""The suite of single turns; those of the others are whole sessions."""

_SUCCESS: Final = (
    "the services hold the changes of the gold run and no others, and the user was told every fact"
    " of it"
)

_COMMANDS: Final = {"score flowbench": "ossia.cli.flowbench.score:score_command"}


def suite(name: str) -> Suite[SessionTask]:
    """Return a suite of FlowBench.

    Args:
        name: one of `TEAMS`.
    """
    kind = TEAMS[name]
    return Suite(
        name=name,
        tasks=_turns if name == TURNS else _sessions,
        team=partial(_team, kind),
        team_key=attrgetter("role", "knowledge"),
        grader=_grader,
        success=_SUCCESS,
        limits=_limits,
        data=builtin_folder(SUITE),
        domains=_domains,
        user=None if name == TURNS else _user,
        history=_history,
        knowledge=_told,
        starts_with_tasks=True,
        commands=_COMMANDS,
    )


@cache
def _sessions(source: str) -> tuple[SessionTask, ...]:
    return load_set(source, builtin_folder(SUITE), SessionTask)


@cache
def _turns(source: str) -> tuple[TurnTask, ...]:
    from ossia_servers.flowbench.turns import turn_tasks

    return tuple(
        task
        for session in _sessions(source)
        for task in turn_tasks(session, role_scenarios(session.role))
    )


def _told(tasks: Sequence[SessionTask], forms: Sequence[str]) -> Sequence[SessionTask]:
    for form in forms:
        if form not in {*Knowledge}:
            raise ValueError(f"there is no form '{form}'; there are {', '.join(Knowledge)}")
    return [
        task.model_copy(update={"id": f"{task.id}.{form}", "knowledge": form})
        for task in tasks
        for form in forms
    ]


def _team(kind: TeamKind, task: SessionTask, domains: Domains) -> Team:
    return service_team(kind, task.role, role_scenarios(task.role), Knowledge(task.knowledge))


def _domains(source: str) -> Domains:
    from ossia_servers.flowbench.services import role_domains

    return role_domains(_sessions(source))


def _user(task: SessionTask, domains: Domains) -> User:
    from ossia_servers.flowbench.user import AgendaUser

    return AgendaUser(task, role_scenarios(task.role), _gold(task))


def _gold(task: SessionTask) -> Sequence[Visit]:
    from ossia_servers.flowbench.services import gold_service
    from ossia_servers.flowbench.walk import walk

    return walk(task, role_scenarios(task.role), gold_service(task))


def _history(task: SessionTask) -> Sequence[UserTurn]:
    before = task.before if isinstance(task, TurnTask) else ()
    return [UserTurn(user=turn.user, answer=turn.answer) for turn in before]


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.flowbench.session_grader import SessionGrader
    from ossia_servers.flowbench.services import scenarios

    return SessionGrader(scenarios(), _gold)


def _limits() -> EpisodeLimits:
    from ossia.runner.config import EpisodeLimits

    # Of one turn of the user's: a cross session's may need several calls before the user is asked.
    return EpisodeLimits(turns=16, tool_rounds=10)
