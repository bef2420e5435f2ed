"""Opening what a planned run needs: its models, its grader and its store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from math import isfinite
from random import Random
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ossia.endpoints import ALL, options_by_model, upstream_targets
from ossia.errors import UserError
from ossia.run_plan import UPSTREAM_SECONDS, RunPlan
from ossia.runner.catalog import Catalog
from ossia.runner.config import RunConfig
from ossia.runner.run import Session
from ossia.runner.services import MachineClock
from ossia.runner.store import RunStore
from ossia.storage.database import StoreError
from ossia.suites import offline_model
from ossia_dataset.tasks import Task, TaskError
from ossia_evaluation.grader import Grader
from ossia_servers.gateway import (
    PROVIDERS,
    AnswerCache,
    Model,
    Paces,
    Purse,
    Specification,
    UpstreamOptions,
    is_priced,
    jittered,
    open_model,
    read_specification,
)


@dataclass(frozen=True)
class Means:
    """What a session may use. It is no part of the run: another session may use other means."""

    jobs: int
    """Episodes at once."""
    key_variables: tuple[str, ...] = ()
    """The environment variables that hold upstreams' keys, as the user named them."""
    max_cost: float | None = None
    """US dollars that the run may spend at upstream models; None for no limit."""
    rpm: int | None = None
    """Most requests a minute to each upstream model; None for no limit."""
    tpm: int | None = None
    """Most tokens a minute likewise."""

    def __post_init__(self) -> None:
        """Refuse a limit that no price could reach.

        Raises:
            UserError: the limit of cost is no number.
        """
        if self.max_cost is not None and not isfinite(self.max_cost):
            raise UserError(f"--max-cost is no number of US dollars: {self.max_cost}")

    def within(self, limits: Limits) -> Means:
        """Return these means with the limits that were kept for a run."""
        return replace(self, **limits.model_dump(exclude_none=True))

    @property
    def paced(self) -> bool:
        """Whether calls may wait for their turn, or until those under way leave money for them."""
        return any(limit is not None for limit in (self.max_cost, self.rpm, self.tpm))


class Limits(BaseModel):
    """What a session of a run was limited to, as it is kept with the run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    rpm: int | None = Field(default=None, ge=1)
    tpm: int | None = Field(default=None, ge=1)

    def __str__(self) -> str:
        """Return them as options; empty where there is none."""
        given = self.model_dump(exclude_none=True)
        return ", ".join(f"--{name.replace('_', '-')} {given[name]:.15g}" for name in given)


_LIMITS: Final = "limits"


def keep_limits(store: RunStore, means: Means) -> None:
    """Keep with a run what its session is limited to."""
    limits = Limits(max_cost=means.max_cost, rpm=means.rpm, tpm=means.tpm)
    store.set_meta(_LIMITS, limits.model_dump_json())


def kept_limits(config: RunConfig, catalog: Catalog, means: Means) -> Limits:
    """Return what the last session of a run was limited to and these means leave open.

    Args:
        config: the run, which need not be there yet.
        catalog: where runs are.
        means: what the next session may use.

    Raises:
        UserError: what is kept cannot be read.
    """
    place = catalog.place(config.run_id)
    try:
        with RunStore(place) as store:
            kept = store.meta(_LIMITS)
    except StoreError:
        raise
    except UserError:
        return Limits()  # There is no run, or `open_store` says what is wrong with it.
    try:
        last = Limits.model_validate_json(kept or "{}")
    except ValidationError:
        raise UserError(f"{place.shown}: the limits of its last session cannot be read") from None
    given = {name for name in Limits.model_fields if getattr(means, name) is not None}
    return last.model_copy(update=dict.fromkeys(given))


def open_session(plan: RunPlan, means: Means) -> Session:
    """Make everything ready that a run needs; adapters must be installed.

    Raises:
        UserError: the model cannot be reached as given, or no price holds the limit of cost.
        TaskError: a task's gold run is refused by the servers.
    """
    config, roles = plan.config, plan.roles
    grader = plan.suite.grader(plan.domains)
    _check_golds(plan.tasks.values(), grader)
    made = plan.suite.players
    players = {name: made[name](plan.tasks) for name in made if name in config.models}
    if means.max_cost is not None:
        names = _opened_names(config, players)
        require_prices([read_specification(name, roles) for name in names], config.price_model)
    reached = UpstreamOptions(
        concurrency=means.jobs,
        purse=Purse(means.max_cost),
        paces=Paces(means.rpm, means.tpm, clock=MachineClock()),
        cache=AnswerCache() if config.cache else None,
    )
    try:
        opened = _models(plan, reached, means.key_variables, without=players)
    except ValueError as error:
        raise UserError(f"{error}{_players_like(config, tuple(made))}") from None
    models = {**opened, **players}
    user_model = opened[config.user] if config.user else None
    return Session(
        config,
        plan.tasks,
        plan.domains,
        {name: models[name] for name in config.models},
        {info.key: info.worker for info in plan.adapters},
        grader,
        means.jobs,
        reached.purse,
        means.paced or config.cache,
        reached.cache,
        reached.paces,
        user_model,
    )


def open_store(config: RunConfig, catalog: Catalog, *, fresh: bool = False) -> RunStore:
    """Open the run's store for writing; the same configuration is the same run.

    Raises:
        UserError: another process is running it, or reads what is to be forgotten.
    """
    place = catalog.place(config.run_id)
    if fresh:
        place.forget()
    store = RunStore(place, write=True)
    if store.meta("config") is None:
        store.set_meta("config", config.model_dump_json())
    return store


def _check_golds(tasks: Iterable[Task], grader: Grader) -> None:
    for task in tasks:
        try:
            grader.check(task)
        except TaskError as error:
            raise TaskError(f"task {task.id}: {error}; see `ossia dataset check`") from None


def require_prices(models: Collection[Specification], price_model: str | None) -> None:
    """Refuse a limit of cost where nobody could tell when it is reached.

    Args:
        models: the models that are asked.
        price_model: the model as which all tokens are priced; None for each as its own.

    Raises:
        UserError: the price of one is not known.
    """
    for name in upstream_targets(models):
        known = name.partition("/")[0] in PROVIDERS and is_priced(name)
        if price_model is None and not known:
            raise UserError(
                f"--max-cost cannot be held: no price is known for the model '{name}'; name one"
                " whose prices are its own or higher with --price-as"
            )


def _opened_names(config: RunConfig, players: Collection[str]) -> list[str]:
    """The models that are opened by their names; a player may be called like one of them."""
    return [name for name in config.asked if name == config.user or name not in players]


def _models(
    plan: RunPlan,
    reached: UpstreamOptions,
    key_variables: Sequence[str],
    without: Collection[str] = (),
) -> dict[str, Model]:
    """Open the models of a run, that of its simulated user as well.

    Raises:
        ValueError: one cannot be opened as it is given.
    """
    config = plan.config
    names = _opened_names(config, without)
    asked = {name: read_specification(name, plan.roles) for name in names}
    base_urls = dict(config.base_urls)
    if config.base_url is not None:
        base_urls[ALL] = config.base_url
    shared = replace(
        reached,
        timeout_s=config.call_seconds or UPSTREAM_SECONDS,
        jitter=jittered(Random()),
        price_model=config.price_model,
    )
    options = options_by_model(base_urls, key_variables, asked.values(), shared)
    offline = partial(offline_model, plan.suite)
    return {
        name: open_model(model, options, parameters=config.parameters, offline=offline)
        for name, model in asked.items()
    }


def _players_like(config: RunConfig, players: Sequence[str]) -> str:
    """What is said beside a model that cannot be opened; empty where it is like no player."""
    wrong = [model for model in config.models if model not in players]
    if not any(get_close_matches(model, players) for model in wrong):
        return ""
    return f" The players of the suite '{config.suite}' are {', '.join(players)}."
