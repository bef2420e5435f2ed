"""The suites of WorkBench: office tasks, played by a team of specialists or by one agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ossia.suite import Domains, Importer, Played, Suite
from ossia_dataset.builtin import builtin_folder, builtin_sets, load_set
from ossia_dataset.tasks import TaskError
from ossia_dataset.workbench.database import Database, read_database
from ossia_dataset.workbench.generated import generated_database, is_generated
from ossia_dataset.workbench.generator import SUITE, TASK_SETS
from ossia_dataset.workbench.published import read_published
from ossia_dataset.world_tasks import SUCCESS, WorldTask
from ossia_servers.workbench import COMPAT_2024, Compat, office_domains, toolkit_text
from ossia_servers.worlds.domain import Domain
from ossia_workflows.team import Team
from ossia_workflows.workbench import DIRECTORY, TeamKind, office_team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.grade import Grade
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.gateway import Model
    from ossia_workflows.graph import WorkflowGraph

DATABASE_FILE: Final = "database.json"
"""The databases beside an imported task file."""

TEAMS: Final[Mapping[str, TeamKind]] = {
    "workbench": TeamKind.SPECIALISTS,
    "workbench-react": TeamKind.REACT,
    "workbench-react-all": TeamKind.REACT,
}
"""The team of each suite."""

_NEEDED_ONLY: Final = frozenset({"workbench-react"})
"""Suites whose agent is told of the toolkits that a task needs, and of no others."""

_CHECKED: Final = frozenset({"workbench"})
"""Suites of which `ossia adapter check` plays tasks."""

_PLAYERS: Final = ("gold", "idle")
"""The models made from tasks: the gold run, and doing nothing."""

_IMPORTERS: Final = {
    "workbench": Importer(
        "the data folder of WorkBench", "ossia.cli.workbench.dataset:import_workbench"
    )
}

_COMMANDS: Final = {
    "dataset generate": "ossia.cli.workbench.dataset:generate_command",
    "score workbench-log": "ossia.cli.workbench.score:workbench_log_command",
    "score workbench-run": "ossia.cli.workbench.score:workbench_run_command",
}


def office_tasks(source: str) -> tuple[WorldTask, ...]:
    """Load tasks from a built-in set, an imported folder, or the published data by path.

    Raises:
        TaskError: the source cannot be read.
    """
    if _is_published(source):
        from ossia_evaluation.workbench.tasks import published_tasks

        return published_tasks(read_published(Path(source)))
    return load_set(source, builtin_folder(SUITE), WorldTask)


@cache
def office_servers(source: str, compat: Compat | None = None) -> tuple[Domain, ...]:
    """Return the domain servers, whose start states are those of a source of tasks.

    Args:
        source: where tasks and databases come from.
        compat: `2024` for the behaviour of the published release where the two differ.

    Raises:
        TaskError: the databases cannot be read.
    """
    database = _database(source)

    def find(seed: str) -> Database:
        if is_generated(seed):
            return generated_database(seed)
        if database is None or database.seed != seed:
            raise TaskError(f"no database '{seed}' lies beside the tasks '{source}'")
        return database

    return office_domains(find, compat)


def _database(source: str) -> Database | None:
    if source in builtin_sets(SUITE):
        return None
    if _is_published(source):
        return read_published(Path(source)).database
    path = Path(source)
    file = (path if path.is_dir() else path.parent) / DATABASE_FILE
    return read_database(file) if file.is_file() else None


def _is_published(source: str) -> bool:
    folder = Path(source)
    return any(
        (place / "processed" / "queries_and_answers").is_dir()
        for place in (folder, folder / "data")
    )


def suite(name: str) -> Suite[WorldTask]:
    """Return a suite of the office.

    Args:
        name: one of `TEAMS`.
    """
    kind = TEAMS[name]

    def team(task: WorldTask, domains: Domains) -> Team:
        wanted = {*task.toolkits, DIRECTORY}
        everything = name not in _NEEDED_ONLY or not task.toolkits
        named = [domain for domain in domains if everything or domain.name in wanted]
        return office_team(kind, {domain.name: toolkit_text(domain) for domain in named})

    return Suite(
        name=name,
        tasks=office_tasks,
        team=team,
        team_key=attrgetter("toolkits"),
        grader=_grader,
        grade=_grade,
        metrics=_metrics,
        success=SUCCESS,
        limits=_limits,
        data=builtin_folder(SUITE),
        domains=office_servers,
        compat={COMPAT_2024: partial(office_servers, compat=COMPAT_2024)},
        catalogue=_catalogue,
        example="/calendar?intent=search_events&query=chat",
        players={player: partial(_player, player, kind) for player in _PLAYERS},
        release=_release,
        starts_with_tasks=True,
        contracts=partial(_contracts, kind),
        checked=tuple if name in _CHECKED else None,
        describe=_describe,
        report=_report,
        workflow=_workflow,
        check=_check,
        importers=_IMPORTERS,
        commands=_COMMANDS,
    )


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.workbench.scorer import OfficeScorer

    return OfficeScorer(domains)


def _grade() -> type[Grade]:
    from ossia_evaluation.worlds.score import Score

    return Score


def _metrics() -> Sequence[Metric]:
    from ossia_evaluation.workbench.metrics import METRICS

    return METRICS


def _contracts(kind: TeamKind, domains: Domains) -> TeamContracts:
    from ossia_evaluation.workbench.team_contracts import OfficeTeamContracts

    return OfficeTeamContracts(kind)


def _describe(task: WorldTask, domains: Domains) -> Iterator[str]:
    from ossia_evaluation.workbench.scorer import OfficeScorer
    from ossia_evaluation.worlds.describe import describe_task

    return describe_task(task, OfficeScorer(domains).gold(task))


def _workflow(task: WorldTask, domains: Domains) -> WorkflowGraph:
    from ossia_evaluation.workbench.workflow import gold_workflow

    return gold_workflow(task, domains)


def _check(source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.workbench.check import check_set
    from ossia_evaluation.worlds.proof import outdated

    for name in TASK_SETS if source is None else (source,):
        yield from check_set(name, office_tasks(name), office_servers(name))
    yield from outdated(SUITE, office_tasks) if source is None else ()


def _report(
    tasks: Mapping[str, WorldTask], played: Played, limits: EpisodeLimits, result: Comparison
) -> ReportPart | None:
    from ossia_evaluation.workbench.report_part import office_summaries, report_part

    return report_part(office_summaries(tasks, played, limits.turns), result)


def _limits() -> EpisodeLimits:
    from ossia.runner.config import EpisodeLimits

    # A long truth deletes a dozen rows one by one, after it has found them.
    return EpisodeLimits(turns=16, tool_rounds=30)


def _release(tasks: Sequence[WorldTask]) -> str:
    return ", ".join(sorted({task.seed for task in tasks}))


def _catalogue(domains: Domains) -> str:
    return "\n\n".join(map(toolkit_text, domains))


def _player(name: str, kind: TeamKind, tasks: Mapping[str, WorldTask]) -> Model:
    from ossia_evaluation.workbench.players import Player

    return Player(name, tasks, kind)
