"""A repair set tried with a live model: what is stored of it, and what it says in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt, model_validator

from ossia_evaluation.attribution.records import Attribution
from ossia_evaluation.attribution.sequential import (
    LARGE,
    MOST_PAIRS,
    Conclusion,
    Pair,
    conclude,
)
from ossia_evaluation.stats import wilson
from ossia_evaluation.words import counted

VERIFICATION_VERSION: Final = 2
"""Version of the stored format."""


class Arm(StrEnum):
    """What answers at the steps of the repair set in a sample; the model answers at all others."""

    REPAIRED = "repaired"
    """Their contracts."""
    HELD = "fault held"
    """The recording, byte for byte."""
    ANEW = "asked anew"
    """The model, as at all others. No part of the proof: it shows how often the fault recurs."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spent(_Frozen):
    """What asking a model took."""

    calls: NonNegativeInt = 0
    """Attempts at a call; failed ones count."""
    tokens: NonNegativeInt = 0
    """Tokens of the calls that were answered."""
    estimated: bool = False
    """Whether any of them are estimated."""
    price_usd: NonNegativeFloat | None = 0.0
    """Price of these tokens; None as soon as one is unknown."""

    def plus(self, other: Spent) -> Spent:
        """Return the sum; its price is unknown where that of a part is."""
        prices = (self.price_usd, other.price_usd)
        return Spent(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            estimated=self.estimated or other.estimated,
            price_usd=None if None in prices else sum(price or 0.0 for price in prices),
        )

    def times(self, number: int) -> Spent:
        """Return so many times as much."""
        return Spent(
            calls=self.calls * number,
            tokens=self.tokens * number,
            estimated=self.estimated,
            price_usd=None if self.price_usd is None else self.price_usd * number,
        )


class Again(_Frozen):
    """A sample in which the model was asked anew at all steps."""

    success: bool
    fault: bool | None
    """Whether a step of the repair set left its contract again; None where the recorded fault is
    none that a contract names."""


class EarlierArm(_Frozen):
    """An arm of the first version."""

    arm: str
    successes: NonNegativeInt
    samples: NonNegativeInt


class Earlier(_Frozen):
    """What the first version sampled; it kept sums alone, so it says nothing of pairs."""

    arms: tuple[EarlierArm, ...]
    calls: NonNegativeInt


class _Version1Arm(_Frozen):
    arm: Literal["repaired", "nothing repaired", "placebo"]
    tendency: str
    successes: NonNegativeInt
    samples: NonNegativeInt
    invalid: NonNegativeInt = 0


class _Version1(_Frozen):
    """The first version of the stored format."""

    version: Literal[1]
    episode: str
    family: tuple[str, ...]
    arms: tuple[_Version1Arm, ...]
    calls: NonNegativeInt
    cut: bool = False


_NAMES: Final = {
    "repaired": Arm.REPAIRED.value,
    "nothing repaired": Arm.ANEW.value,
    "placebo": "fault in other words",
}
"""The arms of the first version by what was done in them."""


class Verification(_Frozen):
    """A repair set, tried with a live model."""

    version: Literal[2] = VERIFICATION_VERSION
    episode: str
    family: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """Causes outside of the repair set; they keep their recorded faults in both arms of a pair."""
    repaired: tuple[bool, ...] = ()
    """Whether each sample succeeded, in order; the n-th is paired with the n-th of `held`."""
    held: tuple[bool, ...] = ()
    anew: tuple[Again, ...] = ()
    untouched: NonNegativeInt = 0
    """Samples with the repair or the held fault in which no step of the repair set came."""
    lost: NonNegativeInt = 0
    """Samples lost to the infrastructure or for want of time; they say nothing."""
    spent: Spent = Spent()
    earlier: Earlier | None = None
    """What the first version of this format held."""

    @model_validator(mode="before")
    @classmethod
    def _read_version_1(cls, data: Any) -> Any:
        """Read what the first version stored, its arms called what they were.

        It kept sums alone, in an unknown order, and held the fault in other bytes: its samples can
        be shown, and make no pairs.
        """
        if not isinstance(data, dict) or data.get("version") != 1:
            return data
        first = _Version1.model_validate(data)
        arms = tuple(
            EarlierArm(arm=_NAMES[arm.arm], successes=arm.successes, samples=arm.samples)
            for arm in first.arms
        )
        return {
            "version": VERIFICATION_VERSION,
            "episode": first.episode,
            "family": first.family,
            "earlier": Earlier(arms=arms, calls=first.calls),
        }

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The samples with the repair beside those with the fault held."""
        return tuple(zip(self.repaired, self.held, strict=False))

    @property
    def conclusion(self) -> Conclusion:
        """What the pairs show."""
        return conclude(self.pairs)

    @property
    def is_contrasted(self) -> bool:
        """Whether no further pair is sampled."""
        decided = self.conclusion is not Conclusion.UNDECIDED
        return decided or len(self.pairs) >= MOST_PAIRS

    @property
    def is_finished(self) -> bool:
        """Whether no further sample of any arm is made."""
        return self.is_contrasted and len(self.anew) >= len(self.pairs)

    @property
    def successes(self) -> Mapping[Arm, tuple[bool, ...]]:
        """Whether each sample succeeded, by arm."""
        again = tuple(sample.success for sample in self.anew)
        return {Arm.REPAIRED: self.repaired, Arm.HELD: self.held, Arm.ANEW: again}

    @property
    def recurrences(self) -> tuple[bool, ...]:
        """Whether the fault recurred in each sample that tells it."""
        return tuple(sample.fault for sample in self.anew if sample.fault is not None)


def family_to_verify(found: Attribution) -> tuple[str, ...] | None:
    """Return the first repair set of which every step was recorded, or None.

    Only recorded words can be held.
    """
    recorded = {cause.situation for cause in found.causes if cause.step >= 0}
    return next((family for family in found.families if recorded.issuperset(family)), None)


def causes_beside(found: Attribution, family: Sequence[str]) -> tuple[str, ...]:
    """Return the recorded causes that are not in a repair set.

    Args:
        found: the attribution.
        family: one of its repair sets.
    """
    recorded = (cause.situation for cause in found.causes if cause.step >= 0)
    return tuple(situation for situation in recorded if situation not in family)


def verification_lines(item: Verification) -> tuple[str, ...]:
    """Return in words what a verification shows; every output uses these.

    Shares are followed by their 95 % Wilson interval.
    """
    earlier = item.earlier
    if earlier is not None and not any(item.successes.values()):
        arms = ", ".join(f"{arm.arm} {arm.successes} of {arm.samples}" for arm in earlier.arms)
        return (
            f"{_claim(item)}: an earlier version sampled without pairs ({arms} succeeded;"
            f" {earlier.calls:,} model calls); --verify samples it again",
        )
    lines = [
        f"{_claim(item)}: {_of(item.repaired)} succeeded repaired, {_of(item.held)} with the fault"
        f" held{_beside(item)}{_untouched(item)}"
    ]
    if item.anew:
        failed = f"{_of([not sample.success for sample in item.anew])} failed"
        again = item.recurrences
        told = f"the fault recurred in {_of(again)}, {failed}" if again else failed
        lines.append(f"asked anew: {told}")
    if item.lost:
        lines.append(f"{counted(item.lost, 'sample')} lost to the endpoint or for want of time")
    return (*lines, f"spent: {spent_text(item.spent)}")


def spent_text(spent: Spent) -> str:
    """Return what was spent: calls, tokens (`~` where some are estimated) and money."""
    price = "unknown" if spent.price_usd is None else f"{spent.price_usd:.4f} USD"
    mark = "~" if spent.estimated else ""
    return f"{spent.calls:,} model calls, {mark}{spent.tokens:,} tokens, price {price}"


def verification_totals(items: Collection[Verification]) -> str:
    """Return how many repairs came to each conclusion, and what all of them took."""
    found = [item.conclusion for item in items]
    counts = ", ".join(f"{told.value} {found.count(told)}" for told in Conclusion)
    spent, before = Spent(), 0
    for item in items:
        spent = spent.plus(item.spent)
        before += 0 if item.earlier is None else item.earlier.calls
    earlier = f"; by an earlier version: {before:,} model calls" if before else ""
    return f"{counts}; spent: {spent_text(spent)}{earlier}"


def _claim(item: Verification) -> str:
    family, pairs = " + ".join(item.family), len(item.pairs)
    if item.conclusion is Conclusion.HELPS:
        return f"repairing {family} raises success"
    if item.conclusion is Conclusion.NO_LARGE_EFFECT:
        points = f"{LARGE * 100:.0f} percentage points"
        return f"repairing {family} raises success by less than {points}, if at all"
    return f"whether repairing {family} raises success is undecided after {counted(pairs, 'pair')}"


def _beside(item: Verification) -> str:
    return f" ({', '.join(item.beside)} as recorded in both)" if item.beside else ""


def _untouched(item: Verification) -> str:
    if not item.untouched:
        return ""
    return f" ({counted(item.untouched, 'sample')} in which the repaired steps never came)"


def _of(samples: Sequence[bool]) -> str:
    low, high = wilson(sum(samples), len(samples))
    return f"{sum(samples)} of {len(samples)} [{low:.2f}, {high:.2f}]"
