"""The injection protocol: how well the attributor finds faults that were put in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ossia.adapters import find_adapter
from ossia.attribution.attributor import Attributor
from ossia.attribution.cases import CaseMaker, Clean, Injected
from ossia.attribution.injection import Plant
from ossia.attribution.replayer import open_replayer
from ossia.errors import UserError
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia_dataset.tasks import Task, dataset_hash
from ossia_evaluation.attribution import Recording, supported
from ossia_evaluation.attribution.baselines import Evidence, guesses
from ossia_evaluation.attribution.metrics import (
    Guess,
    Known,
    MethodScore,
    score_method,
    spread,
)
from ossia_evaluation.score import Scorer
from ossia_servers.catalogue import load_domains
from ossia_servers.domain import seeded_random
from ossia_servers.faults import Catalogue, FaultMaker, FaultType
from ossia_servers.offline import OfflineModel

SINGLE, BENIGN, DOUBLE, TRIPLE = "single", "single, harmless beside", "double", "triple"

FRAMEWORKS = ("agentlite", "autogen", "camel", "langgraph")
"""The frameworks of the protocol."""


@dataclass(frozen=True)
class Size:
    """How many cases are wanted of each framework.

    Attributes:
        tasks: clean episodes to put faults into.
        per_type: kept cases of each type of fault.
        beside: kept cases with a harmless fault beside a single one.
        doubles: kept cases with two faults.
        triples: kept cases with three.
    """

    tasks: int
    per_type: int
    beside: int
    doubles: int
    triples: int


QUICK = Size(tasks=6, per_type=1, beside=6, doubles=5, triples=1)
FULL = Size(tasks=60, per_type=12, beside=200, doubles=80, triples=50)


class Missed(BaseModel):
    """A case in which the families were not told exactly."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode: str
    cell: str
    faults: tuple[str, ...]
    known: tuple[tuple[str, ...], ...]
    told: tuple[tuple[str, ...], ...]
    status: str


class Validation(BaseModel):
    """The result of the injection protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    seed: int
    frameworks: tuple[str, ...]
    scores: tuple[MethodScore, ...]
    by_framework: dict[str, MethodScore]
    """The intervention's score over all cells, by framework."""
    discarded: dict[str, int]
    mean_replays: float | None
    p95_replays: float | None
    missed: tuple[Missed, ...]


@dataclass(frozen=True)
class _Done:
    case: Injected
    cell: str
    known: Known
    told: Mapping[str, Guess]
    replays: int
    status: str


@dataclass
class _Bench:
    """One framework's cases, made and attributed in turn."""

    framework: str
    maker: CaseMaker
    seed: int
    gate: asyncio.Semaphore
    watch: Callable[[str], None]
    cleans: list[Clean] = field(default_factory=list)
    harmless: dict[str, list[tuple[Plant, Recording]]] = field(default_factory=dict)
    done: list[_Done] = field(default_factory=list)

    def draw(self, *parts: object) -> Random:
        return seeded_random("validate", self.seed, self.framework, *parts)

    async def clean_up_to(self, tasks: Sequence[Task], wanted: int) -> None:
        for task in tasks:
            if len(self.cleans) == wanted:
                return
            async with self.gate:
                clean = await self.maker.clean(task, self.framework)
            if clean is not None:
                self.cleans.append(clean)

    async def single(self, fault: FaultType, wanted: int) -> None:
        kept = 0
        for clean in self.draw(fault).sample(self.cleans, len(self.cleans)):
            if kept == wanted:
                return
            places = [(r, at) for r, at, possible in clean.plants() if possible is fault]
            if not places:
                continue
            draw = self.draw(fault, clean.task.id)
            role, at = draw.choice(places)
            plant = Plant(role, fault, at, draw.randrange(1000))
            if await self.try_out(clean, (plant,), SINGLE):
                kept += 1

    async def several(self, cell: str, size: int, wanted: int) -> None:
        kept = 0
        for number in range(wanted * 4):
            if kept == wanted or not self.cleans:
                return
            draw = self.draw(cell, number)
            clean = draw.choice(self.cleans)
            plants = _plants(clean, size, draw)
            if len(plants) == size and await self.try_out(clean, plants, cell):
                kept += 1

    async def beside(self, wanted: int) -> None:
        """Put a harmless fault beside single ones that have room for it."""
        kept = 0
        for done in [each for each in self.done if each.cell == SINGLE]:
            if kept == wanted:
                return
            clean, plant = done.case.clean, done.case.plants[0]
            others = [p for p, _ in self.harmless.get(clean.key.id, ()) if p.role != plant.role]
            if others:
                other = self.draw(BENIGN, clean.task.id).choice(others)
                kept += await self.try_out(clean, (plant, other), BENIGN)

    async def try_out(self, clean: Clean, plants: Sequence[Plant], cell: str) -> bool:
        """Make a case and attribute it; returns whether it was kept."""
        async with self.gate:
            made = await self.maker.plant(clean, plants)
            if isinstance(made, Recording) and len(plants) == 1:
                self.harmless.setdefault(clean.key.id, []).append((plants[0], made))
            if not isinstance(made, Injected):
                return False
            found = await self.maker.attribute(made)
        recording = self.maker.recording(made)
        known = Known(made.families, {step.situation: step.index for step in recording.steps})
        # A passing run with the very same fault would tell which of two it is not.
        other = (run for p, run in self.harmless.get(clean.key.id, ()) if p not in plants)
        passing = [clean.recording, *other]
        draw = self.draw("random", clean.task.id, *plants)
        told = guesses(Evidence(recording, passing, found, draw))
        self.done.append(_Done(made, cell, known, told, found.replays, found.status))
        self.watch(f"{clean.key.id} {cell}: {' + '.join(p.fault.value for p in plants)}")
        return True


async def validate(
    home: Path,
    tasks: Sequence[Task],
    *,
    frameworks: Sequence[str] = FRAMEWORKS,
    size: Size = FULL,
    seed: int = 0,
    jobs: int = 4,
    watch: Callable[[str], None] = lambda line: None,
) -> Validation:
    """Run the injection protocol.

    Args:
        home: the folder of Ossia's environments.
        tasks: tasks to choose from; those with several requests are left out.
        frameworks: the frameworks, installed.
        size: how many cases.
        seed: decides on tasks, places and faults.
        jobs: episodes at once.
        watch: is told of each kept case.

    Raises:
        UserError: a framework is not installed.
        WorkerStartError: a framework's worker cannot be started.
    """
    chosen = [task for task in tasks if supported(task)]
    chosen = seeded_random("tasks", seed).sample(chosen, len(chosen))
    async with _makers(home, chosen, frameworks, jobs) as makers:
        gate = asyncio.Semaphore(jobs)
        benches = [_Bench(name, maker, seed, gate, watch) for name, maker in makers.items()]
        await asyncio.gather(*(_run(bench, chosen, size) for bench in benches))
    return _result(benches, seed)


async def _run(bench: _Bench, tasks: Sequence[Task], size: Size) -> None:
    await bench.clean_up_to(tasks, size.tasks)
    for fault in FaultType:
        await bench.single(fault, size.per_type)
    await bench.beside(size.beside)
    await bench.several(DOUBLE, 2, size.doubles)
    await bench.several(TRIPLE, 3, size.triples)


@asynccontextmanager
async def _makers(
    home: Path, tasks: Sequence[Task], frameworks: Sequence[str], jobs: int
) -> AsyncIterator[dict[str, CaseMaker]]:
    infos = {name: find_adapter(name, home) for name in frameworks}
    lacking = [name for name, info in infos.items() if not info.installed]
    if lacking:
        names = " ".join(lacking)
        raise UserError(f"not installed: {names}; run `ossia adapter install {names}` first")
    domains = load_domains()
    scorer = Scorer(domains)
    config = RunConfig(
        suite="assistant",
        tasks="validate",
        dataset_hash=dataset_hash(tasks),
        task_ids=tuple(task.id for task in tasks),
        frameworks=tuple(FrameworkVersion(name=n, source=i.digest) for n, i in infos.items()),
        models=("offline",),
    )
    workers = {name: info.worker for name, info in infos.items()}
    by_id = {task.id: task for task in tasks}
    faults, model = FaultMaker(Catalogue.of(domains)), OfflineModel.load()
    async with open_replayer(config, by_id, domains, workers, jobs=jobs) as replayer:
        attributor = Attributor(replayer, scorer, domains)
        yield {name: CaseMaker(replayer, scorer, attributor, faults, model) for name in frameworks}


def _plants(clean: Clean, size: int, draw: Random) -> tuple[Plant, ...]:
    """Draw faults of different roles that have a place in an episode."""
    left = list(clean.plants())
    plants: list[Plant] = []
    while left and len(plants) < size:
        role, at, fault = draw.choice(left)
        plants.append(Plant(role, fault, at, draw.randrange(1000)))
        left = [each for each in left if each[0] != role]
    return tuple(plants)


def _result(benches: Sequence[_Bench], seed: int) -> Validation:
    done = [each for bench in benches for each in bench.done]
    methods = tuple(done[0].told) if done else ()
    cells = [c for c in (SINGLE, BENIGN, DOUBLE, TRIPLE) if any(d.cell == c for d in done)]
    discarded: dict[str, int] = {}
    for bench in benches:
        for reason, count in bench.maker.discards.counts.items():
            discarded[reason] = discarded.get(reason, 0) + count
    replays = spread(each.replays for each in done)
    return Validation(
        seed=seed,
        frameworks=tuple(bench.framework for bench in benches),
        scores=tuple(
            score_method(method, cell, [(d.known, d.told[method]) for d in done if d.cell == cell])
            for cell in cells
            for method in methods
        ),
        by_framework={
            bench.framework: score_method(
                "intervention", "all", [(d.known, d.told["intervention"]) for d in bench.done]
            )
            for bench in benches
        },
        discarded=dict(sorted(discarded.items())),
        mean_replays=replays.mean,
        p95_replays=replays.p95,
        missed=tuple(
            _missed(each)
            for each in done
            if each.told["intervention"].families != each.known.families
        ),
    )


def _missed(done: _Done) -> Missed:
    told = done.told["intervention"].families or frozenset()
    return Missed(
        episode=done.case.clean.key.id,
        cell=done.cell,
        faults=tuple(plant.fault.value for plant in done.case.plants),
        known=tuple(sorted(tuple(sorted(family)) for family in done.known.families)),
        told=tuple(sorted(tuple(sorted(family)) for family in told)),
        status=done.status,
    )
