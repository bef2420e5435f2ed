"""Other ways to name a culprit, for comparison: none of them intervenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from benchmarks.attribution.metrics import Guess
from ossia_evaluation.attribution.received import role_in
from ossia_evaluation.attribution.records import Attribution

PRIOR = "intent"
"""The role that the published comparison blames most, in every framework but one."""

Run = Sequence[tuple[str, str]]
"""What was said in an episode, in its order: the moment of each step, and its words."""

METHODS = (
    "intervention",
    "earliest decisive",
    "first deviation",
    "first gold-diff",
    "spectrum",
    "rules",
    "prior",
    "first",
    "last",
    "random",
)
"""All methods; the first is the attributor itself."""


@dataclass(frozen=True)
class Evidence:
    """What a method may look at.

    Attributes:
        failed: the failed episode.
        clean: a successful episode of the same task in the same framework.
        passing: all known successful episodes of the task in the framework.
        failing: known runs of the same failure, this one left out.
        deviations: the steps of the failed episode that leave their contract, in order.
        decisive: the earliest step whose repair alone helps.
        rules: the roles that the published criteria name.
        told: what the attributor says.
    """

    failed: Run
    clean: Run
    passing: Sequence[Run]
    failing: Sequence[Run]
    deviations: Sequence[str]
    decisive: str | None
    rules: Sequence[str]
    told: Guess


def guesses(evidence: Evidence, draw: Random) -> dict[str, Guess]:
    """Return what each method says of a failure, in the order of `METHODS`.

    Args:
        evidence: what is known of it.
        draw: for the random method.
    """
    steps = [situation for situation, _ in evidence.failed]
    prior = [step for step in steps if role_in(step) == PRIOR]
    said = (
        evidence.told,
        _first([evidence.decisive] if evidence.decisive else []),
        _first(evidence.deviations),
        _first(_unlike(evidence.failed, evidence.clean)),
        _first(suspects(evidence.failed, evidence.passing, evidence.failing)),
        Guess(roles=tuple(map(_named, evidence.rules))),
        _first(prior),
        _first(steps),
        _first(steps[::-1]),
        _first([draw.choice(steps)] if steps else []),
    )
    return dict(zip(METHODS, said, strict=True))


def told(found: Attribution) -> Guess:
    """Return what an attribution says, the most responsible step first."""
    ranked = sorted(found.causes, key=lambda cause: (-cause.responsibility, cause.step))
    families = frozenset(frozenset(family) for family in found.families)
    return Guess(tuple(cause.situation for cause in ranked), families)


def suspects(failed: Run, passing: Sequence[Run], failing: Sequence[Run]) -> list[str]:
    """Return the steps of a failed episode, the most suspicious first.

    Suspicion is Ochiai's: of what was said in a moment, how much oftener it occurs in failed
    episodes than in successful ones. Spectra of agents' actions are due to FAMAS (arXiv
    2509.13782), whose further factors weigh repeated actions, which this team does not have.

    Args:
        failed: the episode; it counts as a failed one.
        passing: successful episodes of the same task.
        failing: runs of the same failure, this one left out.
    """
    good = [set(run) for run in passing]
    bad = [set(failed), *map(set, failing)]

    def suspicion(step: tuple[str, str]) -> float:
        in_bad = sum(step in run for run in bad)
        in_good = sum(step in run for run in good)
        return in_bad / sqrt(len(bad) * (in_bad + in_good))

    # Sorting is stable: among equals the earlier step comes first.
    return [step[0] for step in sorted(failed, key=suspicion, reverse=True)]


def _unlike(failed: Run, clean: Run) -> list[str]:
    """The steps that say something else than in a clean episode, or do not occur in it."""
    there = dict(clean)
    return [situation for situation, text in failed if there.get(situation) != text]


def _named(role: str) -> str:
    return "request" if role == "function call" else role


def _first(steps: Sequence[str]) -> Guess:
    return Guess(tuple(steps[:1]))
