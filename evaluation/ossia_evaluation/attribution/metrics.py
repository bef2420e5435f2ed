"""How well a method names the causes of failures whose causes are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia_evaluation.attribution.families import Family
from ossia_evaluation.rows import Share, share
from ossia_evaluation.stats import percentile


def role_of_situation(situation: str) -> str:
    """Return the role of a moment such as `url#2` or `manager@intent`."""
    return situation.partition("@")[0].partition("#")[0]


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
        return tuple(dict.fromkeys(map(role_of_situation, self.steps))) or self.roles


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
        return frozenset(map(role_of_situation, self.steps))


class MethodScore(BaseModel):
    """One method over one group of failures with known causes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
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
    family_exact: Share
    """All minimal repair families are told, and no other; only of methods that tell families."""
    coverage: Share
    """Failures about which something is said."""
    false_blame: Share
    """Controls for which a role is blamed all the same."""


def score_method(method: str, cell: str, cases: Sequence[tuple[Known, Guess]]) -> MethodScore:
    """Score a method; controls count for false blame alone.

    Args:
        method: its name.
        cell: the name of the group of failures.
        cases: what is known, and what the method says.
    """
    real = [(known, guess) for known, guess in cases if known.families]
    controls = [guess for known, guess in cases if not known.families]
    told = [(known, guess) for known, guess in real if guess.families is not None]
    named = sum(len(guess.named) for _, guess in real)
    true = sum(len(known.roles) for known, _ in real)
    right = sum(len(known.roles & set(guess.named)) for known, guess in real)
    precision = right / named if named else None
    recall = right / true if true else None
    return MethodScore(
        method=method,
        cell=cell,
        cases=len(real),
        agent_top1=_hits(real, lambda k, g: bool(g.named) and g.named[0] in k.roles),
        step_exact=_hits(real, lambda k, g: bool(g.steps) and g.steps[0] in k.steps),
        step_near=_hits(real, _near),
        precision=precision,
        recall=recall,
        f1=_f1(precision, recall),
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


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None or precision + recall == 0:
        return None
    return 2 * precision * recall / (precision + recall)
