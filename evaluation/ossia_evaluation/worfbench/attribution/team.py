"""The contracts of a planning team, as the attributor asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.attribution import (
    Family,
    Found,
    NearMiss,
    Recording,
    Repair,
    near_miss,
    role_in,
)
from ossia_evaluation.detectors import Detection, Mode
from ossia_evaluation.steps import Step
from ossia_evaluation.worfbench.attribution.contracts import PlanContracts, Read
from ossia_evaluation.worfbench.attribution.faults import causes_of, faults_of
from ossia_evaluation.worfbench.attribution.script import PlanScript
from ossia_evaluation.worfbench.execution.executor import PlanExecutor
from ossia_servers.trace import Trace
from ossia_workflows.worfbench import CRITIC, TeamKind

__all__ = ["PlanTeamContracts"]

_CYCLE = "The gold plan has a cycle, so no order of its nodes is right."


class PlanEpisode:
    """A failed episode of a planning team."""

    closer: Recording | None = None

    def __init__(self, contracts: PlanContracts, trace: Trace) -> None:
        """Read an episode.

        Args:
            contracts: What the roles owe in its task.
            trace: The episode as it was recorded.
        """
        self._contracts, self._trace = contracts, trace
        self.success = contracts.gold.success

    @cached_property
    def _record(self) -> tuple[Recording, Mapping[str, Read]]:
        return self._contracts.record(self._trace, scored=True)

    @property
    def recording(self) -> Recording:
        """Its steps."""
        return self._record[0]

    @property
    def suspects(self) -> tuple[str, ...]:
        """The moments of its steps, the likeliest causes first."""
        return self.recording.suspects(())

    @property
    def needed(self) -> Sequence[str]:
        """The roles that the task needs."""
        return self._contracts.needed

    def script(self, repair: Repair, *, strict: bool) -> PlanScript:
        """Return what plays a repair."""
        return PlanScript(self._contracts, *self._record, repair)

    def missed_recovery(self, replays: Mapping[Family, Recording], found: Found) -> str:
        """Return what the critic passed on of the faults of the plan that it was given."""
        recording, reads = self._record
        causes = {role_in(situation) for family in found.families for situation in family}
        critics = [step for step in recording.steps if step.role == CRITIC]
        if not critics or not causes or CRITIC in causes:
            return ""
        read, gold = reads[critics[-1].situation], self._contracts.gold
        if read.given.draft is None or read.own is None:
            return ""
        had = {fault.key for fault in faults_of(read.given.draft, gold)}
        kept = [fault for fault in causes_of(read.own, gold) if fault.key in had]
        if not kept:
            return ""
        count = f"{len(kept)} fault{'s' if len(kept) > 1 else ''}"
        return f"the {CRITIC} passed on {count} of the plan that it was given"

    def read(self, replay: Trace, script: PlanScript) -> Recording:
        """Read a replay into steps."""
        return self._contracts.record(replay, scored=False)[0]


class PlanTeamContracts:
    """The contracts of the roles of a planning team."""

    words = None
    modes: Sequence[Mode] = ()

    def __init__(self, kind: TeamKind, executor: PlanExecutor) -> None:
        """Take how the planning is shared out.

        Args:
            kind: How.
            executor: Carries out the plans of tasks that have a world.
        """
        self._kind, self._executor = kind, executor

    def why_unsupported(self, task: PlanTask) -> str | None:
        """Return why failures of a task cannot be attributed; None where they can."""
        return _CYCLE if self._of(task).gold.has_cycle else None

    def episode(self, task: PlanTask, trace: Trace) -> PlanEpisode:
        """Read a failed episode."""
        return PlanEpisode(self._of(task), trace)

    def _of(self, task: PlanTask) -> PlanContracts:
        return PlanContracts(task, self._kind, self._executor)

    def near_miss(self, task: PlanTask, trace: Trace) -> NearMiss | None:
        """Return the deviations of a success, or None where every step kept its contract."""
        contracts = self._of(task)
        if contracts.gold.has_cycle:
            return None
        return near_miss(task, trace, contracts.record(trace, scored=False)[0])

    def detect(self, task: PlanTask, trace: Trace) -> tuple[Detection, ...]:
        """Return nothing: no failure modes are looked for."""
        return ()

    def blamed(self, task: PlanTask, trace: Trace, steps: Sequence[Step], role: str) -> None:
        """Return nothing: the grader names no role."""
