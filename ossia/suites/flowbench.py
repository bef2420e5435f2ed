"""The suites of FlowBench: conversations, in which an agent or a team follows workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from ossia.suite import Domains, Played, Suite
from ossia_dataset.builtin import builtin_folder, builtin_sets, load_set
from ossia_dataset.flowbench.sessions import SUITE, SessionTask, TurnTask
from ossia_dataset.tasks import TaskError
from ossia_servers.trace import UserTurn
from ossia_workflows.flowbench import Knowledge, TeamKind, role_scenarios, service_team
from ossia_workflows.team import Team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia.user import User
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.flowbench.gold import GoldRuns
    from ossia_evaluation.grade import Grade
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.flowbench.walk import Visit
    from ossia_servers.gateway import Budget, Model, ModelSpec

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
_TURN_SUCCESS: Final = (
    "the calls of the gold turn were made and no others, its facts told and its slots asked for"
)

_PLAYERS: Final = ("gold", "idle")

_COMMANDS: Final = {
    "dataset generate-sessions": "ossia.cli.flowbench.generate:generate_command",
    "score flowbench": "ossia.cli.flowbench.score:score_command",
    "score flowbench-run": "ossia.cli.flowbench.run:run_command",
}


def suite(name: str) -> Suite[SessionTask]:
    """Return a suite of FlowBench.

    Args:
        name: one of `TEAMS`.
    """
    kind, turns = TEAMS[name], name == TURNS
    return Suite(
        name=name,
        tasks=_turns if turns else _sessions,
        team=partial(_team, kind),
        team_key=attrgetter("role", "knowledge"),
        grader=_turn_grader if turns else _grader,
        grade=_turn_grade if turns else _grade,
        metrics=_turn_metrics if turns else _metrics,
        success=_TURN_SUCCESS if turns else _SUCCESS,
        limits=_limits,
        budget=partial(_budget, kind),
        data=builtin_folder(SUITE),
        domains=_domains,
        user=None if turns else _user,
        history=_history,
        knowledge=_told,
        players={player: partial(_player, player, kind) for player in _PLAYERS},
        offline=partial(_offline, kind),
        starts_with_tasks=True,
        report=_report,
        check=_check,
        counts=None if turns else _counts,
        commands=_COMMANDS,
    )


@cache
def _sessions(source: str) -> tuple[SessionTask, ...]:
    tasks = load_set(source, builtin_folder(SUITE), SessionTask)
    for task in tasks:
        if task.knowledge not in {*Knowledge}:
            raise TaskError(f"{task.id}: there is no form of knowledge '{task.knowledge}'")
        for wish in task.wishes:
            if wish.scenario not in role_scenarios(task.role):
                raise TaskError(f"{task.id}: {task.role} has no scenario '{wish.scenario}'")
    return tasks


@cache
def _turns(source: str) -> tuple[TurnTask, ...]:
    from ossia_servers.flowbench.turns import turn_tasks
    from ossia_servers.flowbench.walk import WalkError

    try:
        return tuple(
            task
            for session in _sessions(source)
            for task in turn_tasks(session, role_scenarios(session.role))
        )
    except WalkError as error:
        raise TaskError(str(error)) from None


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

    return SessionGrader(_golds())


def _turn_grader(domains: Domains) -> Grader:
    from ossia_evaluation.flowbench.turn_grader import TurnGrader

    return TurnGrader(_golds())


def _golds() -> GoldRuns:
    from ossia_evaluation.flowbench.gold import GoldRuns
    from ossia_servers.flowbench.services import scenarios

    return GoldRuns(scenarios(), _gold)


def _grade() -> type[Grade]:
    from ossia_evaluation.flowbench.grades import SessionGrade

    return SessionGrade


def _turn_grade() -> type[Grade]:
    from ossia_evaluation.flowbench.grades import TurnGrade

    return TurnGrade


def _metrics() -> Sequence[Metric]:
    from ossia_evaluation.flowbench.metrics import SESSION_METRICS

    return SESSION_METRICS


def _turn_metrics() -> Sequence[Metric]:
    from ossia_evaluation.flowbench.metrics import TURN_METRICS

    return TURN_METRICS


def _report(
    tasks: Mapping[str, SessionTask], played: Played, limits: EpisodeLimits, result: Comparison
) -> ReportPart | None:
    from ossia_evaluation.flowbench.report_part import report_part

    return report_part(tasks, played, result)


def _limits() -> EpisodeLimits:
    from ossia.runner.config import EpisodeLimits

    # Of one turn of the user's.
    return EpisodeLimits(turns=16, tool_rounds=12)


def _budget(kind: TeamKind) -> Budget:
    from ossia_servers.gateway import Budget

    # A conversation of twenty turns, in some of which a team works through several calls.
    if kind is TeamKind.TEAM:
        return Budget(calls=500, tokens=5_000_000, seconds=1800.0)
    return Budget(calls=120, tokens=1_500_000, seconds=900.0)


def _check(source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.flowbench.proof import check_scenarios, check_sessions
    from ossia_evaluation.worlds.proof import outdated

    golds = _golds()
    yield from check_scenarios(golds.scenarios)
    for name in builtin_sets(SUITE) if source is None else (source,):
        yield from check_sessions(f"{SUITE}/{name}", _sessions(name), golds, _domains(name))
    yield from outdated(SUITE, _sessions) if source is None else ()


def _counts(tasks: Sequence[SessionTask]) -> Mapping[str, Mapping[str, int]]:
    from ossia_evaluation.flowbench.counts import count_sessions

    return count_sessions(tasks, _golds())


def _player(name: str, kind: TeamKind, tasks: Mapping[str, SessionTask]) -> Model:
    from ossia_servers.flowbench.players import SessionPlayer

    return SessionPlayer(name, tasks, kind)


def _offline(kind: TeamKind, spec: ModelSpec) -> Model:
    from ossia_servers.flowbench.offline import OfflineAgent

    if str(spec) != OfflineAgent.name:
        raise ValueError(f"the offline agent has no options, and {spec} names some")
    return OfflineAgent(kind)
