"""Verifying a repair with a live model: how often it helps, told from as few samples as may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt

RARE, OFTEN = 0.2, 0.8
"""The two hypotheses on the chance of success, p0 and p1."""

ERROR = 0.05
"""Chance of deciding wrongly, alpha and beta alike."""

MOST_SAMPLES = 15
"""Without a decision after so many samples there is none."""


class Tendency(StrEnum):
    """What a sequence of samples says of the chance of success."""

    OFTEN = "often"
    """It succeeds as a rule: p1 is accepted."""
    RARE = "rarely"
    """It fails as a rule: p0 is accepted."""
    OPEN = "open"
    """One more sample is needed."""
    UNDETERMINED = "undetermined"
    """No decision, and no sample is left."""


def tendency(
    samples: Sequence[bool],
    *,
    p0: float = RARE,
    p1: float = OFTEN,
    error: float = ERROR,
    most: int = MOST_SAMPLES,
) -> Tendency:
    """Return what samples say, by Wald's sequential probability ratio test.

    Args:
        samples: whether each succeeded, in order; those after a decision play no part.
        p0: the chance of success where it fails as a rule.
        p1: the chance of success where it succeeds as a rule; above `p0`.
        error: the chance of taking one for the other.
        most: most samples.

    Raises:
        ValueError: the chances are none, or not in order.
    """
    if not 0 < p0 < p1 < 1 or not 0 < error < 0.5 or most < 1:
        raise ValueError("0 < p0 < p1 < 1, 0 < error < 0.5 and a sample are needed")
    bound = math.log((1 - error) / error)
    ratio = 0.0
    for number, success in enumerate(samples[:most], start=1):
        ratio += math.log(p1 / p0) if success else math.log((1 - p1) / (1 - p0))
        if ratio >= bound:
            return Tendency.OFTEN
        if ratio <= -bound:
            return Tendency.RARE
        if number == most:
            return Tendency.UNDETERMINED
    return Tendency.OPEN


class Arm(StrEnum):
    """What is done to the steps of the repair set in a sample."""

    REPAIRED = "repaired"
    NOTHING = "nothing repaired"
    PLACEBO = "placebo"
    """The same content in other words."""


class Proof(StrEnum):
    """What the three arms say together."""

    CONFIRMED = "confirmed"
    """With the repair it succeeds as a rule, without it and with the placebo it fails as a rule."""
    REFUTED = "refuted"
    """With the repair it fails as a rule."""
    UNSPECIFIC = "unspecific"
    """It succeeds as a rule without the repair, too, or with the placebo."""
    UNDETERMINED = "undetermined"
    """Some arm is undecided."""


class ArmResult(BaseModel):
    """The samples of one arm."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: Arm
    tendency: Tendency
    successes: NonNegativeInt
    samples: NonNegativeInt
    invalid: NonNegativeInt = 0
    """Samples lost to infrastructure; they say nothing."""


class Verification(BaseModel):
    """A repair set, tried with a live model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    episode: str
    family: tuple[str, ...]
    arms: tuple[ArmResult, ...]
    calls: NonNegativeInt
    """Model calls that were made."""
    cut: bool = False
    """Whether the calls that were allowed did not suffice."""

    @property
    def proof(self) -> Proof:
        """What the arms say together."""
        found = {arm.arm: arm.tendency for arm in self.arms}
        repaired = found.get(Arm.REPAIRED)
        others = (found.get(Arm.NOTHING), found.get(Arm.PLACEBO))
        if repaired is Tendency.RARE:
            return Proof.REFUTED
        if Tendency.OFTEN in others:
            return Proof.UNSPECIFIC
        if repaired is Tendency.OFTEN and others == (Tendency.RARE, Tendency.RARE):
            return Proof.CONFIRMED
        return Proof.UNDETERMINED
