"""The gold outcome of a task: its gold requests executed on a fresh world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ossia_dataset.tasks import Request, Task, TaskError
from ossia_dataset.world_tasks import WorldTask
from ossia_servers.gateway.records import GatewayRecord
from ossia_servers.trace import Ending, EpisodeKey, EpisodeTiming, Trace
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.diff import Diff
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import execute
from ossia_servers.worlds.records import ServerRequest
from ossia_servers.worlds.schema import Match
from ossia_servers.worlds.world import World


class GoldError(TaskError):
    """A task's setup or gold run is refused by the servers; the message says which request."""


@dataclass(frozen=True)
class GoldRun:
    """What the gold requests did."""

    requests: tuple[ServerRequest, ...]
    diff: Diff

    def trace(self, task: WorldTask, answer: str) -> Trace:
        """Return the run with a reply, as the trace of an episode that no framework played."""
        key = EpisodeKey(id=f"run-{task.id}", task=task.id, framework="-", model="-", repeat=1)
        return Trace(
            episode=key,
            ending=Ending(kind="answered"),
            answer=answer,
            gateway=GatewayRecord(episode=key.id),
            requests=self.requests,
            diff=self.diff,
            timing=EpisodeTiming(wall_s=0.0, cpu_s=0.0),
        )

    @property
    def reply(self) -> str:
        """A faithful reply: the words of the servers."""
        return " ".join(request.response for request in self.requests)


class GoldRunner:
    """Executes requests on fresh worlds in memory. Not thread-safe."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.domains: Mapping[str, Domain] = {domain.name: domain for domain in domains}
        self._store = WorldStore(domains)
        self.tables = self._store.tables
        self._number = 0
        self._names: dict[tuple[str, str, str], frozenset[str]] = {}

    def gold(self, task: WorldTask) -> GoldRun:
        """Run a task's gold requests.

        Raises:
            GoldError: a request of the setup or of the gold run is refused.
        """
        return self._served(task, task.gold.gold_requests())

    def alternatives(self, task: WorldTask) -> tuple[GoldRun, ...]:
        """Run the other requests that serve the user as well.

        Raises:
            GoldError: a request of the setup or of such a run is refused.
        """
        return tuple(self._served(task, requests) for requests in task.gold.alternatives)

    def _served(self, task: WorldTask, requests: Sequence[Request]) -> GoldRun:
        run = self.run(task, requests)
        for request in run.requests:
            if request.status != 200:
                raise GoldError(f"gold request {_shown(request)} is refused: {request.response}")
        return run

    def run(self, task: WorldTask, requests: Sequence[Request]) -> GoldRun:
        """Run any requests on the task's start state; refusals are recorded, not raised.

        Raises:
            GoldError: the setup is refused, or a request names a domain without a server.
        """
        self._number += 1
        world = self._store.create(
            f"gold-{self._number}", seed=task.seed, now=task.now, home=task.home
        )
        try:
            prepare(self._store, world, task, self.domains)
            records = tuple(
                execute(self._store, world, self._domain(request), request.params).record
                for request in requests
            )
            return GoldRun(records, world.diff())
        finally:
            self._store.delete(world.id)

    def names(self, task: WorldTask, domains: Iterable[str]) -> frozenset[str]:
        """Return the names of things that some domains hold at the start, in lower case.

        Args:
            task: what says from which start state.
            domains: the domains to look into.
        """
        found: set[str] = set()
        for name in domains:
            key = name, task.seed, task.home
            if key not in self._names:
                self._names[key] = self._names_in(task, self.domains[name])
            found |= self._names[key]
        return frozenset(found)

    def _names_in(self, task: WorldTask, domain: Domain) -> frozenset[str]:
        self._number += 1
        world = self._store.create(
            f"names-{self._number}", seed=task.seed, now=task.now, home=task.home
        )
        try:
            return frozenset(
                str(value).casefold()
                for table in domain.tables
                for row in world.rows(table.name)
                for column, rule in table.columns.items()
                if rule in _NAMING
                for value in _texts(row[column])
            )
        finally:
            self._store.delete(world.id)

    def _domain(self, request: Request) -> Domain:
        if request.domain not in self.domains:
            raise GoldError(f"no domain server is called '{request.domain}'")
        return self.domains[request.domain]


_NAMING = (Match.CASEFOLD, Match.THING)


def _texts(value: Any) -> list[str]:
    found = value if isinstance(value, list) else [value]
    return [text for text in found if isinstance(text, str) and text]


def prepare(store: WorldStore, world: World, task: Task, domains: Mapping[str, Domain]) -> None:
    """Execute a task's setup and take the result as the episode's start.

    Raises:
        GoldError: a setup request is refused or asks back.
    """
    if not task.setup:
        return
    for request in task.setup:
        if request.domain not in domains:
            raise GoldError(f"setup: no domain server is called '{request.domain}'")
        record = execute(store, world, domains[request.domain], request.params).record
        if record.code != "SUCCESS":
            raise GoldError(f"setup request {_shown(record)} is not served: {record.response}")
    store.rebase(world)


def _shown(request: ServerRequest) -> str:
    return Request(domain=request.domain, params=request.params).url
