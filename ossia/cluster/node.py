"""What a node of the cluster does: it plays single episodes, each to its end."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ossia.cluster.accounts import Asker, FarPaces, FarPurse
from ossia.cluster.job import Job, equipment, unpacked
from ossia.cluster.mailbox import MailboxLine
from ossia.cluster.part import Part, home, read_trace, told, write_trace
from ossia.runner.engine import Engine
from ossia.runner.local import Equipment, open_local
from ossia_servers.gateway import UpstreamOptions
from ossia_servers.trace import EpisodeKey


@dataclass(frozen=True)
class Outcome:
    """What a node says of an episode that it has played."""

    trace: bytes
    """Compressed JSON."""
    info: str | None
    """What the framework's worker says of itself, told once; JSON."""
    closed_because: str | None
    """Why no further request of some model will be answered."""


class Node(Part[Engine]):
    """Plays episodes."""

    def __init__(self, number: int, job: Sequence[Any], mailbox: Any) -> None:
        """Set up, as `Part` does."""
        super().__init__(number, job, mailbox)
        self._told: set[str] = set()

    async def play(self, key: EpisodeKey, baseline: bytes | None) -> Outcome:
        """Play an episode to its end.

        Args:
            key: the episode.
            baseline: the same one without its fault, where its place depends on it; as
                `Outcome.trace`.

        Raises:
            UserError: this machine cannot play the run.
        """
        with told():
            engine = await self.opened()
            known = None if baseline is None else read_trace(baseline)
            trace = await engine.play(key, known)
        info = engine.info(key.framework)
        tell = info is not None and key.framework not in self._told
        self._told.add(key.framework)
        return Outcome(
            write_trace(trace),
            info.model_dump_json() if info is not None and tell else None,
            engine.closed_because,
        )

    @asynccontextmanager
    async def open(self, job: Job) -> AsyncIterator[Engine]:
        """Open gateway, servers and models; workers start with their first episode."""
        made = await asyncio.to_thread(self._equipment, job)
        async with open_local(made) as engine:
            yield engine

    def _equipment(self, job: Job) -> Equipment:
        adapters = unpacked(job, home())
        asker = Asker(MailboxLine(self.mailbox), self.number, uuid.uuid4().hex)
        paid = self.mailbox is not None
        reached = UpstreamOptions(
            concurrency=job.jobs,
            purse=FarPurse(asker) if paid else None,
            paces=FarPaces(asker) if paid and job.paced else None,
        )
        return equipment(job, adapters, reached)
