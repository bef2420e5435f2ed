"""Attributing failed episodes of the office, by the contracts of its roles."""

from __future__ import annotations

from ossia.attribution.attributor import Replays, Tried, Watch, broke
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
from ossia_workflows.workbench import RESPONSE, TeamKind

_NO_CONTRACTS = (
    "Several specialists work on the task, and what one does may rest on what another reports; a"
    " report has no gold, so a wrong report and a wrong action cannot be told apart."
)


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
            watch: is told of each replay.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
        """
        contracts = OfficeContracts(task, self._kind)
        if not contracts.supported:
            found = unsupported(task, trace, score)
            return found.model_copy(update={"evidence": _NO_CONTRACTS})
        recording = contracts.record(trace)
        counterfactuals: dict[Family, Recording] = {}
        cpu_s, number = 0.0, 0

        async def replay(repair: Repair) -> Rerun:
            nonlocal cpu_s, number
            script = OfficeScript(contracts, recording, repair)
            again = await self._runner.replay(trace.episode, script)
            judged, rerun_steps = self._scorer.score(task, again), contracts.record(again)
            if not repair.all_but:
                counterfactuals[repair.situations] = rerun_steps
            cpu_s, number = cpu_s + (again.timing.cpu_s or 0.0), number + 1
            rerun = _rerun(
                rerun_steps, again, script.imputed, success=judged.verdict is Verdict.SUCCESS
            )
            if watch is not None:
                watch(Tried(number, repair, rerun, judged))
            return rerun

        first, end = _rerun(recording, trace, success=False), end_of(trace)
        found_families = await search(
            first,
            replay,
            max_size=MAX_SIZE,
            budget=BUDGET,
            ended=None if end is None else end.status,
        )
        needed = (*contracts.work, RESPONSE)
        return assemble(
            Material(
                task,
                trace,
                score,
                recording,
                counterfactuals,
                cpu_s,
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
