"""What a suite brings so that failures can be attributed: the contracts of its roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ossia_evaluation.attribution.families import Family
from ossia_evaluation.attribution.recording import Recording
from ossia_evaluation.attribution.records import NearMiss
from ossia_evaluation.attribution.repairs import Played, Repair
from ossia_evaluation.attribution.search import Found
from ossia_evaluation.detectors import Detection, Mode
from ossia_evaluation.steps import Step
from ossia_servers.gateway.intervention import Script
from ossia_servers.trace import Trace


class RepairScript(Script, Protocol):
    """Plays one repair.

    One that is a user as well, as it has `async reply(turns)`, also says what the user does: so the
    steps of a conversation are known by the turn that is under way.
    """

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
    def needed(self) -> Sequence[str]:
        """The roles that the task needs."""
        ...

    @property
    def success(self) -> str:
        """What is so once the causes are repaired, as a clause: `the alarm is set as asked`."""
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

    def missed_recovery(self, replays: Mapping[Family, Recording], found: Found) -> str:
        """Return which role passed on what another did wrong, although it could have mended it.

        A clause such as `the url role passed the wrong intent on`; empty where none did.

        Args:
            replays: what the replays were, by the steps that they repaired.
            found: what the search found.
        """
        ...

    def read(self, replay: Trace, script: Any) -> Recording:
        """Read a replay into steps.

        Args:
            replay: its trace.
            script: what played it.
        """
        ...


class SettingScript(RepairScript, Protocol):
    """Plays an episode in which some steps say what they are given."""

    @property
    def played(self) -> Sequence[Played]:
        """What was answered so far."""
        ...

    @property
    def assumed(self) -> tuple[str, ...]:
        """The moments that are assumed to have answered rightly.

        Nothing was recorded of them, or what their contracts build on did not reach them.
        """
        ...


class SettableEpisode(EpisodeContracts, Protocol):
    """An episode whose steps have words of a fixed form, which a user or a live run can set."""

    def setting(
        self, repair: Repair, *, given: Mapping[str, str] | None = None, cuts: bool = True
    ) -> SettingScript:
        """Return what plays the episode with some steps set.

        Args:
            repair: which steps are repaired.
            given: texts to be said in place of steps, by their moments.
            cuts: refuse again what the endpoint refused or cut.
        """
        ...

    def reread(self, trace: Trace, *, to_the_letter: bool) -> Recording:
        """Read another episode of the task into steps.

        Args:
            trace: the episode.
            to_the_letter: take every difference for a deviation, not only those of meaning.
        """
        ...


class WordsContracts(Protocol):
    """Contracts of roles whose words can be set."""

    def episode(self, task: Any, trace: Trace) -> SettableEpisode:
        """Read a failed episode."""
        ...


class TeamContracts(Protocol):
    """The contracts of a suite's roles; tasks are of the suite's own type."""

    @property
    def words(self) -> WordsContracts | None:
        """The same where steps have words of a fixed form, which a user or a live run can set."""
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

    @property
    def modes(self) -> Sequence[Mode]:
        """The failure modes that it looks for, in order; none where it has no detectors."""
        ...

    def detect(self, task: Any, trace: Trace) -> tuple[Detection, ...]:
        """Return the failure modes that show in an episode."""
        ...

    def blamed(self, task: Any, trace: Trace, steps: Sequence[Step], role: str) -> Step | None:
        """Return the step by which a role that the grader's rules name failed, or None.

        Args:
            task: the task.
            trace: the failed episode.
            steps: its answered steps.
            role: as the rules name it.
        """
        ...
