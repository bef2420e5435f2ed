"""The search for minimal repair families, over real replays.

Steps that are seen to deviate are tried first; they grow from the counterfactual runs, since a
repair may bring steps to light that had not worked before. What is seen only orders the search:
that there is no other family is said only after every other step has really been answered as its
contract demands, and where that helps, the search goes over all steps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ossia_evaluation.attribution.families import Family, hitting_sets, minimal
from ossia_evaluation.attribution.repairs import EVERYTHING, Repair

MANY = 10
"""More deviations than this are not tried one by one, but halved."""

MAX_SIZE = 3
MOST_FAMILIES = 8
"""So many families are enough to tell; whether there are more is left open then."""
BUDGET = 64


class Status(StrEnum):
    """How an attribution ended."""

    ATTRIBUTED = "attributed"
    UNREPAIRED = "unrepaired"
    """No repair that was tried helps, though repairing everything does; also where the budget of
    replays was spent before that was known."""
    SUSPECT = "gold_or_server_suspect"
    """Repairing everything still fails: the task or a server is at fault."""
    FLAKY = "flaky"
    """The recorded answers, all of them and no others, have given a success twice."""
    LIMIT = "limit"
    """A limit ended the episode: calls, tokens or seconds. There may be causes all the same."""
    REFUSED = "refused"
    """The endpoint refused a request, and the episode ended. There may be causes all the same."""
    ENDPOINT = "endpoint"
    """The endpoint gave no answer to a call, and the episode ended there."""
    FRAMEWORK = "framework"
    """An exception or a limit that a run without any deviation also hits."""
    SERVICE = "service"
    """A fault struck a service in the episode: no role is blamed, and nothing is replayed."""
    UNSUPPORTED = "unsupported"
    """The roles of the task have no single oracle."""


@dataclass(frozen=True)
class Rerun:
    """What came of one replay.

    Attributes:
        success: whether the verdict was a success.
        deviations: the steps that still leave their contract, in order.
        broke: whether it ended in an exception, a limit or a timeout.
        steps: all steps that have answered, the likeliest causes first.
        imputed: the steps that were answered rightly although nothing was recorded of them.
    """

    success: bool
    deviations: tuple[str, ...] = ()
    broke: bool = False
    steps: tuple[str, ...] = ()
    imputed: tuple[str, ...] = ()


Replay = Callable[[Repair], Awaitable[Rerun]]
"""Runs the episode again under a repair."""


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        status: how it ended.
        families: the minimal repair sets, in the order in which they were found.
        replays: how many episodes were run.
        complete: whether no other family of the searched size can exist, provided that a repair
            never does harm.
        decisive: the earliest step whose repair alone helps, or None.
        tried: how many repairs of chosen steps were run.
        spent: whether the budget of replays ended the search.
        halved: whether all deviating steps were repaired at once, as there are many, and not small
            sets of them.
        all_helps: whether repairing every step turns the failure; None where that was not tried.
        astray: whether the plain replay succeeded in asking what had not been recorded.
        imputed: for a family, the steps that its success assumes to have answered rightly,
            although nothing was recorded of them.
    """

    status: Status
    families: tuple[Family, ...] = ()
    replays: int = 0
    complete: bool = True
    decisive: str | None = None
    tried: int = 0
    spent: bool = False
    halved: bool = False
    all_helps: bool | None = None
    astray: bool = False
    imputed: Mapping[Family, tuple[str, ...]] = field(default_factory=dict)


class _Spent(Exception):
    """The budget of replays is spent."""


@dataclass
class _Search:
    first: Rerun
    replay: Replay
    max_size: int
    budget: int
    runs: dict[Repair, Rerun] = field(default_factory=dict)
    made: int = 0
    families: list[Family] = field(default_factory=list)

    async def run(self, repair: Repair) -> Rerun:
        """Replay, unless the outcome is known already."""
        known = self.runs.get(repair)
        return known if known is not None else await self.again(repair)

    async def again(self, repair: Repair) -> Rerun:
        """Replay, whether or not an outcome is known already."""
        if self.made >= self.budget:
            raise _Spent
        self.made += 1
        found = self.runs[repair] = await self.replay(repair)
        return found

    async def breadth_first(self) -> None:
        """Try sets of steps that are seen to deviate, by size, for as long as they can hold one."""
        frontier: list[tuple[Family, Rerun]] = [(frozenset(), self.first)]
        seen: set[Family] = set()
        for size in range(1, self.max_size + 1):
            todo = self._candidates(frontier, seen)
            if not todo or (size > 1 and not await self._more(len(todo))):
                return
            following = []
            for candidate in todo:
                if any(known <= candidate for known in self.families):
                    continue
                run = await self.run(Repair(candidate))
                if run.success:
                    self.families.append(candidate)
                else:
                    following.append((candidate, run))
            frontier = following

    def _candidates(self, frontier: list[tuple[Family, Rerun]], seen: set[Family]) -> list[Family]:
        found = []
        for chosen, run in frontier:
            for step in run.deviations:
                grown = chosen | {step}
                old = step in chosen or grown in seen
                if not old and not any(known <= grown for known in self.families):
                    seen.add(grown)
                    found.append(grown)
        return found

    async def _more(self, pending: int) -> bool:
        """Whether there can be further families among the steps that are seen to deviate.

        They are repaired together, but for some that leave all known families broken.
        """
        sets = hitting_sets(self.families)
        if len(sets) > pending:
            return True
        runs = (self.first, *self.runs.values())
        seen = frozenset(step for run in runs for step in run.deviations)
        for hitting in sets:
            if (await self.run(Repair(seen - hitting))).success:
                return True
        return False

    async def halving(self) -> bool:
        """Find families by QuickXplain until none is left; returns whether all were found."""
        while len(self.families) < MOST_FAMILIES:
            for hitting in hitting_sets(self.families):
                if (await self.run(Repair(hitting, all_but=True))).success:
                    family = await self._one(hitting)
                    if family is None:
                        return False
                    self.families.append(family)
                    break
            else:
                return True
        return False

    def imputed(self, family: Family) -> tuple[str, ...]:
        """Return the steps that a family's success assumes to have answered rightly."""
        run = self.runs.get(Repair(family))
        return () if run is None else run.imputed

    async def _one(self, avoided: Family) -> Family | None:
        """Return one minimal family without some steps (U. Junker, "QuickXplain", 2004)."""
        every = dict.fromkeys((*self.first.deviations, *self.first.steps))
        steps, run = [s for s in every if s not in avoided], self.first
        # Repairs may bring further deviations to light; they are candidates as well.
        while True:
            run = await self.run(Repair(frozenset(steps)))
            new = [s for s in run.deviations if s not in avoided and s not in steps]
            if run.success:
                break
            if not new:
                return None
            steps += new
        family = await self._explain(frozenset(), tuple(steps), tried=False)
        # A repair may do harm beside others: only what helps by itself is a family.
        return family if (await self.run(Repair(family))).success else None

    async def _explain(self, base: Family, steps: tuple[str, ...], *, tried: bool) -> Family:
        if tried and (await self.run(Repair(base))).success:
            return frozenset()
        if len(steps) == 1:
            return frozenset(steps)
        half = len(steps) // 2
        left, right = steps[:half], steps[half:]
        second = await self._explain(base | set(left), right, tried=True)
        first = await self._explain(base | second, left, tried=bool(second))
        return first | second


async def search(
    first: Rerun,
    replay: Replay,
    *,
    max_size: int = MAX_SIZE,
    budget: int = BUDGET,
    ended: Status | None = None,
) -> Found:
    """Search the minimal repair families of a failed episode.

    Args:
        first: the failed episode as it was recorded.
        replay: runs it again under a repair.
        max_size: most steps repaired together.
        budget: most replays.
        ended: `LIMIT`, `REFUSED` or `ENDPOINT` where it was ended so; None for any other end.

    Returns:
        What was found; with a spent budget, what was found until then.
    """
    state = _Search(first, replay, max_size, budget)
    halved, spent = len(first.deviations) > MANY, False
    try:
        unrepeated = await _unrepeated(state, ended)
        if unrepeated is not None:
            return unrepeated
        if not halved:
            await state.breadth_first()
        complete = await state.halving()
    except _Spent:
        complete, spent = False, True
    return _found(state, ended, complete=complete, spent=spent, halved=halved)


def _found(
    state: _Search, ended: Status | None, *, complete: bool, spent: bool, halved: bool
) -> Found:
    """What a search that has come to its end has found."""
    families = minimal(state.families)
    if families:
        return Found(
            ended or Status.ATTRIBUTED,
            families,
            state.made,
            complete,
            _decisive(state.first, families),
            imputed={family: state.imputed(family) for family in families},
        )
    clean = state.runs.get(EVERYTHING)
    return Found(
        ended or _without_family(clean),
        replays=state.made,
        complete=complete,
        tried=sum(bool(repair.situations) and not repair.all_but for repair in state.runs),
        spent=spent,
        halved=halved,
        all_helps=None if clean is None else clean.success,
    )


async def _unrepeated(state: _Search, ended: Status | None) -> Found | None:
    """What there is to say where the episode succeeds when it is played again; else None."""
    plain = await state.run(Repair())
    if not plain.success:
        return None
    if ended is not None:
        return Found(ended, replays=state.made)
    again = await state.again(Repair())
    if not again.success:
        return None
    if plain.imputed or again.imputed:
        return Found(Status.UNREPAIRED, replays=state.made, complete=False, astray=True)
    return Found(Status.FLAKY, replays=state.made)


def _without_family(clean: Rerun | None) -> Status:
    """The status of a search that found no family, by the run with everything repaired."""
    if clean is None or clean.success:
        return Status.UNREPAIRED
    return Status.FRAMEWORK if clean.broke else Status.SUSPECT


def _decisive(first: Rerun, families: tuple[Family, ...]) -> str | None:
    alone = {step for family in families if len(family) == 1 for step in family}
    return next((step for step in first.deviations if step in alone), None)
