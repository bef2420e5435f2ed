"""The injection protocol in one framework: its cases, made and attributed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from benchmarks.attribution.attempts import (
    BESIDE,
    CLEAN,
    DOUBLE,
    DOUBLE_BESIDE,
    KEPT,
    NOISE,
    PAIRED,
    SINGLE,
    TRIPLE,
    Attempt,
    AttemptLog,
    Case,
    Size,
    WrongStep,
)
from benchmarks.attribution.cases import CaseMaker, Clean, Injected, Noisy, Rejected, Structure
from benchmarks.attribution.controls import Controls
from benchmarks.attribution.fault_pairs import aimed, has_room
from benchmarks.attribution.fault_records import (
    case_of,
    draw_faults,
    drawn_beside,
    faults_of,
    faults_text,
    harmless_faults,
    injected_steps,
    noise_steps,
    own_steps,
    said_in,
)
from benchmarks.attribution.injection import InjectedFault
from ossia.attribution.evidence import ReplayInvalid
from ossia_dataset.randomness import seeded_random
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.grade import Verdict
from ossia_servers.assistant.offline.faults import FaultType

_TRIES_OF_STRUCTURE = 12
"""Attempts for each double case of a structure that comes about by chance too seldom."""

_HOPELESS = 8
"""A type of fault that did no harm in so many episodes is given up."""


@dataclass
class Experiment:
    """One framework's part of the protocol.

    Attributes:
        framework: its name.
        maker: makes and attributes cases.
        controls: makes failures of which nobody is to blame.
        log: keeps every attempt; what it holds already is not tried again.
        seed: decides on tasks, places and faults.
        jobs: episodes at once.
        cleans: the episodes that faults are put into.
    """

    framework: str
    maker: CaseMaker
    controls: Controls
    log: AttemptLog
    seed: int
    jobs: int = 2
    cleans: list[Clean] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing running."""
        self._gate = asyncio.Semaphore(self.jobs)

    async def run(self, tasks: Sequence[WorldTask], size: Size) -> None:
        """Make and attribute all cases.

        Args:
            tasks: tasks to choose from, in the order of choice.
            size: how many cases are wanted.
        """
        await self._find_cleans(tasks, size.tasks)
        await self.controls.plain(self.cleans, size.controls)
        types = self._draw("types").sample([*FaultType], size.types)
        # In two passes, so that a protocol that is cut short has enough of every kind.
        for part in dict.fromkeys((size.half, size)):
            await self._all(self._singles(fault, part.per_type) for fault in types)
            pairs = combinations(PAIRED, 2)
            await self._all(self._doubles(pair, part.per_pair, part.tries) for pair in pairs)
            await self._structured(Structure.JOINT, part.joint)
            await self._structured(Structure.MASKING, part.masking)
            await self.controls.deviating(self.cleans, part.blamable)
            await self._triples(part.triples, part.tries)
            await self._beside(SINGLE, BESIDE, part.beside)
            await self._beside(DOUBLE, DOUBLE_BESIDE, -(-part.beside // 4))
            await self._all(self._noise(level, part.noisy) for level in NOISE)

    async def _all(self, lanes: Iterable[Awaitable[None]]) -> None:
        await asyncio.gather(*lanes)

    def _draw(self, *parts: object) -> Random:
        # The framework is no part: all frameworks meet the same faults as far as they can.
        return seeded_random("validate", self.seed, *parts)

    async def _find_cleans(self, tasks: Sequence[WorldTask], wanted: int) -> None:
        for task in tasks:
            if len(self.cleans) == wanted:
                return
            found = await self.maker.clean(task, self.framework)
            if isinstance(found, Clean):
                self.cleans.append(found)
                steps, outcome = said_in(found.recording), KEPT
                self._keep(CLEAN, task.id, CLEAN, outcome, success=True, steps=steps)
            else:
                wrong = () if found.recording is None else own_steps(found.recording)
                self._keep(CLEAN, task.id, CLEAN, found.reason, wrong=wrong)

    async def _singles(self, kind: FaultType, wanted: int) -> None:
        kept = tried = 0
        order = self._draw(kind).sample(self.cleans, len(self.cleans))
        for clean in order:
            if kept == wanted or (not kept and tried == _HOPELESS):
                return
            places = [(r, at) for r, at, possible in clean.possible_faults() if possible is kind]
            if places:
                draw = self._draw(kind, clean.task.id)
                role, at = draw.choice(places)
                fault = InjectedFault(role, kind, at, draw.randrange(1000))
                tried += 1
                kept += await self._inject(SINGLE, clean, (fault,))

    async def _doubles(self, roles: tuple[str, str], wanted: int, tries: int) -> None:
        kept = 0
        able = [
            c for c in self.cleans if set(roles) <= {role for role, _, _ in c.possible_faults()}
        ]
        for number in range(wanted * tries if able else 0):
            if kept == wanted:
                return
            draw = self._draw(DOUBLE, *roles, number)
            clean = draw.choice(able)
            faults = draw_faults(clean, roles, draw)
            kept += await self._inject(DOUBLE, clean, faults)

    async def _structured(self, structure: Structure, wanted: int) -> None:
        """Try faults that are likely to depend on each other in a way, until there are enough."""

        def made() -> int:
            cases = [attempt.case for attempt in self.log if attempt.cell == DOUBLE]
            return sum(case is not None and case.structure == structure for case in cases)

        for number in range(wanted * _TRIES_OF_STRUCTURE):
            if made() >= wanted:
                return
            draw = self._draw(DOUBLE, structure, number)
            able = [c for c in self.cleans if has_room(structure, c, self.maker.fault_maker)]
            if able:
                clean = draw.choice(able)
                faults = aimed(structure, clean, self.maker.fault_maker, draw)
                await self._inject(DOUBLE, clean, faults)

    async def _triples(self, wanted: int, tries: int) -> None:
        async def lane(first: int) -> None:
            kept = 0
            for number in range(first, wanted * tries, self.jobs):
                if kept >= -(-wanted // self.jobs):
                    return
                draw = self._draw(TRIPLE, number)
                clean = draw.choice(self.cleans)
                able = sorted({role for role, _, _ in clean.possible_faults()} & set(PAIRED))
                roles = draw.sample(able, min(3, len(able)))
                if len(roles) == 3:
                    faults = draw_faults(clean, sorted(roles, key=PAIRED.index), draw)
                    kept += await self._inject(TRIPLE, clean, faults)

        if self.cleans:
            await self._all(lane(first) for first in range(self.jobs))

    async def _beside(self, cell: str, named: str, wanted: int) -> None:
        """Put harmless faults beside those of cases that have room for them."""
        cleans = {clean.task.id: clean for clean in self.cleans}
        harmless = harmless_faults(self.log)
        done = [a for a in self.log if a.cell == cell and a.outcome == KEPT and a.task in cleans]
        done.sort(key=lambda attempt: self._draw(named, attempt.key).random())

        async def lane(first: int) -> None:
            kept = 0
            for attempt in done[first :: self.jobs]:
                if kept >= -(-wanted // self.jobs):
                    return
                faults = faults_of(attempt)
                busy = {fault.role for fault in faults}
                draw = self._draw(named, attempt.key)
                beside = drawn_beside(harmless.get(attempt.task, ()), busy, draw)
                if beside:
                    both = (*faults, *beside)
                    kept += await self._inject(named, cleans[attempt.task], both)

        await self._all(lane(first) for first in range(self.jobs))

    async def _noise(self, level: float, wanted: int) -> None:
        kept = 0
        for number in range(3):
            for clean in self.cleans:
                if kept == wanted:
                    return
                seed = self._draw("noise", level, number).randrange(1_000_000)
                kept += await self._noisy(level, clean, seed)

    async def _noisy(self, level: float, clean: Clean, seed: int) -> bool:
        name = f"{clean.task.id}|{seed}"
        known = self.log.find(f"{NOISE[level]}|{name}")
        if known is None:
            async with self._gate:
                noisy = await self.maker.noisy(clean, level, seed)
                found = await self._attributed(noisy.made)
            self._keep_case(NOISE[level], name, noisy.made, found, clean, noisy)
            return found is not None
        return known.outcome == KEPT

    async def _inject(self, cell: str, clean: Clean, faults: Sequence[InjectedFault]) -> bool:
        """Make a case and attribute it; returns whether it was kept."""
        name = f"{clean.task.id}|{faults_text(faults)}"
        known = self.log.find(f"{cell}|{name}")
        if known is None:
            async with self._gate:
                made = await self.maker.inject(clean, faults)
                found = await self._attributed(made)
            self._keep_case(cell, name, made, found, clean)
            kept = found is not None
        else:
            kept = known.outcome == KEPT
        # Two faults of which one does no harm are a single one; they are kept, but not counted.
        absorbed = cell == DOUBLE and self._structure(f"{cell}|{name}") == Structure.ABSORBED
        return kept and not absorbed

    def _structure(self, key: str) -> str:
        known = self.log.find(key)
        return known.case.structure if known is not None and known.case is not None else ""

    async def _attributed(self, made: Injected | Rejected) -> Attribution | None:
        if isinstance(made, Rejected):
            return None
        try:
            return await self.maker.attribute(made.clean.task, made.trace, made.score)
        except ReplayInvalid:
            return None

    def _keep_case(
        self,
        cell: str,
        name: str,
        made: Injected | Rejected,
        found: Attribution | None,
        clean: Clean,
        noisy: Noisy | None = None,
    ) -> None:
        recording, wrong = made.recording, noise_steps(noisy)
        case = None
        faults: tuple[str, ...] = ()
        if isinstance(made, Injected) and found is not None:
            case = case_of(made.families, found, made.structure)
            faults = tuple(fault.type.value for fault in made.faults)
            wrong = wrong or injected_steps(made)
        valid = KEPT if found is not None else Verdict.INVALID.value
        outcome = made.reason if isinstance(made, Rejected) else valid
        success = made.success if isinstance(made, Rejected) else False
        self._keep(
            cell,
            name,
            cell,
            outcome,
            task=clean.task.id,
            faults=faults,
            success=None if recording is None else success,
            steps=() if recording is None else said_in(recording),
            wrong=wrong,
            case=case,
        )

    def _keep(
        self,
        prefix: str,
        name: str,
        cell: str,
        outcome: str,
        *,
        task: str = "",
        faults: tuple[str, ...] = (),
        success: bool | None = None,
        steps: tuple[tuple[str, str], ...] = (),
        wrong: tuple[WrongStep, ...] = (),
        case: Case | None = None,
    ) -> None:
        key = f"{prefix}|{name}"
        if self.log.find(key) is None:
            self.log.add(
                Attempt(
                    key=key,
                    framework=self.framework,
                    task=task or name,
                    cell=cell,
                    faults=faults,
                    outcome=outcome,
                    success=success,
                    steps=steps,
                    wrong=wrong,
                    case=case,
                )
            )
