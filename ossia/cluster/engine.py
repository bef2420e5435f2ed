"""Episodes played by the nodes of a Ray cluster, seen from the process that runs the command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ossia.cluster.accounts import Accounts
from ossia.cluster.crew import Crew, open_crew
from ossia.cluster.job import Job
from ossia.cluster.node import Node, Outcome
from ossia.cluster.part import read_trace, write_trace
from ossia.runner.engine import Engine
from ossia.worker import WorkerInfo
from ossia_servers.trace import EpisodeKey, Trace


class RayEngine:
    """Plays episodes on the nodes of a cluster."""

    def __init__(self, crew: Crew, accounts: Accounts | None) -> None:
        """Set up.

        Args:
            crew: what plays.
            accounts: what is spent by all of it; None where nothing is paid.
        """
        self._crew = crew
        self._accounts = accounts
        self._infos: dict[str, WorkerInfo] = {}
        self.closed_because: str | None = None
        """Why no further request of some model will be answered."""

    @property
    def limit_reached(self) -> str | None:
        """Why a call was not begun for its cost."""
        return None if self._accounts is None else self._accounts.limit_reached

    @property
    def cpu_s(self) -> float:
        """The CPU seconds of the nodes that have been closed in order."""
        return self._crew.cpu_s

    async def play(self, key: EpisodeKey, baseline: Trace | None) -> Trace:
        """Play an episode on the node that has been free for longest."""
        written = None if baseline is None else write_trace(baseline)
        outcome: Outcome = await self._crew.ask("play", key, written)
        if outcome.info is not None:
            self._infos[key.framework] = WorkerInfo.model_validate_json(outcome.info)
        if self.closed_because is None:
            self.closed_because = outcome.closed_because
        return read_trace(outcome.trace)

    def info(self, framework: str) -> WorkerInfo | None:
        """Return what the worker of a framework says of itself."""
        return self._infos.get(framework)


@asynccontextmanager
async def open_ray(
    job: Job, jobs: int, address: str, accounts: Accounts | None, folder: Path
) -> AsyncIterator[Engine]:
    """Begin to play on a cluster, and leave nothing there at the end.

    Args:
        job: what is played.
        jobs: episodes at once on all nodes together.
        address: of the cluster, as Ray takes it.
        accounts: what is spent by all nodes; None where nothing is paid.
        folder: the run's, of which nothing is needed here.

    Raises:
        UserError: Ray is not installed, or there is no such cluster.
    """
    async with open_crew(Node, job, jobs, address, accounts) as crew:
        yield RayEngine(crew, accounts)
