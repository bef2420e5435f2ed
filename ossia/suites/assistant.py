"""The suites of the assistant: Auto-SLURP's, and tasks of several wishes for the same team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.suite import Domains, Importer, Suite
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.builtin import builtin_folder, builtin_sets
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, nothing_at
from ossia_dataset.world_tasks import SUCCESS, WorldTask
from ossia_servers.assistant.catalogue import EXAMPLE, catalogue_text, load_domains

if TYPE_CHECKING:
    from ossia.examples import Example
    from ossia.runner.config import EpisodeLimits
    from ossia_evaluation.attribution.columns import Published
    from ossia_evaluation.attribution.contracts import TeamContracts
    from ossia_evaluation.grade import Grade
    from ossia_evaluation.grader import Grader
    from ossia_evaluation.metrics import Metric
    from ossia_evaluation.worlds.proof import ProofLine
    from ossia_servers.gateway import Model, ModelSpec
    from ossia_workflows import Team
    from ossia_workflows.graph import WorkflowGraph

ROLES: Final = (
    "intent",
    "time",
    "location",
    "url",
    "manager",
    "function call",
    "response",
)
"""In the order of Auto-SLURP's Table 3."""

_TURNS: Final = {"assistant": 20, "assistant-compound": 40}
"""A gold run has seven turns at most; of several wishes five each, and two at the end."""


def _ids(*told: str) -> frozenset[str]:
    """Return ids of tasks, each text a domain and its numbers."""
    split = (each.split() for each in told)
    return frozenset(f"{name}-{int(each):03}" for name, *numbers in split for each in numbers)


_MISSED: Final = {
    "assistant": _ids(
        "alarm 3 13",
        "audiobook 4",
        "calendar 7 9 13",
        "cooking 9 12",
        "datetime 4 11",
        "email 1 15 19 24",
        "iot 4 6 57",
        "music 4 6 8 14 19 22 23 24",
        "news 9 10",
        "phone 2 4",
        "podcasts 5 7 8 10 12",
        "qa 2 4",
        "radio 4 8",
        "social 1 11",
        "transport 6 10",
    ),
    "assistant-compound": _ids(
        "compound 5 6 20 21 24 25 27 28 29 31 32 33 34 35 36 37 38 39 40 41 42 46 50 52 57 59 60",
        "compound 64 66 67 73 75 76 80 81 83 88 89",
    ),
}
"""Tasks of the set `test` that the offline model does not solve."""

_SCENES: Final = {
    "assistant": (
        *("recommendation-001", "recommendation-002", "recommendation-004", "recommendation-013"),
        *("transport-002", "transport-004", "transport-005", "transport-007", "transport-012"),
        *("transport-015", "transport-016", "weather-002", "weather-005", "weather-006"),
        *("weather-007", "weather-010", "weather-011"),
    )
}
"""Tasks that need every role, as often as each other: a date, a place, and one server's answer."""

_COMPOUND: Final = "assistant-compound"

_IMPORTERS: Final = {
    "auto-slurp": Importer(
        "a CSV file of Auto-SLURP", "ossia.cli.assistant.dataset:import_auto_slurp"
    )
}

_COMMANDS: Final = {
    "dataset build": "ossia.cli.assistant.dataset:build_command",
    "dataset facts": "ossia.cli.assistant.dataset:facts_command",
    "model train": "ossia.cli.assistant.model:train_command",
    "model evaluate": "ossia.cli.assistant.model:evaluate_command",
}


def suite(name: str) -> Suite[WorldTask]:
    """Return a suite of the assistant.

    Args:
        name: `assistant` or `assistant-compound`.
    """
    return Suite(
        name=name,
        tasks=partial(_tasks, name),
        team=partial(_team, name),
        team_key=attrgetter("home"),
        grader=_grader,
        grade=_grade,
        metrics=_metrics,
        success=SUCCESS,
        limits=partial(_limits, name),
        data=builtin_folder(name),
        domains=_domains,
        catalogue=_catalogue,
        example=EXAMPLE,
        offline=_offline,
        players={"gold": _gold_player},
        roles=ROLES,
        role_titles={"request": "function call"},
        published=_published,
        contracts=_contracts,
        checked=partial(_checked, name),
        scenes=_SCENES.get(name, ()),
        describe=_describe,
        workflow=_workflow if name == _COMPOUND else None,
        check=partial(_check, name),
        related=_compound if name == "assistant" else dict,
        importers=_IMPORTERS,
        commands=_COMMANDS,
        examples=None if name == _COMPOUND else _examples,
    )


def _examples(tasks: Sequence[WorldTask], run: Path | None) -> Sequence[Example]:
    from ossia.assistant.training_set.examples import intent_examples
    from ossia.assistant.training_set.heard import heard_in
    from ossia_evaluation.assistant.frames import single

    return intent_examples(single(tasks), () if run is None else heard_in(run))


def _compound() -> Mapping[str, Sequence[WorldTask]]:
    sets = builtin_sets(_COMPOUND)
    # One set needs no second name.
    titles = ["compound"] if len(sets) == 1 else [f"compound {name}" for name in sets]
    return {
        title: assistant_tasks(name, _COMPOUND) for title, name in zip(titles, sets, strict=True)
    }


def _tasks(name: str, source: str) -> tuple[WorldTask, ...]:
    if not source.endswith(".csv"):
        return assistant_tasks(source, name)
    if not Path(source).is_file():
        raise UserError(nothing_at(Path(source)))
    from ossia_dataset.assistant.auto_slurp import read_auto_slurp

    return read_auto_slurp(Path(source), now=DEFAULT_NOW, home=DEFAULT_HOME).tasks


def _team(name: str, task: WorldTask, domains: Domains) -> Team:
    from ossia_workflows import load_team

    return load_team(name, {"catalogue": _catalogue(domains), "home": task.home})


def _limits(name: str) -> EpisodeLimits:
    from ossia.runner.config import EpisodeLimits

    return EpisodeLimits(turns=_TURNS[name])


def _checked(name: str, tasks: Sequence[WorldTask]) -> Sequence[WorldTask]:
    return [task for task in tasks if task.id not in _MISSED[name]]


def _check(name: str, source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.assistant.check import check_builtin, check_source

    return check_builtin() if source is None else check_source(source, name, _tasks(name, source))


def _domains(source: str) -> Domains:
    return load_domains()


def _catalogue(domains: Domains) -> str:
    return catalogue_text(tuple(domains))


def _grader(domains: Domains) -> Grader:
    from ossia_evaluation.assistant.scorer import AssistantScorer

    return AssistantScorer(domains)


def _grade() -> type[Grade]:
    from ossia_evaluation.assistant.scorer import AssistantScore

    return AssistantScore


def _metrics() -> Sequence[Metric]:
    from ossia_evaluation.assistant.metrics import METRICS

    return METRICS


def _offline(spec: ModelSpec) -> Model:
    from ossia_servers.assistant.offline.opening import open_offline

    return open_offline(spec)


def _published() -> Published:
    from ossia_evaluation.assistant.published import TABLE_3

    return TABLE_3


def _contracts(domains: Domains) -> TeamContracts:
    from ossia_evaluation.assistant.contracts import AssistantContracts

    return AssistantContracts(domains)


def _gold_player(tasks: Mapping[str, WorldTask]) -> Model:
    from ossia_evaluation.assistant.players import GoldPlayer

    return GoldPlayer(tasks)


def _workflow(task: WorldTask, domains: Domains) -> WorkflowGraph:
    from ossia_evaluation.assistant.workflow import gold_workflow

    return gold_workflow(task, domains)


def _describe(task: WorldTask, domains: Domains) -> Iterator[str]:
    from ossia_evaluation.assistant.describe import role_orders
    from ossia_evaluation.assistant.scorer import AssistantScorer
    from ossia_evaluation.worlds.describe import describe_task

    return describe_task(task, AssistantScorer(domains).gold(task), role_orders(task.gold))
