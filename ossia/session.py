"""Opening what a planned run needs: its models, its grader and its store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ossia.endpoints import upstream_targets
from ossia.errors import UserError
from ossia.opening import asked_by_name, open_models, require_prices
from ossia.run_plan import RunPlan
from ossia.runner.catalog import Catalog
from ossia.runner.config import RunConfig
from ossia.runner.engine import OpenEngine
from ossia.runner.run import Session
from ossia.runner.services import MachineClock
from ossia.runner.store import RunStore
from ossia.storage.database import StoreError
from ossia_dataset.tasks import Task, TaskError
from ossia_evaluation.grader import Grader
from ossia_servers.gateway import AnswerCache, Paces, Purse, UpstreamOptions, upstream_name


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
    engine: str = "local"
    """What plays the episodes: `local`, this machine, or `ray`, the nodes of a cluster."""
    address: str = "auto"
    """Of the cluster, as Ray takes it."""

    def __post_init__(self) -> None:
        """Refuse a limit that no price could reach, and what plays nothing.

        Raises:
            UserError: the limit of cost is no number, or there is no such engine.
        """
        if self.engine not in ("local", "ray"):
            raise UserError(f"there is no engine '{self.engine}'; there are: local, ray")
        if self.max_cost is not None and not isfinite(self.max_cost):
            raise UserError(f"--max-cost is not an amount in US dollars: {self.max_cost}")

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
    config = plan.config
    grader = plan.suite.grader(plan.domains)
    _check_golds(plan.tasks.values(), grader)
    if means.max_cost is not None:
        asked = asked_by_name(config, plan.suite, plan.roles)
        require_prices(asked.values(), config.price_model)
    purse, paces = Purse(means.max_cost), Paces(means.rpm, means.tpm, clock=MachineClock())
    cache = AnswerCache() if config.cache else None
    session = Session(
        config,
        plan.tasks,
        plan.domains,
        {},
        {info.key: info.worker for info in plan.adapters},
        grader,
        means.jobs,
        purse,
        means.paced or config.cache,
        cache,
        paces,
    )
    if means.engine == "ray":
        return replace(session, engine=_cluster(plan, means, session))
    reached = UpstreamOptions(concurrency=means.jobs, purse=purse, paces=paces, cache=cache)
    opened = open_models(config, plan.suite, plan.tasks, plan.roles, reached, means.key_variables)
    return replace(session, models=opened.models, user_model=opened.user_model)


def _cluster(plan: RunPlan, means: Means, session: Session) -> OpenEngine:
    """What plays a session's episodes on a cluster.

    Raises:
        UserError: the run asks for what a cluster does not do.
    """
    # Loaded when asked for, as Ray is.
    from ossia.cluster.accounts import Accounts
    from ossia.cluster.engine import open_ray
    from ossia.cluster.job import Job, pack_adapters

    config = plan.config
    if config.cache:
        raise UserError("--cache keeps answers on one machine: leave it out with --engine ray")
    job = Job(
        session.played,
        plan.tasks,
        pack_adapters(config.frameworks, plan.adapters),
        means.key_variables,
        means.jobs,
        means.rpm is not None or means.tpm is not None,
    )
    accounts = None
    upstream = upstream_targets(asked_by_name(config, plan.suite, plan.roles).values())
    if upstream and session.purse is not None and session.paces is not None:
        for name in upstream:
            # Known from the beginning, as what an earlier session let go counts for each.
            session.paces.of(upstream_name(name))
        accounts = Accounts(session.purse, session.paces)
    return partial(open_ray, job, means.jobs, means.address, accounts)


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
