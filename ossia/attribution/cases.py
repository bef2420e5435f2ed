"""Failures with known causes: faults planted in episodes that succeed without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ossia.attribution.attributor import Attributor, Replays
from ossia.attribution.injection import Applied, Injection, Plant, Planted, Survey
from ossia.runner.plan import key_of
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import Attribution, Family, Recording, minimal, read_recording
from ossia_evaluation.score import Score, Scorer, Verdict
from ossia_servers.faults import FaultMaker, FaultType
from ossia_servers.offline import OfflineModel
from ossia_servers.trace import EpisodeKey, Trace


@dataclass(frozen=True)
class Clean:
    """An episode that succeeds, and the places where it could go wrong.

    Attributes:
        key: what it is.
        task: its task.
        recording: its steps.
        places: possible faults by role and, for the manager, by how many roles have worked.
    """

    key: EpisodeKey
    task: Task
    recording: Recording
    places: Mapping[tuple[str, int], tuple[FaultType, ...]]

    def plants(self) -> tuple[tuple[str, int, FaultType], ...]:
        """Every fault that has a place, in a fixed order."""
        return tuple((r, at, fault) for (r, at), faults in self.places.items() for fault in faults)


@dataclass(frozen=True)
class Injected:
    """A failure with known causes.

    Attributes:
        clean: the episode without faults.
        plants: the faults that were put in.
        families: the minimal sets of faults without which it succeeds, by situation.
        trace: the failed episode: all that an attributor may see.
        score: its verdict.
    """

    clean: Clean
    plants: tuple[Plant, ...]
    families: frozenset[Family]
    trace: Trace
    score: Score


@dataclass
class Discards:
    """Why planted episodes were not kept."""

    counts: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str) -> None:
        """Count one."""
        self.counts[reason] = self.counts.get(reason, 0) + 1


class CaseMaker:
    """Makes failures with known causes, by running real frameworks."""

    def __init__(
        self,
        runner: Replays,
        scorer: Scorer,
        attributor: Attributor,
        faults: FaultMaker,
        model: OfflineModel,
    ) -> None:
        """Make a maker.

        Args:
            runner: runs episodes by scripts.
            scorer: decides their verdicts.
            attributor: knows the contracts by which episodes are read; it attributes nothing here.
            faults: makes wrong outputs of right ones.
            model: answers where no fault is planted.
        """
        self._runner = runner
        self._scorer = scorer
        self._attributor = attributor
        self._faults = faults
        self._model = model
        self.discards = Discards()

    async def clean(self, task: Task, framework: str) -> Clean | None:
        """Run a task without faults; None where it does not succeed."""
        key = key_of(task.id, framework, "offline", 1)
        survey = Survey(self._faults)
        trace = await self._runner.replay(key, Injection(self._model, survey))
        if self._scorer.score(task, trace).verdict is not Verdict.SUCCESS:
            self.discards.add("fails without a fault")
            return None
        recording = read_recording(trace, self._attributor.oracle(task))
        return Clean(key, task, recording, survey.places)

    async def plant(self, clean: Clean, plants: Sequence[Plant]) -> Injected | Recording | None:
        """Put faults into an episode.

        Returns:
            The failure with its known causes; the recording where the episode succeeds all the
            same, so that the faults are harmless; None where a fault found no place, no longer has
            one when another is removed, or the episode is invalid.
        """
        trace, score, applied = await self._run(clean, plants)
        if len(applied) < len(plants):
            self.discards.add("a fault found no place")
            return None
        if score.verdict is Verdict.SUCCESS:
            self.discards.add("harmless")
            return read_recording(trace, self._attributor.oracle(clean.task))
        if score.verdict is not Verdict.FAILURE:
            self.discards.add("invalid")
            return None
        families = await self._families(clean, plants, applied)
        if families is None:
            self.discards.add("a fault is lost without another")
            return None
        return Injected(clean, tuple(plants), families, trace, score)

    async def _families(
        self, clean: Clean, plants: Sequence[Plant], applied: Mapping[Plant, Applied]
    ) -> frozenset[Family] | None:
        """Remove faults, set by set, and see without which ones the episode succeeds."""
        helping: list[frozenset[Plant]] = []
        like = {plant: applied[plant].wrong for plant in plants}
        for size in range(1, len(plants) + 1):
            for removed in map(frozenset, combinations(plants, size)):
                if any(known <= removed for known in helping):
                    continue
                left = [plant for plant in plants if plant not in removed]
                # Without any fault it is the clean episode, which is known to succeed.
                if left:
                    _, score, again = await self._run(clean, left, like)
                    if len(again) < len(left):
                        return None
                    if score.verdict is not Verdict.SUCCESS:
                        continue
                helping.append(removed)
        named = [frozenset(applied[plant].situation for plant in family) for family in helping]
        return frozenset(minimal(named))

    async def _run(
        self, clean: Clean, plants: Sequence[Plant], like: Mapping[Plant, str] | None = None
    ) -> tuple[Trace, Score, Mapping[Plant, Applied]]:
        slips = Planted(self._faults, plants, like or {})
        trace = await self._runner.replay(clean.key, Injection(self._model, slips))
        return trace, self._scorer.score(clean.task, trace), slips.applied

    async def attribute(self, case: Injected) -> Attribution:
        """Let the attributor work on a failure; it sees the trace and the task, nothing else."""
        return await self._attributor.attribute(case.clean.task, case.trace, case.score)

    def recording(self, case: Injected) -> Recording:
        """Return the steps of a failure, as its attributor reads them."""
        return read_recording(case.trace, self._attributor.oracle(case.clean.task))
