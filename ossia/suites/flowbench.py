"""The suites of FlowBench: conversations, in which an agent or a team follows workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from ossia.suite import Domains, Played, Suite, later
from ossia_dataset.builtin import builtin_folder, builtin_sets
from ossia_dataset.flowbench.sessions import SUITE, SessionTask
from ossia_workflows.flowbench import Knowledge, TeamKind, role_scenarios, service_team
from ossia_workflows.team import Team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.gateway import Budget

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


def _check(source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.flowbench.proof import check_scenarios, check_set
    from ossia_evaluation.worlds.proof import outdated
    from ossia_servers.flowbench.services import scenarios
    from ossia_servers.flowbench.source import load_sessions

    yield from check_scenarios(scenarios())
    for name in builtin_sets(SUITE) if source is None else (source,):
        yield from check_set(name)
    yield from outdated(SUITE, load_sessions) if source is None else ()


def _counts(tasks: Sequence[SessionTask]) -> Mapping[str, Mapping[str, int]]:
    from ossia_evaluation.flowbench.counts import count_sessions
    from ossia_evaluation.flowbench.gold import shipped_golds

    return count_sessions(tasks, shipped_golds())
