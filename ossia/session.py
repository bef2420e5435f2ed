"""From options to a session: adapters, tasks, model and the resolved configuration."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ossia.adapters import AdapterInfo, find_adapter, find_adapters, how_to_install, lacking
from ossia.endpoints import ALL, options_by_model, read_base_urls, upstream_targets
from ossia.errors import UserError
from ossia.fit import require_one_draw, require_players, require_varying
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.named import give_name, name_of
from ossia.runner.results import check_dataset
from ossia.runner.run import Session
from ossia.runner.services import MachineClock
from ossia.runner.store import RunStore, runs_folder
from ossia.suites import find_suite
from ossia.tasks import EVERYTHING, Choice, choose, find_tasks, version_of
from ossia.version import code_version
from ossia.worker import WorkerSpec
from ossia_dataset.tasks import Task, dataset_hash
from ossia_evaluation.grader import Grader
from ossia_evaluation.worlds.gold import GoldError
from ossia_servers.gateway import (
    PROVIDERS,
    AnswerCache,
    Budget,
    Model,
    Paces,
    Parameter,
    Purse,
    Specification,
    UpstreamOptions,
    is_priced,
    jittered,
    known_parameters,
    names_upstream,
    open_model,
    read_parameter,
    read_specification,
)

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
    """Adapter names or paths; empty means every adapter that comes with Ossia."""
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


def resolve(wish: Wish, home: Path) -> RunConfig:
    """Look everything up that decides what the run does.

    Raises:
        UserError: a task set, a choice of tasks or the model that prices come from is not there,
            or a model cannot be read, cannot play the suite, would repeat nothing, or its
            answers again.
        AdapterError: an adapter is not there.
    """
    suite, source = find_suite(wish.suite), _absolute(wish)
    whole = find_tasks(wish.tasks, wish.suite)
    tasks = choose(whole, wish.choice)
    models = wanted_models(wish.models, suite.team_roles(tasks, suite.domains(source)))
    require_players(suite, models, force=wish.force)
    require_varying(suite, models, wish.repeats)
    require_one_draw(wish.repeats, cache=wish.cache)
    base_urls = read_base_urls(wish.base_urls, models)
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
            FrameworkVersion(name=info.name, source=_source(info), editable=info.editable)
            for info in adapters
        ),
        models=tuple(str(model) for model in models),
        model_hashes=tuple(_files_hash(model) for model in models),
        base_url=base_urls.pop(ALL, None),
        base_urls=tuple(sorted(base_urls.items())),
        price_model=wish.price_model,
        repeats=wish.repeats,
        seed=wish.choice.seed,
        limits=suite.limits().model_copy(update={"call_seconds": _client_seconds(wish)}),
        budget=wish.budget,
        parameters=wanted_parameters(wish.parameters, models),
        call_seconds=_call_seconds(wish),
        cache=wish.cache,
        ossia=code_version(),
    )


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


def asks_upstream(suite: str, models: Iterable[str]) -> bool:
    """Say whether one of these models, as the user wrote them, asks an upstream for some role.

    What cannot be read does as well: it is told when it is opened.

    Raises:
        UserError: there is no such suite.
    """
    players = find_suite(suite).players
    return any(model not in players and names_upstream(model) for model in models)


def wanted_parameters(
    texts: Sequence[str], models: Sequence[Specification]
) -> tuple[Parameter, ...]:
    """Return what is set or dropped in requests: what is known of the models, and what is asked.

    Args:
        texts: parameters as the user wrote them.
        models: the models of the run.

    Raises:
        UserError: one cannot be read or is set twice.
    """
    try:
        given = tuple(read_parameter(text, models) for text in texts)
    except ValueError as error:
        raise UserError(f"--model-param {error}") from None
    for number, each in enumerate(given):
        if any((each.model, each.name) == (one.model, one.name) for one in given[:number]):
            raise UserError(f"--model-param names {each.name} twice for the same model")
    return (*known_parameters(models), *given)


def open_session(
    config: RunConfig,
    home: Path,
    *,
    jobs: int,
    key_variables: Sequence[str] = (),
    max_cost: float | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
) -> Session:
    """Make everything ready that a run needs; adapters must be installed.

    Args:
        config: the run.
        home: where adapters and runs are.
        jobs: episodes at once.
        key_variables: the environment variables that hold upstreams' keys, as the user named them.
        max_cost: US dollars that the run may spend at upstream models; None for no limit.
        rpm: most requests a minute to each upstream model; None for no limit.
        tpm: most tokens a minute likewise.

    Raises:
        UserError: the model cannot be reached as given, an adapter or the task set has changed.
        GoldError: a task's gold run is refused by the servers.
    """
    tasks = tasks_of(config)
    suite = find_suite(config.suite)
    domains = suite.domains(config.tasks)
    grader = suite.grader(domains)
    _check_golds(tasks.values(), grader)
    workers = _unchanged_workers(config, home)
    players = {name: made(tasks) for name, made in suite.players.items() if name in config.models}
    roles = suite.team_roles(tuple(tasks.values()), domains)
    purse = Purse(max_cost)
    if max_cost is not None:
        _require_prices(config, roles)
    reached = UpstreamOptions(
        concurrency=jobs,
        purse=purse,
        paces=Paces(rpm, tpm, clock=MachineClock()),
        cache=AnswerCache() if config.cache else None,
    )
    models = {**_models(config, roles, reached, key_variables, without=players), **players}
    models = {name: models[name] for name in config.models}
    paced = rpm is not None or tpm is not None or config.cache
    return Session(
        config, tasks, domains, models, workers, grader, jobs, purse, paced, reached.cache
    )


def _unchanged_workers(config: RunConfig, home: Path) -> dict[str, WorkerSpec]:
    workers = {}
    for framework in config.frameworks:
        name, _, path = framework.source.partition(" ")
        info = find_adapter(path or framework.name, home)
        if info.digest != name:
            raise UserError(f"the adapter '{info.name}' has changed since the run; start a new run")
        workers[info.name] = info.worker
    return workers


def require_installed(wish: Wish, home: Path) -> None:
    """Refuse adapters whose environments are not there.

    Raises:
        UserError: with all their names, and the command that installs them.
    """
    infos = wanted_adapters(wish.frameworks, home)
    if not infos:
        raise UserError("no adapter is there; see `ossia adapter list`")
    problem = lacking(infos)
    if problem:
        raise UserError(f"{problem}; run `{how_to_install(infos)}` first")


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
        UserError: another process is running it, or reads what is to be forgotten.
    """
    folder = runs_folder(home) / config.run_id
    if fresh and folder.exists():
        RunStore(folder, write=True).close()
        name = name_of(folder)
        with RunStore.alone(folder):
            shutil.rmtree(folder)
        if name is not None:
            folder.mkdir(parents=True)
            give_name(folder, name)
    store = RunStore(folder, write=True)
    if store.meta("config") is None:
        store.set_meta("config", config.model_dump_json())
    return store


def _absolute(wish: Wish) -> str:
    """The task source as it is found from any folder: a run may be resumed from elsewhere."""
    if wish.tasks in find_suite(wish.suite).sets:
        return wish.tasks
    return str(Path(wish.tasks).resolve())


def _files_hash(model: Specification) -> str:
    """A hash of all files that a model reads; empty for a model without any."""
    digest = hashlib.sha256()
    paths = [spec.path for spec in model.specs if spec.path is not None]
    for path in paths:
        if path.is_file():
            # The dot stands in the hashes of stored runs.
            digest.update(b"." + path.read_bytes())
    return digest.hexdigest()[:16] if paths else ""


def _source(info: AdapterInfo) -> str:
    """The adapter's digest, with its path when it is not one that comes with Ossia."""
    builtin = any(info.project == other.project for other in find_adapters(info.home))
    return info.digest if builtin else f"{info.digest} {info.project}"


def _check_golds(tasks: Iterable[Task], grader: Grader) -> None:
    for task in tasks:
        try:
            grader.check(task)
        except GoldError as error:
            raise GoldError(f"task {task.id}: {error}; see `ossia dataset check`") from None


def _require_prices(config: RunConfig, roles: Collection[str]) -> None:
    """Refuse a limit of cost where nobody could tell when it is reached."""
    for name in upstream_targets([read_specification(model, roles) for model in config.models]):
        known = name.partition("/")[0] in PROVIDERS and is_priced(name)
        if config.price_model is None and not known:
            raise UserError(
                f"--max-cost cannot be held: no price is known for the model '{name}'; name one"
                " whose prices are its own or higher with --price-as"
            )


def _models(
    config: RunConfig,
    roles: Collection[str],
    reached: UpstreamOptions,
    key_variables: Sequence[str],
    without: Collection[str] = (),
) -> dict[str, Model]:
    asked = {name: read_specification(name, roles) for name in config.models if name not in without}
    base_urls = dict(config.base_urls)
    if config.base_url is not None:
        base_urls[ALL] = config.base_url
    shared = replace(
        reached,
        timeout_s=config.call_seconds or UPSTREAM_SECONDS,
        jitter=jittered(Random()),
        price_model=config.price_model,
    )
    try:
        options = options_by_model(base_urls, key_variables, asked.values(), shared)
        return {
            name: open_model(model, options, parameters=config.parameters)
            for name, model in asked.items()
        }
    except ValueError as error:
        raise UserError(str(error)) from None
