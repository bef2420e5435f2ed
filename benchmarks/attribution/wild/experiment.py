"""The protocol of wild faults in one framework: its cases, made and attributed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks.attribution.attempts import KEPT
from benchmarks.attribution.record_log import RecordLog
from benchmarks.attribution.wild.altering import Said
from benchmarks.attribution.wild.cases import CleanEpisode, Dropped, WildMaker
from benchmarks.attribution.wild.changes import KINDS, MANAGER, Change, fits
from benchmarks.attribution.wild.material import Material
from benchmarks.attribution.wild.messages import shown
from benchmarks.attribution.wild.records import (
    CLEAN,
    DOUBLE,
    SINGLE,
    Changed,
    WildAttempt,
    WildSize,
)
from ossia_dataset.randomness import seeded_random
from ossia_dataset.world_tasks import WorldTask

_SEEDS = 1_000_000


@dataclass
class WildExperiment:
    """One framework's part of the protocol.

    Attributes:
        framework: its name.
        maker: makes and attributes cases.
        log: keeps every attempt; what it holds already is not tried again.
        seed: decides on tasks, steps and changes.
        jobs: episodes at once.
        cleans: the episodes whose answers are changed.
    """

    framework: str
    maker: WildMaker
    log: RecordLog[WildAttempt]
    seed: int
    jobs: int = 2
    cleans: list[CleanEpisode] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing running."""
        self._gate = asyncio.Semaphore(self.jobs)

    async def run(self, tasks: Sequence[WorldTask], size: WildSize) -> None:
        """Make and attribute all cases.

        Args:
            tasks: tasks to choose from, in the order of choice.
            size: how many cases are wanted.
        """
        await self._find_cleans(tasks, size.tasks)
        if not self.cleans:
            return
        await asyncio.gather(*(self._singles(kind, size) for kind in KINDS))
        await self._doubles(size)

    def _draw(self, *parts: object) -> Random:
        return seeded_random("wild", self.seed, *parts)

    async def _find_cleans(self, tasks: Sequence[WorldTask], wanted: int) -> None:
        for task in tasks:
            if len(self.cleans) == wanted:
                return
            found = await self.maker.clean(task, self.framework)
            if isinstance(found, CleanEpisode):
                self.cleans.append(found)
            outcome = found.reason if isinstance(found, Dropped) else KEPT
            self._keep(f"{CLEAN}|{task.id}", CLEAN, task.id, outcome)

    async def _singles(self, kind: str, size: WildSize) -> None:
        kept = 0
        for number in range(size.per_kind * size.tries):
            if kept >= size.per_kind:
                return
            draw = self._draw(kind, number)
            clean = draw.choice(self.cleans)
            change = self._drawn(kind, clean, draw)
            if change is not None:
                kept += await self._try(SINGLE, clean, (change,))

    async def _doubles(self, size: WildSize) -> None:
        async def lane(first: int) -> None:
            kept = 0
            for number in range(first, size.doubles * size.tries, self.jobs):
                if kept >= -(-size.doubles // self.jobs):
                    return
                draw = self._draw(DOUBLE, number)
                clean = draw.choice(self.cleans)
                one, other = (self._drawn(kind, clean, draw) for kind in draw.sample([*KINDS], 2))
                if one is not None and other is not None and one.situation != other.situation:
                    kept += await self._try(DOUBLE, clean, (one, other))

        await asyncio.gather(*(lane(first) for first in range(self.jobs)))

    def _drawn(self, kind: str, clean: CleanEpisode, draw: Random) -> Change | None:
        """Draw a change of a kind in an episode, each role being as likely as any other."""
        seed = draw.randrange(_SEEDS)
        by_role: dict[str, list[Change]] = {}
        for said in clean.said:
            change = Change(*said.place, kind, seed)
            if fits(kind, said.role) and change.of(said.message, self.material(clean, said)):
                by_role.setdefault(said.role, []).append(change)
        if not by_role:
            return None
        return draw.choice(by_role[draw.choice(sorted(by_role))])

    def material(self, clean: CleanEpisode, place: Said) -> Material:
        """Return what a change of an answer may draw on."""
        others = [each for each in self.cleans if each.task.id != clean.task.id]
        said = [each for other in others for each in other.said]
        before = clean.said[: clean.said.index(place)]
        return Material(
            alike=tuple(e.message for e in said if _alike(e, place)),
            earlier=tuple(e.message for e in before if _of_same(e, place)),
            sentences=tuple(shown(e.message) for e in said if e.role != MANAGER),
        )

    async def _try(self, cell: str, clean: CleanEpisode, changes: Sequence[Change]) -> bool:
        """Make a case and attribute it; returns whether it was kept."""
        key = f"{cell}|{clean.task.id}|{'+'.join(map(str, changes))}"
        known = self.log.find(key)
        if known is not None:
            return known.outcome == KEPT
        places = {said.place: said for said in clean.said}
        materials = {c: self.material(clean, places[c.situation, c.call]) for c in changes}
        async with self._gate:
            made = await self.maker.change(clean, changes, materials)
            if isinstance(made, Dropped):
                self._keep(key, cell, clean.task.id, made.reason, made.changes)
                return False
            case = await self.maker.attribute(clean, made)
        attempt = self._attempt(key, cell, clean.task.id, KEPT)
        self.log.add(attempt.model_copy(update={"changes": made.changes, "case": case}))
        return True

    def _keep(
        self, key: str, cell: str, task: str, outcome: str, changes: tuple[Changed, ...] = ()
    ) -> None:
        if self.log.find(key) is None:
            attempt = self._attempt(key, cell, task, outcome)
            self.log.add(attempt.model_copy(update={"changes": changes}))

    def _attempt(self, key: str, cell: str, task: str, outcome: str) -> WildAttempt:
        return WildAttempt(key=key, framework=self.framework, task=task, cell=cell, outcome=outcome)


def _alike(one: Said, other: Said) -> bool:
    """Whether two answers are of the same role, at the same call of its turn.

    A manager's answers at different moments are of different kinds in some frameworks.
    """
    if one.role == MANAGER:
        return one.place == other.place
    return one.role == other.role and one.place[1] == other.place[1]


def _of_same(one: Said, other: Said) -> bool:
    """Whether two answers are of the manager, or of the same step of a member."""
    if other.role == MANAGER:
        return one.role == MANAGER
    return one.place[0] == other.place[0]
