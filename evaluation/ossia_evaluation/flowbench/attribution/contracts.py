"""The contracts of a session's roles, as the attributor asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ossia_dataset.flowbench.sessions import SessionTask
from ossia_evaluation.attribution import Family, Found, NearMiss, Recording, Repair, near_miss
from ossia_evaluation.detectors import Detection, Mode
from ossia_evaluation.flowbench.attribution.owed import Owing
from ossia_evaluation.flowbench.attribution.reading import Read, read_session
from ossia_evaluation.flowbench.attribution.script import SessionScript
from ossia_evaluation.flowbench.gold import GoldRuns, shipped_golds
from ossia_evaluation.steps import Step
from ossia_servers.trace import Trace
from ossia_workflows.flowbench import AGENT, MANAGER, TeamKind, members_of

__all__ = ["SessionTeamContracts", "session_contracts"]


class SessionEpisode:
    """A failed episode of a session."""

    closer: Recording | None = None
    success = "all goals of the session are reached"

    def __init__(
        self, session: SessionTask, golds: GoldRuns, members: Sequence[str], trace: Trace
    ) -> None:
        """Read an episode.

        Args:
            session: Its session.
            golds: The gold runs of the sessions.
            members: The members of the team.
            trace: The episode as it was recorded.
        """
        self._owing = Owing(session, golds)
        self._members, self._trace = members, trace

    @cached_property
    def _read(self) -> Read:
        return read_session(self._owing, self._members, self._trace)

    @property
    def recording(self) -> Recording:
        """Its steps."""
        return self._read.recording

    @property
    def suspects(self) -> tuple[str, ...]:
        """The moments of its steps, the likeliest causes first."""
        return self.recording.suspects(())

    @property
    def needed(self) -> Sequence[str]:
        """The roles that a session needs."""
        return self._members if self._members == (AGENT,) else (MANAGER, *self._members)

    def script(self, repair: Repair, *, strict: bool) -> SessionScript:
        """Return what plays a repair."""
        return SessionScript(self._owing, self._members, self._read, repair)

    def missed_recovery(self, replays: Mapping[Family, Recording], found: Found) -> str:
        """Return nothing: no turn owes what an earlier one has left out."""
        return ""

    def read(self, replay: Trace, script: SessionScript) -> Recording:
        """Read a replay into steps."""
        owing = Owing(self._owing.session, self._owing.golds)
        return read_session(owing, self._members, replay).recording


class SessionTeamContracts:
    """The contracts of the roles that play sessions."""

    words = None
    modes: Sequence[Mode] = ()

    def __init__(self, kind: TeamKind, golds: GoldRuns) -> None:
        """Take how the work is shared out.

        Args:
            kind: How.
            golds: The gold runs of the sessions.
        """
        self._members, self._golds = members_of(kind), golds

    def why_unsupported(self, task: SessionTask) -> str | None:
        """Return None: every session has a gold run."""
        return None

    def episode(self, task: SessionTask, trace: Trace) -> SessionEpisode:
        """Read a failed episode."""
        return SessionEpisode(task, self._golds, self._members, trace)

    def near_miss(self, task: SessionTask, trace: Trace) -> NearMiss | None:
        """Return the deviations of a success, or None where every step kept its contract."""
        return near_miss(task, trace, self.episode(task, trace).recording)

    def detect(self, task: SessionTask, trace: Trace) -> tuple[Detection, ...]:
        """Return nothing: no failure modes are looked for."""
        return ()

    def blamed(
        self, task: SessionTask, trace: Trace, steps: Sequence[Step], role: str
    ) -> Step | None:
        """Return nothing: the grader names no role."""
        return None


def session_contracts(kind: TeamKind) -> SessionTeamContracts:
    """Return the contracts of a team with the scenarios that ship with Ossia."""
    return SessionTeamContracts(kind, shipped_golds())
