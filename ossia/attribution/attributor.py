"""Attributing one failed episode: the search, with each replay run for real."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ossia.attribution.evidence import Replays, replayed
from ossia_evaluation.attribution import (
    Attribution,
    Family,
    Finding,
    Found,
    Material,
    Recording,
    Repair,
    Rerun,
    Status,
    assemble,
    end_of,
    of_a_service,
    search,
    signed_steps,
    unsupported,
)
from ossia_evaluation.attribution.contracts import EpisodeContracts, RepairScript, TeamContracts
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.grader import Grader
from ossia_evaluation.service_faults import of_service, struck
from ossia_evaluation.service_signs import service_signs
from ossia_servers.trace import Trace


@dataclass(frozen=True)
class Tried:
    """One replay of a search, for whoever watches it."""

    number: int
    repair: Repair
    rerun: Rerun
    score: Grade


Watch = Callable[[Tried], None]
"""Callback after each replay."""


def ignore(tried: Tried) -> None:
    """Watch nothing."""


S = TypeVar("S", bound=RepairScript)


@dataclass
class EpisodeSearch(Generic[S]):
    """The search for the causes of one failed episode, whatever the contracts of its roles.

    Attributes:
        task: its task, of the suite's own type.
        trace: the episode as it was recorded.
        score: its verdict.
        runner: runs the replays.
        grader: decides their verdicts.
        watch: callback after each replay.
        script: makes what plays a repair.
        read: reads a replay, played by its script, into steps.
    """

    task: Any
    trace: Trace
    score: Grade
    runner: Replays
    grader: Grader
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
        signed = _deviations(self.trace, recording)
        every = tuple(dict.fromkeys((*signed, *steps)))
        first = Rerun(False, signed, _broke(self.trace), every)
        ended = None if self._end is None else self._end.status
        return await search(first, self._replay, ended=ended)

    async def _replay(self, repair: Repair) -> Rerun:
        script, trace, score = await replayed(
            self.runner, self.grader, self.task, self.trace.episode, lambda: self.script(repair)
        )
        self._number += 1
        self._cpu_s += trace.timing.cpu_s or 0.0
        recording = self.read(trace, script)
        if not repair.all_but:
            self._counterfactuals[repair.situations] = recording
        success = score.verdict is Verdict.SUCCESS
        rerun = Rerun(success, _deviations(trace, recording), _broke(trace), imputed=script.imputed)
        self.watch(Tried(self._number, repair, rerun, score))
        return rerun

    def material(
        self,
        recording: Recording,
        *,
        needed: Sequence[str],
        success: str,
        closer: Mapping[str, Finding] | None = None,
    ) -> Material:
        """Return all that was learnt about the episode.

        Args:
            recording: its steps.
            needed: the roles that the task needs.
            success: what is so once the causes are repaired, as a clause.
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
            success,
        )


def _deviations(trace: Trace, recording: Recording) -> tuple[str, ...]:
    """The steps that may be at fault: first those that show a sign of a fault on the wire."""
    signed = (name for name in signed_steps(trace, recording) if name not in recording.echoes)
    deviating = (step.situation for step in recording.deviations)
    return tuple(dict.fromkeys((*signed, *deviating)))


def _broke(trace: Trace) -> bool:
    """Whether an episode ended in an exception, a limit or a timeout."""
    return trace.ending.kind != "answered" or trace.gateway.budget_spent is not None


class Attributor:
    """Attributes failed episodes; may work on several at once."""

    cpu_s = 0.0
    """Nothing: all is spent by this process and its children."""

    def __init__(self, runner: Replays, grader: Grader, contracts: TeamContracts) -> None:
        """Make an attributor.

        Args:
            runner: runs the replays.
            grader: decides their verdicts.
            contracts: what the roles of the team owe.
        """
        self._runner = runner
        self._grader = grader
        self.contracts = contracts

    async def attribute(
        self, task: Any, trace: Trace, score: Grade, watch: Watch = ignore
    ) -> Attribution:
        """Attribute one failed episode.

        Args:
            task: its task, of the suite's own type.
            trace: the episode as it was recorded; the attributor learns nothing else about it.
            score: its verdict.
            watch: callback after each replay.

        Raises:
            ReplayInvalid: a replay was invalid, again and again.
            WorkerStartError: the framework's worker cannot be started.
        """
        if struck(trace):
            return of_a_service(task, trace, of_service(score, trace), service_signs(trace))
        why = self.contracts.why_unsupported(task)
        if why is not None:
            refused = unsupported(task, trace, score)
            return refused.model_copy(update={"evidence": why}) if why else refused
        episode = self.contracts.episode(task, trace)
        material, found = await self._search(task, trace, score, watch, episode, strict=False)
        if episode.closer is not None and not found.families and found.status in _UNEXPLAINED:
            # Words that mean the same by the match rules may not do the same.
            closer, again = await self._search(task, trace, score, watch, episode, strict=True)
            material = replace(closer, cpu_s=material.cpu_s + closer.cpu_s)
            found = replace(again, replays=found.replays + again.replays)
        missed = episode.missed_recovery(material.counterfactuals, found)
        return assemble(material, found, missed_recovery=missed)

    async def _search(
        self,
        task: Any,
        trace: Trace,
        score: Grade,
        watch: Watch,
        contracts: EpisodeContracts,
        *,
        strict: bool,
    ) -> tuple[Material, Found]:
        episode = EpisodeSearch(
            task,
            trace,
            score,
            self._runner,
            self._grader,
            watch,
            lambda repair: contracts.script(repair, strict=strict),
            contracts.read,
        )
        recording, closer = contracts.recording, contracts.closer
        found = await episode.run(recording, contracts.suspects)
        # Where nothing explains the failure, the match rules may forgive too much.
        steps = recording if found.families or closer is None else closer
        letter = {} if closer is None else closer.findings
        material = episode.material(
            steps, needed=contracts.needed, success=contracts.success, closer=letter
        )
        return material, found


_UNEXPLAINED = frozenset({Status.UNREPAIRED, Status.SUSPECT, Status.FRAMEWORK})
