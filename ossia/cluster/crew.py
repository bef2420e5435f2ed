"""What works on the nodes of a Ray cluster, one actor on each, and what is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ossia.cluster.accounts import Accounts, Request
from ossia.cluster.connection import ANSWER_SECONDS, connected, first_line
from ossia.cluster.job import Job
from ossia.cluster.mailbox import Mailbox
from ossia.cluster.part import Part
from ossia.errors import RunStopped, UserError

_CLOSE_SECONDS: Final = 15.0
"""A node that has not ended by then is killed."""

_MOST_MISSED: Final = 5
"""A head that could not be reached so often, once a second, is lost."""

_MOST_ASKED: Final = 1_000_000
"""Calls that wait for their turn must not keep the answers out."""

_LOST: Final = (
    "the Ray cluster is lost; what is finished is kept, run the same command again to resume"
)


class Crew:
    """The nodes' parts of a job, each of which does several things at once.

    Ray starts a lost node's part elsewhere, and asks it again what was not answered.
    """

    def __init__(self, parts: Sequence[Any], shares: Sequence[int]) -> None:
        """Set up.

        Args:
            parts: the handles of what works.
            shares: how many things each does at once.
        """
        self._parts = tuple(parts)
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        for turn in range(max(shares)):
            for part, share in zip(parts, shares, strict=True):
                if turn < share:
                    self._free.put_nowait(part)
        self._lost: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self.cpu_s = 0.0
        """The CPU seconds of the parts that have been closed in order."""

    async def ask(self, method: str, *arguments: Any) -> Any:
        """Have the part that has been free for longest do something.

        Args:
            method: of the part.
            arguments: what it takes.

        Raises:
            UserError: the node cannot do it.
            RunStopped: the cluster is lost.
        """
        part = await self._free.get()
        try:
            return await self._answer(getattr(part, method).remote(*arguments))
        finally:
            self._free.put_nowait(part)

    @property
    def is_lost(self) -> bool:
        """Whether the cluster is gone, or what serves its nodes has failed."""
        return self._lost.done()

    def lose(self, cause: BaseException | None = None) -> None:
        """End all waiting: the cluster is gone, or what serves its nodes has failed.

        Args:
            cause: what failed; None for the cluster.
        """
        from ray.exceptions import RayError

        if isinstance(cause, RayError):
            cause = RunStopped(f"{_LOST} ({first_line(cause)})")
        if not self._lost.done():
            self._lost.set_result(cause or RunStopped(_LOST))

    async def close(self) -> None:
        """End what works, in order where it can be reached."""
        if self._lost.done():
            return
        closing = [asyncio.ensure_future(_awaited(part.close.remote())) for part in self._parts]
        done, late = await asyncio.wait(closing, timeout=_CLOSE_SECONDS)
        for each in late:
            each.cancel()
        for each in done:
            if not each.cancelled() and each.exception() is None:
                self.cpu_s += each.result()

    async def _answer(self, reference: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError

        waiting = asyncio.ensure_future(_awaited(reference))
        try:
            await asyncio.wait({waiting, self._lost}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if not waiting.done():
            raise self._lost.result()
        try:
            return waiting.result()
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, UserError):
                raise UserError(str(cause)) from None
            raise
        except RayError as error:
            raise RunStopped(f"{_LOST} ({first_line(error)})") from None


@asynccontextmanager
async def open_crew(
    kind: type[Part[Any]], job: Job, jobs: int, address: str, accounts: Accounts | None = None
) -> AsyncIterator[Crew]:
    """Begin to work on a cluster, and leave nothing there at the end.

    Args:
        kind: what works on a node.
        job: what it needs.
        jobs: things done at once on all nodes together.
        address: of the cluster, as Ray takes it.
        accounts: what is spent by all nodes; None where nothing is paid.

    Raises:
        UserError: Ray is not installed, or there is no such cluster.
    """
    with connected(address) as ray:
        shares = shares_of(jobs, _places(ray))
        mailbox = None if accounts is None else _mailbox(ray)
        # Kept to the end: whoever begins anew fetches it again.
        packed = ray.put(replace(job, jobs=max(shares.values())))
        parts = _parts(ray, kind, packed, shares, mailbox)
        crew = Crew(parts, tuple(shares.values()))
        beside = [
            asyncio.ensure_future(_serve(mailbox, accounts)),
            asyncio.ensure_future(_watch(ray.get_runtime_context().gcs_address, crew)),
        ]
        for each in beside:
            each.add_done_callback(partial(_heard, crew))
        try:
            yield crew
        finally:
            await crew.close()
            for each in beside:
                each.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            if not crew.is_lost:
                for actor in (*parts, *([] if mailbox is None else [mailbox])):
                    ray.kill(actor)
            del packed


async def _awaited(reference: Any) -> Any:
    return await reference


def shares_of(jobs: int, cpus: Mapping[str, float]) -> dict[str, int]:
    """Return how many of the things done at once each node does, by its share of the CPUs.

    Args:
        jobs: things at once.
        cpus: the CPUs of each node.

    Returns:
        Those nodes that do any.
    """
    shares = dict.fromkeys(cpus, 0)
    for _ in range(jobs):
        freest = min(shares, key=lambda node: (shares[node] + 1) / cpus[node])
        shares[freest] += 1
    return {node: share for node, share in shares.items() if share}


def _places(ray: Any) -> dict[str, float]:
    """The CPUs of each node that may work.

    Raises:
        UserError: there is none.
    """
    found = {
        str(node["NodeID"]): float(node["Resources"].get("CPU", 0.0))
        for node in ray.nodes()
        if node["Alive"]
    }
    able = {node: cpus for node, cpus in sorted(found.items()) if cpus > 0}
    if not able:
        raise UserError("no node of the Ray cluster has a CPU to work on")
    return able


def _parts(
    ray: Any, kind: type[Part[Any]], packed: Any, shares: Mapping[str, int], mailbox: Any
) -> list[Any]:
    """Begin a part on each node, which Ray begins anew on another one when its node is lost."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # No CPU is reserved: after a loss there must be room elsewhere.
    make = ray.remote(max_restarts=-1, max_task_retries=-1, num_cpus=0)(kind)
    return [
        make.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True),
            max_concurrency=share + 1,
        ).remote(number, [packed], mailbox)
        for number, (node, share) in enumerate(shares.items())
    ]


def _mailbox(ray: Any) -> Any:
    """Begin the mailbox where the command runs, which is not begun anew after a loss."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    make = ray.remote(num_cpus=0, max_concurrency=_MOST_ASKED)(Mailbox)
    return make.options(scheduling_strategy=here).remote()


def _heard(crew: Crew, ended: asyncio.Task[None]) -> None:
    """Stop the run when what serves it has failed: nodes would wait for their answers."""
    if ended.cancelled() or (failed := ended.exception()) is None:
        return
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    crew.lose(failed)


async def _watch(address: str, crew: Crew) -> None:
    """Notice that the head of the cluster is gone, for which Ray waits a minute and then aborts."""
    host, _, port = address.rpartition(":")
    missed = 0
    while missed < _MOST_MISSED:
        await asyncio.sleep(1.0)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            missed += 1
            continue
        writer.close()
        missed = 0
    crew.lose()


async def _serve(mailbox: Any, accounts: Accounts | None) -> None:
    """Answer what nodes ask, for as long as the run goes on."""
    if mailbox is None or accounts is None:
        return
    async with asyncio.TaskGroup() as group:
        while True:
            for number, request in await mailbox.taken.remote():
                if number is None:
                    accounts.note(request)
                else:
                    group.create_task(_serve_one(mailbox, accounts, number, request))


async def _serve_one(mailbox: Any, accounts: Accounts, number: int, request: Request) -> None:
    mailbox.answer.remote(number, await accounts.answer(request))
