"""The protocol of wild faults: whether the attributor finds changes that know nothing of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import uvloop

from benchmarks.attribution.parts import (
    FRAMEWORKS,
    Part,
    config_of,
    divide,
    in_processes,
    within,
)
from benchmarks.attribution.record_log import RecordLog, read_records
from benchmarks.attribution.wild.cases import WildMaker
from benchmarks.attribution.wild.experiment import WildExperiment
from benchmarks.attribution.wild.figures import WildValidation, wild_figures
from benchmarks.attribution.wild.records import WildAttempt, WildSize
from ossia.adapters import find_adapter
from ossia.attribution.replayer import open_replayer
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel

MOST_SECONDS = 30.0
"""The budget of an episode: some changes let a framework wait for ever, and such are no cases."""


async def validate_wild(
    home: Path,
    tasks: Sequence[WorldTask],
    *,
    name: str,
    size: WildSize,
    frameworks: Sequence[str] = FRAMEWORKS,
    seed: int = 0,
    jobs: int = 8,
    watch: Callable[[Mapping[str, int]], None] = lambda counts: None,
) -> WildValidation:
    """Run the protocol of wild faults, or resume it.

    Each framework has a process of its own. Attempts are kept under the home as they are made, by
    all that they depend on.

    Args:
        home: the folder of Ossia's environments.
        tasks: tasks to choose from; those with several requests are left out.
        name: what the size is called.
        size: how many cases.
        frameworks: the frameworks, installed.
        seed: decides on tasks, steps and changes.
        jobs: episodes at once in all frameworks together.
        watch: callback every few seconds, with the number of attempts by framework.

    Raises:
        UserError: a framework is not installed, or its environment is out of date.
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    parts = divide(
        home, tasks, name=f"wild-{name}", size=size, frameworks=frameworks, seed=seed, jobs=jobs
    )
    versions = await in_processes(run_wild_part, parts, watch)
    attempts = [
        attempt
        for part in parts.each
        for attempt in sorted(read_records(part.log, WildAttempt), key=lambda found: found.key)
    ]
    result = wild_figures(attempts, seed=seed, size=name, versions=versions, digest=parts.digest)
    parts.keep(result)
    return result


def run_wild_part(part: Part[WildSize]) -> tuple[str, str]:
    """Run one framework's part; returns its name and exact version.

    Raises:
        WorkerStartError: the framework's worker cannot be started.
    """
    return uvloop.run(_run_part(part))


async def _run_part(part: Part[WildSize]) -> tuple[str, str]:
    info = find_adapter(part.framework, part.home)
    domains = load_domains()
    by_id, workers = {task.id: task for task in part.tasks}, {part.framework: info.worker}
    config = within(config_of(part.tasks, info), "seconds", MOST_SECONDS)
    with RecordLog(part.log, WildAttempt) as log:
        async with open_replayer(config, by_id, domains, workers, jobs=part.jobs) as replayer:
            maker = WildMaker(replayer, AssistantScorer(domains), domains, OfflineModel.load())
            experiment = WildExperiment(part.framework, maker, log, part.seed, part.jobs)
            await experiment.run(part.tasks, part.size)
            return part.framework, replayer.version(part.framework) or "unknown"
