"""From options to a session: adapters, tasks, model and the resolved configuration."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ossia.adapters import AdapterInfo, find_adapter, find_adapters
from ossia.errors import UserError
from ossia.fit import require_players, require_varying
from ossia.runner.config import FrameworkVersion, RunConfig, code_version
from ossia.runner.results import check_dataset
from ossia.runner.run import Session
from ossia.runner.store import RunStore, runs_folder
from ossia.suites import find_suite
from ossia.tasks import EVERYTHING, Choice, choose, find_tasks, version_of
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.tasks import Task, dataset_hash
from ossia_evaluation.gold import GoldError
from ossia_evaluation.score import Scorer
from ossia_servers.gateway import (
    Budget,
    Model,
    Specification,
    UpstreamOptions,
    is_priced,
    open_model,
    read_specification,
)

UPSTREAM_SECONDS = 90.0
"""Longest attempt of one upstream call, or half of an episode's budget of seconds where that is
shorter. Below the budget, so that a hanging upstream is seen as an infrastructure failure and not
as a slow team."""


@dataclass(frozen=True)
class Wish:
    """What a user asked for, before anything is looked up."""

    frameworks: tuple[str, ...]
    """Adapter names or paths; empty means every adapter that comes with Ossia."""
    suite: str
    tasks: str
    models: tuple[str, ...]
    """Specifications as the user wrote them."""
    repeats: int
    budget: Budget
    choice: Choice = EVERYTHING
    base_url: str | None = None
    key_variable: str | None = None
    price_model: str | None = None
    force: bool = False
    """Whether a model may play a suite whose roles it does not know."""


def resolve(wish: Wish, home: Path) -> RunConfig:
    """Look everything up that decides what the run does.

    Raises:
        UserError: a task set, a choice of tasks or the model that prices come from is not there,
            or a model cannot be read, cannot play the suite, or would repeat nothing.
        AdapterError: an adapter is not there.
    """
    suite, source = find_suite(wish.suite), _absolute(wish)
    whole = find_tasks(wish.tasks, wish.suite)
    tasks = choose(whole, wish.choice)
    models = wanted_models(wish.models, suite.team_roles(tasks, suite.domains(source)))
    require_players(suite, models, force=wish.force)
    require_varying(suite, models, wish.repeats)
    adapters = wanted_adapters(wish.frameworks, home)
    if wish.price_model is not None and not is_priced(wish.price_model):
        raise UserError(f"no price is known for the model '{wish.price_model}'")
    return RunConfig(
        suite=wish.suite,
        tasks=source,
        dataset_hash=dataset_hash(tasks),
        set_hash=dataset_hash(whole),
        dataset_version=version_of(wish.tasks, wish.suite),
        task_ids=tuple(task.id for task in tasks),
        frameworks=tuple(
            FrameworkVersion(name=info.name, source=_source(info)) for info in adapters
        ),
        models=tuple(str(model) for model in models),
        model_hashes=tuple(_files_hash(model) for model in models),
        base_url=wish.base_url,
        price_model=wish.price_model,
        repeats=wish.repeats,
        seed=wish.choice.seed,
        limits=suite.limits(),
        budget=wish.budget,
        ossia=code_version(),
    )


def wanted_adapters(names: Sequence[str], home: Path) -> tuple[AdapterInfo, ...]:
    """Return the named adapters, or all of them.

    Raises:
        AdapterError: one is not there.
        UserError: one is named twice.
    """
    if not names:
        return find_adapters(home)
    found = tuple(find_adapter(name, home) for name in names)
    for info in found:
        if sum(other.name == info.name for other in found) > 1:
            raise UserError(f"the framework '{info.name}' is named twice")
    return found


def wanted_models(texts: Sequence[str], roles: Collection[str]) -> tuple[Specification, ...]:
    """Return the models that are named, with their files as they are found from any folder.

    Args:
        texts: specifications as the user wrote them.
        roles: the roles that may be given a model of their own.

    Raises:
        UserError: one cannot be read, or is named twice.
    """
    try:
        found = tuple(read_specification(text, roles).resolved() for text in texts)
    except ValueError as error:
        raise UserError(str(error)) from None
    for number, model in enumerate(found):
        if model in found[:number]:
            raise UserError(f"the model '{model}' is named twice")
    return found


def open_session(
    config: RunConfig, home: Path, *, jobs: int, key_variable: str | None = None
) -> Session:
    """Make everything ready that a run needs; adapters must be installed.

    Raises:
        UserError: the model cannot be reached as given, an adapter or the task set has changed.
        GoldError: a task's gold run is refused by the servers.
    """
    tasks = tasks_of(config)
    suite = find_suite(config.suite)
    domains = suite.domains(config.tasks)
    scorer = suite.scorer(domains)
    _check_golds(tasks.values(), scorer)
    workers = {}
    for framework in config.frameworks:
        name, _, path = framework.source.partition(" ")
        info = find_adapter(path or framework.name, home)
        if info.digest != name:
            raise UserError(f"the adapter '{info.name}' has changed since the run; start a new run")
        workers[info.name] = info.worker
    players = {name: made(tasks) for name, made in suite.players.items() if name in config.models}
    roles = suite.team_roles(tuple(tasks.values()), domains)
    models = {**_models(config, roles, key_variable, jobs, without=players), **players}
    models = {name: models[name] for name in config.models}
    return Session(config, tasks, domains, models, workers, scorer, jobs)


def tasks_of(config: RunConfig) -> dict[str, Task]:
    """Return the tasks of a run by id.

    Raises:
        UserError: the task set has changed since the run was made.
    """
    by_id = {task.id: task for task in find_tasks(config.tasks, config.suite)}
    gone = [name for name in config.task_ids if name not in by_id]
    if gone:
        raise UserError(f"the task set '{config.tasks}' has no task '{gone[0]}' any more")
    chosen = {name: by_id[name] for name in config.task_ids}
    check_dataset(config, list(chosen.values()))
    return chosen


def open_store(config: RunConfig, home: Path, *, fresh: bool = False) -> RunStore:
    """Open the run's store for writing; the same configuration is the same run.

    Raises:
        UserError: another process is running it.
    """
    folder = runs_folder(home) / config.run_id
    if fresh and folder.exists():
        RunStore(folder, write=True).close()
        shutil.rmtree(folder)
    store = RunStore(folder, write=True)
    if store.meta("config") is None:
        store.set_meta("config", config.model_dump_json())
    return store


def _absolute(wish: Wish) -> str:
    """The task source as it is found from any folder: a run may be resumed from elsewhere."""
    if wish.tasks in builtin_sets(find_suite(wish.suite).tasks_of):
        return wish.tasks
    return str(Path(wish.tasks).resolve())


def _files_hash(model: Specification) -> str:
    """A hash of all files that a model reads; empty for a model without any."""
    digest = hashlib.sha256()
    paths = [spec.path for spec in model.specs if spec.path is not None]
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(str(file.relative_to(path)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16] if paths else ""


def _source(info: AdapterInfo) -> str:
    """The adapter's digest, with its path when it is not one that comes with Ossia."""
    builtin = any(info.project == other.project for other in find_adapters(info.home))
    return info.digest if builtin else f"{info.digest} {info.project}"


def _check_golds(tasks: Iterable[Task], scorer: Scorer) -> None:
    for task in tasks:
        try:
            scorer.gold(task)
        except GoldError as error:
            raise GoldError(f"task {task.id}: {error}; see `ossia dataset check`") from None


def _models(
    config: RunConfig,
    roles: Collection[str],
    key_variable: str | None,
    concurrency: int,
    without: Collection[str] = (),
) -> dict[str, Model]:
    key = None
    if key_variable is not None:
        key = os.environ.get(key_variable)
        if not key:
            raise UserError(f"the environment variable {key_variable} holds no key")
    half = config.budget.seconds / 2
    options = UpstreamOptions(
        base_url=config.base_url,
        api_key=key,
        # Without any seconds nothing is ever asked.
        timeout_s=min(UPSTREAM_SECONDS, half) if half else UPSTREAM_SECONDS,
        concurrency=concurrency,
    )
    try:
        return {
            model: open_model(model, options, roles=roles)
            for model in config.models
            if model not in without
        }
    except ValueError as error:
        raise UserError(str(error)) from None
