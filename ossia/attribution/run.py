"""Attributing all failures of a run, several at once and resumable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.store import AttributionStore, digest_of
from ossia.errors import UserError
from ossia.runner.config import RunConfig
from ossia.runner.store import RunStore
from ossia.worker import WorkerStartError
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import (
    Attribution,
    NearMiss,
    near_miss,
    read_recording,
    supported,
)
from ossia_evaluation.attribution.columns import AttributionSummary, summarise
from ossia_evaluation.attribution.oracles import Oracle
from ossia_evaluation.score import Score, Scorer, Verdict
from ossia_servers.catalogue import load_domains
from ossia_servers.domain import Domain
from ossia_servers.trace import Trace

SUITE = "assistant"
"""The suite whose roles have contract oracles."""


@dataclass(frozen=True)
class Attributed:
    """Sent to the observer after an attribution is stored."""

    attribution: Attribution
    done: int
    total: int


Observer = Callable[[Attributed], None]


@dataclass(frozen=True)
class Result:
    """A run's attributions."""

    attributions: tuple[Attribution, ...]
    near_misses: tuple[NearMiss, ...]
    summary: AttributionSummary


@dataclass(frozen=True)
class _Failure:
    task: Task
    trace: Trace
    score: Score
    digest: str


async def attribute_run(
    store: RunStore,
    tasks: Mapping[str, Task],
    home: Path,
    observe: Observer,
    *,
    frameworks: Sequence[str] = (),
    jobs: int = 8,
) -> Result:
    """Attribute the failures of a run that are not attributed yet, and return all.

    Args:
        store: the run.
        tasks: its tasks by id.
        home: the folder of Ossia's environments.
        observe: is told of each new attribution.
        frameworks: only these; all of the run when empty.
        jobs: episodes attributed at once.

    Raises:
        UserError: the run's suite has no contract oracles, or an adapter is not as it was.
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    config = store.config()
    check_suite(config)
    domains = load_domains()
    scorer = Scorer(domains)
    workers = worker_specs(config, home, frameworks)
    failures, misses, run_cpu_s = _read(store, tasks, scorer, domains, frozenset(workers))
    with AttributionStore(store.folder) as kept:
        found = {f.trace.episode.id: kept.find(f.trace.episode.id, f.digest) for f in failures}
        todo = [f for f in failures if found[f.trace.episode.id] is None]
        if todo:
            done = len(failures) - len(todo)
            async with open_replayer(config, tasks, domains, workers, jobs=jobs) as replayer:
                attributor = Attributor(replayer, scorer, domains)

                async def finish(failure: _Failure) -> None:
                    nonlocal done
                    result = await attributor.attribute(failure.task, failure.trace, failure.score)
                    kept.put(result, failure.digest)
                    found[result.episode] = result
                    done += 1
                    observe(Attributed(result, done, len(failures)))

                await _all(todo, finish, jobs)
    attributions = tuple(item for item in found.values() if item is not None)
    summary = summarise(config.run_id, attributions, run_cpu_s=run_cpu_s, near_misses=len(misses))
    return Result(attributions, misses, summary)


def check_suite(config: RunConfig) -> None:
    """Refuse a run whose roles have no contract oracles.

    Raises:
        UserError: it is of another suite.
    """
    if not config.suite.startswith(SUITE):
        raise UserError(
            f"attribution knows the contracts of the suite '{SUITE}', the run's is '{config.suite}'"
        )


def _read(
    store: RunStore,
    tasks: Mapping[str, Task],
    scorer: Scorer,
    domains: Sequence[Domain],
    frameworks: frozenset[str],
) -> tuple[list[_Failure], tuple[NearMiss, ...], float]:
    """The failures of a run by the present scorer, its near misses, and its CPU time."""
    by_name = {domain.name: domain for domain in domains}
    failures, misses, cpu_s = [], [], 0.0
    for trace in store.traces():
        if trace.episode.framework not in frameworks:
            continue
        task = tasks[trace.episode.task]
        cpu_s += trace.timing.cpu_s
        score = scorer.score(task, trace)
        if score.verdict is Verdict.FAILURE:
            failures.append(_Failure(task, trace, score, digest_of(task, trace)))
        elif score.verdict is Verdict.SUCCESS and supported(task):
            miss = near_miss(task, trace, read_recording(trace, Oracle(task, by_name)))
            misses += [] if miss is None else [miss]
    return failures, tuple(misses), cpu_s


async def _all(
    todo: Sequence[_Failure], finish: Callable[[_Failure], Awaitable[None]], jobs: int
) -> None:
    """Attribute in order, `jobs` at once; the first error stops the rest."""
    queue = iter(todo)
    failed: ExceptionGroup[WorkerStartError] | None = None

    async def work() -> None:
        for failure in queue:
            await finish(failure)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(todo))):
                group.create_task(work())
    except* WorkerStartError as failures:
        failed = failures
    if failed is not None:
        raise failed.exceptions[0]
