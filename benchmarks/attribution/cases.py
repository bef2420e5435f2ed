"""Failures with known causes: faults injected into episodes that succeed without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from benchmarks.attribution.injection import (
    Applied,
    FaultInjector,
    InjectedFault,
    InjectionScript,
    Survey,
)
from benchmarks.attribution.model_errors import ModelError, NoiseErrors, Placebo
from benchmarks.attribution.server_failures import Unanswered
from ossia.attribution.attributor import Attributor
from ossia.attribution.evidence import Replays
from ossia.runner.plan import key_of
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.attribution import Attribution, Family, Recording, minimal
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.score import Score
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.faults import FaultMaker, FaultType
from ossia_servers.assistant.offline.noise import Noise
from ossia_servers.trace import EpisodeKey, Trace

MOST_ERRORS = 5
"""An episode with more errors is not taken: each set of them would have to be tried."""

LARGEST = 3
"""Sets of more faults are not tried; the attributor stops there as well."""


class Structure(StrEnum):
    """How two faults of one episode depend on each other."""

    INDEPENDENT = "independent"
    """Each alone is a failure, and both show in what was done."""
    MASKING = "masking"
    """Each alone is a failure, and one hides the other: with both, the same is done as with one."""
    JOINT = "joint"
    """Only together they are a failure: either repair is enough."""
    ABSORBED = "one absorbed"
    """One is a failure, the other does no harm."""


@dataclass(frozen=True)
class Clean:
    """An episode that succeeds, and the places where it could go wrong.

    Attributes:
        key: what it is.
        task: its task.
        trace: what happened.
        score: its verdict.
        recording: its steps.
        places: possible faults by role and, for the manager, by how many roles have worked.
    """

    key: EpisodeKey
    task: WorldTask
    trace: Trace
    score: Score
    recording: Recording
    places: Mapping[tuple[str, int], tuple[FaultType, ...]]

    def possible_faults(self) -> tuple[tuple[str, int, FaultType], ...]:
        """Every fault that has a place, in a fixed order."""
        return tuple((r, at, fault) for (r, at), faults in self.places.items() for fault in faults)


@dataclass(frozen=True)
class Injected:
    """A failure with known causes.

    Attributes:
        clean: the episode without faults.
        faults: the faults that were put in.
        families: the minimal sets of faults without which it succeeds, by situation.
        trace: the failed episode: all that an attributor may see.
        score: its verdict.
        recording: its steps.
        situations: the moment of each fault, in the order of `faults`.
        structure: how two faults depend on each other; None of any other number.
    """

    clean: Clean
    faults: tuple[InjectedFault, ...]
    families: frozenset[Family]
    trace: Trace
    score: Score
    recording: Recording
    situations: tuple[str, ...]
    structure: Structure | None = None


@dataclass(frozen=True)
class Rejected:
    """An episode that is no case.

    Attributes:
        reason: why.
        recording: its steps, where they are of use.
        success: whether it succeeds.
    """

    reason: str
    recording: Recording | None = None
    success: bool = False


@dataclass(frozen=True)
class Noisy:
    """An episode of the noisy model.

    Attributes:
        made: the failure, or why it is none.
        errors: the errors that the model made.
        recording: its steps.
    """

    made: Injected | Rejected
    errors: tuple[ModelError, ...]
    recording: Recording


class CaseMaker:
    """Makes failures with known causes, by running real frameworks.

    Attributes:
        fault_maker: makes wrong outputs of right ones.
    """

    def __init__(
        self,
        runner: Replays,
        scorer: AssistantScorer,
        attributor: Attributor,
        fault_maker: FaultMaker,
        model: OfflineModel,
    ) -> None:
        """Make a maker.

        Args:
            runner: runs episodes by scripts.
            scorer: decides their verdicts.
            attributor: knows the contracts by which episodes are read; it attributes nothing here.
            fault_maker: makes wrong outputs of right ones.
            model: answers where no fault is injected.
        """
        self._runner = runner
        self._scorer = scorer
        self._attributor = attributor
        self.fault_maker = fault_maker
        self._model = model

    async def clean(self, task: WorldTask, framework: str) -> Clean | Rejected:
        """Run a task without faults; it is clean where it succeeds and no step deviates."""
        key = key_of(task.id, framework, "offline", 1)
        survey = Survey(self.fault_maker)
        trace = await self._runner.replay(key, InjectionScript(self._model, survey))
        score, recording = self._scorer.score(task, trace), self._read(task, trace)
        if score.verdict is not Verdict.SUCCESS:
            return Rejected("fails without a fault", recording)
        if recording.findings:
            return Rejected("deviates without a fault", recording, success=True)
        return Clean(key, task, trace, score, recording, survey.places)

    async def inject(self, clean: Clean, faults: Sequence[InjectedFault]) -> Injected | Rejected:
        """Put faults into an episode.

        Returns:
            The failure with its known causes; or why there is none: a fault found no place, no
            longer has one when another is removed, the episode succeeds all the same, or it is
            invalid.
        """
        trace, score, applied = await self._run(clean, FaultInjector(self.fault_maker, faults))
        if len(applied) < len(faults):
            return Rejected("a fault found no place")
        return await self._case(clean, applied, (trace, score), looping=True)

    async def noisy(self, clean: Clean, probability: float, seed: int) -> Noisy:
        """Run an episode with the noisy model, and learn which of its errors are causes.

        Args:
            clean: the episode without noise.
            probability: with which a turn errs.
            seed: another seed gives other errors.
        """
        hook = NoiseErrors(self.fault_maker, Noise(self.fault_maker, probability, seed))
        trace = await self._runner.replay(clean.key, InjectionScript(self._model, hook))
        score, recording = self._scorer.score(clean.task, trace), self._read(clean.task, trace)
        errors = tuple(hook.errors.values())
        return Noisy(await self._natural(clean, hook, (trace, score)), errors, recording)

    async def _natural(
        self, clean: Clean, hook: NoiseErrors, run: tuple[Trace, Score]
    ) -> Injected | Rejected:
        errors = hook.errors.values()
        if hook.later:
            return Rejected("an error in a later turn")
        if not errors:
            return Rejected("no error")
        if len(errors) > MOST_ERRORS:
            return Rejected("too many errors")
        applied = {e.fault: Applied(e.situation, e.wrong) for e in errors}
        return await self._case(clean, applied, run, looping=False)

    async def _case(
        self,
        clean: Clean,
        applied: Mapping[InjectedFault, Applied],
        run: tuple[Trace, Score],
        *,
        looping: bool,
    ) -> Injected | Rejected:
        trace, score = run
        recording = self._read(clean.task, trace)
        if score.verdict is Verdict.SUCCESS:
            return Rejected("harmless", recording, success=True)
        if score.verdict is not Verdict.FAILURE:
            return Rejected("invalid")
        without = await self._without(clean, applied, looping=looping)
        if without is None:
            return Rejected("a fault is lost without another")
        helping = [removed for removed, (_, good) in without.items() if good]
        if not helping:
            return Rejected("needs more than three repairs")
        named = [frozenset(applied[fault].situation for fault in family) for family in helping]
        return Injected(
            clean,
            tuple(applied),
            frozenset(minimal(named)),
            trace,
            score,
            recording,
            tuple(each.situation for each in applied.values()),
            _structure(trace, without) if len(applied) == 2 else None,
        )

    async def _without(
        self, clean: Clean, applied: Mapping[InjectedFault, Applied], *, looping: bool
    ) -> dict[frozenset[InjectedFault], tuple[Trace, bool]] | None:
        """Remove faults, set by set; returns each run and whether it succeeds.

        None where a fault no longer has a place when another is removed.
        """
        found: dict[frozenset[InjectedFault], tuple[Trace, bool]] = {}
        like = {fault: each.wrong for fault, each in applied.items()}
        for size in range(1, min(len(applied), LARGEST) + 1):
            for removed in map(frozenset, combinations(applied, size)):
                if any(good and known <= removed for known, (_, good) in found.items()):
                    continue
                left = [fault for fault in applied if fault not in removed]
                if not left:
                    # Without any fault it is the clean episode, which is known to succeed.
                    found[removed] = clean.trace, True
                    continue
                hook = FaultInjector(self.fault_maker, left, like, looping=looping)
                trace, score, again = await self._run(clean, hook)
                if len(again) < len(left):
                    return None
                found[removed] = trace, score.verdict is Verdict.SUCCESS
        return found

    async def _run(
        self, clean: Clean, hook: FaultInjector
    ) -> tuple[Trace, Score, Mapping[InjectedFault, Applied]]:
        trace = await self._runner.replay(clean.key, InjectionScript(self._model, hook))
        return trace, self._scorer.score(clean.task, trace), hook.applied

    async def placebo(self, clean: Clean, role: str) -> tuple[Trace, Score] | None:
        """Run an episode in which a role says the same in other words.

        Returns:
            The episode, or None where the role did not work.
        """
        hook = Placebo(role)
        trace = await self._runner.replay(clean.key, InjectionScript(self._model, hook))
        if hook.applied is None:
            return None
        return trace, self._scorer.score(clean.task, trace)

    async def unanswered(self, clean: Clean, role: str) -> tuple[Trace, Score]:
        """Run an episode in which the model fails at a role's calls."""
        trace = await self._runner.replay(clean.key, InjectionScript(self._model, Unanswered(role)))
        return trace, self._scorer.score(clean.task, trace)

    async def again(self, clean: Clean) -> tuple[Trace, Score]:
        """Run an episode without faults once more."""
        trace, score, _ = await self._run(clean, FaultInjector(self.fault_maker, ()))
        return trace, score

    async def deviating(
        self, clean: Clean, faults: Sequence[InjectedFault]
    ) -> tuple[Trace, Score] | None:
        """Run an episode in which roles deviate, whatever comes of it.

        Returns:
            The episode, or None where a fault found no place.
        """
        trace, score, applied = await self._run(clean, FaultInjector(self.fault_maker, faults))
        return None if len(applied) < len(faults) else (trace, score)

    async def attribute(self, task: WorldTask, trace: Trace, score: Score) -> Attribution:
        """Let the attributor work on an episode; it sees the trace and the task, nothing else."""
        return await self._attributor.attribute(task, trace, score)

    def _read(self, task: WorldTask, trace: Trace) -> Recording:
        return self._attributor.contracts.episode(task, trace).recording


def _structure(
    both: Trace, without: Mapping[frozenset[InjectedFault], tuple[Trace, bool]]
) -> Structure:
    alone = [run for removed, run in without.items() if len(removed) == 1]
    helping = sum(good for _, good in alone)
    if helping:
        return Structure.JOINT if helping == 2 else Structure.ABSORBED
    hidden = any(_done(trace) == _done(both) for trace, _ in alone)
    return Structure.MASKING if hidden else Structure.INDEPENDENT


def _done(trace: Trace) -> tuple[object, ...]:
    """What an episode did at the servers, and whether it went to its end."""
    asked = tuple((r.domain, tuple(sorted(r.params.items())), r.status) for r in trace.requests)
    return asked, trace.ending.kind, bool(trace.answer.strip())
