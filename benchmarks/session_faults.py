"""Whether the attributor finds faults that were planted in conversations.

`python -m benchmarks.session_faults [--suite flowbench-team] [--framework NAME] [--each N]`

A player that knows the gold run of each session plays a team, and a user talks with it; one or two
of them do something else in a known way, once. What is to blame is known by real runs without it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.faulty_sessions import (
    FRAMEWORK,
    KINDS,
    LOST,
    FaultyTeam,
    Gold,
    Planted,
    Play,
)
from benchmarks.planting import plant, without
from ossia.adapters import find_adapter, ossia_home
from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import open_replayer, open_runner
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.suites import find_suite
from ossia.suites.flowbench import TEAMS
from ossia.worker import WorkerSpec
from ossia_dataset.flowbench.sessions import SessionTask
from ossia_dataset.tasks import dataset_hash
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.flowbench.attribution.course import Course
from ossia_evaluation.flowbench.gold import shipped_golds
from ossia_evaluation.flowbench.session_grader import SessionGrader
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.stats import wilson
from ossia_servers.trace import EpisodeKey, Trace, UserTurn
from ossia_workflows.flowbench import AGENT, PLANNER, TeamKind

FORGETFUL: Final = "forgetful"
"""The control, which keeps nothing of earlier turns."""

_TRIES: Final = 20


@dataclass(frozen=True)
class Case:
    """A failed episode with planted faults, and what the attributor says of it.

    Attributes:
        faults: What was planted, with the names of their steps.
        truth: The sets of steps whose faults, left out in real runs, make it a success; least ones.
        found: What the attributor says.
    """

    faults: Mapping[str, Planted]
    truth: frozenset[frozenset[str]]
    found: Attribution

    @property
    def told(self) -> frozenset[frozenset[str]]:
        """The families that the attributor names."""
        return frozenset(map(frozenset, self.found.families))

    @property
    def step(self) -> bool:
        """Whether the first family that is named is a true one."""
        return bool(self.found.families) and frozenset(self.found.families[0]) in self.truth

    @property
    def exonerated(self) -> frozenset[str]:
        """Faulty steps that every repair needs and that are named in none."""
        needed = frozenset.intersection(*self.truth)
        return needed - frozenset(chain.from_iterable(self.told))

    @property
    def blamed(self) -> frozenset[str]:
        """Steps that are named and have no fault."""
        return frozenset(chain.from_iterable(self.told)) - frozenset(self.faults)


def step_names(gold: Gold) -> list[str]:
    """Return the attributor's names of the gold run's turns."""
    course, said = Course(gold.session, shipped_golds()), list[UserTurn]()
    names = []
    for turn in gold.turns:
        names.append(course.stage.name)
        said.append(UserTurn(user=turn.user, answer=turn.answer))
        course.hear(said)
    return names


def step_of(fault: Planted, names: Sequence[str], decider: str) -> str:
    """Return the attributor's name of the step that makes a fault."""
    if fault.kind == LOST:
        return f"{FRAMEWORK}@{decider}>{names[fault.turn]}"
    return f"{fault.role}@{names[fault.turn]}"


class Bench:
    """Plants faults in one framework and has them attributed."""

    def __init__(self, framework: str, kind: TeamKind, team: FaultyTeam) -> None:
        """Take what plays."""
        self._framework, self._team = framework, team
        self._decider = AGENT if kind is TeamKind.AGENT else PLANNER
        self._grader = SessionGrader(shipped_golds())
        self._number = 0
        self._faultless: dict[str, asyncio.Task[bool]] = {}
        self.dropped = Counter[str]()
        """Why plans came to no case."""

    async def case(
        self, runner: EpisodeRunner, attributor: Attributor, gold: Gold, faults: Sequence[Planted]
    ) -> Case | None:
        """Return a case; None where the faults do no harm, or one of them nothing at all."""
        trace, grade, left_traces = await self._run(runner, gold, faults)
        if grade.verdict is not Verdict.FAILURE:
            self.dropped["do no harm"] += 1
            return None
        if left_traces != set(faults):
            self.dropped["have a fault without a trace"] += 1
            return None
        names = step_names(gold)
        steps = {step_of(fault, names, self._decider): fault for fault in faults}
        truth: list[frozenset[str]] = []
        for size in range(1, len(steps) + 1):
            for removed in combinations(steps, size):
                if any(known <= frozenset(removed) for known in truth):
                    continue
                left = without(faults, [steps[step] for step in removed])
                if await self._succeeds(runner, gold, left):
                    truth.append(frozenset(removed))
        if not truth:
            self.dropped["fail without faults"] += 1
            return None
        found = await attributor.attribute(gold.session, trace, grade)
        return Case(steps, frozenset(truth), found)

    async def _succeeds(self, runner: EpisodeRunner, gold: Gold, faults: Sequence[Planted]) -> bool:
        """Whether a session succeeds; without a fault it is played once for all cases."""

        async def won() -> bool:
            _, grade, _ = await self._run(runner, gold, faults)
            return grade.verdict is Verdict.SUCCESS

        if faults:
            return await won()
        known = self._faultless.get(gold.session.id)
        if known is None:
            known = self._faultless[gold.session.id] = asyncio.create_task(won())
        return await known

    async def _run(
        self, runner: EpisodeRunner, gold: Gold, faults: Sequence[Planted]
    ) -> tuple[Trace, Grade, set[Planted]]:
        self._number += 1
        task = gold.session.id
        name = f"{self._framework}.{task}.{self._number}"
        play = self._team.plays[name] = Play(gold, faults)
        key = EpisodeKey(
            id=name, task=task, framework=self._framework, model=self._team.name, repeat=1
        )
        trace = await runner.run(key, play)
        return trace, self._grader.score(gold.session, trace), play.traces


def _worker(framework: str, home: Path) -> tuple[WorkerSpec, str]:
    info = find_adapter("control" if framework == FORGETFUL else framework, home)
    if framework != FORGETFUL:
        return info.worker, info.digest
    here = Path(__file__).resolve().parent
    paths = (here / FORGETFUL, *(here.parent / "adapters" / name for name in ("sdk", "control")))
    switches = {"PYTHONPATH": ":".join(map(str, paths))}
    python = info.worker.python
    return WorkerSpec(python=python, entry="forgetful:ADAPTER", switches=switches), info.digest


def _plans(
    kind: TeamKind, framework: str, golds: Sequence[Gold], draw: Random, each: int
) -> Iterator[tuple[Gold, tuple[Planted, ...]]]:
    """Every kind of fault of every role so often, and as many pairs."""
    single = [(role, fault) for role, faults in KINDS[kind].items() for fault in faults]
    if framework == FORGETFUL:
        single = [(AGENT if kind is TeamKind.AGENT else PLANNER, LOST)]
    wanted: list[tuple[tuple[str, str], ...]] = [(one,) for one in single]
    pairs = list(combinations(single, 2))
    wanted += draw.sample(pairs, min(len(wanted), len(pairs)))
    for kinds in wanted * each:
        for _ in range(_TRIES):
            gold = draw.choice(golds)
            made = [plant(role, fault, gold, draw) for role, fault in kinds]
            places = {(fault.role, fault.turn) for fault in made if fault is not None}
            if all(made) and len(places) == len(made):
                yield gold, tuple(fault for fault in made if fault is not None)
                break


async def run(
    suite_name: str, framework: str, home: Path, *, each: int, seed: int, jobs: int
) -> tuple[list[Case], Mapping[str, int]]:
    """Plant every kind of fault in every role so often, and pairs of them, and attribute each.

    Returns the cases, and how many plans came to none, by the reason.
    """
    suite, kind = find_suite(suite_name), TEAMS[suite_name]
    sessions: Sequence[SessionTask] = suite.tasks("test")
    draw, found = Random(f"{seed}-{suite_name}-{framework}"), list[Case]()
    golds = [Gold(session) for session in draw.sample([*sessions], 60)]
    by_id = {gold.session.id: gold.session for gold in golds}
    worker, source = _worker(framework, home)
    team, domains = FaultyTeam(kind), suite.domains("test")
    config = RunConfig(
        suite=suite_name,
        tasks="planted",
        dataset_hash=dataset_hash([*by_id.values()]),
        task_ids=tuple(by_id),
        frameworks=(FrameworkVersion(name=framework, source=source),),
        models=(team.name,),
        limits=suite.limits(),
        budget=suite.budget(),
    )
    workers, gate = {framework: worker}, asyncio.Semaphore(jobs)
    bench = Bench(framework, kind, team)
    async with (
        open_runner(config, by_id, domains, workers, team, jobs=jobs) as (runner, _),
        open_replayer(config, by_id, domains, workers, jobs=jobs) as replayer,
    ):
        assert suite.contracts is not None
        attributor = Attributor(replayer, suite.grader(domains), suite.contracts(domains))

        async def one(gold: Gold, faults: Sequence[Planted]) -> None:
            async with gate:
                case = await bench.case(runner, attributor, gold, faults)
            if case is not None:
                found.append(case)

        plans = _plans(kind, framework, golds, draw, each)
        await asyncio.gather(*(one(gold, faults) for gold, faults in plans))
    return found, bench.dropped


def told(name: str, cases: Sequence[Case]) -> Iterator[str]:
    """Yield the figures of some cases, and each miss, in lines."""
    for size in (1, 2):
        yield _figures(f"{name}, {size} planted", [c for c in cases if len(c.faults) == size])
    yield _figures(f"{name}, 1 or 2 planted", cases)
    kinds: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for fault in case.faults.values() if len(case.faults) == 1 else ():
            kinds[f"{fault.role}: {fault.kind}"].append(case)
    for kind, some in sorted(kinds.items()):
        yield _figures(f"  {kind}", some)
    for case in cases:
        if case.told != case.truth:
            sets = [[sorted(family) for family in each] for each in (case.truth, case.told)]
            faults = [[f.role, f.kind, f.turn, f.about, f.name] for f in case.faults.values()]
            yield f"  miss: {json.dumps([case.found.task, faults, *sets])} {case.found.status}"


def _figures(name: str, cases: Sequence[Case]) -> str:
    replays = sum(case.found.replays for case in cases) / max(1, len(cases))
    shares = {
        "families exact": [case.told == case.truth for case in cases],
        "role and step": [case.step for case in cases],
        "false exonerations": [bool(case.exonerated) for case in cases],
        "false blame": [bool(case.blamed) for case in cases],
    }
    parts = [f"{what} {_share(sum(each), len(cases))}" for what, each in shares.items()]
    return f"{name}: {len(cases)} cases, {', '.join(parts)}, {replays:.1f} replays each"


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count} [{100 * low:.1f}, {100 * high:.1f}]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and print its figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.session_faults", description=__doc__
    )
    suites = [name for name in TEAMS if find_suite(name).contracts is not None]
    parser.add_argument("--suite", action="append", choices=suites, help="repeatable; default: all")
    parser.add_argument(
        "--framework",
        "-f",
        action="append",
        help=f"repeatable; default: control; `{FORGETFUL}` is the control without a memory",
    )
    parser.add_argument("--each", type=int, default=3, help="cases of each kind of each role")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4, help="episodes at once")
    options = parser.parse_args(arguments)
    home, missed = ossia_home(os.environ), 0
    for suite in options.suite or suites:
        for name in options.framework or ["control"]:
            cases, dropped = asyncio.run(
                run(suite, name, home, each=options.each, seed=options.seed, jobs=options.jobs)
            )
            print("\n".join(told(f"{suite}, {name}", cases)))
            reasons = ", ".join(f"{count} {why}" for why, count in sorted(dropped.items()))
            print(f"  no case: {reasons or 'none'}", flush=True)
            missed += sum(case.told != case.truth for case in cases)
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
