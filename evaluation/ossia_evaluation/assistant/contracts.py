"""The contracts of the assistant's roles, as the attributor asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.attribution import (
    Director,
    NearMiss,
    Oracle,
    Recording,
    Repair,
    near_miss,
    read_recording,
    supported,
)
from ossia_evaluation.detectors import Detection, detect
from ossia_evaluation.steps import read_steps
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain


class AssistantEpisode:
    """A failed episode of the assistant."""

    needed: Sequence[str] | None = None

    def __init__(self, oracle: Oracle, trace: Trace) -> None:
        """Read an episode.

        Args:
            oracle: the contracts of its task.
            trace: the episode as it was recorded.
        """
        self._oracle, self._trace = oracle, trace

    @cached_property
    def recording(self) -> Recording:
        """Its steps; words that mean the same by the match rules are the same."""
        return read_recording(self._trace, self._oracle)

    @cached_property
    def closer(self) -> Recording | None:
        """Its steps, each difference told."""
        return read_recording(self._trace, self._oracle, to_the_letter=True)

    @property
    def suspects(self) -> tuple[str, ...]:
        """The moments of its steps, the likeliest causes first."""
        return self.recording.suspects(() if self.closer is None else self.closer.findings)

    def script(self, repair: Repair, *, strict: bool) -> Director:
        """Return what plays a repair."""
        return Director(self._oracle, self.recording, repair, strict=strict)

    def read(self, replay: Trace, script: Director) -> Recording:
        """Read a replay into steps."""
        return read_recording(replay, self._oracle, heard=script.heard).renamed(script.moved)


class AssistantContracts:
    """The contracts of the assistant's roles."""

    words_can_be_set = True

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Take the domain servers, for the match rules."""
        self._domains: Mapping[str, Domain] = {domain.name: domain for domain in domains}

    def why_unsupported(self, task: WorldTask) -> str | None:
        """Return why failures of a task cannot be attributed; None where they can."""
        return None if supported(task) else ""

    def episode(self, task: WorldTask, trace: Trace) -> AssistantEpisode:
        """Read a failed episode."""
        return AssistantEpisode(Oracle(task, self._domains), trace)

    def near_miss(self, task: WorldTask, trace: Trace) -> NearMiss | None:
        """Return the deviations of a success, or None where every step kept its contract."""
        if not supported(task):
            return None
        return near_miss(task, trace, read_recording(trace, Oracle(task, self._domains)))

    def detect(self, task: WorldTask, trace: Trace) -> tuple[Detection, ...]:
        """Return the failure modes that show in an episode."""
        return detect(task, trace, read_steps(trace), self._domains)
