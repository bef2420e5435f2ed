"""Whether the attributor finds faults that were planted in plans.

`python -m benchmarks.plan_faults GOLDS [--executed]`

A player that knows the gold plans plays a planning team; one or two of its roles change plans in a
known way. It knows plans as words and pairs of words, and shares nothing with the contracts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from random import Random
from typing import Any, Final

import networkx as nx

from benchmarks.planted import KINDS, MEMBERS, Gold, Planted, Sheet, plant
from ossia.adapters import find_adapter, ossia_home
from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import open_replayer, open_runner
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.episode import EpisodeRunner
from ossia.suites import find_suite
from ossia.suites.worfbench import plan_executor
from ossia_dataset.tasks import dataset_hash
from ossia_dataset.worfbench.tasks import PlanTask
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.worfbench.grader import PlanGrader
from ossia_evaluation.worfbench.plan import parse_published
from ossia_servers.gateway.models import Completion, ModelCall, completion_of
from ossia_servers.trace import EpisodeKey, Trace
from ossia_servers.wire.conversation import read_conversation
from ossia_servers.wire.envelope import present
from ossia_servers.wire.routing import present_choice
from ossia_servers.wire.turns import staffing
from ossia_workflows.worfbench import DECOMPOSER, LINKER, MANAGER

SUITE: Final = "worfbench-team"
_PROSE: Final = "I am sorry, this cannot be planned."


class FaultyTeam:
    """Plays the team of an episode with its faults."""

    name = "faulty"

    def __init__(self, golds: Mapping[str, Gold], *, calls: bool) -> None:
        """Take the nodes and edges of each task's gold plan, and whether its nodes are calls."""
        self._golds, self._calls = golds, calls
        self.plays: dict[str, tuple[str, Sequence[Planted]]] = {}
        self.traces: dict[str, set[str]] = {}
        self._sheets: dict[str, Sheet] = {}
        self._asked: Counter[str] = Counter()

    async def complete(self, call: ModelCall) -> Completion:
        """Answer as the role that is asked."""
        task, faults = self.plays[call.episode]
        mine = [fault for fault in faults if fault.role == call.role]
        asked = read_conversation(call.request, MEMBERS)
        if call.role == MANAGER:
            return completion_of(self._manage(call.episode, asked, mine))
        nodes, edges = self._golds[task]
        sheet = self._sheets.get(call.episode)
        if call.role == DECOMPOSER or sheet is None:
            numbered = {str(at): words for at, words in enumerate(nodes, 1)}
            sheet = Sheet(list(nodes), called=numbered if self._calls else {})
        sheet = sheet.copy()
        if call.role == LINKER:
            # A call is told by what it does, also where an argument is wrong.
            named = {words: sheet.called.get(str(at), words) for at, words in enumerate(nodes, 1)}
            closed = nx.transitive_closure_dag(nx.relabel_nodes(nx.DiGraph(edges), named))
            whole = nx.transitive_reduction(closed.subgraph(sheet.nodes))
            sheet.edges = set(whole.edges)
        if call.role == DECOMPOSER:
            sheet.edges = None
        right = sheet.text()
        if any(fault.kind == "unparsable" for fault in mine):
            # Whoever comes next builds on what was there before.
            self.traces.setdefault(call.episode, set()).add(call.role)
            return completion_of(present(asked, _PROSE))
        for fault in mine:
            sheet.apply(fault)
        self._sheets[call.episode] = sheet
        if sheet.text() != right:
            self.traces.setdefault(call.episode, set()).add(call.role)
        return completion_of(present(asked, sheet.text()))

    def _manage(self, episode: str, asked: Any, faults: Sequence[Planted]) -> Mapping[str, Any]:
        order = list(MEMBERS)
        for fault in faults:
            if fault.kind == "skips":
                order.remove(fault.about[0])
            else:
                at = order.index(fault.about[0])
                order[at : at + 2] = reversed(order[at : at + 2])
        staffed = staffing(asked, order)
        if staffed is not None:
            return staffed
        turn = self._asked[episode]
        self._asked[episode] += 1
        if turn < len(order):
            return present_choice(asked, order[turn])
        sheet = self._sheets.get(episode)
        return present_choice(asked, None, answer=sheet.text() if sheet else "")


@dataclass(frozen=True)
class Case:
    """A failed episode with planted faults, and what the attributor says of it.

    Attributes:
        faults: What was planted.
        truth: The sets of faults whose removal, in real runs, makes it a success; least ones.
        found: What the attributor says.
    """

    faults: tuple[Planted, ...]
    truth: frozenset[frozenset[str]]
    found: Attribution

    @property
    def told(self) -> frozenset[frozenset[str]]:
        """The families that the attributor names; of a manager, the role alone."""
        return frozenset(frozenset(map(_short, family)) for family in self.found.families)

    @property
    def exonerated(self) -> frozenset[str]:
        """Faulty steps that every repair needs and that are named in none."""
        needed = frozenset.intersection(*self.truth)
        return needed - frozenset(chain.from_iterable(self.told))

    @property
    def blamed(self) -> frozenset[str]:
        """Steps that are named and have no fault."""
        return frozenset(chain.from_iterable(self.told)) - {_short(f.step) for f in self.faults}


def _short(step: str) -> str:
    return MANAGER if step.startswith(MANAGER) else step


class Bench:
    """Plants faults in one framework and has them attributed."""

    def __init__(self, framework: str, team: FaultyTeam, tasks: Mapping[str, PlanTask]) -> None:
        """Take what plays and what is played."""
        self._framework, self._team, self._tasks = framework, team, tasks
        self._grader = PlanGrader(plan_executor())
        self._number = 0

    async def case(
        self, runner: EpisodeRunner, attributor: Attributor, task: str, faults: tuple[Planted, ...]
    ) -> Case | None:
        """Return a case; None where the faults do no harm, or one of them nothing at all."""
        trace, grade = await self._run(runner, task, faults)
        left_traces = self._team.traces.get(trace.episode.id, set()) | {MANAGER}
        if grade.verdict is not Verdict.FAILURE or {f.role for f in faults} - left_traces:
            return None
        truth: list[frozenset[str]] = []
        for size in range(1, len(faults) + 1):
            for removed in combinations(faults, size):
                names = frozenset(_short(fault.step) for fault in removed)
                if any(known <= names for known in truth):
                    continue
                left = tuple(fault for fault in faults if fault not in removed)
                _, without = await self._run(runner, task, left)
                if without.verdict is Verdict.SUCCESS:
                    truth.append(names)
        found = await attributor.attribute(self._tasks[task], trace, grade)
        return Case(faults, frozenset(truth), found) if truth else None

    async def _run(
        self, runner: EpisodeRunner, task: str, faults: Sequence[Planted]
    ) -> tuple[Trace, Grade]:
        self._number += 1
        name = f"{self._framework}.{task}.{self._number}"
        self._team.plays[name] = task, faults
        key = EpisodeKey(
            id=name, task=task, framework=self._framework, model=self._team.name, repeat=1
        )
        trace = await runner.run(key)
        return trace, self._grader.score(self._tasks[task], trace)


def _golds(tasks: Sequence[PlanTask]) -> dict[str, Gold]:
    """Gold plans of 3 to 9 different nodes without a cycle."""
    found: dict[str, Gold] = {}
    for task in tasks:
        plan = parse_published(task.workflow)
        nodes = [] if plan is None else [plan.nodes[at] for at in plan.tasks]
        if plan is None or not 3 <= len(nodes) <= 9 or len({*nodes}) < len(nodes):
            continue
        pairs = [(plan.nodes[a], plan.nodes[b]) for a, b in plan.edges if b < len(plan.nodes)]
        inner: Any = nx.DiGraph((a, b) for a, b in pairs if a in nodes and b in nodes)
        inner.add_nodes_from(nodes)
        if nx.is_directed_acyclic_graph(inner):
            found[task.id] = (nodes, set(nx.transitive_reduction(inner).edges))
    return found


async def run(
    framework: str, tasks: Sequence[PlanTask], home: Path, *, each: int, seed: int, jobs: int
) -> list[Case]:
    """Plant every kind of fault in every role so often, and pairs of them, and attribute each."""
    golds, by_id = _golds(tasks), {task.id: task for task in tasks}
    calls = all(task.environment is not None for task in tasks)
    info, suite = find_adapter(framework, home), find_suite(SUITE)
    team = FaultyTeam(golds, calls=calls)
    domains = suite.domains("")
    config = RunConfig(
        suite=SUITE,
        tasks="planted",
        dataset_hash=dataset_hash(tasks),
        task_ids=tuple(by_id),
        frameworks=(FrameworkVersion(name=framework, source=info.digest),),
        models=(team.name,),
    )
    draw, found = Random(f"{seed}-{framework}"), list[Case]()
    single = [(role, kind) for role in KINDS for kind in KINDS[role]]
    if calls:
        single += [(role, "wrong argument") for role in MEMBERS]
    wanted: list[tuple[tuple[str, str], ...]] = [(one,) for one in single]
    pairs = [pair for pair in combinations(single, 2) if pair[0][0] != pair[1][0]]
    wanted += draw.sample(pairs, len(wanted))
    plans: list[tuple[str, tuple[Planted, ...]]] = []
    for kinds in wanted * each:
        for _ in range(20):
            task = draw.choice(sorted(golds))
            made = [plant(role, kind, *golds[task], draw) for role, kind in kinds]
            if all(made):
                plans.append((task, tuple(fault for fault in made if fault is not None)))
                break
    workers, gate = {framework: info.worker}, asyncio.Semaphore(jobs)
    bench = Bench(framework, team, by_id)
    async with (
        open_runner(config, by_id, domains, workers, team, jobs=jobs) as (runner, _),
        open_replayer(config, by_id, domains, workers, jobs=jobs) as replayer,
    ):
        assert suite.contracts is not None
        attributor = Attributor(replayer, PlanGrader(plan_executor()), suite.contracts(domains))

        async def one(task: str, faults: tuple[Planted, ...]) -> None:
            async with gate:
                case = await bench.case(runner, attributor, task, faults)
            if case is not None:
                found.append(case)

        await asyncio.gather(*(one(task, faults) for task, faults in plans))
    return found


def told(framework: str, cases: Sequence[Case]) -> str:
    """Return the figures of some cases, and each miss, in lines."""
    lines = []
    for size in (1, 2):
        some = [case for case in cases if len(case.faults) == size]
        exact = sum(case.told == case.truth for case in some)
        freed = sum(bool(case.exonerated) for case in some)
        false = sum(bool(case.blamed) for case in some)
        replays = sum(case.found.replays for case in some) / max(1, len(some))
        lines.append(
            f"{framework}, {size} planted: {len(some)} cases, families exact {exact},"
            f" false exonerations {freed}, false blame {false}, {replays:.1f} replays each"
        )
    for case in cases:
        if case.told != case.truth:
            sets = [[sorted(family) for family in each] for each in (case.truth, case.told)]
            faults = [[fault.role, fault.kind, *fault.about] for fault in case.faults]
            found = case.found
            lines.append(f"  miss: {json.dumps([found.task, faults, *sets])} {found.status}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan_faults", description=__doc__)
    parser.add_argument(
        "golds", help="a copy of WorFBench, its folder `gold_traj`, or a set's name"
    )
    parser.add_argument(
        "--executed", action="store_true", help="tasks with a world, not those without"
    )
    parser.add_argument("--framework", "-f", action="append", help="repeatable; default: control")
    parser.add_argument("--each", type=int, default=3, help="cases of each kind in each role")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4, help="episodes at once")
    options = parser.parse_args(arguments)
    given, home = find_suite(SUITE).tasks(options.golds), ossia_home(os.environ)
    tasks = [task for task in given if (task.environment is not None) == options.executed]
    missed = 0
    for name in options.framework or ["control"]:
        cases = asyncio.run(
            run(name, tasks, home, each=options.each, seed=options.seed, jobs=options.jobs)
        )
        print(told(name, cases), flush=True)
        missed += sum(case.told != case.truth for case in cases)
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
