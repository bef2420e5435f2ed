"""Samples of a verification at the gateway: some steps are set, all others ask the run's model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ossia.estimate import cost_of
from ossia_evaluation.attribution import Arm, Family, Repair, Spent
from ossia_evaluation.attribution.contracts import SettableEpisode
from ossia_servers.gateway import ClosingModel, Model, ModelFailure, RoleModels
from ossia_servers.gateway.estimates import estimate_usage
from ossia_servers.gateway.models import Completion, ModelCall, completion_of


class Allowance:
    """The calls that may be made; each attempt counts, also one that fails.

    A sample that is begun has its expected calls set aside, so that none is begun that others
    would leave unfinished.
    """

    def __init__(self, most: int) -> None:
        """Allow so many calls."""
        self.most = most
        self.made = 0
        self.refused = False
        self._aside: dict[str, int] = {}

    def begin(self, sample: str, calls: int) -> bool:
        """Set a sample's calls aside; returns whether so many are left.

        Args:
            sample: its id.
            calls: how many it is expected to make.
        """
        if self.made + sum(self._aside.values()) + calls > self.most:
            return False
        self._aside[sample] = calls
        return True

    def take(self, sample: str) -> None:
        """Count one call that is about to be made.

        Args:
            sample: the sample that makes it; first its own share is used up, then what is left.

        Raises:
            ModelFailure: none is left for it.
        """
        own = self._aside.get(sample, 0)
        others = sum(self._aside.values()) - own
        if self.made + others >= self.most:
            self.refused = True
            raise ModelFailure("the allowed model calls are used up")
        self.made += 1
        if own:
            self._aside[sample] = own - 1

    def end(self, sample: str) -> None:
        """Give back what a sample has not used."""
        self._aside.pop(sample, None)


@dataclass
class Sample:
    """Answers the set steps of one sample, and keeps what the others spent.

    Attributes:
        episode: the failed episode, with the contracts of its task.
        family: the steps of the repair set.
        beside: other causes; in the arms of a pair they keep their recorded faults, as in a replay,
            so that the pair differs in the repair alone.
        arm: what answers at the steps of the repair set.
        refused: whether a call was refused since none was left.
        touched: whether a step of the family came.
        spent: what asking the model took so far.
    """

    episode: SettableEpisode
    family: Family
    beside: Family
    arm: Arm
    refused: bool = False
    touched: bool = False
    spent: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        """Begin the sample."""
        repair = Repair(self.family if self.arm is Arm.REPAIRED else frozenset())
        # Without its cuts: what the endpoint refused then, it is asked again.
        self._script = self.episode.setting(repair, cuts=False)
        self._calls: dict[str, int] = {}

    def answer(self, role: str, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the message of a step that is set; None where the model is to be asked.

        Args:
            role: who asks.
            request: the body of the chat completion request.
        """
        message = self._script.answer(role, request)
        situation = self._script.played[-1].situation
        self.touched = self.touched or situation in self.family
        if self.arm is Arm.ANEW or situation not in self.family | self.beside:
            return None
        if self.arm is Arm.REPAIRED or situation in self.beside:
            return message
        recorded = self.episode.recording.by_situation[situation].messages
        call = self._calls.get(situation, 0)
        self._calls[situation] = call + 1
        return recorded[min(call, len(recorded) - 1)]


class LiveModel:
    """Asks the run's own models, but for the steps that a sample sets."""

    name = "verification"

    def __init__(
        self,
        models: Mapping[str, Model],
        allowance: Allowance,
        free: Collection[str] = (),
        price_model: str | None = None,
    ) -> None:
        """Wrap models.

        Args:
            models: what answers, by the model of the recorded episode.
            allowance: counts and bounds the calls.
            free: names of models that run in this process: their calls cost nothing and are not
                counted.
            price_model: price all tokens as this model's.
        """
        self._models = models
        self._allowance = allowance
        self._free = frozenset(free)
        self._price_model = price_model
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
        if isinstance(model, RoleModels):
            model = model.of(call.role)
        if model.name in self._free:
            return await model.complete(call)
        self._take(call.episode, sample)
        # An attempt is known to have been repeated only when the next one starts.
        started = 0

        def started_again(limit_s: float) -> None:
            nonlocal started
            started += 1
            if started > 1:
                self._take(call.episode, sample)
            call.on_attempt(limit_s)

        completion = await model.complete(replace(call, on_attempt=started_again))
        usage = completion.usage or estimate_usage(call.request, completion.message)
        name = self._price_model or completion.model or model.name
        sample.spent = sample.spent.plus(cost_of(name, usage))
        return completion

    def _take(self, episode: str, sample: Sample) -> None:
        try:
            self._allowance.take(episode)
        except ModelFailure:
            sample.refused = True
            raise
        sample.spent = sample.spent.plus(Spent(calls=1))

    async def aclose(self) -> None:
        """Close the models."""
        for model in self._models.values():
            if isinstance(model, ClosingModel):
                await model.aclose()
