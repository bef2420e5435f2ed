"""Whether `ossia attribute` names role, step and type of the faults of a stressed run.

`python -m benchmarks.stress_causes [--plan NAME] [--seed N] [--limit N] [--each N] [-f NAME]`

It plays a fault plan, keeps the episodes that fail with a fault and succeed without, and has them
attributed with all that tells of the fault taken away: the record of what was injected, its name,
and the mark of the calls that it hit. Then it lays what was told beside that record.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import ossia
from benchmarks.planted_faults import Struck, strikes
from ossia.adapters import ossia_home
from ossia.attribution.attributor import Attributor
from ossia.attribution.evidence import ReplayInvalid
from ossia.attribution.replayer import open_replayer, worker_specs
from ossia.attribution.run import contracts_of
from ossia.run_plan import tasks_of
from ossia.runner.plan import baseline_of
from ossia.runner.store import RunStore
from ossia.runner.stress import roles_of
from ossia.suites import find_suite
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.attribution.received import role_in
from ossia_evaluation.grade import Grade, Verdict
from ossia_evaluation.model_signs import model_signs
from ossia_evaluation.stats import wilson
from ossia_servers.trace import Trace

SUITE: Final = "assistant"
NOISE: Final = "offline:noise=0.1"
"""Errs by itself: its failures have a cause, and no fault."""
TRUNCATION: Final = ("cut", "truncated", "broken-arguments")


@dataclass(frozen=True)
class Case:
    """A failure by a fault, and what is told of it.

    Attributes:
        trace: The episode, as it was stored.
        hits: What was injected, with the steps that it hit and the kinds that make the same bytes.
        found: What the attributor tells.
    """

    trace: Trace
    hits: Sequence[Struck]
    found: Attribution

    @property
    def kind(self) -> str:
        """The kind of the fault."""
        return self.trace.injected[0].kind

    @property
    def told(self) -> frozenset[str]:
        """The steps of the first family."""
        return frozenset(self.found.families[0]) if self.found.families else frozenset()

    @property
    def role(self) -> bool:
        """Whether only roles are told whose calls were hit."""
        hit = {role_in(one.step) for one in self.hits}
        return bool(self.told) and {role_in(step) for step in self.told} <= hit

    @property
    def step(self) -> bool:
        """Whether only steps are told that were hit."""
        return bool(self.told) and self.told <= {one.step for one in self.hits}

    @property
    def exact(self) -> bool:
        """Whether the type is told by the name of the fault."""
        return self.found.type == self.kind

    @property
    def type(self) -> bool:
        """Whether the type told makes the very bytes that came."""
        return self.exact or any(self.found.type in one.same for one in self.hits)


def stripped(trace: Trace, number: int) -> Trace:
    """Return an episode without anything that tells of a fault but what went over the wire."""
    key = trace.episode
    name = f"{key.framework}.{key.task}.{number}"
    exchanges = tuple(
        one.model_copy(update={"status": "abandoned"}) if one.status == "injected" else one
        for one in trace.gateway.exchanges
    )
    return trace.model_copy(
        update={
            "episode": key.model_copy(update={"id": name, "fault": ""}),
            "gateway": trace.gateway.model_copy(update={"exchanges": exchanges, "episode": name}),
            "injected": (),
        }
    )


def failures_of(folder: Path) -> tuple[list[tuple[Trace, Grade]], list[tuple[Trace, Grade]], int]:
    """Return the failures by a model's fault, the episodes without one, and how many it struck.

    Only episodes count whose pair without the fault succeeds.

    Args:
        folder: where a stressed run is stored.
    """
    with RunStore(folder) as store:
        episodes = {trace.episode.id: (trace, grade) for trace, grade in store.readable_episodes()}
    by_fault, calm, struck = [], [], 0
    for trace, grade in episodes.values():
        if not trace.episode.fault:
            calm.append((trace, grade))
            continue
        pair = episodes.get(baseline_of(trace.episode))
        if not trace.injected or trace.injected[0].where == "service" or pair is None:
            continue
        if pair[1].verdict is Verdict.SUCCESS and grade.verdict is not Verdict.INVALID:
            struck += 1
            if grade.verdict is Verdict.FAILURE:
                by_fault.append((trace, grade))
    return by_fault, calm, struck


def _drawn(
    failures: Sequence[tuple[Trace, Grade]], each: int, seed: int
) -> list[tuple[Trace, Grade]]:
    """At most so many of each framework and kind."""
    groups: defaultdict[tuple[str, str], list[tuple[Trace, Grade]]] = defaultdict(list)
    for trace, grade in sorted(failures, key=lambda one: one[0].episode.id):
        groups[trace.episode.framework, trace.injected[0].kind].append((trace, grade))
    draw = Random(f"{seed}-cases")
    return [one for group in groups.values() for one in draw.sample(group, min(each, len(group)))]


async def attributed(
    folder: Path, home: Path, failures: Sequence[tuple[Trace, Grade]], jobs: int
) -> list[tuple[Trace, Attribution, Any]]:
    """Attribute failures, each stripped, and return them with what was injected.

    Args:
        folder: where their run is stored.
        home: the folder of environments.
        failures: the failures.
        jobs: how many at once.

    Raises:
        UserError: an adapter of the run is not as it was.
    """
    with RunStore(folder) as store:
        config = store.config()
    suite, tasks = find_suite(config.suite), tasks_of(config)
    domains = suite.domains(config.tasks)
    grader, contracts = suite.grader(domains), contracts_of(config, domains)
    workers, gate = worker_specs(config, home), asyncio.Semaphore(jobs)
    found: list[tuple[Trace, Attribution, Any]] = []
    async with open_replayer(config, tasks, domains, workers, jobs=jobs) as replayer:
        attributor = Attributor(replayer, grader, contracts)

        async def one(number: int, trace: Trace) -> None:
            async with gate:
                task, bare = tasks[trace.episode.task], stripped(trace, number)
                try:
                    told = await attributor.attribute(task, bare, grader.score(task, bare))
                except ReplayInvalid as error:
                    print(f"not attributed: {trace.episode.id}: {error}", flush=True)
                    return
                team = roles_of(suite.team(task, domains))
                recording = contracts.episode(task, bare).recording
                found.append((trace, told, strikes(trace, bare, recording, team)))

        await asyncio.gather(*(one(n, trace) for n, (trace, _) in enumerate(failures, 1)))
    return found


def table(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the figures of cases, by type, as lines of a table in Markdown."""
    yield "| fault | n | role | step | type | by its name |"
    yield "| --- | --- | --- | --- | --- | --- |"
    kinds = sorted({case.kind for case in cases})
    groups: dict[str, Sequence[Case]] = {
        f"`{kind}`": [case for case in cases if case.kind == kind] for kind in kinds
    }
    for name in sorted({case.trace.episode.framework for case in cases}):
        groups[name] = [case for case in cases if case.trace.episode.framework == name]
    cut = [case for case in cases if case.kind in TRUNCATION]
    groups["truncation"] = cut
    groups["all but truncation"] = [case for case in cases if case not in cut]
    groups["all"] = cases
    for name, some in groups.items():
        if some:
            shares = [[getattr(case, what) for case in some] for what in _COLUMNS]
            yield f"| {name} | {len(some)} | {' | '.join(map(_share, shares))} |"


_COLUMNS: Final = ("role", "step", "type", "exact")


def _share(hits: Sequence[bool]) -> str:
    low, high = wilson(sum(hits), len(hits))
    return f"{100 * sum(hits) / len(hits):.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def misses(cases: Sequence[Case]) -> Iterator[str]:
    """Yield each case whose step or type is told wrongly."""
    for case in cases:
        if not (case.step and case.type):
            hit = sorted({one.step for one in case.hits})
            told = " + ".join(sorted(case.told)) or "nothing"
            yield (
                f"  {case.trace.episode.id}: hit {', '.join(hit)}; told {told},"
                f" {case.found.type or 'no type'}, {case.found.status}"
            )


def _controls(name: str, traces: Sequence[Trace], found: Sequence[Attribution]) -> str:
    signed = sum(bool(model_signs(trace)) for trace in traces)
    blamed = sum(any(cause.sign for cause in one.causes) for one in found)
    return (
        f"{name}: {len(traces)} episodes, {signed} with a sign; {len(found)} failures attributed,"
        f" {blamed} with a sign at a cause"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stress_causes", description=__doc__)
    parser.add_argument("--plan", action="append", help="as for --stress; default: agentchaos")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=12, help="tasks")
    parser.add_argument("--each", type=int, default=8, help="cases of a framework and a kind")
    parser.add_argument("--framework", "-f", action="append", help="repeatable")
    parser.add_argument("--jobs", type=int, default=8, help="episodes at once")
    options = parser.parse_args(arguments)
    home, names = ossia_home(os.environ), options.framework or ["control", "langgraph", "camel"]
    asked: Mapping[str, Any] = {
        "suite": SUITE,
        "limit": options.limit,
        "seed": options.seed,
        "jobs": options.jobs,
        "home": home,
    }
    stress = (*(options.plan or ["agentchaos"]), f"seed={options.seed}")
    run = ossia.compare(names, stress=stress, **asked)
    failures, calm, struck = failures_of(run.folder)
    print(f"{struck} episodes that a fault struck and whose pair succeeds, {len(failures)} fail")
    drawn = _drawn(failures, options.each, options.seed)
    told = asyncio.run(attributed(run.folder, home, drawn, options.jobs))
    cases = [Case(trace, hits, found) for trace, found, hits in told]
    print("\n".join((*table(cases), "", "missed:", *misses(cases))), flush=True)
    replays = sum(case.found.replays for case in cases) / max(1, len(cases))
    alone = sum(len(case.found.families) == 1 for case in cases)
    print(f"{replays:.1f} replays each; of {len(cases)} {alone} with one family")
    print("statuses:", dict(Counter(str(case.found.status) for case in cases)))
    noisy = ossia.compare(names, models=NOISE, **{**asked, "limit": 3 * options.limit})
    for name, folder in (("without a fault", run.folder), (NOISE, noisy.folder)):
        some = calm if folder == run.folder else failures_of(folder)[1]
        bad = [(trace, grade) for trace, grade in some if grade.verdict is Verdict.FAILURE]
        found = asyncio.run(attributed(folder, home, bad[: 10 * options.each], options.jobs))
        print(_controls(name, [trace for trace, _ in some], [one for _, one, _ in found]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
