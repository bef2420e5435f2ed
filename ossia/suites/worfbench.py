"""The suites of WorFBench: workflow graphs, written by a planner alone or by a team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.suite import Domains, Importer, Suite
from ossia_dataset.tasks import read_tasks
from ossia_dataset.worfbench.tasks import PlanTask, published_tasks
from ossia_workflows import Team
from ossia_workflows.worfbench import TeamKind, team_of

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_servers.gateway import Model

_COMMANDS: Final = {
    "score worfeval": "ossia.cli.worfbench.score:worfeval_command",
    "score worfeval-variants": "ossia.cli.worfbench.score:variants_command",
}

_IMPORTERS: Final = {
    "worfbench": Importer(
        "a clone of WorFBench's repository or its folder `gold_traj`",
        "ossia.cli.worfbench.dataset:import_worfbench",
    )
}

_PLAYERS: Final = ("gold", "nonsense", "linear", "reversed")


TEAMS: Final[Mapping[str, TeamKind]] = {
    "worfbench": TeamKind.PLANNER,
    "worfbench-team": TeamKind.TEAM,
}
"""The team of each suite."""


def suite(name: str) -> Suite[PlanTask]:
    """Return a suite of WorFBench.

    Args:
        name: one of `TEAMS`.
    """
    kind = TEAMS[name]
    return Suite(
        name=name,
        tasks=partial(_tasks, name),
        team=partial(_team, kind),
        team_key=lambda task: kind,
        grader=_grader,
        metrics=_metrics,
        success="A plan is a success that has the gold plan's nodes, no others, and their order.",
        limits=_limits,
        contracts=partial(_contracts, kind),
        players={player: partial(_player, player, kind) for player in _PLAYERS},
        importers=_IMPORTERS,
        commands=_COMMANDS,
    )


def _tasks(name: str, source: str) -> tuple[PlanTask, ...]:
    if source == "test" and not Path(source).exists():
        raise UserError(
            f"the suite '{name}' has no built-in tasks; name your copy of the published golds with"
            " --tasks"
        )
    path = Path(source)
    if path.suffix == ".jsonl" or (path.is_dir() and any(path.glob("*.jsonl"))):
        return read_tasks(path, PlanTask)
    return published_tasks(path, name)


def _team(kind: TeamKind, task: PlanTask, domains: Domains) -> Team:
    return team_of(kind)


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.worfbench.grader import PlanGrader

    return PlanGrader()


def _contracts(kind: TeamKind, domains: Domains) -> TeamContracts:
    from ossia_evaluation.worfbench.team_contracts import PlanTeamContracts

    return PlanTeamContracts(kind)


def _metrics() -> Sequence[Metric]:
    from ossia_evaluation.worfbench.grader import METRICS

    return METRICS


def _limits() -> EpisodeLimits:
    from ossia.runner.config import EpisodeLimits

    return EpisodeLimits(turns=8)


def _player(name: str, kind: TeamKind, tasks: Mapping[str, PlanTask]) -> Model:
    from ossia_evaluation.worfbench.players import PlanPlayer

    return PlanPlayer(name, tasks, kind)
