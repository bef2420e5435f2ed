"""Verifying repair sets with the live model of a run: does the repair help, and nothing else?

A sample plays an episode again through the real framework. The steps of the repair set answer as
their contracts demand, as they did in other words, or like all others: by asking the model anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ossia.attribution.failures import Failure
from ossia.attribution.replayer import open_runner
from ossia.attribution.run import for_all
from ossia.attribution.store import AttributionStore, verified_digest
from ossia.attribution.verify_plan import MOST_INVALID, Plan
from ossia.runner.episode import EpisodeRunner
from ossia.runner.run import Session
from ossia.runner.store import RunStore
from ossia_evaluation.attribution import (
    Arm,
    ArmResult,
    Attribution,
    Family,
    Oracle,
    Received,
    RecordedStep,
    Recording,
    Tendency,
    Turns,
    Verification,
    read_recording,
    tendency,
)
from ossia_evaluation.attribution.findings import last_text
from ossia_evaluation.attribution.received import MANAGER, ROUTE
from ossia_evaluation.score import Scorer, Verdict
from ossia_servers.gateway import ClosingModel, Model, ModelFailure
from ossia_servers.gateway.envelope import (
    GARBAGE,
    present,
    present_choice,
    read_calls,
    read_choice,
)
from ossia_servers.gateway.models import Completion, ModelCall, completion_of
from ossia_servers.offline.work import Call
from ossia_workflows import ROLE_KEYS, role_output


class Allowance:
    """The model calls that may be made; each attempt counts, also one that fails."""

    def __init__(self, most: int) -> None:
        """Allow so many calls."""
        self.most = most
        self.made = 0
        self.refused = False

    def take(self) -> None:
        """Count one call that is about to be made.

        Raises:
            ModelFailure: none is left.
        """
        if self.made >= self.most:
            self.refused = True
            raise ModelFailure("the model calls that were allowed are spent")
        self.made += 1


@dataclass
class Sample:
    """Answers the set steps of one sample, and nothing else."""

    oracle: Oracle
    recording: Recording
    family: Family
    arm: Arm
    calls: int = 0
    _turns: Turns = field(default_factory=Turns)

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the message of a step that is set; None where the model is to be asked.

        Args:
            role: who asks.
            request: the body of the chat completion request.
        """
        received = Received.of(role, request, self._turns)
        if self.arm is Arm.NOTHING or received.turn.situation not in self.family:
            return None
        step = self.recording.by_situation.get(received.turn.situation)
        if self.arm is Arm.REPAIRED:
            prefer = None if step is None else read_choice(step.messages[0])
            return self.oracle.message(received, prefer)
        return None if step is None else reworded(received, step)


def reworded(received: Received, step: RecordedStep) -> Mapping[str, Any]:
    """Return what a step said with the same content in another form.

    What cannot be read is said again as it was, and so is what leaves no room for another form.

    Args:
        received: what the role is given now.
        step: the step as it was recorded.
    """
    recorded = step.messages[min(received.turn.call, len(step.messages) - 1)]
    if received.role == MANAGER:
        choice = read_choice(recorded)
        if received.turn.duty != ROUTE or choice == GARBAGE:
            return recorded
        return present_choice(received.conversation, choice)
    calls = read_calls(recorded)
    if calls:
        made = [Call(name, _turned(arguments)) for name, arguments in calls]
        return present(received.conversation, made)
    role = received.role
    output = role_output(role, last_text((recorded,))) if role in ROLE_KEYS else None
    if output is None:
        return recorded
    text = json.dumps(_turned(output), ensure_ascii=False, separators=(",", ":"))
    return present(received.conversation, text)


class LiveModel:
    """Asks the run's own models, but for the steps that a sample sets."""

    name = "verification"

    def __init__(self, models: Mapping[str, Model], allowance: Allowance) -> None:
        """Wrap models.

        Args:
            models: what answers, by the model of the recorded episode.
            allowance: counts and bounds the calls.
        """
        self._models = models
        self._allowance = allowance
        self._samples: dict[str, tuple[Sample, Model]] = {}

    def play(self, episode: str, sample: Sample, model: str) -> None:
        """Answer an episode from now on.

        Args:
            episode: the sample's id.
            sample: what sets its steps.
            model: the model to be asked for all others.
        """
        self._samples[episode] = sample, self._models[model]

    def forget(self, episode: str) -> None:
        """Drop an episode that has ended."""
        self._samples.pop(episode, None)

    async def complete(self, call: ModelCall) -> Completion:
        """Answer by the sample, or ask the model.

        Raises:
            ModelFailure: the model gave no answer, or no call is left.
        """
        sample, model = self._samples[call.episode]
        message = sample.answer(call.role, call.request)
        if message is not None:
            return completion_of(message)
        self._allowance.take()
        sample.calls += 1

        def failed(attempt: int, reason: str) -> None:
            call.on_failed_attempt(attempt, reason)
            self._allowance.take()
            sample.calls += 1

        return await model.complete(replace(call, on_failed_attempt=failed))

    async def aclose(self) -> None:
        """Close the models."""
        for model in self._models.values():
            if isinstance(model, ClosingModel):
                await model.aclose()


@dataclass(frozen=True)
class Verified:
    """Sent to the observer after a verification is stored."""

    verification: Verification
    done: int
    total: int


async def verify_planned(
    plan: Plan,
    store: RunStore,
    session: Session,
    observe: Callable[[Verified], None],
) -> dict[str, Verification]:
    """Verify the planned repair sets, each durable before it is shown; returns all by episode.

    Args:
        plan: what is to be done.
        store: the run.
        session: its configuration, tasks, models and workers.
        observe: is told of each new verification.

    Raises:
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    found = dict(plan.known)
    allowance = Allowance(plan.most_calls)
    live = LiveModel(session.models, allowance)
    new = 0
    with AttributionStore(store.folder) as kept:
        async with open_runner(
            session.config, session.tasks, session.domains, session.workers, live, jobs=session.jobs
        ) as (runner, _):
            verifier = _Verifier(runner, live, allowance, session)

            async def finish(item: tuple[Failure, Attribution]) -> None:
                nonlocal new
                failure, attribution = item
                result = await verifier.verify(failure, attribution)
                kept.put_verification(result, verified_digest(failure.digest, attribution))
                found[result.episode] = result
                new += 1
                observe(Verified(result, new, len(plan.items)))

            await for_all(plan.items, finish, session.jobs)
    return found


@dataclass
class _Verifier:
    """Samples the arms of repair sets."""

    runner: EpisodeRunner
    live: LiveModel
    allowance: Allowance
    session: Session
    _number: int = 0

    def __post_init__(self) -> None:
        self._scorer = Scorer(self.session.domains)
        self._domains = {domain.name: domain for domain in self.session.domains}

    async def verify(self, failure: Failure, attribution: Attribution) -> Verification:
        oracle = Oracle(failure.task, self._domains)
        recording = read_recording(failure.trace, oracle)
        family = frozenset(attribution.families[0])
        arms, calls, cut = [], 0, False
        for arm in Arm:
            result, spent, refused = await self._arm(failure, recording, oracle, family, arm)
            arms.append(result)
            calls += spent
            cut = cut or refused
        return Verification(
            episode=attribution.episode,
            family=attribution.families[0],
            arms=tuple(arms),
            calls=calls,
            cut=cut,
        )

    async def _arm(
        self, failure: Failure, recording: Recording, oracle: Oracle, family: Family, arm: Arm
    ) -> tuple[ArmResult, int, bool]:
        """Sample one arm; returns its result, its calls, and whether calls were lacking."""
        samples: list[bool] = []
        invalid = calls = 0
        cut = False
        while tendency(samples) is Tendency.OPEN and invalid < MOST_INVALID and not cut:
            if self.allowance.made >= self.allowance.most:
                cut = True
                break
            sample = Sample(oracle, recording, family, arm)
            verdict = await self._sample(failure, sample)
            calls += sample.calls
            if verdict is not Verdict.INVALID:
                samples.append(verdict is Verdict.SUCCESS)
            elif self.allowance.refused:
                cut = True
            else:
                invalid += 1
        told = tendency(samples)
        result = ArmResult(
            arm=arm,
            tendency=Tendency.UNDETERMINED if told is Tendency.OPEN else told,
            successes=sum(samples),
            samples=len(samples),
            invalid=invalid,
        )
        return result, calls, cut

    async def _sample(self, failure: Failure, sample: Sample) -> Verdict:
        self._number += 1
        key = failure.trace.episode
        own = key.model_copy(update={"id": f"{key.id}@v{self._number}", "model": self.live.name})
        self.live.play(own.id, sample, key.model)
        try:
            trace = await self.runner.run(own)
        finally:
            self.live.forget(own.id)
        return self._scorer.score(failure.task, trace).verdict


def _turned(value: Any) -> Any:
    """Return a JSON value with the members of every object in reverse order."""
    if isinstance(value, dict):
        return {name: _turned(value[name]) for name in reversed(value)}
    return value
