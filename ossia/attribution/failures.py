"""What a run holds for the attributor: its failures, its near misses and its cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ossia.attribution.store import digest_of
from ossia.runner.cpu import cpu_of
from ossia.runner.store import RunStore
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import NearMiss
from ossia_evaluation.attribution.contracts import TeamContracts
from ossia_evaluation.detectors import Detection
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.grader import Grader
from ossia_evaluation.service_faults import of_service
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
    score: Grade
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
    grader: Grader,
    contracts: TeamContracts,
    frameworks: Collection[str],
) -> Failures:
    """Read the failures of a run, by the present scorer.

    Args:
        store: the run.
        tasks: its tasks by id.
        grader: decides the verdicts.
        contracts: what the roles of the team owe.
        frameworks: only these.
    """
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
        score = of_service(grader.score(task, trace), trace)
        if score.verdict is Verdict.FAILURE:
            signs = contracts.detect(task, trace)
            items.append(Failure(task, trace, score, digest_of(task, trace), signs))
        elif score.verdict is Verdict.SUCCESS:
            miss = contracts.near_miss(task, trace)
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
