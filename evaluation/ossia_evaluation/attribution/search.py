"""The search for minimal repair families, over real replays.

The candidates are the steps that deviate; they grow from the counterfactual runs, since a repair
may bring steps to light that had not worked before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from ossia_evaluation.attribution.director import EVERYTHING, Repair
from ossia_evaluation.attribution.families import Family, hitting_sets, minimal

MANY = 10
"""More deviations than this are not tried one by one, but halved."""

MAX_SIZE = 3
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
    """The plain replay succeeds."""
    FRAMEWORK = "framework"
    """An exception or a limit that a run without any deviation also hits."""
    UNSUPPORTED = "unsupported"
    """The roles of the task have no single oracle."""


@dataclass(frozen=True)
class Rerun:
    """What came of one replay.

    Attributes:
        success: whether the verdict was a success.
        deviations: the steps that still leave their contract, in order.
        broke: whether it ended in an exception, a limit or a timeout.
    """

    success: bool
    deviations: tuple[str, ...] = ()
    broke: bool = False


Replay = Callable[[Repair], Awaitable[Rerun]]
"""Runs the episode again under a repair."""

Watch = Callable[[Repair, Rerun], None]
"""Is told of each replay when it has ended."""


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


class _Spent(Exception):
    """The budget of replays is spent."""


@dataclass
class _Search:
    first: Rerun
    replay: Replay
    max_size: int
    budget: int
    watch: Watch | None
    runs: dict[Repair, Rerun] = field(default_factory=dict)
    families: list[Family] = field(default_factory=list)

    async def run(self, repair: Repair) -> Rerun:
        """Replay, unless the outcome is known already."""
        known = self.runs.get(repair) or self._closed(repair)
        if known is not None:
            return known
        if len(self.runs) >= self.budget:
            raise _Spent
        found = self.runs[repair] = await self.replay(repair)
        if self.watch is not None:
            self.watch(repair, found)
        return found

    def _closed(self, repair: Repair) -> Rerun | None:
        """A run in which nothing but the excepted steps deviated is the run with all but them."""
        if not repair.all_but:
            return None
        for other, run in self.runs.items():
            alike = not other.all_but and not other.situations & repair.situations
            if alike and set(run.deviations) <= repair.situations:
                return run
        return None

    async def breadth_first(self) -> bool:
        """Try sets by size; returns whether the list of families is complete."""
        frontier: list[tuple[Family, Rerun]] = [(frozenset(), self.first)]
        seen: set[Family] = set()
        for size in range(1, self.max_size + 1):
            todo = self._candidates(frontier, seen)
            if not todo or (size > 1 and not await self._more(len(todo))):
                return True
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
        return not self._candidates(frontier, seen) or not await self._more(len(frontier))

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
        """Whether there can be further families: some repair that leaves all known ones broken."""
        sets = hitting_sets(self.families)
        if len(sets) > pending:
            return True
        for hitting in sets:
            run = await self.run(Repair(hitting, all_but=True))
            if run.success:
                return True
        return False

    async def halving(self) -> bool:
        """Find families by QuickXplain until none is left; returns whether all were found."""
        while True:
            for hitting in hitting_sets(self.families):
                if (await self.run(Repair(hitting, all_but=True))).success:
                    family = await self._one(hitting)
                    if family is None:
                        return False
                    self.families.append(family)
                    break
            else:
                return True

    async def _one(self, avoided: Family) -> Family | None:
        """Return one minimal family without some steps (U. Junker, "QuickXplain", 2004)."""
        steps, run = [s for s in self.first.deviations if s not in avoided], self.first
        # Repairs may bring further deviations to light; they are candidates as well.
        while True:
            run = await self.run(Repair(frozenset(steps)))
            new = [s for s in run.deviations if s not in avoided and s not in steps]
            if run.success:
                break
            if not new:
                return None
            steps += new
        return await self._explain(frozenset(), tuple(steps), tried=False)

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
    watch: Watch | None = None,
) -> Found:
    """Search the minimal repair families of a failed episode.

    Args:
        first: the failed episode as it was recorded.
        replay: runs it again under a repair.
        max_size: most steps repaired together.
        budget: most replays.
        watch: is told of each replay.

    Returns:
        What was found; with a spent budget, what was found until then.
    """
    state = _Search(first, replay, max_size, budget, watch)
    halved, spent = len(first.deviations) > MANY, False
    try:
        if (await state.run(Repair())).success:
            return Found(Status.FLAKY, replays=len(state.runs))
        complete = await (state.halving() if halved else state.breadth_first())
    except _Spent:
        complete, spent = False, True
    families = minimal(state.families)
    if families:
        return Found(
            Status.ATTRIBUTED, families, len(state.runs), complete, _decisive(first, families)
        )
    try:
        clean: Rerun | None = await state.run(EVERYTHING)
    except _Spent:
        clean, complete, spent = None, False, True
    return Found(
        _without_family(clean),
        replays=len(state.runs),
        complete=complete,
        tried=sum(bool(repair.situations) and not repair.all_but for repair in state.runs),
        spent=spent,
        halved=halved,
        all_helps=None if clean is None else clean.success,
    )


def _without_family(clean: Rerun | None) -> Status:
    """The status of a search that found no family, by the run with everything repaired."""
    if clean is None or clean.success:
        return Status.UNREPAIRED
    return Status.FRAMEWORK if clean.broke else Status.SUSPECT


def _decisive(first: Rerun, families: tuple[Family, ...]) -> str | None:
    alone = {step for family in families if len(family) == 1 for step in family}
    return next((step for step in first.deviations if step in alone), None)
