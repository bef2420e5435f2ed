"""The suites of the assistant: Auto-SLURP's, and tasks of several wishes for the same team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from ossia.errors import UserError
from ossia.suite import Domains, Importer, Suite, later
from ossia_dataset.assistant.tasks import assistant_tasks
from ossia_dataset.builtin import builtin_folder, builtin_sets
from ossia_dataset.tasks import DEFAULT_HOME, DEFAULT_NOW, nothing_at
from ossia_dataset.world_tasks import SUCCESS, WorldTask
from ossia_servers.assistant.catalogue import EXAMPLE, catalogue_text, load_domains
from ossia_workflows import PARAPHRASES, Team, load_team

if TYPE_CHECKING:
    from ossia.examples import Example
    from ossia.storage.place import Place
    from ossia_evaluation.worlds.proof import ProofLine

ROLES: Final = ("intent", "time", "location", "url", "manager", "function call", "response")
"""In the order of Auto-SLURP's Table 3."""

_TURNS: Final = {"assistant": 20, "assistant-compound": 40}
"""A gold run has seven turns at most; of several wishes five each, and two at the end."""

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
    player = later("ossia_evaluation.assistant.players:GoldPlayer")
    return Suite(
        name=name,
        tasks=partial(_tasks, name),
        team=partial(_team, name),
        paraphrases={each: partial(_team, name, paraphrase=each) for each in PARAPHRASES},
        team_key=attrgetter("home"),
        grader=later("ossia_evaluation.assistant.scorer:AssistantScorer"),
        grade=partial(resolve_name, "ossia_evaluation.assistant.scorer:AssistantScore"),
        metrics=partial(resolve_name, "ossia_evaluation.assistant.metrics:METRICS"),
        success=SUCCESS,
        limits=partial(later("ossia.runner.config:EpisodeLimits"), turns=_TURNS[name]),
        data=builtin_folder(name),
        domains=lambda source: load_domains(),
        catalogue=catalogue_text,
        example=EXAMPLE,
        offline=later("ossia_servers.assistant.offline.opening:open_offline"),
        players={each: partial(player, each) for each in ("gold", "literal")},
        roles=ROLES,
        role_titles={"request": "function call"},
        published=partial(resolve_name, "ossia_evaluation.assistant.published:TABLE_3"),
        contracts=later("ossia_evaluation.assistant.contracts:AssistantContracts"),
        checked=later("ossia_servers.assistant.offline.solved:solved"),
        scenes=_SCENES.get(name, ()),
        describe=_describe,
        workflow=later("ossia_evaluation.assistant.workflow:gold_workflow")
        if name == _COMPOUND
        else None,
        check=partial(_check, name),
        related=_compound if name == "assistant" else dict,
        importers=_IMPORTERS,
        commands=_COMMANDS,
        examples=None if name == _COMPOUND else _examples,
    )


def _examples(tasks: Sequence[WorldTask], run: Place | None) -> Sequence[Example]:
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


def _team(name: str, task: WorldTask, domains: Domains, paraphrase: str = "") -> Team:
    values = {"catalogue": catalogue_text(domains), "home": task.home}
    return load_team(name, values, paraphrase)


def _check(name: str, source: str | None) -> Iterator[ProofLine]:
    from ossia_evaluation.assistant.check import check_builtin, check_source

    return check_builtin() if source is None else check_source(source, name, _tasks(name, source))


def _describe(task: WorldTask, domains: Domains) -> Iterator[str]:
    from ossia_evaluation.assistant.describe import role_orders
    from ossia_evaluation.assistant.scorer import AssistantScorer
    from ossia_evaluation.worlds.describe import describe_task

    return describe_task(task, AssistantScorer(domains).gold(task), role_orders(task.gold))
