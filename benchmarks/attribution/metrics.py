"""How well a method names the causes of failures whose causes are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.attribution.families import Family, responsibility
from ossia_evaluation.attribution.received import role_in
from ossia_evaluation.rows import Share, share
from ossia_evaluation.stats import Interval, mcnemar_exact, percentile

RESAMPLES = 200
"""Bootstrap samples behind an interval that has no closed form."""

BINS = 10
"""Equal bins of the expected calibration error."""


@dataclass(frozen=True)
class Guess:
    """What a method says of one failure.

    Attributes:
        steps: the steps that it names, the likeliest first; empty when it says nothing.
        families: minimal repair families, from methods that tell them.
        roles: the roles that it names, where it names no steps.
    """

    steps: tuple[str, ...] = ()
    families: frozenset[Family] | None = None
    roles: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The roles that are named, the likeliest first."""
        return tuple(dict.fromkeys(map(role_in, self.steps))) or self.roles


@dataclass(frozen=True)
class Known:
    """A failure whose causes are known.

    Attributes:
        families: its minimal repair families; none for a control, where nobody is to be blamed.
        places: position of each step in the episode, by situation.
    """

    families: frozenset[Family]
    places: dict[str, int]

    @property
    def steps(self) -> frozenset[str]:
        """The steps that are causes."""
        return frozenset(step for family in self.families for step in family)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the causes."""
        return frozenset(map(role_in, self.steps))


class MethodScore(BaseModel):
    """One method over one group of failures with known causes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[2] = 2
    method: str
    cell: str
    cases: int
    agent_top1: Share
    step_exact: Share
    step_near: Share
    """The first named step is a cause, or next to one."""
    precision: float | None
    recall: float | None
    f1: float | None
    """Precision, recall and F1 of the set of roles, over all named and all true roles."""
    f1_low: float | None
    f1_high: float | None
    """95 % bootstrap interval of F1, over the cases."""
    family_exact: Share
    """All minimal repair families are told, and no other; only of methods that tell families."""
    coverage: Share
    """Failures about which something is said."""
    false_blame: Share
    """Controls for which a role is blamed all the same."""


def score_method(
    method: str, cell: str, cases: Sequence[tuple[Known, Guess]], draw: Random
) -> MethodScore:
    """Score a method; controls count for false blame alone.

    Args:
        method: its name.
        cell: the name of the group of failures.
        cases: what is known, and what the method says.
        draw: decides on the bootstrap samples.
    """
    real = [(known, guess) for known, guess in cases if known.families]
    controls = [guess for known, guess in cases if not known.families]
    told = [(known, guess) for known, guess in real if guess.families is not None]
    counts = [(len(g.named), len(k.roles), len(k.roles & set(g.named))) for k, g in real]
    precision, recall, f1 = _rates(counts)
    interval = _bootstrap(counts, draw)
    return MethodScore(
        method=method,
        cell=cell,
        cases=len(real),
        agent_top1=_hits(real, lambda k, g: bool(g.named) and g.named[0] in k.roles),
        step_exact=_hits(real, lambda k, g: bool(g.steps) and g.steps[0] in k.steps),
        step_near=_hits(real, _near),
        precision=precision,
        recall=recall,
        f1=f1,
        f1_low=None if interval is None else interval.low,
        f1_high=None if interval is None else interval.high,
        family_exact=_hits(told, lambda k, g: g.families == k.families),
        coverage=_hits(real, lambda k, g: bool(g.named)),
        false_blame=share(sum(bool(guess.named) for guess in controls), len(controls)),
    )


@dataclass(frozen=True)
class Spread:
    """Mean and 95th percentile of a count."""

    mean: float | None
    p95: float | None


def spread(values: Iterable[int]) -> Spread:
    """Return mean and 95th percentile; both None without values."""
    found = list(values)
    if not found:
        return Spread(None, None)
    return Spread(sum(found) / len(found), percentile([float(v) for v in found], 0.95))


def _hits(cases: Sequence[tuple[Known, Guess]], hit: Callable[[Known, Guess], bool]) -> Share:
    return share(sum(hit(known, guess) for known, guess in cases), len(cases))


def _near(known: Known, guess: Guess) -> bool:
    if not guess.steps:
        return False
    place = known.places.get(guess.steps[0])
    causes = [known.places[step] for step in known.steps if step in known.places]
    return guess.steps[0] in known.steps or (
        place is not None and any(abs(place - cause) <= 1 for cause in causes)
    )


def _rates(
    counts: Sequence[tuple[int, int, int]],
) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1 over the named, true and rightly named roles of each case."""
    named, true, right = (sum(each[n] for each in counts) for n in range(3))
    precision = right / named if named else None
    recall = right / true if true else None
    f1 = 2 * right / (named + true) if precision is not None and recall is not None else None
    return precision, recall, f1


def _bootstrap(counts: Sequence[tuple[int, int, int]], draw: Random) -> Interval | None:
    if not counts:
        return None
    found = []
    for _ in range(RESAMPLES):
        f1 = _rates(draw.choices(counts, k=len(counts)))[2]
        if f1 is not None:
            found.append(f1)
    low, high = percentile(found, 0.025), percentile(found, 0.975)
    return None if low is None or high is None else Interval(low, high)


class Pair(BaseModel):
    """Two methods on the same cases, by whether the first named role is a cause."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cell: str
    first: str
    second: str
    only_first: int
    only_second: int
    p: float
    """Two-sided p-value of the exact McNemar test."""


def compare(
    cell: str,
    first: tuple[str, Sequence[Guess]],
    second: tuple[str, Sequence[Guess]],
    known: Sequence[Known],
) -> Pair:
    """Compare two methods case by case.

    Args:
        cell: the name of the group of failures.
        first: a method's name, and what it says of each case.
        second: the same of another method.
        known: the truth of each case.

    Raises:
        ValueError: the lists are not of the same length.
    """
    only_first = only_second = 0
    for truth, one, other in zip(known, first[1], second[1], strict=True):
        hit, hit_too = ((bool(g.named) and g.named[0] in truth.roles) for g in (one, other))
        only_first += hit and not hit_too
        only_second += hit_too and not hit
    p = mcnemar_exact(only_first, only_second)
    return Pair(
        cell=cell,
        first=first[0],
        second=second[0],
        only_first=only_first,
        only_second=only_second,
        p=p,
    )


class Calibration(BaseModel):
    """Whether the told responsibility is the true one, over all roles that worked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    roles: int
    """Roles of all cases together."""
    brier: float | None
    """Mean squared difference of the told and the true share of responsibility."""
    ece: float | None
    """Mean distance between told and true share in bins of the told share, by size."""


def shares_of(families: Iterable[Family]) -> dict[str, float]:
    """Return each role's share of the responsibility of a failure; the shares sum to one."""
    parts = responsibility(tuple(families))
    total = sum(parts.values())
    found: dict[str, float] = {}
    for step, part in parts.items():
        role = role_in(step)
        found[role] = found.get(role, 0.0) + part / total
    return found


def calibration(cases: Iterable[tuple[Known, frozenset[Family]]]) -> Calibration:
    """Compare told with true responsibility.

    Args:
        cases: what is known, and the families that are told.
    """
    pairs: list[tuple[float, float]] = []
    for known, families in cases:
        said, true = shares_of(families), shares_of(known.families)
        worked = {role_in(step) for step in known.places}
        pairs += [(said.get(r, 0.0), true.get(r, 0.0)) for r in sorted(worked | {*said, *true})]
    if not pairs:
        return Calibration(roles=0, brier=None, ece=None)
    bins: dict[int, list[tuple[float, float]]] = {}
    for pair in pairs:
        bins.setdefault(min(BINS - 1, int(pair[0] * BINS)), []).append(pair)
    off = sum(abs(sum(p for p, _ in each) - sum(t for _, t in each)) for each in bins.values())
    return Calibration(
        roles=len(pairs),
        brier=sum((p - t) ** 2 for p, t in pairs) / len(pairs),
        ece=off / len(pairs),
    )
