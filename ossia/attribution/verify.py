"""Verifying repair sets with the live model of a run: does the repair raise success?

A sample plays an episode again through the real framework. The steps of the repair set answer as
their contracts demand, as they were recorded, or like all others: by asking the model anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ossia.attribution.replayer import open_runner
from ossia.attribution.run import for_all
from ossia.attribution.store import AttributionStore
from ossia.attribution.verify_live import Allowance, LiveModel, Sample
from ossia.attribution.verify_plan import Item, Plan, free_models, words_of
from ossia.errors import AllInvalid
from ossia.runner.config import RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.runner.hints import told_why
from ossia.runner.run import Session
from ossia.runner.store import RunStore
from ossia_evaluation.attribution import Again, Arm, Spent, Verification
from ossia_evaluation.attribution.contracts import SettableEpisode, WordsContracts
from ossia_evaluation.grade import Grade, Verdict
from ossia_servers.trace import Trace

MOST_LOST: Final = 3
"""Samples that are lost in one session after which an arm is given up."""

STOP_AFTER: Final = 9
"""So many samples lost one after another, and the session stops: the model is down."""


@dataclass(frozen=True)
class Verified:
    """Sent to the observer after a sample is stored.

    Attributes:
        verification: what has been sampled of its repair set.
        finished: how many repair sets of the plan need no further sample.
        total: repair sets of the plan.
    """

    verification: Verification
    finished: int
    total: int

    def __str__(self) -> str:
        """Return it in one line."""
        item = self.verification
        told = f"{len(item.pairs)} pairs, {item.conclusion}"
        return f"{self.finished}/{self.total} {item.episode}: {told}"


@dataclass(frozen=True)
class Outcome:
    """What a session of a verification did.

    Attributes:
        found: all that is verified, by episode; of unfinished ones what there is.
        spent: what the session spent.
        open: repair sets that would take further samples.
        cut: whether the calls that are allowed did not suffice.
        lost: samples that were lost.
        why: why the last of them was; empty without one.
        stopped: whether so many were lost that the session stopped.
    """

    found: Mapping[str, Verification]
    spent: Spent
    open: int
    cut: bool
    lost: int
    why: str
    stopped: bool

    def require_answers(self, config: RunConfig) -> None:
        """Say that a session stopped early, and why.

        Raises:
            AllInvalid: so many samples in a row were lost.
        """
        if self.stopped:
            raise AllInvalid(
                f"the last {STOP_AFTER} samples were lost, the last because"
                f" {told_why(self.why, config)}; what is verified is kept: fix the cause, then run"
                " the same command again"
            )


async def verify_planned(
    plan: Plan,
    store: RunStore,
    session: Session,
    observe: Callable[[Verified], None],
) -> Outcome:
    """Sample the planned repair sets in turn, each sample durable before it is shown.

    Args:
        plan: what is to be done.
        store: the run.
        session: its configuration, tasks, models and workers.
        observe: callback after each sample.

    Raises:
        UserError: the words of the run's roles cannot be set.
        StoreError: the database is full or gone; what is finished is kept.
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    allowance = Allowance(plan.most_calls)
    free = frozenset[str]().union(*map(free_models, session.models))
    live = LiveModel(session.models, allowance, free, session.config.price_model)
    config, domains = session.config, session.domains
    words = words_of(config, domains)
    with store.resumable(), AttributionStore(store.place) as kept:
        async with open_runner(
            config, session.tasks, domains, session.workers, live, jobs=session.jobs
        ) as (runner, _):
            verifier = _Verifier(runner, live, allowance, session, kept, words, observe)
            states = [verifier.state_of(item) for item in plan.items]
            await verifier.sample_all(states)
    sampled = {s.found.episode: s.found for s in states if s.found != s.item.known}
    return Outcome(
        found={**plan.known, **sampled},
        spent=verifier.spent,
        open=sum(not state.found.is_finished for state in states),
        cut=verifier.cut,
        lost=verifier.lost,
        why=verifier.why,
        stopped=verifier.stopped,
    )


@dataclass
class _State:
    """One repair set while it is sampled.

    Attributes:
        item: what is planned.
        episode: the failed episode, with the contracts of its task.
        to_the_letter: whether its fault is one by every difference alone; None where it is none
            that a contract names.
        found: what has been sampled.
        lost: the samples of this session that were lost, by arm.
    """

    item: Item
    episode: SettableEpisode
    to_the_letter: bool | None
    found: Verification
    lost: dict[Arm, int] = field(default_factory=dict)

    def due(self) -> list[tuple[int, Arm]]:
        """The samples that may be made now: the number of each in its arm, and the arm."""
        counts = {arm: len(samples) for arm, samples in self.found.successes.items()}
        given_up = {arm for arm in Arm if self.lost.get(arm, 0) >= MOST_LOST}
        contrasted = self.found.is_contrasted or bool(given_up & {Arm.REPAIRED, Arm.HELD})
        pairs = len(self.found.pairs)
        goal = dict.fromkeys(Arm, pairs if contrasted else pairs + 1)
        return [(n + 1, arm) for arm, n in counts.items() if n < goal[arm] and arm not in given_up]


@dataclass
class _Verifier:
    """Samples repair sets, the first sample of each before the second of any."""

    runner: EpisodeRunner
    live: LiveModel
    allowance: Allowance
    session: Session
    kept: AttributionStore
    words: WordsContracts
    observe: Callable[[Verified], None]
    states: Sequence[_State] = ()
    spent: Spent = field(default_factory=Spent)
    lost: int = 0
    why: str = ""
    stopped: bool = False
    cut: bool = False
    _in_a_row: int = 0
    _number: int = 0
    _begun: int = 0

    def state_of(self, item: Item) -> _State:
        trace = item.failure.trace
        episode, family = self.words.episode(item.failure.task, trace), set(item.known.family)
        letter = None
        if family <= episode.recording.findings.keys():
            letter = False
        elif family <= episode.reread(trace, to_the_letter=True).findings.keys():
            letter = True
        return _State(item, episode, letter, item.known)

    async def sample_all(self, states: Sequence[_State]) -> None:
        """Go round until nothing is due, or no call or no answer is to be had."""
        self.states = states
        while not (self.stopped or self.allowance.refused):
            due = [(n, arm, state) for state in states for n, arm in state.due()]
            first = min((n for n, _, _ in due), default=None)
            turn = [(arm, state) for n, arm, state in due if n == first]
            # What decides comes before what only tells how often the fault recurs.
            turn.sort(key=lambda each: each[0] is Arm.ANEW)
            before = self._begun
            await for_all(turn, self._sample, self.session.jobs)
            if self._begun == before:
                self.cut = bool(turn)
                break
        self.cut = self.cut or self.allowance.refused

    async def _sample(self, due: tuple[Arm, _State]) -> None:
        arm, state = due
        key = state.item.failure.trace.episode
        self._number += 1
        own = key.model_copy(update={"id": f"{key.id}@v{self._number}", "model": self.live.name})
        if self.stopped or not self.allowance.begin(own.id, state.item.episode.calls):
            return
        self._begun += 1
        family, beside = frozenset(state.found.family), frozenset(state.found.beside)
        sample = Sample(state.episode, family, beside, arm)
        self.live.play(own.id, sample, key.model)
        trace = None
        try:
            trace = await self.runner.run(own)
        finally:
            # A sample that is interrupted has spent something as well.
            self.live.forget(own.id)
            self.allowance.end(own.id)
            self._keep(state, sample, trace)

    def _keep(self, state: _State, sample: Sample, trace: Trace | None) -> None:
        """Store what a sample says and what it spent."""
        found = state.found.model_copy(update={"spent": state.found.spent.plus(sample.spent)})
        self.spent = self.spent.plus(sample.spent)
        if trace is not None:
            score = self.session.grader.score(state.item.failure.task, trace)
            why = lost_because(trace, score)
            if why is None:
                self._in_a_row = 0
                found = _with_sample(found, state, sample, trace, score)
            elif not sample.refused:
                found = found.model_copy(update={"lost": found.lost + 1})
                self._lose(state, sample.arm, why)
        if found == state.found:
            return
        state.found = found
        self.kept.put_verification(found, state.item.digest)
        finished = sum(each.found.is_finished for each in self.states)
        self.observe(Verified(found, finished, len(self.states)))

    def _lose(self, state: _State, arm: Arm, why: str) -> None:
        state.lost[arm] = state.lost.get(arm, 0) + 1
        self.lost += 1
        self.why = why
        self._in_a_row += 1
        self.stopped = self.stopped or self._in_a_row >= STOP_AFTER


def lost_because(trace: Trace, score: Grade) -> str | None:
    """Return why a sample says nothing of its steps, or None where it does.

    A sample whose time ran out says how fast the model is now, and no more. In one that was played
    again after its worker had died, the set steps may stand at other moments.

    Args:
        trace: the sample.
        score: its verdict.
    """
    if score.verdict is Verdict.INVALID:
        return score.reason
    if trace.ending.kind == "timeout" or trace.gateway.budget_spent == "seconds":
        return "the time of the episode ran out"
    if trace.dropped is not None:
        return "the worker died, and the sample was played again"
    return None


def _with_sample(
    found: Verification, state: _State, sample: Sample, trace: Trace, score: Grade
) -> Verification:
    success = score.verdict is Verdict.SUCCESS
    if sample.arm is Arm.ANEW:
        fault = None
        if state.to_the_letter is not None:
            heard = state.episode.reread(trace, to_the_letter=state.to_the_letter)
            fault = not sample.family.isdisjoint(heard.findings)
        again = Again(success=success, fault=fault)
        return found.model_copy(update={"anew": (*found.anew, again)})
    name = "repaired" if sample.arm is Arm.REPAIRED else "held"
    samples = (*getattr(found, name), success)
    return found.model_copy(
        update={name: samples, "untouched": found.untouched + (not sample.touched)}
    )
