"""Attributing failed episodes of the office, by the contracts of its roles."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossia.attribution.attributor import Tried, Watch, broke
from ossia.attribution.evidence import Replays, replayed
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import (
    BUDGET,
    MAX_SIZE,
    Attribution,
    Family,
    Material,
    Recording,
    Repair,
    Rerun,
    assemble,
    end_of,
    search,
    unsupported,
)
from ossia_evaluation.score import Score, Scorer, Verdict
from ossia_evaluation.workbench.contracts import OfficeContracts
from ossia_evaluation.workbench.script import OfficeScript
from ossia_servers.trace import Trace
from ossia_workflows.workbench import TeamKind

_NO_CONTRACTS = (
    "Several specialists work on the task, and what one does may rest on what another reports; a"
    " report has no gold, so a wrong report and a wrong action cannot be told apart."
)


@dataclass
class _OfficeReplays:
    """The replays of one episode, and what they left."""

    task: Task
    trace: Trace
    contracts: OfficeContracts
    recording: Recording
    runner: Replays
    scorer: Scorer
    watch: Watch | None
    number: int = 0
    cpu_s: float = 0.0
    counterfactuals: dict[Family, Recording] = field(default_factory=dict)

    async def __call__(self, repair: Repair) -> Rerun:
        script, trace, score = await replayed(
            self.runner,
            self.scorer,
            self.task,
            self.trace.episode,
            lambda: OfficeScript(self.contracts, self.recording, repair),
        )
        recording = self.contracts.record(trace)
        if not repair.all_but:
            self.counterfactuals[repair.situations] = recording
        self.cpu_s, self.number = self.cpu_s + (trace.timing.cpu_s or 0.0), self.number + 1
        success = score.verdict is Verdict.SUCCESS
        rerun = _rerun(recording, trace, script.imputed, success=success)
        if self.watch is not None:
            self.watch(Tried(self.number, repair, rerun, score))
        return rerun


class OfficeAttributor:
    """Attributes failed episodes of an office team; may work on several at once."""

    def __init__(self, runner: Replays, scorer: Scorer, kind: TeamKind) -> None:
        """Make an attributor.

        Args:
            runner: runs the replays.
            scorer: decides their verdicts.
            kind: the team that played.
        """
        self._runner = runner
        self._scorer = scorer
        self._kind = kind

    async def attribute(
        self, task: Task, trace: Trace, score: Score, watch: Watch | None = None
    ) -> Attribution:
        """Attribute one failed episode.

        Args:
            task: its task.
            trace: the episode as it was recorded.
            score: its verdict.
            watch: callback after each replay.

        Raises:
            ReplayInvalid: a replay was invalid, again and again.
            WorkerStartError: the framework's worker cannot be started.
        """
        contracts = OfficeContracts(task, self._kind)
        if not contracts.supported:
            found = unsupported(task, trace, score)
            return found.model_copy(update={"evidence": _NO_CONTRACTS})
        recording = contracts.record(trace)
        replays = _OfficeReplays(
            task, trace, contracts, recording, self._runner, self._scorer, watch
        )
        first, end = _rerun(recording, trace, success=False), end_of(trace)
        found_families = await search(
            first,
            replays,
            max_size=MAX_SIZE,
            budget=BUDGET,
            ended=None if end is None else end.status,
        )
        needed = contracts.needed
        return assemble(
            Material(
                task,
                trace,
                score,
                recording,
                replays.counterfactuals,
                replays.cpu_s,
                needed,
                ended="" if end is None else end.told,
            ),
            found_families,
        )


def _rerun(
    recording: Recording, trace: Trace, imputed: tuple[str, ...] = (), *, success: bool
) -> Rerun:
    deviations = tuple(step.situation for step in recording.deviations)
    return Rerun(success, deviations, broke(trace), recording.suspects(()), imputed)
