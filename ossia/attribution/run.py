"""Attributing all failures of a run, several at once and resumable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ossia.attribution.attributor import Attributor
from ossia.attribution.evidence import ReplayInvalid
from ossia.attribution.failures import Failure, Failures, read_failures
from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.store import AttributionStore, verified_digest
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.cpu import CpuMeter
from ossia.runner.store import RunStore
from ossia.suites import find_suite
from ossia.worker import WorkerSpec, WorkerStartError
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import (
    Attribution,
    NearMiss,
    Verification,
    family_to_verify,
)
from ossia_evaluation.attribution.columns import AttributionSummary, RoleRows, summarise
from ossia_evaluation.attribution.contracts import TeamContracts
from ossia_evaluation.detectors import Detection, Mode, ModeTable, mode_table
from ossia_evaluation.grade import Grade
from ossia_evaluation.grader import Grader
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attributed:
    """Sent to the observer after an attribution is stored."""

    attribution: Attribution
    done: int
    total: int

    def __str__(self) -> str:
        """Return it in one line."""
        item = self.attribution
        told = ", ".join(item.roles) or item.status
        return f"{self.done}/{self.total} {item.episode}: {told}"


Observer = Callable[[Attributed], None]


class FailureAttributor(Protocol):
    """Attributes single failures, several at once."""

    @property
    def cpu_s(self) -> float:
        """The CPU seconds that it has spent on other machines, once it is closed."""

    async def attribute(self, task: Any, trace: Trace, score: Grade) -> Attribution:
        """Attribute a failure.

        Raises:
            ReplayInvalid: a replay was invalid, again and again.
            WorkerStartError: the framework's worker cannot be started.
            UserError: no further one can be attributed.
        """


OpenAttributor = AbstractAsyncContextManager[FailureAttributor]
"""Opens what attributes, and ends it with all its processes."""


@dataclass(frozen=True)
class Outlook:
    """Told before anything is attributed.

    Attributes:
        failures: the failures of the run.
        supported: those of them whose roles have contract oracles; the others stay `unsupported`.
        unreadable: failures whose stored attribution cannot be read; they are attributed again.
        damaged: episodes whose trace cannot be read.
    """

    failures: int
    supported: int
    unreadable: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """A run's attributions.

    Attributes:
        failures: failed episodes, those included that are not attributed yet.
        attributions: in the order of their episodes.
        near_misses: successes in which some step left its contract.
        summary: the attributions in numbers.
        detections: the failure modes that show in each failed episode.
        modes: how often each failure mode shows in the failures, by framework.
        verifications: repair sets tried with the live model, by episode.
        unreadable: failed episodes whose stored attribution cannot be read.
        damaged: episodes whose trace cannot be read, which are none of the failures.
        published: where the figures of others are from; empty where there are none.
        user: the model that spoke for the simulated user; empty for the user without one.
        stressed: whether the run has a fault plan.
    """

    failures: int
    attributions: tuple[Attribution, ...]
    near_misses: tuple[NearMiss, ...]
    summary: AttributionSummary
    detections: Mapping[str, tuple[Detection, ...]]
    modes: ModeTable
    verifications: Mapping[str, Verification]
    unreadable: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    published: str = ""
    user: str = ""
    stressed: bool = False

    def verified(self, found: Mapping[str, Verification]) -> Result:
        """Return them with what was verified by a session, by episode."""
        kept = {a.episode: found[a.episode] for a in self.attributions if a.episode in found}
        return replace(self, verifications=kept)


def attribute_run(
    store: RunStore,
    tasks: Mapping[str, Task],
    home: Path,
    observe: Observer,
    *,
    frameworks: Sequence[str] = (),
    jobs: int = 8,
    opened: OpenAttributor | None = None,
    begin: Callable[[Outlook], None] = lambda outlook: None,
) -> Coroutine[Any, Any, Result]:
    """Attribute the failures of a run that are not attributed yet, and return all.

    Its traces are read at once, before anything is awaited: in a loop, where reading many of them
    takes long, a Ctrl-C would wait until all are read.

    Args:
        store: the run.
        tasks: its tasks by id.
        home: the folder of Ossia's environments.
        observe: callback after each new attribution.
        frameworks: only these; all of the run when empty.
        jobs: episodes attributed at once.
        opened: what attributes; this machine when left out.
        begin: callback before the first replay, with what can be attributed.

    Raises:
        UserError: the run's suite has no contract oracles, or an adapter is not as it was.
        StoreError: the database is full or gone; what is finished is kept.
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    meter = CpuMeter()
    config = store.config()
    suite = find_suite(config.suite)
    domains = suite.domains(config.tasks)
    grader, contracts = suite.grader(domains), contracts_of(config, domains)
    workers = worker_specs(config, home, frameworks)
    failures = read_failures(store, tasks, grader, contracts, frozenset(workers))

    async def work() -> Result:
        with store.resumable(), AttributionStore(store.place) as kept:
            begin(_outlook(contracts, failures, _unreadable(failures, kept)))
            todo = [f for f in failures.items if kept.find(f.trace.episode.id, f.digest) is None]
            total = len(failures.items)
            progress = _Progress(kept, observe, total, total - len(todo))
            beyond = 0.0
            try:
                if todo:
                    here = _open_here(config, tasks, domains, workers, grader, contracts, jobs)
                    async with opened or here as attributes:
                        await for_all(todo, partial(_attribute, attributes, progress), jobs)
                    beyond = attributes.cpu_s
            finally:
                if progress.new:
                    kept.put_session(progress.new, meter.seconds() + beyond)
            return _result(config, contracts.modes, failures, kept)

    return work()


@asynccontextmanager
async def _open_here(
    config: RunConfig,
    tasks: Mapping[str, Task],
    domains: Sequence[Domain],
    workers: Mapping[str, WorkerSpec],
    grader: Grader,
    contracts: TeamContracts,
    jobs: int,
) -> AsyncIterator[FailureAttributor]:
    async with open_replayer(config, tasks, domains, workers, jobs=jobs) as replayer:
        yield Attributor(replayer, grader, contracts)


async def _attribute(attributor: FailureAttributor, progress: _Progress, failure: Failure) -> None:
    """Attribute a failure; one that cannot be replayed is left to the next run of the command."""
    try:
        found = await attributor.attribute(failure.task, failure.trace, failure.score)
    except ReplayInvalid as error:
        _log.warning("%s is not attributed: %s", failure.trace.episode.id, error)
    else:
        progress.keep(failure, found)


def _unreadable(failures: Failures, kept: AttributionStore) -> tuple[str, ...]:
    """The failures whose stored attribution cannot be read."""
    named = ((failure.trace.episode.id, failure.digest) for failure in failures.items)
    return tuple(episode for episode, digest in named if kept.is_damaged(episode, digest))


def _outlook(contracts: TeamContracts, failures: Failures, unreadable: tuple[str, ...]) -> Outlook:
    tasks = [failure.task for failure in failures.items]
    found = sum(contracts.why_unsupported(task) is None for task in tasks)
    return Outlook(len(tasks), found, unreadable, failures.unreadable)


@dataclass
class _Progress:
    """Keeps attributions as they are made, and tells of each."""

    kept: AttributionStore
    observe: Observer
    total: int
    done: int
    new: int = 0

    def keep(self, failure: Failure, found: Attribution) -> None:
        self.kept.put(found, failure.digest)
        self.done += 1
        self.new += 1
        self.observe(Attributed(found, self.done, self.total))


def stored_result(store: RunStore, tasks: Mapping[str, Task]) -> Result | None:
    """Return what is stored of a run's attributions, running nothing; None where nothing is.

    Args:
        store: the run.
        tasks: its tasks by id.

    Raises:
        UserError: the file of the attributions cannot be read, or another version wrote it.
    """
    config = store.config()
    suite = find_suite(config.suite)
    if suite.contracts is None or not store.place.has_attributions():
        return None
    domains = suite.domains(config.tasks)
    names = frozenset(framework.name for framework in config.frameworks)
    contracts = suite.contracts(domains)
    failures = read_failures(store, tasks, suite.grader(domains), contracts, names)
    with AttributionStore(store.place, write=False) as kept:
        result = _result(config, contracts.modes, failures, kept)
    return result if result.attributions or result.unreadable else None


def contracts_of(config: RunConfig, domains: Sequence[Domain]) -> TeamContracts:
    """Return the contracts of a run's roles.

    Args:
        config: the run.
        domains: the domain servers.

    Raises:
        UserError: the roles of its suite have none, or its steps have no order to be replayed in.
    """
    graphs = config.knowledge is not None and config.knowledge.graphs
    if graphs and any(each.workflow for each in config.frameworks):
        raise UserError(
            "in this run a framework ran steps of a workflow in parallel, so its failures cannot be"
            " attributed; --workflow-form text gives the workflow as text"
        )
    made = find_suite(config.suite).contracts
    if made is None:
        raise UserError(
            f"the suite '{config.suite}' does not define what its roles must do, so its failures"
            " cannot"
            " be attributed"
        )
    return made(domains)


def _result(
    config: RunConfig, modes: Sequence[Mode], failures: Failures, kept: AttributionStore
) -> Result:
    suite = find_suite(config.suite)
    published = suite.published()
    titles = {each.name: each.title for each in config.frameworks if each.title}
    found, verified = [], {}
    for failure in failures.items:
        item = kept.find(failure.trace.episode.id, failure.digest)
        if item is None:
            continue
        found.append(item)
        family = family_to_verify(item)
        if family is None:
            continue
        digest = verified_digest(failure.task, failure.trace, family)
        tried = kept.find_verification(item.episode, digest)
        if tried is not None:
            verified[item.episode] = tried
    return Result(
        failures=len(failures.items),
        attributions=tuple(found),
        near_misses=failures.near_misses,
        summary=summarise(
            config.run_id,
            found,
            RoleRows(suite.roles, suite.role_titles, published),
            attribution_cpu_s=kept.cpu_of(len(found)),
            run_cpu_s=failures.cpu_s,
            near_misses=len(failures.near_misses),
            titles=titles,
        ),
        detections={f.trace.episode.id: f.detections for f in failures.items},
        modes=mode_table(
            modes, ((f.trace.episode.framework, f.detections) for f in failures.items), titles
        ),
        verifications=verified,
        unreadable=_unreadable(failures, kept),
        damaged=failures.unreadable,
        published="" if published is None else published.source,
        user=config.user,
        stressed=config.stress is not None,
    )


async def for_all(todo: Sequence[_T], finish: Callable[[_T], Awaitable[None]], jobs: int) -> None:
    """Do something with all items in order, `jobs` at once; the first error stops the rest.

    Args:
        todo: the items.
        finish: is called with each.
        jobs: how many at once.

    Raises:
        WorkerStartError: a framework's worker cannot be started.
        UserError: what was done cannot be kept.
    """
    queue = iter(todo)
    failed: ExceptionGroup[WorkerStartError | UserError] | None = None

    async def work() -> None:
        for item in queue:
            await finish(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(todo))):
                group.create_task(work())
    except* (WorkerStartError, UserError) as failures:
        failed = failures
    if failed is not None:
        raise failed.exceptions[0]
