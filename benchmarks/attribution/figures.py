"""What the attempts of the injection protocol amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.attribution.attempts import (
    BESIDE,
    CLEAN,
    CONTROLS,
    DOUBLE,
    DOUBLE_BESIDE,
    GATEWAY,
    KEPT,
    NO_FAULT,
    NOISE,
    PAIRED,
    PLACEBO,
    SINGLE,
    TRIPLE,
    Attempt,
    Case,
    WrongStep,
    is_decided,
)
from benchmarks.attribution.baselines import METHODS, Evidence, guesses
from benchmarks.attribution.cases import Structure
from benchmarks.attribution.leakage import Leakage, Sample, leakage
from benchmarks.attribution.metrics import (
    Calibration,
    Guess,
    Known,
    MethodScore,
    Pair,
    calibration,
    compare,
    score_method,
    spread,
)
from ossia_dataset.randomness import seeded_random
from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import Share, share

ABSORBED = "double, one absorbed"
ALL_CONTROLS = "all controls"
HARMLESS = "single, harmless beside or absorbed"
CELLS = (SINGLE, BESIDE, DOUBLE, ABSORBED, DOUBLE_BESIDE, TRIPLE, *NOISE.values())
"""The kinds of failures, in the order of the tables."""

INTERVENTION = METHODS[0]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Missed(_Frozen):
    """A case in which the families were not told exactly."""

    framework: str
    task: str
    cell: str
    faults: tuple[str, ...]
    known: tuple[tuple[str, ...], ...]
    told: tuple[tuple[str, ...], ...]
    status: str
    cause: str
    """What kind of miss it is."""


class Control(_Frozen):
    """Episodes in which nobody of the team is to blame."""

    cell: str
    invalid: int
    """Never handed to the attributor."""
    nothing_to_blame: int
    """No step deviates, or the episode succeeds when it is played again."""
    statuses: dict[str, int]
    """Of all that were handed over."""
    false_blame: Share
    """Of those in which there was a step to blame."""


class Missing(_Frozen):
    """Cases that could not be made within the attempts that are allowed."""

    kind: str
    wanted: int
    made: int


class Replays(_Frozen):
    """Replays of one kind of failures."""

    cell: str
    mean: float | None
    p95: float | None


class Validation(_Frozen):
    """The result of the injection protocol."""

    version: Literal[3] = 3
    seed: int
    size: str
    versions: dict[str, str]
    """Exact version of each framework."""
    digest: str
    """Of the program, the trained model, the tasks and the adapters."""
    scores: tuple[MethodScore, ...]
    harmless: MethodScore
    """The intervention's score over one fault that does harm and others that do none."""
    by_framework: dict[str, MethodScore]
    """The intervention's score over all failures, by framework."""
    by_fault: dict[str, Share]
    """Single faults whose step is told first, by type."""
    by_structure: dict[str, MethodScore]
    """The intervention's score over two faults, by how they depend on each other."""
    pairs_of_roles: dict[str, dict[str, int]]
    """Double cases by pair of roles and structure."""
    against: tuple[Pair, ...]
    """The intervention beside each other method on the same cases."""
    calibration: Calibration
    controls: tuple[Control, ...]
    replays: tuple[Replays, ...]
    leakage: tuple[Leakage, ...]
    discarded: dict[str, dict[str, int]]
    """Attempts that became no case, by kind and reason."""
    missing: tuple[Missing, ...]
    """Kinds of which fewer were made than are wanted."""
    pairs_without_cases: tuple[str, ...]
    """Pairs of roles whose two faults never both did harm."""
    missed: tuple[Missed, ...]


class _Judged:
    """A case with what every method says of it."""

    def __init__(self, attempt: Attempt, case: Case, methods: Mapping[str, Guess]) -> None:
        self.attempt = attempt
        self.case = case
        self.methods = methods
        places = {situation: n for n, (situation, _) in enumerate(attempt.steps)}
        self.known = Known(case.known_families, places)
        absorbed = case.structure == Structure.ABSORBED
        self.cell = ABSORBED if attempt.cell == DOUBLE and absorbed else attempt.cell


def figures(
    attempts: Sequence[Attempt],
    *,
    seed: int,
    size: str,
    versions: Mapping[str, str],
    digest: str,
    wanted: Mapping[str, int] | None = None,
) -> Validation:
    """Return the figures of a protocol.

    Args:
        attempts: all that was tried, in every framework.
        seed: the protocol's seed; also decides on bootstrap samples and random guesses.
        size: the protocol's name.
        versions: exact version of each framework.
        digest: of all that the attempts depend on.
        wanted: how many cases there should be, by kind.
    """
    judged = _judge(attempts, seed)
    cells = {cell: [j for j in judged if j.cell == cell] for cell in CELLS}

    def told(cell: str, cases: Iterable[_Judged], method: str = INTERVENTION) -> MethodScore:
        pairs = [(each.known, each.methods[method]) for each in cases]
        return score_method(method, cell, pairs, seeded_random("figures", seed, cell, method))

    by_framework = {
        name: told(name, [j for j in judged if j.attempt.framework == name]) for name in versions
    }
    return Validation(
        seed=seed,
        size=size,
        versions=dict(versions),
        digest=digest,
        scores=tuple(told(c, cases, m) for c, cases in cells.items() if cases for m in METHODS),
        harmless=told(HARMLESS, [*cells[BESIDE], *cells[ABSORBED]]),
        by_framework=by_framework,
        by_fault=_by_fault(cells[SINGLE]),
        by_structure={name: told(name, found) for name, found in _by_structure(judged).items()},
        pairs_of_roles=_pairs_of_roles(cells[DOUBLE]),
        against=tuple(_against(c, cases, m) for c, cases in cells.items() for m in METHODS[1:]),
        calibration=calibration((j.known, j.case.told_families) for j in judged),
        controls=_controls(attempts),
        replays=tuple(_replays(c, k) for c, k in [*cells.items(), ("all", judged)] if k),
        leakage=_leakages(attempts, seeded_random("figures", seed, "leakage")),
        discarded=_discarded(attempts),
        missing=_missing(wanted or {}, judged, attempts),
        pairs_without_cases=_pairs_without(cells[DOUBLE]),
        missed=tuple(_missed(j) for j in judged if j.case.told_families != j.known.families),
    )


def _judge(attempts: Sequence[Attempt], seed: int) -> list[_Judged]:
    """Let every method look at each case."""
    runs: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        if attempt.success is not None:
            runs.setdefault((attempt.framework, attempt.task), []).append(attempt)
    found = []
    for attempt in attempts:
        case = attempt.case
        if case is None or not case.known:
            continue
        alike = [a for a in runs[attempt.framework, attempt.task] if a.key != attempt.key]
        passing = [a.steps for a in alike if a.success]
        clean = next((a.steps for a in alike if a.cell == CLEAN), ())
        evidence = Evidence(
            failed=attempt.steps,
            clean=clean,
            passing=passing,
            # Spectra compare repeats of one failure, so these are runs with some of its faults.
            failing=[a.steps for a in alike if not a.success and _shares(a, attempt)],
            deviations=case.deviations,
            decisive=case.decisive,
            rules=case.rules,
            told=Guess(case.ranked, case.told_families),
        )
        draw = seeded_random("random", seed, attempt.framework, attempt.key)
        found.append(_Judged(attempt, case, guesses(evidence, draw)))
    return found


def _shares(one: Attempt, other: Attempt) -> bool:
    """Whether two attempts have an injected fault in common."""
    first, second = (set(each.key.rpartition("|")[2].split("+")) for each in (one, other))
    return bool(one.faults and other.faults and first & second)


def _by_structure(judged: Sequence[_Judged]) -> dict[str, list[_Judged]]:
    """Return the cases with two faults by how these depend on each other, where there are any."""
    doubles = [each for each in judged if each.attempt.cell == DOUBLE]
    found = {s.value: [j for j in doubles if j.case.structure == s] for s in Structure}
    return {name: cases for name, cases in found.items() if cases}


def _by_fault(judged: Sequence[_Judged]) -> dict[str, Share]:
    hits: dict[str, list[bool]] = {}
    for each in judged:
        right = each.case.ranked[:1] != () and each.case.ranked[0] in each.known.steps
        hits.setdefault(each.attempt.faults[0], []).append(right)
    return {fault: share(sum(right), len(right)) for fault, right in sorted(hits.items())}


def _pairs_of_roles(judged: Sequence[_Judged]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for each in judged:
        pair = {fault.partition(".")[0] for fault in each.attempt.faults}
        roles = " + ".join(sorted(pair, key=PAIRED.index))
        found.setdefault(roles, Counter())[each.case.structure] += 1
    return {roles: dict(sorted(counts.items())) for roles, counts in sorted(found.items())}


def _against(cell: str, judged: Sequence[_Judged], method: str) -> Pair:
    ours = INTERVENTION, [each.methods[INTERVENTION] for each in judged]
    other = method, [each.methods[method] for each in judged]
    return compare(cell, ours, other, [each.known for each in judged])


def _controls(attempts: Sequence[Attempt]) -> tuple[Control, ...]:
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.cell.startswith("control"):
            groups.setdefault(attempt.cell, []).append(attempt)
    first = (NO_FAULT, PLACEBO, GATEWAY)
    order = sorted(groups, key=lambda c: (first.index(c) if c in first else len(first), c))
    everything = [attempt for cell in order for attempt in groups[cell]]
    named = [*((cell, groups[cell]) for cell in order), (ALL_CONTROLS, everything)]
    return tuple(_control(cell, found) for cell, found in named if found)


def _control(cell: str, attempts: Sequence[Attempt]) -> Control:
    handed = [attempt.case for attempt in attempts if attempt.case is not None]
    decided = [attempt.case for attempt in attempts if attempt.case and is_decided(attempt)]
    return Control(
        cell=cell,
        invalid=sum(attempt.outcome == Verdict.INVALID.value for attempt in attempts),
        nothing_to_blame=len(handed) - len(decided),
        statuses=dict(sorted(Counter(case.status for case in handed).items())),
        false_blame=share(sum(bool(case.told) for case in decided), len(decided)),
    )


def _missing(
    wanted: Mapping[str, int], judged: Sequence[_Judged], attempts: Sequence[Attempt]
) -> tuple[Missing, ...]:
    made = Counter(each.cell for each in judged)
    made += Counter(f"{each.cell}, {each.case.structure}" for each in judged)
    made[CONTROLS] = sum(is_decided(a) for a in attempts if a.cell.startswith("control"))
    return tuple(
        Missing(kind=kind, wanted=number, made=made[kind])
        for kind, number in wanted.items()
        if made[kind] < number
    )


def _pairs_without(judged: Sequence[_Judged]) -> tuple[str, ...]:
    every = (" + ".join(pair) for pair in combinations(PAIRED, 2))
    return tuple(pair for pair in every if pair not in _pairs_of_roles(judged))


def _replays(cell: str, judged: Sequence[_Judged]) -> Replays:
    found = spread(each.case.replays for each in judged)
    return Replays(cell=cell, mean=found.mean, p95=found.p95)


def _leakages(attempts: Sequence[Attempt], draw: Random) -> tuple[Leakage, ...]:
    injected = [
        (a, w) for a in attempts if a.cell == SINGLE for w in a.wrong if w.source == "injected"
    ]
    noise = [(a, w) for a in attempts for w in a.wrong if w.source == "noise"]
    own = [(a, w) for a in attempts for w in a.wrong if w.source == "model"]
    every = [*injected, *noise, *own]
    same_type = [_sample(a, w, w.fault) for a, w in [*injected, *noise]]
    return (
        leakage("errors of offline:noise of the same type", same_type, draw),
        leakage(
            "errors of offline:noise of the same role",
            [_sample(a, w, w.role) for a, w in [*injected, *noise]],
            draw,
        ),
        leakage(
            "errors that the model makes by itself, of the same role",
            [_sample(a, w, w.role) for a, w in [*injected, *own]],
            draw,
        ),
        leakage("all of them, of the same role", [_sample(a, w, w.role) for a, w in every], draw),
    )


def _sample(attempt: Attempt, wrong: WrongStep, kind: str) -> Sample:
    # Envelopes differ between frameworks, so only steps of the same one are compared.
    stratum = f"{attempt.framework} {kind}"
    return Sample(attempt.task, stratum, wrong.text, wrong.source == "injected")


def _discarded(attempts: Sequence[Attempt]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for attempt in attempts:
        if attempt.outcome != KEPT:
            found.setdefault(attempt.cell, Counter())[attempt.outcome] += 1
    return {cell: dict(sorted(counts.items())) for cell, counts in sorted(found.items())}


def _missed(judged: _Judged) -> Missed:
    case, known, told = judged.case, judged.known.families, judged.case.told_families
    if not told:
        cause = f"nothing reported ({case.status})"
    elif known < told:
        cause = "a spurious alternative is reported"
    elif told < known:
        cause = "an alternative is not reported"
    elif all(any(family < other for other in known) for family in told - known):
        cause = "a necessary fault is not reported"
    elif all(any(other < family for other in known) for family in told - known):
        cause = "an unnecessary step is reported"
    else:
        cause = "other steps are reported"
    return Missed(
        framework=judged.attempt.framework,
        task=judged.attempt.task,
        cell=judged.cell,
        faults=judged.attempt.faults,
        known=case.known,
        told=case.told,
        status=case.status,
        cause=cause,
    )
