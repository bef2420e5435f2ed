"""Attributing failed episodes of the office, by the contracts of its roles."""

from __future__ import annotations

from ossia.attribution.attributor import EpisodeSearch, Watch, ignore
from ossia.attribution.evidence import Replays
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import Attribution, assemble, unsupported
from ossia_evaluation.score import Score, Scorer
from ossia_evaluation.workbench.contracts import OfficeContracts
from ossia_evaluation.workbench.script import OfficeScript
from ossia_servers.trace import Trace
from ossia_workflows.workbench import TeamKind

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
        self, task: Task, trace: Trace, score: Score, watch: Watch = ignore
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
            refused = unsupported(task, trace, score)
            return refused.model_copy(update={"evidence": _NO_CONTRACTS})
        recording = contracts.record(trace)
        episode = EpisodeSearch(
            task,
            trace,
            score,
            self._runner,
            self._scorer,
            watch,
            lambda repair: OfficeScript(contracts, recording, repair),
            lambda replay, script: contracts.record(replay),
        )
        found = await episode.run(recording, recording.suspects(()))
        return assemble(episode.material(recording, needed=contracts.needed), found)
