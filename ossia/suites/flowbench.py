"""The suites of FlowBench: conversations, in which an agent or a team follows workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

<<<<<<< Updated upstream
from ossia.suite import Domains, Played, Suite, later
from ossia_dataset.builtin import builtin_folder, builtin_sets
from ossia_dataset.flowbench.sessions import SUITE, SessionTask
=======
from ossia.suite import Domains, Played, Suite
from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.flowbench.sessions import SUITE, SessionTask, TurnTask
from ossia_servers.trace import UserTurn
>>>>>>> Stashed changes
from ossia_workflows.flowbench import Knowledge, TeamKind, role_scenarios, service_team
from ossia_workflows.team import Team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
<<<<<<< Updated upstream
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.gateway import Budget
=======
    from ossia.user import User
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.flowbench.gold import GoldRuns
    from ossia_evaluation.grade import Grade
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_evaluation.report.part import ReportPart
    from ossia_servers.flowbench.walk import Visit
    from ossia_servers.gateway import Model
>>>>>>> Stashed changes

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
<<<<<<< Updated upstream
    "dataset generate-sessions": "ossia.cli.flowbench.generate:generate_command",
=======
>>>>>>> Stashed changes
    "score flowbench": "ossia.cli.flowbench.score:score_command",
    "score flowbench-run": "ossia.cli.flowbench.run:run_command",
}


def suite(name: str) -> Suite[SessionTask]:
    """Return a suite of FlowBench.

    Args:
        name: one of `TEAMS`.
    """
<<<<<<< Updated upstream
    kind = TEAMS[name]
    player = later("ossia_servers.flowbench.players:SessionPlayer")
    whole = Suite(
        name=name,
        tasks=later("ossia_servers.flowbench.source:load_sessions"),
        team=partial(_team, kind),
        team_key=attrgetter("role", "knowledge"),
        grader=later("ossia_evaluation.flowbench.session_grader:session_grader"),
        grade=partial(resolve_name, "ossia_evaluation.flowbench.grades:SessionGrade"),
        metrics=partial(resolve_name, "ossia_evaluation.flowbench.metrics:SESSION_METRICS"),
        success=_SUCCESS,
        # Of one turn of the user's.
        limits=partial(later("ossia.runner.config:EpisodeLimits"), turns=16, tool_rounds=12),
        budget=partial(_budget, kind),
        data=builtin_folder(SUITE),
        domains=later("ossia_servers.flowbench.source:session_domains"),
        user=later("ossia_servers.flowbench.source:session_user"),
        llm_user=later("ossia_servers.flowbench.source:model_user"),
        history=later("ossia_servers.flowbench.source:turns_before"),
        knowledge=later("ossia_servers.flowbench.source:in_forms"),
        players={each: partial(player, each, kind=kind) for each in _PLAYERS},
        offline=partial(later("ossia_servers.flowbench.offline:open_offline"), kind),
        starts_with_tasks=True,
        contracts=partial(_contracts, kind),
        report=_report,
        check=_check,
        counts=_counts,
=======
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
        data=builtin_folder(SUITE),
        domains=_domains,
        user=None if turns else _user,
        history=_history,
        knowledge=_told,
        players={player: partial(_player, player, kind) for player in _PLAYERS},
        starts_with_tasks=True,
        report=_report,
>>>>>>> Stashed changes
        commands=_COMMANDS,
    )
    return _of_turns(whole) if name == TURNS else whole


def _of_turns(whole: Suite[SessionTask]) -> Suite[SessionTask]:
    """Return the suite whose tasks are single turns of sessions."""
    return replace(
        whole,
        tasks=later("ossia_servers.flowbench.source:load_turns"),
        grader=later("ossia_evaluation.flowbench.turn_grader:turn_grader"),
        grade=partial(resolve_name, "ossia_evaluation.flowbench.grades:TurnGrade"),
        metrics=partial(resolve_name, "ossia_evaluation.flowbench.metrics:TURN_METRICS"),
        success=_TURN_SUCCESS,
        user=None,
        llm_user=None,
        contracts=None,
    )


def _team(kind: TeamKind, task: SessionTask, domains: Domains) -> Team:
    return service_team(kind, task.role, role_scenarios(task.role), Knowledge(task.knowledge))


def _budget(kind: TeamKind) -> Budget:
    from ossia_servers.gateway import Budget

    # A conversation of twenty turns, in some of which a team works through several calls.
    if kind is TeamKind.TEAM:
        return Budget(calls=500, tokens=5_000_000, seconds=1800.0)
    return Budget(calls=120, tokens=1_500_000, seconds=900.0)


def _contracts(kind: TeamKind, domains: Domains) -> TeamContracts:
    from ossia_evaluation.flowbench.attribution.contracts import session_contracts

    return session_contracts(kind)


def _report(
    tasks: Mapping[str, SessionTask], played: Played, limits: EpisodeLimits, result: Comparison
) -> ReportPart | None:
    from ossia_evaluation.flowbench.report_part import report_part

    return report_part(tasks, played, result)


<<<<<<< Updated upstream
def _check(source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.flowbench.proof import check_scenarios, check_set
    from ossia_evaluation.worlds.proof import outdated
=======
def _history(task: SessionTask) -> Sequence[UserTurn]:
    before = task.before if isinstance(task, TurnTask) else ()
    return [UserTurn(user=turn.user, answer=turn.answer) for turn in before]


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.flowbench.session_grader import SessionGrader

    return SessionGrader(_golds())


def _turn_grader(domains: Domains) -> Grader:
    from ossia_evaluation.flowbench.turn_grader import TurnGrader

    return TurnGrader(_golds(), attrgetter("turn"))


def _golds() -> GoldRuns:
    from ossia_evaluation.flowbench.gold import GoldRuns
>>>>>>> Stashed changes
    from ossia_servers.flowbench.services import scenarios
    from ossia_servers.flowbench.source import load_sessions

<<<<<<< Updated upstream
    yield from check_scenarios(scenarios())
    for name in builtin_sets(SUITE) if source is None else (source,):
        yield from check_set(name)
    yield from outdated(SUITE, load_sessions) if source is None else ()
=======
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
>>>>>>> Stashed changes


def _counts(tasks: Sequence[SessionTask]) -> Mapping[str, Mapping[str, int]]:
    from ossia_evaluation.flowbench.counts import count_sessions
    from ossia_evaluation.flowbench.gold import shipped_golds

<<<<<<< Updated upstream
    return count_sessions(tasks, shipped_golds())
=======
    # Of one turn of the user's.
    return EpisodeLimits(turns=16, tool_rounds=12)


def _player(name: str, kind: TeamKind, tasks: Mapping[str, SessionTask]) -> Model:
    from ossia_servers.flowbench.players import SessionPlayer

    return SessionPlayer(name, tasks, kind)
>>>>>>> Stashed changes
