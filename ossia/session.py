"""From options to a session: adapters, tasks, model and the resolved configuration."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ossia.adapters import AdapterInfo, find_adapter, find_adapters
from ossia.errors import UserError
from ossia.runner.config import FrameworkVersion, RunConfig, code_version
from ossia.runner.results import check_dataset
from ossia.runner.run import Session
from ossia.runner.store import RunStore, runs_folder
from ossia.tasks import EVERYTHING, Choice, choose, find_tasks
from ossia_dataset.builtin import builtin_sets
from ossia_dataset.tasks import Task, dataset_hash
from ossia_evaluation.gold import GoldError
from ossia_evaluation.score import Scorer
from ossia_servers.catalogue import load_domains
from ossia_servers.gateway import Budget, Model, UpstreamOptions, is_priced, open_model

UPSTREAM_SECONDS = 90.0
"""Longest attempt of one upstream call. Below an episode's budget of seconds, so that a hanging
upstream is seen as an infrastructure failure and not as a slow team."""


@dataclass(frozen=True)
class Wish:
    """What a user asked for, before anything is looked up."""

    frameworks: tuple[str, ...]
    """Adapter names or paths; empty means every adapter that comes with Ossia."""
    suite: str
    tasks: str
    model: str
    repeats: int
    budget: Budget
    choice: Choice = EVERYTHING
    base_url: str | None = None
    key_variable: str | None = None
    price_model: str | None = None


def resolve(wish: Wish, home: Path) -> RunConfig:
    """Look everything up that decides what the run does.

    Raises:
        UserError: a task set, a choice of tasks or the model that prices come from is not there.
        AdapterError: an adapter is not there.
    """
    tasks = choose(find_tasks(wish.tasks, wish.suite), wish.choice)
    adapters = wanted_adapters(wish.frameworks, home)
    if wish.price_model is not None and not is_priced(wish.price_model):
        raise UserError(f"no price is known for the model '{wish.price_model}'")
    return RunConfig(
        suite=wish.suite,
        tasks=_absolute(wish),
        dataset_hash=dataset_hash(tasks),
        task_ids=tuple(task.id for task in tasks),
        frameworks=tuple(
            FrameworkVersion(name=info.name, source=_source(info)) for info in adapters
        ),
        model=_absolute_model(wish.model),
        model_hash=_model_hash(wish.model),
        base_url=wish.base_url,
        price_model=wish.price_model,
        repeats=wish.repeats,
        seed=wish.choice.seed,
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


def open_session(
    config: RunConfig, home: Path, *, jobs: int, key_variable: str | None = None
) -> Session:
    """Make everything ready that a run needs; adapters must be installed.

    Raises:
        UserError: the model cannot be reached as given, an adapter or the task set has changed.
        GoldError: a task's gold run is refused by the servers.
    """
    tasks = tasks_of(config)
    domains = load_domains()
    scorer = Scorer(domains)
    _check_golds(tasks.values(), scorer)
    workers = {}
    for framework in config.frameworks:
        name, _, path = framework.source.partition(" ")
        info = find_adapter(path or framework.name, home)
        if info.digest != name:
            raise UserError(f"the adapter '{info.name}' has changed since the run; start a new run")
        workers[info.name] = info.worker
    model = _model(config, key_variable, jobs)
    return Session(config, tasks, domains, model, workers, scorer, jobs)


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
    if wish.tasks in builtin_sets(wish.suite):
        return wish.tasks
    return str(Path(wish.tasks).resolve())


def _absolute_model(spec: str) -> str:
    """The model with the file that it reads, if any, as it is found from any folder."""
    kind, mark, file = spec.partition(":")
    return f"{kind}{mark}{Path(file).resolve()}" if _reads_file(kind) and file else spec


def _reads_file(kind: str) -> bool:
    return kind in ("scripted", "replay")


def _model_hash(spec: str) -> str:
    """A hash of the file that a model reads; empty for a model without a file."""
    kind, _, file = spec.partition(":")
    if not _reads_file(kind) or not Path(file).is_file():
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


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


def _model(config: RunConfig, key_variable: str | None, concurrency: int) -> Model:
    key = None
    if key_variable is not None:
        key = os.environ.get(key_variable)
        if not key:
            raise UserError(f"the environment variable {key_variable} holds no key")
    options = UpstreamOptions(
        base_url=config.base_url, api_key=key, timeout_s=UPSTREAM_SECONDS, concurrency=concurrency
    )
    try:
        return open_model(config.model, options)
    except ValueError as error:
        raise UserError(str(error)) from None
