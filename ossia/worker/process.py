"""The handle of one worker process: start it, play episodes on it, cancel them, kill it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from ossia.worker.confinement import hidden_folders
from ossia.worker.environment import worker_environment
from ossia.worker.errors import (
    WorkerDied,
    WorkerProtocolError,
    WorkerRequestError,
    WorkerStartError,
)
from ossia.worker.folder import WorkerFolder, sweep
from ossia.worker.inspection import WorkerState
from ossia.worker.models import PROTOCOL, Message, RunResult, WorkerInfo
from ossia.worker.pipes import MAX_MESSAGE_BYTES, PipeEnds, Pipes
from ossia.worker.refusals import MOST, Refusals
from ossia.worker.spec import WorkerSpec
from ossia.worker.tail import Tail

__all__ = ["WorkerProcess"]

STDERR_TAIL_BYTES = 64 * 1024
# Importing a framework takes 2 to 6 s of CPU, which on a busy machine may take minutes.
START_SECONDS = 300.0
# How long the rest of standard error may take to arrive after the process is gone.
_DRAIN_SECONDS = 1.0
# How long a process may take to end after its pipe closed.
_END_SECONDS = 2.0
# How long a supervisor may take to end its worker with all that this has started.
_KILL_SECONDS = 10.0


class WorkerProcess:
    """One running worker.

    Made by `start`; an ``async with`` kills it at the end. All methods belong to the event loop
    that started it.
    """

    def __init__(
        self, process: asyncio.subprocess.Process, pipes: Pipes, folder: WorkerFolder
    ) -> None:
        """Take over a process that was just spawned; use `start` instead."""
        self._process = process
        self._pipes = pipes
        self._folder = folder
        self._killing: asyncio.TimerHandle | None = None
        self._tail = Tail(STDERR_TAIL_BYTES)
        self._refusals = Refusals()
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._abandoned: set[int] = set()
        self._last_id = 0
        self._broken: str | None = None
        self._dead = False
        self._info: WorkerInfo | None = None
        self._stderr_task = asyncio.create_task(self._collect_stderr())
        self._reader_task = asyncio.create_task(self._receive())
        self._end_task = asyncio.create_task(self._watch())

    @classmethod
    async def start(
        cls,
        spec: WorkerSpec,
        *,
        allow: Sequence[str],
        concurrency: int,
        start_seconds: float = START_SECONDS,
    ) -> WorkerProcess:
        """Start a worker and wait until its framework is imported.

        Args:
            spec: What to start.
            allow: The addresses it may connect to, each ``host:port``.
            concurrency: How many episodes it may play at once.
            start_seconds: How long importing the framework may take.

        Returns:
            The worker, ready for `run`.

        Raises:
            WorkerStartError: There is no such interpreter, the adapter cannot be imported, or
                it took too long. No process is left.
        """
        worker = await cls._spawn(spec)
        params = {
            "protocol": PROTOCOL,
            "allow": list(allow),
            "hidden": list(hidden_folders()),
            "concurrency": concurrency,
        }
        try:
            async with asyncio.timeout(start_seconds):
                worker._info = WorkerInfo.model_validate(await worker._call("initialize", params))
        except WorkerRequestError as error:
            await worker.kill()
            raise WorkerStartError(str(error), error.data or worker.stderr_tail) from error
        except (WorkerDied, ValidationError, TimeoutError) as error:
            await worker.kill()
            late = f"not ready after {start_seconds:g} s; if the machine is busy, run it again"
            reason = late if isinstance(error, TimeoutError) else error
            raise WorkerStartError(
                f"the worker of {spec.entry} did not start: {reason}",
                worker.stderr_tail,
                from_outside=isinstance(error, WorkerDied) and error.from_outside,
            ) from error
        finally:
            if worker._info is None:
                await worker.kill()
        return worker

    @classmethod
    async def _spawn(cls, spec: WorkerSpec) -> WorkerProcess:
        sweep()
        folder = WorkerFolder.make()
        ends = PipeEnds.make()
        try:
            process = await asyncio.create_subprocess_exec(
                *(str(spec.python), "-P", "-m", "ossia_adapter.worker", "--adapter", spec.entry),
                *("--read-fd", str(ends.their_read), "--write-fd", str(ends.their_write)),
                *("--folder", str(folder.path)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=ends.their_stderr,
                pass_fds=(ends.their_read, ends.their_write, folder.descriptor),
                cwd=folder.path,
                env=worker_environment(folder.path, spec.switches),
                # A group of its own, so that a kill takes the children of the framework too.
                start_new_session=True,
            )
        except BaseException as error:
            # A process that came to be all the same ends by itself when its pipe closes.
            ends.close_ours()
            folder.remove()
            if isinstance(error, OSError):
                why = error.strerror or str(error)
                raise WorkerStartError(f"{spec.python} cannot be started: {why}") from error
            raise
        finally:
            ends.close_theirs()
        return cls(process, await Pipes.open(ends), folder)

    @property
    def info(self) -> WorkerInfo:
        """What the worker says of itself.

        Raises:
            RuntimeError: It has not been initialized.
        """
        if self._info is None:
            raise RuntimeError("the worker has not been initialized")
        return self._info

    @property
    def pid(self) -> int:
        """The supervising process's id, which is also the group's."""
        return self._process.pid

    @property
    def home(self) -> Path:
        """The worker's private folder, the value of its ``HOME``; gone when the worker is."""
        return self._folder.path

    @property
    def alive(self) -> bool:
        """Whether the process still serves requests."""
        return not self._dead and self._broken is None

    @property
    def stderr_tail(self) -> str:
        """The end of what the worker wrote to standard error and standard output."""
        return self._tail.text

    @property
    def refused(self) -> Mapping[str, int]:
        """The addresses that the guard refused, with how often."""
        return self._refusals.by_address

    async def run(
        self,
        episode: Mapping[str, Any],
        history: Sequence[Mapping[str, str]] = (),
        *,
        goes_on: bool = False,
        workflow: Sequence[Mapping[str, Any]] = (),
    ) -> RunResult:
        """Play an episode, or one turn of the user's in it.

        When the awaiting task is cancelled, so is the episode.

        Args:
            episode: The episode as it goes over the wire.
            history: The earlier turns of its conversation: `user` and `answer` of each.
            goes_on: Whether the user may say more. Then the adapter may keep something for the
                next turn, until the episode is cancelled.
            workflow: The steps of the task's workflow, for an adapter that runs them: `id`, `task`
                and `after` of each.

        Returns:
            How it ended; an exception of the framework is in the result.

        Raises:
            WorkerDied: The process ended, or ends before the result is there.
            WorkerRequestError: The worker refused the episode.
        """
        try:
            turns = [dict(turn) for turn in history]
            params = {"episode": dict(episode), "history": turns, "goes_on": goes_on}
            if workflow:
                params["workflow"] = [dict(step) for step in workflow]
            result = await self._call("run", params)
        except asyncio.CancelledError:
            self._cancel_unheard(str(episode.get("id", "")))
            raise
        try:
            return RunResult.model_validate(result)
        except ValidationError as error:
            self._break(f"a result is malformed: {error}")
            raise await self._ended() from error

    async def cancel(self, episode_id: str) -> bool:
        """Cancel an episode; its `run` then returns with the error type ``Cancelled``.

        Returns:
            Whether the worker had such an episode in hand.

        Raises:
            WorkerDied: The process ended.
        """
        result = await self._call("cancel", {"episode": episode_id})
        return result.get("cancelled") is True

    async def inspect(self) -> WorkerState:
        """Return what the process says of its inside at this moment.

        Raises:
            WorkerDied: The process ended.
            pydantic.ValidationError: Its answer is malformed.
        """
        return WorkerState.model_validate(await self._call("inspect", {}))

    async def shutdown(self, seconds: float = 5.0) -> None:
        """Ask the process to end, and kill all that it has started in any case.

        Args:
            seconds: How long it may take before it is killed.
        """
        with suppress(WorkerDied, WorkerRequestError, TimeoutError):
            async with asyncio.timeout(seconds):
                await self._call("shutdown", {})
                await asyncio.shield(self._end_task)
        await self.kill()

    async def kill(self) -> None:
        """Kill the process and every process that it has started, and wait until it is gone."""
        if not self._dead:
            self._end()
        await asyncio.shield(self._end_task)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.kill()

    async def _call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if not self.alive:
            raise await self._ended()
        request_id = self._send(method, params)
        answer = asyncio.get_running_loop().create_future()
        self._pending[request_id] = answer
        try:
            with suppress(ConnectionError):
                # A broken pipe means that the process is ending, which fails the answer.
                await self._pipes.writer.drain()
            result: dict[str, Any] = await answer
            return result
        except asyncio.CancelledError:
            if self._pending.pop(request_id, None) is not None:
                self._abandoned.add(request_id)
            raise

    def _send(self, method: str, params: Mapping[str, Any]) -> int:
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._pipes.writer.write(json.dumps(message).encode("ascii") + b"\n")
        return self._last_id

    def _cancel_unheard(self, episode_id: str) -> None:
        if self.alive:
            self._abandoned.add(self._send("cancel", {"episode": episode_id}))

    async def _receive(self) -> None:
        """Handle the worker's messages until its pipe closes or it breaks the protocol."""
        while self._broken is None:
            try:
                line = await self._pipes.reader.readline()
            except ValueError:
                self._break(f"a message is longer than {MAX_MESSAGE_BYTES} bytes")
                return
            if not line.endswith(b"\n"):
                # The process is ending, or else it will never answer again.
                await asyncio.sleep(_END_SECONDS)
                self._break("its pipe closed")
                return
            try:
                self._handle(Message.model_validate(json.loads(line)))
            except (ValueError, RecursionError) as error:
                self._break(f"a message is malformed: {str(error)[:500]}")

    def _handle(self, message: Message) -> None:
        if message.method is not None:
            self._notified(message.method, message.params or {})
            return
        request_id = -1 if message.id is None else message.id
        if request_id in self._abandoned:
            self._abandoned.discard(request_id)
            return
        answer = self._pending.pop(request_id, None)
        if answer is None:
            self._break("a response answers no request")
        elif answer.done():
            return
        elif message.error is not None:
            failure = message.error
            answer.set_exception(WorkerRequestError(failure.code, failure.message, failure.data))
        else:
            answer.set_result(message.result or {})

    def _notified(self, method: str, params: Mapping[str, Any]) -> None:
        address = params.get("address")
        if method != "connection_refused" or not isinstance(address, str):
            self._break(f"an unknown notification {method[:100]!r}")
            return
        if not self._refusals.note(address):
            self._break(f"more than {MOST} notifications")

    def _break(self, reason: str) -> None:
        if self._broken is None:
            self._broken = reason
            self._end()

    def _end(self) -> None:
        """End the process with all that it has started."""
        if sys.platform != "linux":
            self._kill_group()
        elif self._killing is None and self._process.returncode is None:
            # Its supervisor ends the worker, and knows of the processes that left the group.
            with suppress(ProcessLookupError):
                self._process.terminate()
            loop = asyncio.get_running_loop()
            self._killing = loop.call_later(_KILL_SECONDS, self._kill_group)

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _collect_stderr(self) -> None:
        while data := await self._pipes.stderr.read(65_536):
            self._tail.feed(data)

    async def _watch(self) -> None:
        """Wait for the process's end, then fail what is pending and clear everything away."""
        await self._process.wait()
        if self._killing is not None:
            self._killing.cancel()
        self._kill_group()
        # A child that left the group may hold the stream open, so the wait is bounded.
        await asyncio.wait({self._stderr_task}, timeout=_DRAIN_SECONDS)
        for task in (self._stderr_task, self._reader_task):
            task.cancel()
        self._dead = True
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(self._death())
        self._pending.clear()
        self._pipes.close()
        self._folder.remove()

    def _death(self) -> WorkerDied:
        returncode = self._process.returncode
        if self._broken is None:
            return WorkerDied(returncode, self.stderr_tail)
        return WorkerProtocolError(self._broken, returncode, self.stderr_tail)

    async def _ended(self) -> WorkerDied:
        await asyncio.shield(self._end_task)
        return self._death()
