"""The suites of WorkBench: office tasks, played by a team of specialists or by one agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from ossia.suite import Domains, Importer, Played, Suite, later
from ossia_dataset.builtin import builtin_folder, load_set
from ossia_dataset.workbench.generator import SUITE, TASK_SETS
from ossia_dataset.workbench.published import read_published
from ossia_dataset.workbench.sources import is_published
from ossia_dataset.world_tasks import SUCCESS, WorldTask
from ossia_servers.workbench import COMPAT_2024, office_servers, toolkit_text
from ossia_workflows.team import PARAPHRASES, Team
from ossia_workflows.workbench import DIRECTORY, TeamKind, office_team

if TYPE_CHECKING:
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.compare import Comparison
    from ossia_evaluation.report.part import ReportPart
    from ossia_evaluation.worlds.proof import ProofLine

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

_PLAYERS: Final = ("gold", "literal", "idle")
"""The models made from tasks: the gold run, also to the letter of prompts, and doing nothing."""

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
    if is_published(source):
        from ossia_evaluation.workbench.tasks import published_tasks

        return published_tasks(read_published(Path(source)))
    return load_set(source, builtin_folder(SUITE), WorldTask)


def suite(name: str) -> Suite[WorldTask]:
    """Return a suite of the office.

    Args:
        name: one of `TEAMS`.
    """
    kind = TEAMS[name]
    player = later("ossia_evaluation.workbench.players:Player")
    contracts = later("ossia_evaluation.workbench.team_contracts:OfficeTeamContracts")
    return Suite(
        name=name,
        tasks=office_tasks,
        team=partial(_team, name),
        paraphrases={each: partial(_team, name, paraphrase=each) for each in PARAPHRASES},
        team_key=attrgetter("toolkits"),
        grader=later("ossia_evaluation.workbench.scorer:OfficeScorer"),
        grade=partial(resolve_name, "ossia_evaluation.worlds.score:Score"),
        metrics=partial(resolve_name, "ossia_evaluation.workbench.metrics:METRICS"),
        success=SUCCESS,
        # A long truth deletes a dozen rows one by one, after it has found them.
        limits=partial(later("ossia.runner.config:EpisodeLimits"), turns=16, tool_rounds=30),
        data=builtin_folder(SUITE),
        domains=office_servers,
        compat={COMPAT_2024: partial(office_servers, compat=COMPAT_2024)},
        catalogue=_catalogue,
        example="/calendar?intent=search_events&query=chat",
        players={each: partial(player, each, kind=kind) for each in _PLAYERS},
        release=_release,
        starts_with_tasks=True,
        contracts=lambda domains: contracts(kind),
        checked=tuple if name in _CHECKED else None,
        describe=_describe,
        report=_report,
        workflow=later("ossia_evaluation.workbench.workflow:gold_workflow"),
        check=_check,
        importers=_IMPORTERS,
        commands=_COMMANDS,
    )


def _team(name: str, task: WorldTask, domains: Domains, paraphrase: str = "") -> Team:
    wanted = {*task.toolkits, DIRECTORY}
    everything = name not in _NEEDED_ONLY or not task.toolkits
    named = [domain for domain in domains if everything or domain.name in wanted]
    catalogues = {domain.name: toolkit_text(domain) for domain in named}
    return office_team(TEAMS[name], catalogues, paraphrase)


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


def _release(tasks: Sequence[WorldTask]) -> str:
    return ", ".join(sorted({task.seed for task in tasks}))


def _catalogue(domains: Domains) -> str:
    return "\n\n".join(map(toolkit_text, domains))


def _describe(task: WorldTask, domains: Domains) -> Iterator[str]:
    from ossia_evaluation.workbench.scorer import OfficeScorer
    from ossia_evaluation.worlds.describe import describe_task

    return describe_task(task, OfficeScorer(domains).gold(task))
