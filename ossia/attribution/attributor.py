"""Attributing one failed episode: the search, with each replay run for real."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ossia.attribution.evidence import Replays, replayed
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import (
    BUDGET,
    MAX_SIZE,
    Attribution,
    Director,
    Family,
    Found,
    Material,
    Oracle,
    Recording,
    Repair,
    Rerun,
    Status,
    assemble,
    end_of,
    read_recording,
    search,
    supported,
    unsupported,
)
from ossia_evaluation.score import Score, Scorer, Verdict
from ossia_servers.domain import Domain
from ossia_servers.trace import Trace


@dataclass(frozen=True)
class Tried:
    """One replay of a search, for whoever watches it."""

    number: int
    repair: Repair
    rerun: Rerun
    score: Score


Watch = Callable[[Tried], None]
"""Callback after each replay."""


def _ignore(tried: Tried) -> None:
    pass


@dataclass
class _Replays:
    """The replays of one episode, and what they left."""

    task: Task
    trace: Trace
    oracle: Oracle
    recording: Recording
    runner: Replays
    scorer: Scorer
    watch: Watch
    strict: bool
    number: int = 0
    cpu_s: float = 0.0
    counterfactuals: dict[Family, Recording] = field(default_factory=dict)

    async def __call__(self, repair: Repair) -> Rerun:
        director, trace, score = await replayed(
            self.runner,
            self.scorer,
            self.task,
            self.trace.episode,
            lambda: Director(self.oracle, self.recording, repair, strict=self.strict),
        )
        self.number += 1
        self.cpu_s += trace.timing.cpu_s or 0.0
        recording = read_recording(trace, self.oracle, heard=director.heard).renamed(director.moved)
        rerun = Rerun(
            success=score.verdict is Verdict.SUCCESS,
            deviations=tuple(step.situation for step in recording.deviations),
            broke=broke(trace),
            imputed=director.imputed,
        )
        if not repair.all_but:
            self.counterfactuals[repair.situations] = recording
        self.watch(Tried(self.number, repair, rerun, score))
        return rerun


def broke(trace: Trace) -> bool:
    """Whether an episode ended in an exception, a limit or a timeout."""
    return trace.ending.kind != "answered" or trace.gateway.budget_spent is not None


class Attributor:
    """Attributes failed episodes; may work on several at once."""

    def __init__(
        self,
        runner: Replays,
        scorer: Scorer,
        domains: Sequence[Domain],
        *,
        max_size: int = MAX_SIZE,
        budget: int = BUDGET,
    ) -> None:
        """Make an attributor.

        Args:
            runner: runs the replays.
            scorer: decides their verdicts.
            domains: the domain servers, for the match rules.
            max_size: most steps repaired together.
            budget: most replays of one episode.
        """
        self._runner = runner
        self._scorer = scorer
        self._domains = {domain.name: domain for domain in domains}
        self._max_size = max_size
        self._budget = budget

    def oracle(self, task: Task) -> Oracle:
        """Return the contracts of a task's roles."""
        return Oracle(task, self._domains)

    async def attribute(
        self, task: Task, trace: Trace, score: Score, watch: Watch = _ignore
    ) -> Attribution:
        """Attribute one failed episode.

        Args:
            task: its task.
            trace: the episode as it was recorded; the attributor learns nothing else about it.
            score: its verdict.
            watch: callback after each replay.

        Raises:
            ReplayInvalid: a replay was invalid, again and again.
            WorkerStartError: the framework's worker cannot be started.
        """
        if not supported(task):
            return unsupported(task, trace, score)
        material, found = await self._search(task, trace, score, watch, strict=False)
        if not found.families and found.status in _UNEXPLAINED:
            # Words that mean the same by the match rules may not do the same.
            closer, again = await self._search(task, trace, score, watch, strict=True)
            material = replace(closer, cpu_s=material.cpu_s + closer.cpu_s)
            found = replace(again, replays=found.replays + again.replays)
        return assemble(material, found)

    async def _search(
        self, task: Task, trace: Trace, score: Score, watch: Watch, *, strict: bool
    ) -> tuple[Material, Found]:
        oracle, end = self.oracle(task), end_of(trace)
        recording = read_recording(trace, oracle)
        closer = read_recording(trace, oracle, to_the_letter=True)
        runner, scorer = self._runner, self._scorer
        replays = _Replays(task, trace, oracle, recording, runner, scorer, watch, strict)
        first = Rerun(
            success=False,
            deviations=tuple(step.situation for step in recording.deviations),
            broke=broke(trace),
            steps=recording.suspects(closer.findings),
        )
        found = await search(
            first,
            replays,
            max_size=self._max_size,
            budget=self._budget,
            ended=None if end is None else end.status,
        )
        material = Material(
            task,
            trace,
            score,
            # Where nothing explains the failure, the match rules may forgive too much.
            recording if found.families else closer,
            replays.counterfactuals,
            replays.cpu_s,
            closer=closer.findings,
            ended="" if end is None else end.told,
        )
        return material, found


_UNEXPLAINED = frozenset({Status.UNREPAIRED, Status.SUSPECT, Status.FRAMEWORK})
