"""The contracts of the assistant's roles, as the attributor asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.attribution.director import Director
from ossia_evaluation.assistant.attribution.oracles import Oracle
from ossia_evaluation.assistant.attribution.reading import read_recording
from ossia_evaluation.assistant.attribution.received import supported
from ossia_evaluation.assistant.case import ROLES, Case
from ossia_evaluation.assistant.detectors.detect import detect
from ossia_evaluation.assistant.detectors.modes import MODES
from ossia_evaluation.assistant.rules import FUNCTION_CALL
from ossia_evaluation.attribution import Family, Found, NearMiss, Recording, Repair, near_miss
from ossia_evaluation.attribution.findings import last_text
from ossia_evaluation.detectors import Detection
from ossia_evaluation.steps import Step, read_steps
from ossia_evaluation.worlds.success import success_clause
from ossia_servers.trace import Trace
from ossia_servers.worlds.domain import Domain
from ossia_workflows.assistant import role_output, stages


class AssistantEpisode:
    """A failed episode of the assistant."""

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

    @property
    def needed(self) -> Sequence[str]:
        """The roles that the task needs, by its gold frame."""
        gold = self._oracle.task.gold
        return ("manager", *stages(gold.domain, gold.slots))

    @property
    def success(self) -> str:
        """What has happened once the task is carried out."""
        return success_clause(self._oracle.task)

    def missed_recovery(self, replays: Mapping[Family, Recording], found: Found) -> str:
        """Return whether the url role passed on a wrong intent that it could have mended."""
        missed = _missed_recovery(self._oracle.task, self.recording, replays, found)
        return "the url role passed the wrong intent on" if missed else ""

    def script(self, repair: Repair, *, strict: bool) -> Director:
        """Return what plays a repair."""
        return Director(self._oracle, self.recording, repair, strict=strict)

    def setting(
        self, repair: Repair, *, given: Mapping[str, str] | None = None, cuts: bool = True
    ) -> Director:
        """Return what plays the episode with some steps set."""
        kept = self.recording if cuts else replace(self.recording, cuts=())
        return Director(self._oracle, kept, repair, given=given or {})

    def reread(self, trace: Trace, *, to_the_letter: bool) -> Recording:
        """Read another episode of the task into steps."""
        return read_recording(trace, self._oracle, to_the_letter=to_the_letter)

    def read(self, replay: Trace, script: Director) -> Recording:
        """Read a replay into steps."""
        return read_recording(replay, self._oracle, heard=script.heard).renamed(script.moved)


class AssistantContracts:
    """The contracts of the assistant's roles."""

    modes = MODES

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Take the domain servers, for the match rules."""
        self._domains: Mapping[str, Domain] = {domain.name: domain for domain in domains}

    @property
    def words(self) -> AssistantContracts:
        """The same: the words of all roles have a fixed form."""
        return self

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

    def blamed(
        self, task: WorldTask, trace: Trace, steps: Sequence[Step], role: str
    ) -> Step | None:
        """Return the step by which a role failed; the manager's is judged by the order."""
        case = Case(task, trace, steps, {}, lenient=True)
        if role == "manager":
            return _manager_step(case)
        return case.worked("request" if role == FUNCTION_CALL else role)


def _missed_recovery(
    task: WorldTask, recording: Recording, replays: Mapping[Family, Recording], found: Found
) -> bool:
    """Whether the url role passed a wrong intent on, although the gold address would have helped.

    This needs no replay: where repairing the intent step alone leaves nothing else that deviates,
    all that the intent does to the outcome goes through the address.
    """
    steps = recording.by_situation
    for family in found.families:
        rerun = replays.get(family)
        alone = [steps[name] for name in family if name in steps]
        if len(family) != 1 or not alone or alone[0].role != "intent" or rerun is None:
            continue
        urls = [step for step in recording.steps if step.role == "url"]
        output = role_output("intent", last_text(alone[0].messages))
        wrong = output is not None and (output.get("domain"), output.get("intent")) != (
            task.gold.domain,
            task.gold.intent,
        )
        kept = urls and urls[-1].situation not in recording.findings
        if wrong and kept and not rerun.findings:
            return True
    return False


def _manager_step(case: Case) -> Step | None:
    """The manager's step that first called a role which was not next; else its last one."""
    done: list[str] = []
    latest: Step | None = None
    for step in case.steps:
        if step.role == "manager":
            latest = step
        if step.role not in ROLES:
            continue
        allowed = case.allowed(done, step)
        if allowed is not None and step.role not in allowed and latest is not None:
            return latest
        done.append(step.role)
    return latest
