"""Episodes played by the nodes of a Ray cluster, seen from the process that runs the command."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, Final

from ossia.cluster.accounts import Accounts, Request
from ossia.cluster.job import Job
from ossia.cluster.node import Mailbox, Node, Outcome, read_trace, write_trace
from ossia.errors import RunStopped, UserError
from ossia.runner.engine import Engine
from ossia.worker import WorkerInfo
from ossia_servers.trace import EpisodeKey, Trace

_LOG = logging.getLogger(__name__)

_CLOSE_SECONDS: Final = 15.0
"""A node that has not ended by then is killed."""

_MOST_MISSED: Final = 5
"""A head that could not be reached so often, once a second, is lost."""

_ANSWER_SECONDS: Final = 5.0

_MOST_ASKED: Final = 1_000_000
"""Calls that wait for their turn must not keep the answers out."""

_LOST: Final = (
    "the run has stopped: the Ray cluster is lost; finished episodes are kept, run the same command"
    " again to resume"
)


class RayEngine:
    """Plays episodes on the nodes of a cluster. Ray starts a lost node's part elsewhere."""

    def __init__(
        self, nodes: Sequence[Any], shares: Sequence[int], accounts: Accounts | None
    ) -> None:
        """Set up.

        Args:
            nodes: the handles of what plays.
            shares: how many episodes each plays at once.
            accounts: what is spent by all of them; None where nothing is paid.
        """
        self._nodes = tuple(nodes)
        self._accounts = accounts
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        for turn in range(max(shares)):
            for node, share in zip(nodes, shares, strict=True):
                if turn < share:
                    self._free.put_nowait(node)
        self._infos: dict[str, WorkerInfo] = {}
        self._lost: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self.closed_because: str | None = None
        """Why no further request of some model will be answered."""
        self.cpu_s = 0.0
        """The CPU seconds of the nodes that have been closed in order."""

    @property
    def limit_reached(self) -> str | None:
        """Why a call was not begun for its cost."""
        return None if self._accounts is None else self._accounts.limit_reached

    async def play(self, key: EpisodeKey, baseline: Trace | None) -> Trace:
        """Play an episode on the node that has been free for longest."""
        node = await self._free.get()
        try:
            written = None if baseline is None else write_trace(baseline)
            outcome = await self._outcome(node.play.remote(key, written))
        finally:
            self._free.put_nowait(node)
        if outcome.info is not None:
            self._infos[key.framework] = WorkerInfo.model_validate_json(outcome.info)
        if self.closed_because is None:
            self.closed_because = outcome.closed_because
        return read_trace(outcome.trace)

    def info(self, framework: str) -> WorkerInfo | None:
        """Return what the worker of a framework says of itself."""
        return self._infos.get(framework)

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
            cause = RunStopped(f"{_LOST} ({_first_line(cause)})")
        if not self._lost.done():
            self._lost.set_result(cause or RunStopped(_LOST))

    async def close(self) -> None:
        """End what plays, in order where it can be reached."""
        if self._lost.done():
            return
        closing = [asyncio.ensure_future(_awaited(node.close.remote())) for node in self._nodes]
        done, late = await asyncio.wait(closing, timeout=_CLOSE_SECONDS)
        for each in late:
            each.cancel()
        for each in done:
            if not each.cancelled() and each.exception() is None:
                self.cpu_s += each.result()

    async def _outcome(self, reference: Any) -> Outcome:
        from ray.exceptions import RayError, RayTaskError

        waiting = asyncio.ensure_future(_awaited(reference))
        try:
            await asyncio.wait({waiting, self._lost}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if not waiting.done():
            raise self._lost.result()
        try:
            outcome: Outcome = waiting.result()
            return outcome
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, UserError):
                raise UserError(str(cause)) from None
            raise
        except RayError as error:
            raise RunStopped(f"{_LOST} ({_first_line(error)})") from None


async def _awaited(reference: Any) -> Any:
    return await reference


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
    with _connected(address) as ray:
        shares = shares_of(jobs, _places(ray))
        mailbox = None if accounts is None else _mailbox(ray)
        # Kept to the end: whoever begins anew fetches it again.
        packed = ray.put(replace(job, jobs=max(shares.values())))
        nodes = _nodes(ray, packed, shares, mailbox)
        engine = RayEngine(nodes, tuple(shares.values()), accounts)
        beside = [
            asyncio.ensure_future(_answer(mailbox, accounts)),
            asyncio.ensure_future(_watch(ray.get_runtime_context().gcs_address, engine)),
        ]
        for each in beside:
            each.add_done_callback(partial(_heard, engine))
        try:
            yield engine
        finally:
            await engine.close()
            for each in beside:
                each.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            if not engine.is_lost:
                for actor in (*nodes, *([] if mailbox is None else [mailbox])):
                    ray.kill(actor)
            del packed


def shares_of(jobs: int, cpus: Mapping[str, float]) -> dict[str, int]:
    """Return how many of the episodes at once each node plays, by its share of the CPUs.

    Args:
        jobs: episodes at once.
        cpus: the CPUs of each node.

    Returns:
        Those nodes that play any.
    """
    shares = dict.fromkeys(cpus, 0)
    for _ in range(jobs):
        freest = min(shares, key=lambda node: (shares[node] + 1) / cpus[node])
        shares[freest] += 1
    return {node: share for node, share in shares.items() if share}


def _places(ray: Any) -> dict[str, float]:
    """The CPUs of each node that may play.

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
        raise UserError("no node of the Ray cluster has a CPU to play on")
    return able


def _nodes(ray: Any, packed: Any, shares: Mapping[str, int], mailbox: Any) -> list[Any]:
    """Begin a part on each node, which Ray begins anew on another one when its node is lost."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # No CPU is reserved: after a loss there must be room elsewhere.
    make = ray.remote(max_restarts=-1, max_task_retries=-1, num_cpus=0)(Node)
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


def _heard(engine: RayEngine, ended: asyncio.Task[None]) -> None:
    """Stop the run when what serves it has failed: nodes would wait for their answers."""
    if ended.cancelled() or (failed := ended.exception()) is None:
        return
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    engine.lose(failed)


async def _watch(address: str, engine: RayEngine) -> None:
    """Notice that the head of the cluster is gone, for which Ray waits a minute and then aborts."""
    host, _, port = address.rpartition(":")
    missed = 0
    while missed < _MOST_MISSED:
        await asyncio.sleep(1.0)
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            missed += 1
            continue
        writer.close()
        missed = 0
    engine.lose()


async def _answer(mailbox: Any, accounts: Accounts | None) -> None:
    """Answer what nodes ask, for as long as the run goes on."""
    if mailbox is None or accounts is None:
        return
    async with asyncio.TaskGroup() as group:
        while True:
            for number, request in await mailbox.taken.remote():
                if number is None:
                    accounts.note(request)
                else:
                    group.create_task(_answer_one(mailbox, accounts, number, request))


async def _answer_one(mailbox: Any, accounts: Accounts, number: int, request: Request) -> None:
    mailbox.answer.remote(number, await accounts.answer(request))


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Be connected to a cluster; a program's own connection is used, and stays.

    Raises:
        UserError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError:
        raise UserError("--engine ray needs Ray: install ossia[scale]") from None
    if address.startswith("ray://"):
        raise UserError(
            "--address ray://... is not supported: run the command on a machine of the cluster, or"
            " submit it there with `ray job submit`"
        )
    if ray.is_initialized():
        yield ray
        return
    _reach(address)
    # Else Ray writes about its own trouble between our lines, when a node or the head is lost.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    # One attempt, of half a minute, at an address where something listens that is no cluster.
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    with _handlers_kept(), _unheard():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise UserError(f"--address {address}: {_first_line(error)}") from None
    with _output_kept_clean():
        try:
            yield ray
        finally:
            ray.shutdown()


def _reach(address: str) -> None:
    """Ask whether anything listens at an address, which Ray would go on trying for minutes.

    Raises:
        UserError: nothing does.
    """
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:
        raise UserError(f"--address {address}: {_first_line(error)}") from None


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Let signals do what they did before: Ray would end the process by itself."""
    named = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in named}
    try:
        yield
    finally:
        if current_thread() is main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def _unheard() -> Iterator[None]:
    """Let nothing be written to standard error: Ray says there by which variable it is quiet."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _output_kept_clean() -> Iterator[None]:
    """Let Ray not print the last words of a lost node on standard output, where tables go.

    `log_to_driver` is for workers alone. This is the switch by which Ray's own debugger is quiet.
    """
    worker, switch = sys.modules.get("ray._private.worker"), "_worker_logs_enabled"
    before = getattr(worker, switch, None)
    if before is None:
        _LOG.warning("this version of Ray may print about lost nodes on standard output")
        yield
        return
    setattr(worker, switch, False)
    try:
        yield
    finally:
        setattr(worker, switch, before)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)[:300]
