"""What the attempts of the protocol of wild faults amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.attribution.attempts import KEPT
from benchmarks.attribution.wild.changes import FAMILIES, family_of
from benchmarks.attribution.wild.clustered import (
    Estimate,
    by_cluster,
    clustered_estimate,
    clustered_share,
)
from benchmarks.attribution.wild.records import (
    CLEAN,
    DOUBLE,
    SINGLE,
    Changed,
    Structure,
    WildAttempt,
    WildCase,
)
from ossia_dataset.randomness import seeded_random
from ossia_evaluation.attribution import Status
from ossia_evaluation.rows import Share
from ossia_evaluation.stats import percentile

ALL = "all"
_BLAMING_NOBODY = frozenset({Status.SUSPECT.value, Status.FLAKY.value, Status.FRAMEWORK.value})
"""What says that gold, a server, the framework or chance is to blame, and no role."""


class Told(StrEnum):
    """What the attributor made of a failure whose changes are known; one of these for each."""

    EXACT = "exact"
    """The told families are the known ones."""
    BESIDE = "an unchanged role beside"
    """All known families are told, and one with a role in whose steps nothing was changed."""
    INSTEAD = "an unchanged role instead"
    """Such a role is named, and not all known families are told."""
    STEPS = "other families of the changed roles"
    """Only changed roles are named, and the families are others."""
    EXONERATED = "exonerated"
    """Nobody is named, and gold, a server, the framework or chance is said to be to blame."""
    NOTHING = "nothing told"
    """Nobody is named, and it is said that no repair was found; or the attributor crashed."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WildScore(_Frozen):
    """What the attributor makes of one group of cases; intervals are clustered by task."""

    name: str
    cases: int
    tasks: int
    exact: Share
    """The told families are the known ones, as sets of steps."""
    false_blame: Share
    """A role is named in whose steps nothing was changed."""
    instead: Share
    """The part of them in which not all known families are told."""
    false_exoneration: Share
    """Nobody is named, but gold, a server, the framework or chance, though the changes did it."""
    unattributed: Share
    """Nobody is named, and nothing else either."""
    told_as: dict[str, int]
    """What was told, by `Told`."""
    replays_mean: Estimate
    replays_p95: Estimate
    model_calls: int


class WildMissed(_Frozen):
    """A case that was not told exactly."""

    framework: str
    task: str
    cell: str
    told_as: Told
    changes: tuple[Changed, ...]
    known: tuple[tuple[str, ...], ...]
    told: tuple[tuple[str, ...], ...]
    status: str
    reason: str


class WildValidation(_Frozen):
    """The result of the protocol of wild faults."""

    version: Literal[1] = 1
    seed: int
    size: str
    versions: dict[str, str]
    """Exact version of each framework."""
    digest: str
    """Of the program, the trained model, the tasks and the adapters."""
    tried: int
    """Episodes with a change."""
    overall: WildScore
    by_cell: tuple[WildScore, ...]
    by_structure: tuple[WildScore, ...]
    """Cases of two changes, by how these depend on each other."""
    by_family: tuple[WildScore, ...]
    """Cases of one change, by family of changes."""
    by_kind: tuple[WildScore, ...]
    """Cases of one change, by kind."""
    by_role: tuple[WildScore, ...]
    """Cases of one change, by the changed step's role."""
    by_framework: tuple[WildScore, ...]
    statuses: dict[str, int]
    """What the attributor says how it ended."""
    discarded: dict[str, dict[str, int]]
    """Attempts that became no case, by kind of episode and reason."""
    kinds_without_cases: tuple[str, ...]
    missed: tuple[WildMissed, ...]


@dataclass(frozen=True)
class _Judged:
    attempt: WildAttempt
    case: WildCase
    told: Told

    @property
    def blames(self) -> bool:
        return self.told in (Told.BESIDE, Told.INSTEAD)


def told_as(case: WildCase, changed: frozenset[str]) -> Told:
    """Say what the attributor made of a case.

    Families are compared as sets of steps, and a step is the moment by its name. A family with a
    step in which nothing was changed is never right, also where its repair would help: what is
    known is who was changed. Of the roles of a case, those count as changed that have a changed
    step.

    Args:
        case: the case.
        changed: the roles in whose steps something was changed.
    """
    known, told = case.known_families, case.told_families
    if not told:
        blaming_nobody = case.status in _BLAMING_NOBODY
        return Told.EXONERATED if blaming_nobody else Told.NOTHING
    if told == known:
        return Told.EXACT
    if case.blamed - changed:
        return Told.BESIDE if known <= told else Told.INSTEAD
    return Told.STEPS


def wild_figures(
    attempts: Sequence[WildAttempt],
    *,
    seed: int,
    size: str,
    versions: Mapping[str, str],
    digest: str,
) -> WildValidation:
    """Return the figures of a protocol.

    Args:
        attempts: all that was tried, in every framework.
        seed: the protocol's seed; also decides on bootstrap samples.
        size: the protocol's name.
        versions: exact version of each framework.
        digest: of all that the attempts depend on.
    """
    judged = [_Judged(a, a.case, told_as(a.case, a.roles)) for a in attempts if a.case is not None]
    single = [each for each in judged if each.attempt.cell == SINGLE]
    double = [each for each in judged if each.attempt.cell == DOUBLE]

    def grouped(
        cases: Iterable[_Judged], name: Callable[[_Judged], str], order: Iterable[str]
    ) -> tuple[WildScore, ...]:
        groups = by_cluster(cases, name)
        return tuple(_score(each, groups[each], seed) for each in order if each in groups)

    kinds = [f"{family}.{kind}" for family, ways in FAMILIES.items() for kind in ways]
    return WildValidation(
        seed=seed,
        size=size,
        versions=dict(versions),
        digest=digest,
        tried=sum(attempt.cell != CLEAN for attempt in attempts),
        overall=_score(ALL, judged, seed),
        by_cell=grouped(judged, lambda j: j.attempt.cell, (SINGLE, DOUBLE)),
        by_structure=grouped(double, lambda j: str(j.case.structure), Structure),
        by_family=grouped(single, lambda j: family_of(_kind(j)), FAMILIES),
        by_kind=grouped(single, _kind, kinds),
        by_role=grouped(single, lambda j: j.attempt.changes[0].role, _roles(single)),
        by_framework=grouped(judged, lambda j: j.attempt.framework, versions),
        statuses=_counted(each.case.status for each in judged),
        discarded=_discarded(attempts),
        kinds_without_cases=tuple(k for k in kinds if k not in {_kind(j) for j in single}),
        missed=tuple(_missed(each) for each in judged if each.told is not Told.EXACT),
    )


def _kind(judged: _Judged) -> str:
    return judged.attempt.changes[0].kind


def _roles(judged: Iterable[_Judged]) -> list[str]:
    return sorted({each.attempt.changes[0].role for each in judged})


def _score(name: str, judged: Sequence[_Judged], seed: int) -> WildScore:
    def part(hit: Callable[[_Judged], bool]) -> Share:
        return clustered_share((each.attempt.task, hit(each)) for each in judged)

    tasks = by_cluster(judged, lambda each: each.attempt.task)
    replays = {task: [float(e.case.replays) for e in found] for task, found in tasks.items()}

    def estimate(figure: Callable[[Sequence[float]], float | None], label: str) -> Estimate:
        return clustered_estimate(replays, figure, seeded_random("wild", seed, name, label))

    return WildScore(
        name=name,
        cases=len(judged),
        tasks=len(tasks),
        exact=part(lambda each: each.told is Told.EXACT),
        false_blame=part(lambda each: each.blames),
        instead=part(lambda each: each.told is Told.INSTEAD),
        false_exoneration=part(lambda each: each.told is Told.EXONERATED),
        unattributed=part(lambda each: each.told is Told.NOTHING),
        told_as=_counted(each.told.value for each in judged),
        replays_mean=estimate(_mean, "mean"),
        replays_p95=estimate(lambda values: percentile(values, 0.95), "p95"),
        model_calls=sum(each.case.model_calls for each in judged),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _discarded(attempts: Sequence[WildAttempt]) -> dict[str, dict[str, int]]:
    cells = dict.fromkeys(attempt.cell for attempt in attempts)
    found = {
        cell: _counted(a.outcome for a in attempts if a.cell == cell and a.outcome != KEPT)
        for cell in cells
    }
    return {cell: counts for cell, counts in sorted(found.items()) if counts}


def _missed(judged: _Judged) -> WildMissed:
    attempt, case = judged.attempt, judged.case
    return WildMissed(
        framework=attempt.framework,
        task=attempt.task,
        cell=attempt.cell,
        told_as=judged.told,
        changes=attempt.changes,
        known=case.known,
        told=case.told,
        status=case.status,
        reason=case.reason,
    )
