"""Other ways to name a culprit, for comparison: none of them intervenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from ossia_evaluation.attribution.analysis import RecordedStep, Recording
from ossia_evaluation.attribution.assemble import shown_text
from ossia_evaluation.attribution.metrics import Guess
from ossia_evaluation.attribution.records import Attribution

PRIOR = "intent"
"""The role that the published comparison blames most, in every framework but one."""


@dataclass(frozen=True)
class Evidence:
    """What a method may look at.

    Attributes:
        recording: the failed episode.
        passing: successful episodes of the same task in the same framework; the first is clean.
        attribution: what the search found, with the roles that the rules name.
        draw: for the random method.
    """

    recording: Recording
    passing: Sequence[Recording]
    attribution: Attribution
    draw: Random


def guesses(evidence: Evidence) -> dict[str, Guess]:
    """Return what each method says of a failure, `intervention` first."""
    steps = evidence.recording.steps
    return {
        "intervention": _intervention(evidence.attribution),
        "earliest decisive": _one(evidence.attribution.decisive),
        "first deviation": _first(evidence.recording.deviations),
        "first gold-diff": _first(_unlike(steps, evidence.passing[0])),
        "spectrum": _first(_suspicious(steps, evidence.passing)),
        "rules": Guess(roles=tuple(map(_named, evidence.attribution.rules))),
        "prior": _first([step for step in steps if step.role == PRIOR]),
        "first": _first(steps),
        "last": _first(steps[::-1]),
        "random": _one(evidence.draw.choice(steps).situation if steps else None),
    }


def _intervention(found: Attribution) -> Guess:
    ranked = sorted(found.causes, key=lambda cause: (-cause.responsibility, cause.step))
    families = frozenset(frozenset(family) for family in found.families)
    return Guess(tuple(cause.situation for cause in ranked), families)


def _named(role: str) -> str:
    return "request" if role == "function call" else role


def _first(steps: Sequence[RecordedStep]) -> Guess:
    return _one(steps[0].situation if steps else None)


def _one(situation: str | None) -> Guess:
    return Guess(() if situation is None else (situation,))


def _unlike(steps: Sequence[RecordedStep], clean: Recording) -> list[RecordedStep]:
    """The steps that say something else than in a clean episode, or do not occur in it."""
    there = clean.by_situation
    return [
        step
        for step in steps
        if step.situation not in there or shown_text(there[step.situation]) != shown_text(step)
    ]


def _suspicious(steps: Sequence[RecordedStep], passing: Sequence[Recording]) -> list[RecordedStep]:
    """The steps by Ochiai's suspiciousness of what was said in them, the most suspicious first.

    Spectra of agents' actions are due to FAMAS (arXiv 2509.13782); with one failed episode the
    formula depends on how many successful ones show the same behaviour.
    """
    said = [
        {(step.situation, shown_text(step)) for step in recording.steps} for recording in passing
    ]

    def suspicion(step: RecordedStep) -> float:
        passed = sum((step.situation, shown_text(step)) in each for each in said)
        return 1.0 / sqrt(1.0 + passed)

    return sorted(steps, key=lambda step: (-suspicion(step), step.index))
