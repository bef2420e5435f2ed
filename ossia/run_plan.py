"""From what a user asks for to the plan of a run: everything that decides it, looked up once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ossia.adapters import AdapterInfo, find_adapter, find_adapters
from ossia.endpoints import ALL, read_base_urls
from ossia.errors import UserError
from ossia.fit import (
    SCRIPTED,
    STANDARD,
    playing_on,
    require_one_draw,
    require_players,
    require_roles,
    require_varying,
    wanted_prompts,
    wanted_stress,
    wanted_user,
)
from ossia.runner.catalog import Catalog, FolderCatalog
from ossia.runner.comparable import check_dataset, require_one_division
from ossia.runner.config import FrameworkVersion, Knowledge, RunConfig
from ossia.runner.figures import metrics_of
from ossia.suite import Domains, Suite, role_names
from ossia.suites import find_suite
from ossia.tasks import EVERYTHING, Choice, choose, find_tasks, told_tasks, version_of
from ossia.version import code_version
from ossia.wanted import wanted_adapters, wanted_models, wanted_parameters
from ossia_dataset.tasks import Task, dataset_hash
from ossia_servers.gateway import Budget, Specification, is_priced

UPSTREAM_SECONDS = 90.0
"""Longest attempt of one upstream call, or half of an episode's budget of seconds where that is
shorter. Below the budget, so that a hanging upstream is seen as an infrastructure failure and not
as a slow team."""


CLIENT_SECONDS = 30.0
"""A framework's client waits for so long after the gateway has given up at the latest."""


@dataclass(frozen=True)
class Wish:
    """What a user asked for, before anything is looked up."""

    frameworks: tuple[str, ...]
    """Adapter names or paths, a variant after a colon; empty means every adapter that comes with
    Ossia."""
    suite: str
    tasks: str
    models: tuple[str, ...]
    """Specifications as the user wrote them."""
    repeats: int
    budget: Budget
    choice: Choice = EVERYTHING
    base_urls: tuple[str, ...] = ()
    """Where upstream models are, as the user wrote it."""
    price_model: str | None = None
    call_seconds: float | None = None
    """Longest attempt at an upstream; None for the usual one."""
    parameters: tuple[str, ...] = ()
    """Changes of the requests to upstream models, as the user wrote them."""
    force: bool = False
    """Whether a model may play a suite whose roles it does not know."""
    cache: bool = False
    """Whether an identical request to an upstream model is not sent again."""
    workflow: str = "none"
    """Which workflow of each task its team is given: none, gold or generated:RUN."""
    workflow_form: str = "text"
    user: str = SCRIPTED
    """The model that speaks for the simulated user; `SCRIPTED` for the user that the suite brings
    without one."""
    knowledge: tuple[str, ...] = ()
    """Forms of the suite's own knowledge, in each of which every task is played."""
    prompts: str = STANDARD
    """The wording of the role prompts: `STANDARD`, or a paraphrase of the suite's."""
    stress: tuple[str, ...] = ()
    """The faults with each of which every task is played once more, as the user named them."""


@dataclass(frozen=True)
class RunPlan:
    """Everything that a run needs, looked up once; nothing is opened or started yet."""

    config: RunConfig
    """What decides the run, as it is stored with it."""
    suite: Suite[Any]
    tasks: Mapping[str, Task]
    """Its tasks by id, of the suite's own type."""
    domains: Domains
    """The domain servers of these tasks."""
    adapters: tuple[AdapterInfo, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the teams that play its tasks."""
        return self.suite.team_roles(tuple(self.tasks.values()), self.domains)


def plan_run(wish: Wish, home: Path, catalog: Catalog | None = None) -> RunPlan:
    """Return the plan of what a user asks for.

    Args:
        wish: what is asked for.
        home: where adapters are.
        catalog: where runs are that others build on; those of the home when left out.

    Raises:
        UserError: a task set, a choice of tasks or the model that prices come from is not there,
            a model cannot be read, cannot play the suite, would repeat nothing, or its
            answers again; the faults cannot be read; or the suite's `roles` are not its teams'.
        AdapterError: an adapter is not there.
    """
    suite, source = find_suite(wish.suite), _absolute(wish)
    whole = find_tasks(wish.tasks, wish.suite)
    chosen = choose(whole, wish.choice)
    # In one order: no order makes another run.
    wish = replace(wish, knowledge=tuple(sorted({*wish.knowledge})))
    tasks = told_tasks(chosen, wish.suite, wish.knowledge)
    domains = suite.domains(source)
    # Before anything is paid: what a table cannot hold would else be told at the end.
    metrics_of(wish.suite)
    teams = suite.teams(tasks, domains)
    roles = role_names(teams)
    stress = wanted_stress(wish.stress, teams)
    # Teams may differ: a role that these tasks do without may be in the team of others.
    require_roles(suite, roles if {*suite.roles} & {*roles} else suite.team_roles(whole, domains))
    models = wanted_models(wish.models, roles)
    models = models if stress is None else playing_on(models)
    require_players(suite, models, force=wish.force)
    user = wanted_user(wish.user, suite)
    require_varying(suite, models, wish.repeats, user)
    require_one_draw(wish.repeats, cache=wish.cache)
    adapters = wanted_adapters(wish.frameworks, home)
    require_one_division(map(_framework, adapters))
    if wish.price_model is not None and not is_priced(wish.price_model):
        raise UserError(f"no price is known for the model '{wish.price_model}'")
    config = _config(wish, source, whole, tasks, models, user, adapters)
    seed = _deciding_seed(wish.choice, whole, chosen)
    known = _knowledge(wish, suite, tasks, domains, catalog or FolderCatalog(home))
    config = config.model_copy(update={"knowledge": known, "seed": seed, "stress": stress})
    return RunPlan(config, suite, {task.id: task for task in tasks}, domains, adapters)


def require_same_code(config: RunConfig) -> None:
    """Refuse to go on with a run that other code has begun.

    Raises:
        UserError: it was made with another version or state of Ossia.
    """
    if config.ossia != code_version():
        raise UserError(
            f"the run was made with Ossia {config.ossia}, this is {code_version()};"
            " start a new run, or use `ossia rescore` to score the old one again"
        )


def plan_again(config: RunConfig, home: Path) -> RunPlan:
    """Return the plan of a stored run.

    Args:
        config: the run.
        home: where adapters are.

    Raises:
        UserError: an adapter or the task set has changed since.
        AdapterError: an adapter is not there.
    """
    suite = find_suite(config.suite)
    adapters = tuple(_unchanged(config, home))
    return RunPlan(config, suite, tasks_of(config), suite.domains(config.tasks), adapters)


def _config(
    wish: Wish,
    source: str,
    whole: Sequence[Task],
    tasks: Sequence[Task],
    models: Sequence[Specification],
    user: Specification | None,
    adapters: Sequence[AdapterInfo],
) -> RunConfig:
    asked = models if user is None else [*models, user]
    base_urls = read_base_urls(tuple(dict.fromkeys(wish.base_urls)), asked)
    parameters = wanted_parameters(wish.parameters, asked)
    # After the parameters, of which `m1:` counts the models as the user named them.
    models = sorted(models, key=str)
    limits = find_suite(wish.suite).limits()
    return RunConfig(
        suite=wish.suite,
        tasks=source,
        dataset_hash=dataset_hash(tasks),
        set_hash=dataset_hash(whole),
        dataset_version=version_of(wish.tasks, wish.suite),
        task_ids=tuple(task.id for task in tasks),
        frameworks=tuple(map(_framework, adapters)),
        models=tuple(str(model) for model in models),
        model_hashes=tuple(files_hash(model) for model in models),
        base_url=base_urls.pop(ALL, None),
        base_urls=tuple(sorted(base_urls.items())),
        price_model=wish.price_model,
        repeats=wish.repeats,
        limits=limits.model_copy(update={"call_seconds": _client_seconds(wish)}),
        budget=wish.budget,
        parameters=parameters,
        call_seconds=_call_seconds(wish),
        cache=wish.cache,
        forms=wish.knowledge,
        prompts=wanted_prompts(wish.prompts, find_suite(wish.suite)),
        user="" if user is None else str(user),
        user_hash="" if user is None else files_hash(user),
        ossia=code_version(),
    )


def _knowledge(
    wish: Wish, suite: Suite[Any], tasks: Sequence[Task], domains: Domains, catalog: Catalog
) -> Knowledge | None:
    if wish.workflow == "none":
        return None
    # Loaded when asked for: the library for graphs takes a moment.
    from ossia.knowledge import workflow_knowledge

    return workflow_knowledge(wish.workflow, wish.workflow_form, suite, tasks, domains, catalog)


def _unchanged(config: RunConfig, home: Path) -> Iterator[AdapterInfo]:
    for framework in config.frameworks:
        info = find_adapter(framework.adapter, home)
        if info.digest != framework.digest:
            raise UserError(f"the adapter '{info.name}' has changed since the run; start a new run")
        yield info


def _deciding_seed(choice: Choice, whole: Sequence[Task], tasks: Sequence[Task]) -> int | None:
    """The seed where it chose the tasks; else it would make another run of the very same ones."""
    return choice.seed if len(tasks) < len(choose(whole, replace(choice, limit=None))) else None


def _call_seconds(wish: Wish) -> float:
    """The longest attempt at an upstream."""
    half = wish.budget.seconds / 2
    # Without any seconds nothing is ever asked.
    usual = min(UPSTREAM_SECONDS, half) if half else UPSTREAM_SECONDS
    return usual if wish.call_seconds is None else wish.call_seconds


def _client_seconds(wish: Wish) -> float:
    """How long a framework's client waits for an answer: longer than the gateway ever takes.

    The endpoint's trouble may double an episode's seconds, and its last attempt is awaited. Were
    the client to give up first, a hanging endpoint would look like a failure of the framework.
    """
    return 2 * wish.budget.seconds + _call_seconds(wish) + CLIENT_SECONDS


def tasks_of(config: RunConfig) -> dict[str, Task]:
    """Return the tasks of a run by id.

    Raises:
        UserError: the task set has changed since the run was made.
    """
    whole = told_tasks(find_tasks(config.tasks, config.suite), config.suite, config.forms)
    by_id = {task.id: task for task in whole}
    gone = [name for name in config.task_ids if name not in by_id]
    if gone:
        raise UserError(f"the task set '{config.tasks}' no longer has the task '{gone[0]}'")
    chosen = {name: by_id[name] for name in config.task_ids}
    check_dataset(config, list(chosen.values()))
    return chosen


def _absolute(wish: Wish) -> str:
    """The task source as it is found from any folder: a run may be resumed from elsewhere."""
    if wish.tasks in find_suite(wish.suite).sets:
        return wish.tasks
    return str(Path(wish.tasks).resolve())


def files_hash(model: Specification) -> str:
    """Return a hash of all files that a model reads; empty for a model without any."""
    digest = hashlib.sha256()
    paths = [spec.path for spec in model.specs if spec.path is not None]
    for path in paths:
        if path.is_file():
            # The dot stands in the hashes of stored runs.
            digest.update(b"." + path.read_bytes())
    return digest.hexdigest()[:16] if paths else ""


def _framework(info: AdapterInfo) -> FrameworkVersion:
    """What a run keeps of an adapter."""
    return FrameworkVersion(
        name=info.key,
        source=_source(info),
        editable=info.editable,
        variant="" if info.variant is None else info.variant.name,
        idiom="" if info.variant is None else info.variant.idiom,
        title=info.label,
        division="documented" if info.variant is None else info.variant.division,
        status="" if info.status is None else info.status.text,
        workflow=info.workflow,
    )


def _source(info: AdapterInfo) -> str:
    """The adapter's digest, with its path when it is not one that comes with Ossia."""
    builtin = any(info.project == other.project for other in find_adapters(info.home))
    return info.digest if builtin else f"{info.digest} {info.project}"
