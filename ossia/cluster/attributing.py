"""Failures attributed by the nodes of a Ray cluster: each replays those that it is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ossia.attribution.attributor import Attributor
from ossia.attribution.evidence import ReplayInvalid
from ossia.attribution.replayer import adapters_of, open_replayer
from ossia.attribution.run import FailureAttributor, contracts_of
from ossia.cluster.crew import Crew, open_crew
from ossia.cluster.job import Job, pack_adapters, unpacked
from ossia.cluster.part import Part, home, read_trace, told, write_trace
from ossia.runner.config import RunConfig
from ossia.suites import find_suite
from ossia.version import code_version
from ossia_dataset.tasks import Task
from ossia_evaluation.attribution import Attribution
from ossia_evaluation.grade import Grade
from ossia_servers.trace import Trace


class AttributingNode(Part[tuple[Attributor, Mapping[str, Task]]]):
    """Attributes failures on a node."""

    async def attribute(self, trace: bytes, score: Grade) -> Attribution | str:
        """Attribute a failed episode.

        Args:
            trace: the episode as it was recorded, as `write_trace` writes it.
            score: its verdict, of the suite's own type.

        Returns:
            The attribution, or why a replay was invalid each time.

        Raises:
            UserError: this machine cannot replay the run.
        """
        with told():
            attributor, tasks = await self.opened()
            failed = read_trace(trace)
            task = tasks[failed.episode.task]
            try:
                return await attributor.attribute(task, failed, score)
            except ReplayInvalid as error:
                return str(error)

    @asynccontextmanager
    async def open(self, job: Job) -> AsyncIterator[tuple[Attributor, Mapping[str, Task]]]:
        """Open gateway and servers; workers start with their first replay."""
        config, suite = job.config, find_suite(job.config.suite)
        adapters = await asyncio.to_thread(unpacked, job, home())
        domains = suite.domains(config.tasks)
        workers = {info.key: info.worker for info in adapters}
        async with open_replayer(config, job.tasks, domains, workers, jobs=job.jobs) as replayer:
            grader, contracts = suite.grader(domains), contracts_of(config, domains)
            yield Attributor(replayer, grader, contracts), job.tasks


class _ClusterAttributor:
    """Attributes failures on the nodes of a cluster."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    @property
    def cpu_s(self) -> float:
        """The CPU seconds of the nodes that have been closed in order."""
        return self._crew.cpu_s

    async def attribute(self, task: Any, trace: Trace, score: Grade) -> Attribution:
        """Attribute a failed episode on the node that has been free for longest."""
        found: Attribution | str
        found = await self._crew.ask("attribute", write_trace(trace), score)
        if isinstance(found, str):
            raise ReplayInvalid(found)
        return found


@asynccontextmanager
async def open_attributing(
    config: RunConfig,
    tasks: Mapping[str, Task],
    environments: Path,
    address: str,
    *,
    frameworks: Sequence[str] = (),
    jobs: int,
) -> AsyncIterator[FailureAttributor]:
    """Begin to attribute on a cluster, and leave nothing there at the end.

    Args:
        config: the run.
        tasks: its tasks by id.
        environments: the folder of this machine's environments.
        address: of the cluster, as Ray takes it.
        frameworks: only these; all of the run when empty.
        jobs: failures attributed at once on all nodes together.

    Raises:
        UserError: Ray is not installed, there is no such cluster, or an adapter is not as it was.
    """
    adapters = adapters_of(config, environments, frameworks)
    named = [each for each in config.frameworks if each.name in adapters]
    # Nodes must have the Ossia that replays, whichever made the run.
    replayed = config.model_copy(update={"frameworks": tuple(named), "ossia": code_version()})
    bundles = pack_adapters(named, adapters.values())
    job = Job(replayed, tasks, bundles, (), jobs, paced=False)
    async with open_crew(AttributingNode, job, jobs, address) as crew:
        yield _ClusterAttributor(crew)
