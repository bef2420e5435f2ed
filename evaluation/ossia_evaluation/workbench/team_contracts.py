"""The contracts of an office team, as the attributor asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.attribution import Family, Found, NearMiss, Recording, Repair
from ossia_evaluation.detectors import Detection, Mode
from ossia_evaluation.steps import Step, last_step
from ossia_evaluation.workbench.contracts import OfficeContracts
from ossia_evaluation.workbench.script import OfficeScript
from ossia_evaluation.worlds.success import success_clause
from ossia_servers.trace import Trace
from ossia_workflows.workbench import TeamKind

_SEVERAL = (
    "Several specialists work on the task, and what one does may rest on what another reports; a"
    " report has no gold, so a wrong report and a wrong action cannot be told apart."
)


class OfficeEpisode:
    """A failed episode of an office team."""

    closer: Recording | None = None

    def __init__(self, contracts: OfficeContracts, trace: Trace) -> None:
        """Read an episode.

        Args:
            contracts: what the roles owe in its task.
            trace: the episode as it was recorded.
        """
        self._contracts, self._trace = contracts, trace

    @cached_property
    def recording(self) -> Recording:
        """Its steps."""
        return self._contracts.record(self._trace)

    @property
    def suspects(self) -> tuple[str, ...]:
        """The moments of its steps, the likeliest causes first."""
        return self.recording.suspects(())

    @property
    def needed(self) -> Sequence[str]:
        """The roles that the task needs."""
        return self._contracts.needed

    def script(self, repair: Repair, *, strict: bool) -> OfficeScript:
        """Return what plays a repair."""
        return OfficeScript(self._contracts, self.recording, repair)

    @property
    def success(self) -> str:
        """What has happened once the task is carried out."""
        return success_clause(self._contracts.task)

    def missed_recovery(self, replays: Mapping[Family, Recording], found: Found) -> str:
        """Return nothing: what a role could have made of a report has no contract."""
        return ""

    def read(self, replay: Trace, script: OfficeScript) -> Recording:
        """Read a replay into steps."""
        return self._contracts.record(replay)


class OfficeTeamContracts:
    """The contracts of the roles of an office team."""

    words = None
    modes: Sequence[Mode] = ()

    def __init__(self, kind: TeamKind) -> None:
        """Take the team's kind."""
        self._kind = kind

    def why_unsupported(self, task: WorldTask) -> str | None:
        """Return why failures of a task cannot be attributed; None where they can."""
        return None if OfficeContracts(task, self._kind).supported else _SEVERAL

    def episode(self, task: WorldTask, trace: Trace) -> OfficeEpisode:
        """Read a failed episode."""
        return OfficeEpisode(OfficeContracts(task, self._kind), trace)

    def near_miss(self, task: WorldTask, trace: Trace) -> NearMiss | None:
        """Return None: what a report should say has no contract."""
        return None

    def detect(self, task: WorldTask, trace: Trace) -> tuple[Detection, ...]:
        """Return nothing: no failure mode is looked for."""
        return ()

    def blamed(
        self, task: WorldTask, trace: Trace, steps: Sequence[Step], role: str
    ) -> Step | None:
        """Return the step by which a role failed: its last one."""
        return last_step(steps, role)
