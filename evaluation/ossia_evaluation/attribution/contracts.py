"""What a suite brings so that failures can be attributed: the contracts of its roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ossia_evaluation.attribution.analysis import Recording
from ossia_evaluation.attribution.director import Repair
from ossia_evaluation.attribution.records import NearMiss
from ossia_evaluation.detectors import Detection
from ossia_servers.gateway.intervention import Script
from ossia_servers.trace import Trace


class RepairScript(Script, Protocol):
    """Plays one repair."""

    @property
    def imputed(self) -> tuple[str, ...]:
        """The moments that were answered rightly although nothing was recorded of them."""
        ...


class EpisodeContracts(Protocol):
    """What the roles owed in one failed episode, and how a repair of it is played."""

    @property
    def recording(self) -> Recording:
        """Its steps."""
        ...

    @property
    def suspects(self) -> tuple[str, ...]:
        """The moments of its steps, the likeliest causes first."""
        ...

    @property
    def needed(self) -> Sequence[str] | None:
        """The roles that the task needs; None where its frame tells."""
        ...

    @property
    def closer(self) -> Recording | None:
        """Its steps judged to the letter; None where contracts have no letter."""
        ...

    def script(self, repair: Repair, *, strict: bool) -> RepairScript:
        """Return what plays a repair, made anew for each replay.

        Args:
            repair: which steps are repaired.
            strict: repair to the letter as well.
        """
        ...

    def read(self, replay: Trace, script: Any) -> Recording:
        """Read a replay into steps.

        Args:
            replay: its trace.
            script: what played it.
        """
        ...


class TeamContracts(Protocol):
    """The contracts of a suite's roles; tasks are of the suite's own type."""

    @property
    def words_can_be_set(self) -> bool:
        """Whether steps have words of a fixed form, which a user or a live run can set."""
        ...

    def why_unsupported(self, task: Any) -> str | None:
        """Return why failures of a task cannot be attributed, as a sentence; None where they can.

        An empty sentence stands for the usual reason: several requests.
        """
        ...

    def episode(self, task: Any, trace: Trace) -> EpisodeContracts:
        """Read a failed episode."""
        ...

    def near_miss(self, task: Any, trace: Trace) -> NearMiss | None:
        """Return the deviations of a success; None where there are none, or none can be told."""
        ...

    def detect(self, task: Any, trace: Trace) -> tuple[Detection, ...]:
        """Return the failure modes that show in an episode."""
        ...
