"""A recorded episode as the attributor sees it: its steps, and where they leave their contracts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ossia_evaluation.attribution.cuts import Cut
from ossia_evaluation.attribution.findings import Finding
from ossia_evaluation.attribution.received import Received


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step of a recorded episode.

    Attributes:
        index: its position in the episode, from 0.
        situation: the moment by name.
        role: who worked.
        received: the input of each of its calls.
        keys: the relevant input of each of its calls.
        messages: the answers, byte for byte.
    """

    index: int
    situation: str
    role: str
    received: tuple[Received, ...]
    keys: tuple[str, ...]
    messages: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded episode in steps, with what is found wrong in each.

    Attributes:
        steps: in the order of the episode.
        findings: by situation; steps that keep their contract have none.
        cuts: calls that the endpoint refused or that were cut, in order.
    """

    steps: tuple[RecordedStep, ...]
    findings: Mapping[str, Finding]
    cuts: tuple[Cut, ...] = ()

    @property
    def by_situation(self) -> dict[str, RecordedStep]:
        """The steps by their moment."""
        return {step.situation: step for step in self.steps}

    @property
    def deviations(self) -> tuple[RecordedStep, ...]:
        """The steps that leave their contract, in order.

        Of a loop only the first repetition counts: the others would not have come about.
        """
        return tuple(
            step
            for step in self.steps
            if step.situation in self.findings and step.situation not in self.echoes
        )

    @property
    def echoes(self) -> dict[str, str]:
        """The first repetition of a loop, by each of the others; they stand and fall with it."""
        first, found = "", dict[str, str]()
        for step in self.steps:
            finding = self.findings.get(step.situation)
            if finding is None or not finding.repeats:
                continue
            if first:
                found[step.situation] = first
            first = first or step.situation
        return found

    def suspects(self, closer: Collection[str]) -> tuple[str, ...]:
        """Return all steps, the likeliest causes first.

        Args:
            closer: the steps that leave their contract to the letter.
        """
        first = [step.situation for step in self.deviations]
        odd = [step.situation for step in self.steps if step.situation in closer]
        rest = [step.situation for step in self.steps]
        return tuple(n for n in dict.fromkeys((*first, *odd, *rest)) if n not in self.echoes)

    def renamed(self, names: Mapping[str, str]) -> Recording:
        """Return the same episode with other names of some moments.

        Args:
            names: the other name by the present one.
        """
        if not names:
            return self
        steps = (replace(s, situation=names.get(s.situation, s.situation)) for s in self.steps)
        findings = {names.get(name, name): finding for name, finding in self.findings.items()}
        return replace(self, steps=tuple(steps), findings=findings)


def recorded_step(
    calls: Sequence[tuple[Received, Mapping[str, Any]]], keys: Sequence[str] | None = None
) -> RecordedStep:
    """Return the step that some calls make.

    Args:
        calls: the input of each with its answer.
        keys: the relevant input of each, where the inputs themselves do not tell.
    """
    received = tuple(each for each, _ in calls)
    first = received[0]
    return RecordedStep(
        index=first.turn.index,
        situation=first.turn.situation,
        role=first.role,
        received=received,
        keys=tuple(each.relevant() for each in received) if keys is None else tuple(keys),
        messages=tuple(message for _, message in calls),
    )
