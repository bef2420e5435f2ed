"""Attributing one failed episode: the search, with each replay run for real."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from ossia.attribution.evidence import Replays, replayed
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import (
    Attribution,
    Director,
    Family,
    Finding,
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
from ossia_servers.gateway.intervention import Script
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


def ignore(tried: Tried) -> None:
    """Watch nothing."""


class RepairScript(Script, Protocol):
    """Plays one repair."""

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        ...


S = TypeVar("S", bound=RepairScript)


@dataclass
class EpisodeSearch(Generic[S]):
    """The search for the causes of one failed episode, whatever the contracts of its roles.

    Attributes:
        task: its task.
        trace: the episode as it was recorded.
        score: its verdict.
        runner: runs the replays.
        scorer: decides their verdicts.
        watch: callback after each replay.
        script: makes what plays a repair.
        read: reads a replay, played by its script, into steps.
    """

    task: Task
    trace: Trace
    score: Score
    runner: Replays
    scorer: Scorer
    watch: Watch
    script: Callable[[Repair], S]
    read: Callable[[Trace, S], Recording]

    def __post_init__(self) -> None:
        """Begin with nothing replayed."""
        self._end = end_of(self.trace)
        self._number, self._cpu_s = 0, 0.0
        self._counterfactuals: dict[Family, Recording] = {}

    async def run(self, recording: Recording, steps: tuple[str, ...]) -> Found:
        """Search for the causes.

        Args:
            recording: the steps of the episode.
            steps: their moments, the likeliest causes first.

        Raises:
            ReplayInvalid: a replay was invalid, again and again.
            WorkerStartError: the framework's worker cannot be started.
        """
        first = Rerun(False, _deviations(recording), _broke(self.trace), steps)
        ended = None if self._end is None else self._end.status
        return await search(first, self._replay, ended=ended)

    async def _replay(self, repair: Repair) -> Rerun:
        script, trace, score = await replayed(
            self.runner, self.scorer, self.task, self.trace.episode, lambda: self.script(repair)
        )
        self._number += 1
        self._cpu_s += trace.timing.cpu_s or 0.0
        recording = self.read(trace, script)
        if not repair.all_but:
            self._counterfactuals[repair.situations] = recording
        success = score.verdict is Verdict.SUCCESS
        rerun = Rerun(success, _deviations(recording), _broke(trace), imputed=script.imputed)
        self.watch(Tried(self._number, repair, rerun, score))
        return rerun

    def material(
        self,
        recording: Recording,
        *,
        needed: Sequence[str] | None = None,
        closer: Mapping[str, Finding] | None = None,
    ) -> Material:
        """Return all that was learnt about the episode.

        Args:
            recording: its steps.
            needed: the roles that the task needs; None where its frame tells.
            closer: how steps leave their contracts to the letter, by situation.
        """
        return Material(
            self.task,
            self.trace,
            self.score,
            recording,
            self._counterfactuals,
            self._cpu_s,
            needed,
            closer or {},
            "" if self._end is None else self._end.told,
        )


def _deviations(recording: Recording) -> tuple[str, ...]:
    return tuple(step.situation for step in recording.deviations)


def _broke(trace: Trace) -> bool:
    """Whether an episode ended in an exception, a limit or a timeout."""
    return trace.ending.kind != "answered" or trace.gateway.budget_spent is not None


class Attributor:
    """Attributes failed episodes; may work on several at once."""

    def __init__(self, runner: Replays, scorer: Scorer, domains: Sequence[Domain]) -> None:
        """Make an attributor.

        Args:
            runner: runs the replays.
            scorer: decides their verdicts.
            domains: the domain servers, for the match rules.
        """
        self._runner = runner
        self._scorer = scorer
        self._domains = {domain.name: domain for domain in domains}

    def oracle(self, task: Task) -> Oracle:
        """Return the contracts of a task's roles."""
        return Oracle(task, self._domains)

    async def attribute(
        self, task: Task, trace: Trace, score: Score, watch: Watch = ignore
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
        oracle = self.oracle(task)
        recording = read_recording(trace, oracle)
        closer = read_recording(trace, oracle, to_the_letter=True)

        def read(replay: Trace, director: Director) -> Recording:
            return read_recording(replay, oracle, heard=director.heard).renamed(director.moved)

        episode = EpisodeSearch(
            task,
            trace,
            score,
            self._runner,
            self._scorer,
            watch,
            lambda repair: Director(oracle, recording, repair, strict=strict),
            read,
        )
        found = await episode.run(recording, recording.suspects(closer.findings))
        # Where nothing explains the failure, the match rules may forgive too much.
        steps = recording if found.families else closer
        return episode.material(steps, closer=closer.findings), found


_UNEXPLAINED = frozenset({Status.UNREPAIRED, Status.SUSPECT, Status.FRAMEWORK})
