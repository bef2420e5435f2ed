"""The worker: one process that plays episodes on one adapter, told what to do over two pipes.

Three parties share it. The reader thread serves the pipe, so that a cancellation is answered and
the end of the runner is noticed even while a framework blocks everything else. The main thread
imports the adapter and then runs the only event loop. Plain adapters play in further threads.

The main thread alone waits for ``initialize`` and confines the process, before any other thread is
there: threads that were started earlier would not be confined.
"""

import argparse
import asyncio
import faulthandler
import gc
import importlib
import inspect
import io
import os
import platform
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from ossia_adapter import inspection, protocol, wire
from ossia_adapter.confinement import confine
from ossia_adapter.guard import Guard, parse_address
from ossia_adapter.protocol import ProtocolError, Request, Writer
from ossia_adapter.runs import Runs
from ossia_adapter.supervisor import supervise
from ossia_adapter.types import Adapter, Episode, UserTurn
from ossia_adapter.workflow import read_workflow

__all__ = ["load_adapter", "main"]

_EXIT_BROKEN = 70

Confiner = Callable[[Path, Sequence[int], Sequence[Path]], list[str]]


def load_adapter(entry: str) -> Adapter:
    """Import an adapter.

    Args:
        entry: ``module:ATTRIBUTE``; the attribute is the adapter, or a class or function that
            makes it without arguments.

    Returns:
        The adapter.

    Raises:
        ValueError: The entry is not of this form.
        TypeError: What it names is no adapter.
        ImportError: The module cannot be imported (besides whatever else importing it raises).
        AttributeError: The module has no such attribute.
    """
    module, colon, attribute = entry.partition(":")
    if not (module and colon and attribute):
        raise ValueError(f"{entry!r} is not module:ATTRIBUTE")
    found = getattr(importlib.import_module(module), attribute)
    if inspect.isclass(found) or not hasattr(found, "run"):
        if not callable(found):
            raise TypeError(f"{entry} has no method run")
        found = found()
    named = isinstance(getattr(found, "name", None), str)
    if not named or not isinstance(getattr(found, "distribution", None), str):
        raise TypeError(f"{entry} needs the attributes name and distribution")
    if not callable(getattr(found, "run", None)):
        raise TypeError(f"{entry} has no method run")
    return cast(Adapter, found)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage while a framework is imported, which makes objects that all stay."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _packages() -> dict[str, str]:
    # `version` would parse each file once more.
    read = (distribution.metadata for distribution in metadata.distributions())
    return dict(sorted({str(told["Name"]): str(told["Version"]) for told in read}.items()))


def _memory_mib() -> float:
    """Return the most memory that the process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


class _Worker:
    """Serves the requests of the runner."""

    def __init__(
        self, entry: str, writer: Writer, folder: Path, enforced: Sequence[str], confiner: Confiner
    ) -> None:
        self._entry = entry
        self._writer = writer
        self._folder = folder
        self._enforced = list(enforced)
        self._confiner = confiner
        self._initialize: Request | None = None
        self._import_cpu_s = 0.0
        self._runs: Runs | None = None
        self._inspect: Callable[[], dict[str, Any]] = dict
        self._methods: dict[str, Callable[[Request], None]] = {
            "initialize": self._on_initialize,
            "run": self._on_run,
            "cancel": self._on_cancel,
            "inspect": self._on_inspect,
            "shutdown": self._on_shutdown,
        }

    def main(self, descriptor: int) -> None:
        """Wait for ``initialize``, confine the process, load the adapter, run the loop for ever."""
        lines = protocol.read_lines(descriptor)
        for line in lines:
            self._serve(line)
            if self._initialize is not None:
                break
        request = self._initialize
        if request is None:
            _end_group()
            return
        try:
            guard = self._confine(request)
            # From here on: a runner that ends while the adapter is imported has to be noticed.
            threading.Thread(target=self._read, args=(lines,), daemon=True).start()
            guard.install()
            before = time.process_time()
            with _uncollected():
                adapter = self._load()
            self._import_cpu_s = time.process_time() - before
        except ProtocolError as error:
            self._writer.error(request.id, error)
            _end(_EXIT_BROKEN)
        asyncio.run(self._loop(request, adapter))

    def _read(self, lines: Iterator[bytes | None]) -> None:
        """Serve the pipe until it closes, then end the process: no worker outlives its runner."""
        try:
            for line in lines:
                self._serve(line)
        except BaseException:  # noqa: BLE001 - the process boundary
            traceback.print_exc()
            _end(_EXIT_BROKEN)
        _end_group()

    def _serve(self, line: bytes | None) -> None:
        request_id: int | str | None = None
        try:
            request = protocol.parse(line)
            request_id = request.id
            if request.method not in self._methods:
                message = f"there is no method {request.method}"
                raise ProtocolError(protocol.METHOD_NOT_FOUND, message)
            try:
                self._methods[request.method](request)
            except wire.WireError as error:
                raise ProtocolError(protocol.INVALID_PARAMS, str(error)) from error
        except ProtocolError as error:
            known = error.request_id if request_id is None else request_id
            self._writer.error(known, error)

    def _on_initialize(self, request: Request) -> None:
        if self._initialize is not None:
            raise ProtocolError(protocol.INVALID_REQUEST, "the worker is initialized already")
        wire.keys(request.params, ("protocol", "allow", "hidden", "concurrency"), "initialize")
        if request.params["protocol"] != protocol.PROTOCOL:
            message = f"this worker speaks protocol {protocol.PROTOCOL} only"
            raise ProtocolError(protocol.INVALID_PARAMS, message)
        wire.whole(request.params, "concurrency", "initialize")
        wire.items(request.params, "allow", "initialize")
        wire.items(request.params, "hidden", "initialize")
        self._initialize = request

    def _on_run(self, request: Request) -> None:
        runs = self._ready()
        params = {"history": [], "goes_on": False, "workflow": [], **request.params}
        wire.keys(params, ("episode", "history", "goes_on", "workflow"), "run")
        history = [UserTurn.from_wire(each) for each in wire.items(params, "history", "run")]
        steps = read_workflow(wire.items(params, "workflow", "run"))
        episode = replace(
            Episode.from_wire(params["episode"]), history=tuple(history), workflow=steps
        )
        runs.submit(request.id, episode, goes_on=wire.truth(params, "goes_on", "run"))

    def _on_cancel(self, request: Request) -> None:
        runs = self._ready()
        wire.keys(request.params, ("episode",), "cancel")
        episode_id = wire.text(request.params, "episode", "cancel")
        self._writer.result(request.id, {"cancelled": runs.cancel(episode_id)})

    def _on_inspect(self, request: Request) -> None:
        self._ready()
        wire.keys(request.params, (), "inspect")
        self._writer.result(request.id, self._inspect())

    def _on_shutdown(self, request: Request) -> None:
        self._writer.result(request.id, {})
        _end(0)

    def _ready(self) -> Runs:
        if self._runs is None:
            raise ProtocolError(protocol.NOT_READY, "the worker is not initialized")
        return self._runs

    def _confine(self, request: Request) -> Guard:
        """Confine the process and return the guard, which is not yet installed.

        Raises:
            ProtocolError: An address is wrong.
        """
        allow = [str(each) for each in request.params["allow"]]
        try:
            ports = [port for _, port in map(parse_address, allow)]
        except ValueError as error:
            raise ProtocolError(protocol.INVALID_PARAMS, str(error)) from error
        hidden = [Path(str(each)) for each in request.params["hidden"]]
        self._enforced += self._confiner(self._folder, ports, hidden)
        return Guard(allow, self._refused, streams_only="sockets" in self._enforced)

    def _load(self) -> Adapter:
        """Import the adapter.

        Raises:
            ProtocolError: It cannot be loaded.
        """
        try:
            adapter = load_adapter(self._entry)
            metadata.version(adapter.distribution)
        except metadata.PackageNotFoundError as error:
            message = (
                f"the adapter object names the distribution {str(error.name)!r}, which is not"
                " installed: its name and distribution must be those of [tool.ossia]"
            )
            raise ProtocolError(protocol.WORKER_FAILED, message) from error
        except BaseException as error:
            message = f"the adapter cannot be loaded: {type(error).__name__}: {error}"
            trace = traceback.format_exc()
            raise ProtocolError(protocol.WORKER_FAILED, message[:4_000], trace[-20_000:]) from error
        return adapter

    def _refused(self, address: str) -> None:
        self._writer.notify("connection_refused", {"address": address})

    async def _loop(self, request: Request, adapter: Adapter) -> None:
        loop = asyncio.get_running_loop()
        packages = _packages()
        concurrency = int(request.params["concurrency"])
        self._inspect = partial(inspection.describe, adapter, loop)
        self._runs = Runs(adapter, loop, concurrency, self._send_result)
        self._writer.result(
            request.id,
            {
                "protocol": protocol.PROTOCOL,
                "adapter": adapter.name,
                "framework": adapter.distribution,
                "version": metadata.version(adapter.distribution),
                "packages": packages,
                "python": platform.python_version(),
                "enforced": sorted(self._enforced),
                "import_cpu_s": self._import_cpu_s,
                "memory_mib": _memory_mib(),
            },
        )
        await loop.create_future()

    def _send_result(self, request_id: int | str, result: Mapping[str, Any]) -> None:
        try:
            self._writer.result(request_id, result)
        except OSError:
            # The runner is gone, so there is nobody to tell and nothing left to do.
            _end(0)


def _end(code: int) -> None:
    """End the process at once: threads of a framework must not keep it alive."""
    os._exit(code)


def _end_group() -> None:
    """End the process and, where it leads a group of its own, every child it left behind.

    A worker with a supervisor leads none: the supervisor ends what is left.
    """
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def main(arguments: Sequence[str] | None = None, confiner: Confiner = confine) -> None:
    """Run a worker until the runner shuts it down or closes its pipe; never returns.

    Args:
        arguments: The command line without the program's name; the process's own by default.
        confiner: Confines the process, given its folder, ports and what is hidden; returns what
            is enforced.
    """
    parser = argparse.ArgumentParser(prog="ossia_adapter.worker", description=__doc__)
    parser.add_argument("--adapter", required=True, help="the adapter, as module:ATTRIBUTE")
    parser.add_argument("--read-fd", required=True, type=int, help="the pipe with the requests")
    parser.add_argument("--write-fd", required=True, type=int, help="the pipe for the responses")
    parser.add_argument(
        "--folder", required=True, type=Path, help="the worker's folder, removed at the end"
    )
    options = parser.parse_args(arguments)
    watched = supervise(options.read_fd, options.write_fd, options.folder)
    # Frameworks print; what they print must never reach a reader of this process's output as
    # if it were meant, and children must not keep the pipes open.
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    os.set_inheritable(options.read_fd, False)
    os.set_inheritable(options.write_fd, False)
    faulthandler.enable()
    enforced = ["processes"] if watched else []
    writer = Writer(options.write_fd)
    _Worker(options.adapter, writer, options.folder, enforced, confiner).main(options.read_fd)


if __name__ == "__main__":
    main()
