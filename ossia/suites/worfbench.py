"""The suites of WorFBench: workflow graphs, written by a planner alone or by a team."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.suite import Domains, Importer, Suite, later
from ossia.suites import find_suite
from ossia_dataset.builtin import builtin_folder, builtin_sets, load_set
from ossia_dataset.worfbench.shots import worked_examples
from ossia_dataset.worfbench.tasks import (
    KINDS,
    SUCCESS,
    SUITE,
    PlanKind,
    PlanTask,
    published_tasks,
)
from ossia_workflows import Team
from ossia_workflows.worfbench import TeamKind, team_of

if TYPE_CHECKING:
    from ossia.examples import Example
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.worfbench.execution.executor import PlanExecutor
    from ossia_evaluation.worlds.proof import ProofLine

_COMMANDS: Final = {
    "dataset generate-plans": "ossia.cli.worfbench.generate:generate_command",
    "dataset plans": "ossia.cli.worfbench.plans:plans_command",
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
    player = later("ossia_evaluation.worfbench.players:PlanPlayer")
    return Suite(
        name=name,
        tasks=partial(_tasks, name),
        team=partial(_team, kind),
        team_key=_kind,
        grader=_grader,
        metrics=partial(resolve_name, "ossia_evaluation.worfbench.grader:METRICS"),
        success=SUCCESS,
        limits=partial(later("ossia.runner.config:EpisodeLimits"), turns=8),
        data=builtin_folder(SUITE),
        offline=partial(later("ossia_servers.worfbench:open_planner"), kind),
        contracts=partial(_contracts, kind),
        players={each: partial(player, each, kind=kind) for each in _PLAYERS},
        check=_check,
        examples=partial(_examples, kind),
        facts=_facts,
        importers=_IMPORTERS,
        commands=_COMMANDS,
    )


def _tasks(name: str, source: str) -> tuple[PlanTask, ...]:
    path = Path(source)
    ours = path.suffix == ".jsonl" or (path.is_dir() and any(path.glob("*.jsonl")))
    if ours or source in builtin_sets(SUITE):
        return load_set(source, builtin_folder(SUITE), PlanTask)
    return published_tasks(path, name)


def _kind(task: PlanTask) -> PlanKind | None:
    return task.kind or KINDS.get(task.origin)


def _team(kind: TeamKind, task: PlanTask, domains: Domains) -> Team:
    if kind is not TeamKind.PLANNER:
        return team_of(kind)
    shown = worked_examples(_kind(task))
    return team_of(kind, [(each.utterance, each.workflow) for each in shown])


def _check(source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.worfbench.execution.proof import check_executable
    from ossia_evaluation.worfbench.proof import check_written

    for name in builtin_sets(SUITE) if source is None else (source,):
        tasks = _tasks(SUITE, name)
        yield from check_written(name, tasks)
        yield from check_executable(name, tasks, plan_executor())


def _examples(kind: TeamKind, tasks: Sequence[PlanTask], run: Path | None) -> Sequence[Example]:
    if run is not None:
        raise UserError(
            "--prompts-of works only with the assistant suite: every framework asks a planner in"
            " the same words"
        )
    from ossia.examples import plain_example
    from ossia_evaluation.worfbench.lessons import lessons

    return [
        plain_example(_team(kind, task, ()).role(each.role).prompt, task, each.answer, each.earlier)
        for task in tasks
        for each in lessons(kind, task)
    ]


def _facts(tasks: Iterable[PlanTask]) -> Mapping[str, str]:
    from ossia_evaluation.worfbench.grader import floor_text

    return {"floors of plan F1": floor_text(tasks)}


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.worfbench.grader import PlanGrader

    return PlanGrader(plan_executor())


def plan_executor() -> PlanExecutor:
    """Return what carries plans out, on the domain servers of other suites by their names."""
    from ossia_evaluation.worfbench.execution.executor import PlanExecutor

    return PlanExecutor(lambda suite: find_suite(suite).domains("test"))


def _contracts(kind: TeamKind, domains: Domains) -> TeamContracts:
    from ossia_evaluation.worfbench.attribution.team import PlanTeamContracts

    return PlanTeamContracts(kind, plan_executor())
