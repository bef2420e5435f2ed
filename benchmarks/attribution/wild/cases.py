"""Failures by changed bytes, and which changes they are owed to, by brute force over real runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchmarks.attribution.wild.altering import Altered, Altering, Place, Rewritten, Said, fixed
from benchmarks.attribution.wild.changes import Change
from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.messages import Message, shown
from benchmarks.attribution.wild.records import Changed, Structure, WildCase
from ossia.attribution.attributor import Attributor
from ossia.attribution.evidence import Replays
from ossia.runner.plan import key_of
from ossia.worker import WorkerStartError
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_evaluation.attribution import Family, minimal
from ossia_evaluation.grade import Verdict
from ossia_evaluation.worlds.score import Score
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.gateway.intervention import InterveningModel, Script
from ossia_servers.trace import EpisodeKey, Trace
from ossia_servers.worlds.domain import Domain

CRASHED = "crashed"
"""The status of a failure whose attribution ended in an exception."""

_SHOWN = 400
"""Characters of an answer that are kept."""


@dataclass(frozen=True)
class CleanEpisode:
    """An episode that succeeds, twice over with the same answers.

    Attributes:
        key: what it is.
        task: its task.
        said: the model's answers, in order.
    """

    key: EpisodeKey
    task: WorldTask
    said: tuple[Said, ...]


@dataclass(frozen=True)
class Failed:
    """A failure whose changes are known.

    Attributes:
        trace: all that the attributor may see.
        score: its verdict.
        changes: what was changed, in the order in which it was asked for.
        families: the minimal sets of changed steps without whose changes it succeeds.
        structure: how two changes depend on each other; None of one.
    """

    trace: Trace
    score: Score
    changes: tuple[Changed, ...]
    families: frozenset[Family]
    structure: Structure | None


@dataclass(frozen=True)
class Dropped:
    """An episode that is no case.

    Attributes:
        reason: why.
        changes: what was changed in it.
    """

    reason: str
    changes: tuple[Changed, ...] = ()


@dataclass(frozen=True)
class _Run:
    trace: Trace
    score: Score
    script: Altering

    @property
    def verdict(self) -> Verdict:
        return self.score.verdict


@dataclass
class _Counting:
    """Runs replays and counts them, and the model calls that no script answered."""

    runner: Replays
    replays: int = 0
    model_calls: int = 0

    async def replay(self, key: EpisodeKey, script: Script) -> Trace:
        """Return the trace of a replay."""
        trace = await self.runner.replay(key, script)
        self.replays += 1
        self.model_calls += sum(
            exchange.attempts
            for exchange in trace.gateway.exchanges
            if exchange.model != InterveningModel.name
        )
        return trace


@dataclass
class WildMaker:
    """Makes failures by changing answers of the model, and hands them to the attributor.

    Attributes:
        runner: runs episodes by scripts.
        scorer: decides their verdicts.
        domains: the domain servers, for the attributor.
        model: answers where nothing is changed.
    """

    runner: Replays
    scorer: AssistantScorer
    domains: Sequence[Domain]
    model: OfflineModel

    async def clean(self, task: WorldTask, framework: str) -> CleanEpisode | Dropped:
        """Run a task twice without a change; it is clean where both succeed and say the same."""
        key = key_of(task.id, framework, "offline", 1)
        first, again = [await self._run(key, task, {}) for _ in range(2)]
        if first.verdict is not Verdict.SUCCESS:
            return Dropped("fails without a change")
        if again.verdict is not Verdict.SUCCESS or first.script.said != again.script.said:
            return Dropped("does not repeat itself")
        return CleanEpisode(key, task, tuple(first.script.said))

    async def change(
        self, clean: CleanEpisode, changes: Sequence[Change], materials: Mapping[Change, Material]
    ) -> Failed | Dropped:
        """Change answers of an episode.

        Args:
            clean: the episode.
            changes: what is changed, each in another step.
            materials: what each may draw on.

        Returns:
            The failure with the steps that it is owed to, or why there is none.
        """
        made = {_place(each): _maker(each, materials[each]) for each in changes}
        run = await self._run(clean.key, clean.task, made)
        applied = run.script.applied
        if len(applied) < len(changes):
            return Dropped("a change found no place")
        shown_changes = tuple(_changed(each, clean, applied[_place(each)]) for each in changes)
        reason = _no_failure(run)
        if reason is None:
            literal = {place: fixed(each.wrong) for place, each in applied.items()}
            again = await self._run(clean.key, clean.task, literal)
            if again.verdict is not Verdict.FAILURE or again.script.said != run.script.said:
                reason = "does not fail again"
        if reason is not None:
            return Dropped(reason, shown_changes)
        helps = await self._without(clean, made, applied)
        if isinstance(helps, str):
            return Dropped(helps, shown_changes)
        families = minimal(
            frozenset(situation for situation, _ in removed)
            for removed, good in helps.items()
            if good
        )
        structure = _structure(helps) if len(changes) == 2 else None
        return Failed(run.trace, run.score, shown_changes, frozenset(families), structure)

    async def _without(
        self,
        clean: CleanEpisode,
        made: Mapping[Place, Rewritten],
        applied: Mapping[Place, Altered],
    ) -> dict[frozenset[Place], bool] | str:
        """Take away every set of changes; returns whether each run succeeds, or what forbids it."""
        found: dict[frozenset[Place], bool] = {}
        for size in range(1, len(made) + 1):
            for removed in map(frozenset, combinations(made, size)):
                left = {place: made[place] for place in made if place not in removed}
                good = await self._with_only(clean, left, applied)
                if isinstance(good, str):
                    return good
                found[removed] = good
        return found if found[frozenset(made)] else "fails without any change"

    async def _with_only(
        self,
        clean: CleanEpisode,
        left: Mapping[Place, Rewritten],
        applied: Mapping[Place, Altered],
    ) -> bool | str:
        """Run an episode with some of its changes; returns whether it succeeds, or what forbids it.

        Where a change that stays meets another answer than it did, nobody knows what would have
        been said. It is tried both ways, with the same words and with the same change of the new
        words; where these differ, the episode is no case.
        """
        literal = {place: fixed(applied[place].wrong) for place in left}
        run = await self._run(clean.key, clean.task, literal)
        if run.verdict is Verdict.INVALID or _out_of_time(run.trace):
            return "invalid without a change"
        if left.keys() - run.script.met:
            return "a change is lost without another"
        rights = {said.place: said.message for said in run.script.said if said.place in left}
        if any(rights[place] != applied[place].right for place in left):
            anew = await self._run(clean.key, clean.task, left)
            if anew.verdict is not run.verdict or left.keys() - anew.script.met:
                return "depends on how a change is made again"
        return run.verdict is Verdict.SUCCESS

    async def _run(
        self, key: EpisodeKey, task: WorldTask, changes: Mapping[Place, Rewritten]
    ) -> _Run:
        script = Altering(self.model, changes)
        trace = await self.runner.replay(key, script)
        return _Run(trace, self.scorer.score(task, trace), script)

    async def attribute(self, clean: CleanEpisode, failed: Failed) -> WildCase:
        """Let the attributor work on a failure; it sees the trace and the task, nothing else.

        Raises:
            WorkerStartError: the framework's worker cannot be started.
        """
        counting = _Counting(self.runner)
        attributor = Attributor(counting, self.scorer, AssistantContracts(self.domains))
        told: tuple[tuple[str, ...], ...] = ()
        try:
            found = await attributor.attribute(clean.task, failed.trace, failed.score)
            told, status, reason = found.families, found.status.value, found.reason
        except WorkerStartError:
            raise
        except Exception as error:  # noqa: BLE001  (strange bytes that break it are a miss)
            status, reason = CRASHED, f"{type(error).__name__}: {error}"
        return WildCase(
            known=tuple(sorted(tuple(sorted(family)) for family in failed.families)),
            told=told,
            status=status,
            reason=reason,
            replays=counting.replays,
            model_calls=counting.model_calls,
            structure=failed.structure,
        )


def _place(change: Change) -> Place:
    return change.situation, change.call


def _maker(change: Change, material: Material) -> Rewritten:
    def make(message: Message) -> Message | None:
        return change.of(message, material)

    return make


def _changed(change: Change, clean: CleanEpisode, made: Altered) -> Changed:
    return Changed(
        situation=change.situation,
        call=change.call,
        role=next(said.role for said in clean.said if said.place == _place(change)),
        kind=change.kind,
        seed=change.seed,
        before=shown(made.right)[:_SHOWN],
        after=shown(made.wrong)[:_SHOWN],
    )


def _no_failure(run: _Run) -> str | None:
    """Why an episode with changes is no failure that could be attributed; None where it is one."""
    if run.verdict is Verdict.SUCCESS:
        return "harmless"
    if run.verdict is not Verdict.FAILURE:
        return "invalid"
    return "out of time" if _out_of_time(run.trace) else None


def _out_of_time(trace: Trace) -> bool:
    """Whether the clock had a part in an episode's end, so that another run may end otherwise."""
    return trace.ending.kind == "timeout" or trace.gateway.budget_spent == "seconds"


def _structure(helps: Mapping[frozenset[Place], bool]) -> Structure:
    alone = sum(good for removed, good in helps.items() if len(removed) == 1)
    return (Structure.BOTH, Structure.ONE, Structure.EITHER)[alone]
