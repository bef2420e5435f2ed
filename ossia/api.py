"""Ossia from Python: run a comparison, and read what runs have left."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ossia.adapters import ossia_home
from ossia.attribution.run import Result, stored_result
from ossia.errors import UserError
from ossia.fit import SCRIPTED, STANDARD
from ossia.given import by_arguments, dollars, text, texts, whole
from ossia.loop import handlers_kept, run_in_order
from ossia.report import write_report
from ossia.run_plan import Wish, plan_run, tasks_of
from ossia.runner.catalog import Catalog, open_catalog
from ossia.runner.config import RunConfig
from ossia.runner.finished import Finished
from ossia.runner.hints import require_valid
from ossia.runner.results import comparison_of, rows_of
from ossia.runner.run import run_missing
from ossia.runner.store import RunStore
from ossia.session import Means, keep_limits, kept_limits, open_session, open_store
from ossia.storage.place import Place, place_of
from ossia.suites import find_suite
from ossia.tasks import Choice
from ossia.wanted import require_installed
from ossia_dataset.tasks import Task, TaskError
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.compare import Comparison, EpisodeRow
from ossia_evaluation.grade import Grade
from ossia_servers.gateway import Budget
from ossia_servers.trace import Trace

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Observer", "Run", "compare", "load"]

Observer = Callable[[Finished], None]
"""Is told of each finished episode."""

Texts = str | Sequence[str]
"""One text, or several."""


@contextmanager
def _public_errors() -> Iterator[None]:
    """Raise as `UserError` what is raised below this interface and a user can mend."""
    try:
        yield
    except UserError as error:
        error.args = (by_arguments(str(error)),)
        raise
    except TaskError as error:
        raise UserError(str(error)) from None
    except sqlite3.Error as error:
        raise UserError(f"the run cannot be read or written: {error}") from None
    except OSError as error:
        if error.filename is None:
            raise
        raise UserError(f"{error.filename}: {error.strerror}") from None


class Run:
    """A stored run. What it gives is read when it is asked for, and then kept.

    Attributes:
        folder: where it is stored, or its files beside the tables of another store.
    """

    @_public_errors()
    def __init__(self, place: Place | Path) -> None:
        """Read a run's configuration.

        Raises:
            UserError: there is no run, or it cannot be read.
        """
        self._place = place_of(place)
        self.folder = self._place.folder
        with RunStore(self._place) as store:
            self._config = store.config()

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    @property
    def id(self) -> str:
        """The run's name, which follows from its configuration."""
        return self._config.run_id

    @property
    def config(self) -> RunConfig:
        """Everything that decided what the run did."""
        return self._config

    @cached_property
    @_public_errors()
    def tasks(self) -> Mapping[str, Task]:
        """Its tasks by id, of the suite's own type.

        Raises:
            UserError: the task set is not there, or has changed since.
        """
        return tasks_of(self._config)

    @cached_property
    @_public_errors()
    def episodes(self) -> tuple[EpisodeRow, ...]:
        """Every finished episode in numbers; one that cannot be read is left out.

        Raises:
            UserError: the run cannot be read, or its task set is not there or has changed since.
        """
        with RunStore(self._place) as store:
            return rows_of(store, self.tasks)

    @cached_property
    @_public_errors()
    def summary(self) -> Comparison:
        """The comparison of its frameworks and models, with intervals and tests.

        Raises:
            UserError: the run cannot be read, or its task set is not there or has changed since.
        """
        with RunStore(self._place) as store:
            return comparison_of(store, self.tasks)

    @cached_property
    @_public_errors()
    def attributions(self) -> tuple[Attribution, ...]:
        """What `ossia attribute` has found of its failures; empty where it has not been run.

        Raises:
            UserError: the run cannot be read, or its task set is not there or has changed since.
        """
        found = self._attributed
        return () if found is None else found.attributions

    @cached_property
    def _attributed(self) -> Result | None:
        with RunStore(self._place) as store:
            return stored_result(store, self.tasks)

    @_public_errors()
    def trace(self, episode: str) -> Trace:
        """Return everything that an episode did at the gateway and at the servers.

        Raises:
            UserError: the run has no such episode, or its record cannot be read.
        """
        with RunStore(self._place) as store:
            return store.trace(episode)

    @_public_errors()
    def grade(self, episode: str) -> Grade:
        """Return an episode's verdict and what stands beside it, of the suite's own type.

        Raises:
            UserError: the run has no such episode, or its record cannot be read.
        """
        with RunStore(self._place) as store:
            return store.score(episode)

    @_public_errors()
    def write_report(self, out: str | Path | None = None) -> Path:
        """Write its report as `ossia report` does: a page, and the tables as CSV and JSON.

        Args:
            out: the folder to write to; `report` in the run's folder when left out.

        Returns:
            The page.

        Raises:
            UserError: the run cannot be read, or the folder cannot be written.
        """
        with RunStore(self._place) as store:
            files, _ = write_report(store, None if out is None else Path(text("out", out)))
        return files[0]

    def episodes_frame(self) -> DataFrame:
        """Return the episodes as a data frame, a line for each.

        Raises:
            UserError: pandas is not installed, or as reading what it holds.
        """
        return _frame(row.model_dump(mode="json") for row in self.episodes)

    def attributions_frame(self) -> DataFrame:
        """Return the attributions as a data frame, a line for each.

        Raises:
            UserError: pandas is not installed, or as reading what it holds.
        """
        return _frame(found.model_dump(mode="json") for found in self.attributions)


@_public_errors()
def compare(
    frameworks: Texts = (),
    *,
    suite: str = "assistant",
    models: Texts = "offline",
    tasks: str | Path = "test",
    domains: Texts = (),
    only: Texts = (),
    limit: int | None = None,
    seed: int | None = None,
    repeats: int = 1,
    jobs: int = 8,
    budget: Budget | None = None,
    base_urls: Texts = (),
    api_key_env: Texts = (),
    max_cost: float | None = None,
    workflow: str = "none",
    workflow_form: str = "text",
    knowledge: Texts = (),
    prompts: str = STANDARD,
    stress: Texts = (),
    user: str = SCRIPTED,
    observe: Observer = lambda finished: None,
    store: str | None = None,
    engine: str = "local",
    address: str = "auto",
    home: str | Path | None = None,
) -> Run:
    """Run the same tasks on several frameworks; the same arguments again resume the run.

    It is the run of `ossia compare` with the same options, and is found by that command too.

    Args:
        frameworks: adapters by name or folder, and after a colon a variant, as `-f` of the command
            line takes them; every adapter that comes with Ossia when empty.
        suite: the suite.
        models: what answers: `offline`, an upstream such as `openai/gpt-4o`, or several.
        tasks: a built-in task set, or a file or folder of tasks.
        domains: only tasks of these domains.
        only: only the tasks with these ids.
        limit: at most so many tasks, spread evenly over the set.
        seed: choose the limit's tasks at random by this seed.
        repeats: how often each task is run.
        jobs: episodes at once.
        budget: the most that an episode may spend; what the suite says when left out, usually 60
            calls, 400,000 tokens and 180 s.
        base_urls: where upstream models are, as for `--base-url`.
        api_key_env: the variables that hold their keys, as for `--api-key-env`.
        max_cost: the most that upstream models may cost in US dollars, earlier sessions of the
            run included.
        workflow: the workflow of its task that each team is given: `none`, `gold` or
            `generated:RUN`.
        workflow_form: how it is written: `text`, `code` or `mermaid`; or `graph`, which
            frameworks that can run themselves, and others are told as text.
        knowledge: forms of what the suite knows of the work: each task is played once in each.
        prompts: the wording of the role prompts: `standard`, or a paraphrase of the suite's.
        stress: faults, as for `--stress`: each task is played once more with each of them.
        user: what speaks for the simulated user, as for `--user`.
        observe: callback after each finished episode; what it raises ends the run and is raised.
            Finished episodes are kept.
        store: the database that keeps the run, as for `--store`; `OSSIA_STORE` when left out.
        engine: what plays the episodes: `local`, this machine, or `ray`, the nodes of a cluster.
        address: of the cluster, as for `--address`.
        home: the folder of environments and runs; `OSSIA_HOME` or its default when left out.

    Raises:
        UserError: something asked for is not there, or does not fit; its own kinds are the next
            three.
        AdapterError: an adapter is not there.
        RunStopped: the endpoint answers no more; finished episodes are kept.
        AllInvalid: no episode could be valid.
        WorkerStartError: a framework's worker cannot be started; finished episodes are kept.
    """
    if budget is not None and not isinstance(budget, Budget):
        raise UserError(f"budget is not an ossia.Budget: {budget!r}")
    choice = Choice(
        texts("domains", domains),
        texts("only", only),
        None if limit is None else whole("limit", limit, 1),
        None if seed is None else whole("seed", seed),
    )
    wish = Wish(
        frameworks=texts("frameworks", frameworks),
        suite=text("suite", suite),
        tasks=text("tasks", tasks),
        models=texts("models", models),
        repeats=whole("repeats", repeats, 1),
        budget=budget or find_suite(text("suite", suite)).budget(),
        choice=choice,
        base_urls=texts("base_urls", base_urls),
        workflow=text("workflow", workflow),
        workflow_form=text("workflow_form", workflow_form),
        knowledge=texts("knowledge", knowledge),
        prompts=text("prompts", prompts),
        stress=texts("stress", stress),
        user=text("user", user),
    )
    if not wish.models:
        raise UserError("models must name at least one model")
    means = Means(
        whole("jobs", jobs, 1),
        texts("api_key_env", api_key_env),
        dollars("max_cost", max_cost),
        engine=text("engine", engine),
        address=text("address", address),
    )
    return _outside_of_loops(
        partial(_played, wish, _home(home), _catalog(store, home), means, observe)
    )


def _played(wish: Wish, home: Path, catalog: Catalog, means: Means, observe: Observer) -> Run:
    plan = plan_run(wish, home, catalog)
    if means.engine == "local":
        require_installed(plan.adapters)
    means = means.within(kept_limits(plan.config, catalog, means))
    session = open_session(plan, means)
    with open_store(plan.config, catalog) as store:
        keep_limits(store, means)
        with handlers_kept():
            run_in_order(run_missing(session, store, observe))
        require_valid(store)
        return Run(store.place)


@_public_errors()
def load(
    run: str | Path | None = None,
    *,
    store: str | None = None,
    home: str | Path | None = None,
) -> Run:
    """Return a stored run.

    Args:
        run: its name, the beginning of its name, or its folder; the latest when left out.
        store: the database that keeps it, as for `--store`; `OSSIA_STORE` when left out.
        home: the folder of environments and runs; `OSSIA_HOME` or its default when left out.

    Raises:
        UserError: no run fits, or several do, or it cannot be read.
    """
    if isinstance(run, Path):
        return Run(run)
    return Run(_catalog(store, home).find(None if run is None else text("run", run)))


def _home(home: str | Path | None) -> Path:
    return ossia_home(os.environ) if home is None else Path(text("home", home))


def _catalog(store: str | None, home: str | Path | None) -> Catalog:
    named = os.environ.get("OSSIA_STORE") if store is None else text("store", store)
    return open_catalog(named, _home(home))


def _outside_of_loops(work: Callable[[], Run]) -> Run:
    """Do what runs a loop of its own, also where one is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


def _frame(records: Iterable[Mapping[str, Any]]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError:
        raise UserError("data frames need pandas: install ossia[frames]") from None
    return DataFrame.from_records(list(records))
