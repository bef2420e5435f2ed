"""The injection protocol: how well the attributor finds faults that were put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import uvloop

from benchmarks.attribution.attempts import Attempt, AttemptLog, Size, read_attempts
from benchmarks.attribution.cases import CaseMaker
from benchmarks.attribution.controls import FEW_CALLS, Controls, Makers
from benchmarks.attribution.experiment import Experiment
from benchmarks.attribution.figures import Validation, figures
from benchmarks.attribution.parts import FRAMEWORKS, Part, config_of, divide, in_processes, within
from benchmarks.attribution.server_failures import SHORT_SECONDS, FailingServers
from benchmarks.attribution.wrong_gold import WrongGoldScorer
from ossia.adapters import find_adapter
from ossia.attribution.attributor import Attributor
from ossia.attribution.replayer import Replayer, open_replayer
from ossia_dataset.world_tasks import WorldTask
from ossia_evaluation.assistant.contracts import AssistantContracts
from ossia_evaluation.assistant.scorer import AssistantScorer
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.assistant.offline import OfflineModel
from ossia_servers.assistant.offline.faults import Catalogue, FaultMaker


async def validate(
    home: Path,
    tasks: Sequence[WorldTask],
    *,
    name: str,
    size: Size,
    frameworks: Sequence[str] = FRAMEWORKS,
    seed: int = 0,
    jobs: int = 8,
    watch: Callable[[Mapping[str, int]], None] = lambda counts: None,
) -> Validation:
    """Run the injection protocol, or resume it.

    Each framework has a process of its own. Attempts are kept under the home as they are made, by
    all that they depend on.

    Args:
        home: the folder of Ossia's environments.
        tasks: tasks to choose from; those with several requests are left out.
        name: what the size is called.
        size: how many cases.
        frameworks: the frameworks, installed.
        seed: decides on tasks, places and faults.
        jobs: episodes at once in all frameworks together.
        watch: callback every few seconds, with the number of attempts by framework.

    Raises:
        UserError: a framework is not installed, or its environment is out of date.
        WorkerStartError: a framework's worker cannot be started; what is finished is kept.
    """
    parts = divide(home, tasks, name=name, size=size, frameworks=frameworks, seed=seed, jobs=jobs)
    versions = await in_processes(run_part, parts, watch)
    attempts = [attempt for part in parts.each for attempt in sorted_attempts(part.log)]
    wanted = size.wanted(len(parts.each))
    result = figures(
        attempts, seed=seed, size=name, versions=versions, digest=parts.digest, wanted=wanted
    )
    parts.keep(result)
    return result


def run_part(part: Part[Size]) -> tuple[str, str]:
    """Run one framework's part; returns its name and exact version.

    Raises:
        WorkerStartError: the framework's worker cannot be started.
    """
    return uvloop.run(_run_part(part))


async def _run_part(part: Part[Size]) -> tuple[str, str]:
    info = find_adapter(part.framework, part.home)
    domains, failing_servers = load_domains(), FailingServers()
    scorer = AssistantScorer(domains)
    config = config_of(part.tasks, info)
    by_id, workers = {task.id: task for task in part.tasks}, {part.framework: info.worker}
    served_by = by_id, failing_servers.of(domains), workers
    fault_maker = FaultMaker(Catalogue.of(domains))
    model = OfflineModel.load()

    wrong_gold = WrongGoldScorer(domains, fault_maker)

    def maker_of(replayer: Replayer, decides: AssistantScorer = scorer) -> CaseMaker:
        attributor = Attributor(replayer, decides, AssistantContracts(domains))
        return CaseMaker(replayer, decides, attributor, fault_maker, model)

    with AttemptLog(part.log) as log:
        async with (
            open_replayer(config, *served_by, jobs=part.jobs) as replayer,
            open_replayer(within(config, "seconds", SHORT_SECONDS), *served_by, jobs=1) as hurried,
            open_replayer(within(config, "calls", FEW_CALLS), *served_by, jobs=2) as starved,
        ):
            makers = Makers(
                maker_of(replayer),
                maker_of(hurried),
                maker_of(starved),
                maker_of(replayer, wrong_gold),
                wrong_gold,
            )
            controls = Controls(part.framework, makers, log, failing_servers, part.seed)
            experiment = Experiment(
                part.framework, makers.usual, controls, log, part.seed, part.jobs
            )
            await experiment.run(part.tasks, part.size)
            return part.framework, replayer.version(part.framework) or "unknown"


def sorted_attempts(log: Path) -> list[Attempt]:
    """Return the attempts of a log in the order of their keys.

    Raises:
        UserError: it cannot be read.
    """
    return sorted(read_attempts(log), key=lambda attempt: attempt.key)
