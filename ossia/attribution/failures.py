"""What a run holds for the attributor: its failures, its near misses and its cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ossia.attribution.store import digest_of
from ossia.runner.cpu import cpu_of
from ossia.runner.store import RunStore
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import NearMiss, near_miss, read_recording, supported
from ossia_evaluation.attribution.oracles import Oracle
from ossia_evaluation.detectors import Detection, detect
from ossia_evaluation.score import Score, Scorer, Verdict
from ossia_evaluation.steps import read_steps
from ossia_servers.domain import Domain
from ossia_servers.trace import Trace


@dataclass(frozen=True)
class Failure:
    """A failed episode of a run.

    Attributes:
        task: its task.
        trace: as it was recorded.
        score: its verdict by the present scorer.
        digest: what an attribution of it depends on.
        detections: the failure modes that show in it.
    """

    task: Task
    trace: Trace
    score: Score
    digest: str
    detections: tuple[Detection, ...]


@dataclass(frozen=True)
class Failures:
    """The failures of a run and what stands beside them.

    Attributes:
        items: the failed episodes, in the order of their ids.
        near_misses: successes in which some step left its contract.
        cpu_s: CPU time of all processes that made these frameworks' episodes; None where the run
            does not tell it of all its episodes.
        unreadable: episodes whose trace cannot be read.
    """

    items: tuple[Failure, ...]
    near_misses: tuple[NearMiss, ...]
    cpu_s: float | None
    unreadable: tuple[str, ...] = ()


def read_failures(
    store: RunStore,
    tasks: Mapping[str, Task],
    scorer: Scorer,
    domains: Sequence[Domain],
    frameworks: Collection[str],
) -> Failures:
    """Read the failures of a run, by the present scorer.

    Args:
        store: the run.
        tasks: its tasks by id.
        scorer: decides the verdicts.
        domains: the domain servers, for the match rules.
        frameworks: only these.
    """
    by_name = {domain.name: domain for domain in domains}
    items, misses, lost = [], [], []
    cpu = _CpuShare()
    for episode in store.episodes():
        trace = store.readable_trace(episode)
        if trace is None or trace.episode.task not in tasks:
            lost.append(episode)
            continue
        wanted = trace.episode.framework in frameworks
        cpu.count(trace, wanted=wanted)
        if not wanted:
            continue
        task = tasks[trace.episode.task]
        score = scorer.score(task, trace)
        if score.verdict is Verdict.FAILURE:
            signs = detect(task, trace, read_steps(trace), by_name)
            items.append(Failure(task, trace, score, digest_of(task, trace), signs))
        elif score.verdict is Verdict.SUCCESS and not task.toolkits and supported(task):
            miss = near_miss(task, trace, read_recording(trace, Oracle(task, by_name)))
            misses += [] if miss is None else [miss]
    return Failures(tuple(items), tuple(misses), cpu.of(store), tuple(lost))


@dataclass
class _CpuShare:
    """The part of some frameworks in a run's CPU time.

    What a worker spent is known by episode; what gateway and servers spent is shared out evenly.
    """

    episodes: int = 0
    wanted: int = 0
    workers_s: float = 0.0
    wanted_s: float = 0.0

    def count(self, trace: Trace, *, wanted: bool) -> None:
        self.episodes += 1
        # What is not known of a worker stays in what is shared out.
        spent = trace.timing.cpu_s or 0.0
        self.workers_s += spent
        if wanted:
            self.wanted += 1
            self.wanted_s += spent

    def of(self, store: RunStore) -> float | None:
        told = cpu_of(store)
        if not self.wanted or told.episodes < self.episodes:
            return None
        rest = max(0.0, told.seconds - self.workers_s)
        return self.wanted_s + rest * self.wanted / self.episodes
